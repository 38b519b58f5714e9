internal import BinaryPrimitives

/// Searches a log once for text that identifies a user or a machine, by the text around it.
struct PersonalSearch {
    private(set) var found: [PersonalText] = []
    private var lineStart = 0
    /// A JSON object that describes a user or a device: its end and its kind.
    private var object: (end: Int, kind: FieldName.Object)?

    /// Maximum length (bytes) of a JSON object that describes a user.
    private static let longestObject = 1 << 14

    mutating func run(_ log: Span<UInt8>) {
        var index = 0
        while index < log.count {
            if index == lineStart, let host = SyslogHost.range(in: log, at: index) {
                found.append(PersonalText(range: host, kind: .host))
                index = host.upperBound
                continue
            }
            let before = found.count
            findText(at: log[index], index, log)
            if log[index] == UInt8(ascii: "\n") { lineStart = index + 1 }
            let next = found.count > before ? found[found.count - 1].range.upperBound : index + 1
            index = max(next, index + 1)
        }
    }

    private mutating func findText(at byte: UInt8, _ index: Int, _ log: Span<UInt8>) {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"):
            if let text = UserFolder.personalText(in: log, at: index) { found.append(text) }
        case UInt8(ascii: "@"):
            if let range = NetworkAddress.mail(in: log, around: index, from: found.last?.range.upperBound ?? 0) {
                found.append(PersonalText(range: range, kind: .mail))
            }
        case UInt8(ascii: ":"): findValueAfterColon(index, log)
        case UInt8(ascii: "="): findValueAfterEquals(index, log)
        case UInt8(ascii: "("):
            if let range = NumberedUser.range(in: log, behind: index, lineStart: lineStart) {
                found.append(PersonalText(range: range, kind: .user))
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            if let range = NetworkAddress.range(in: log, at: index) { found.append(PersonalText(range: range, kind: .key)) }
        default: break
        }
    }

    /// `"key": "value"` of JSON, or `Key: value` at the beginning of a line.
    private mutating func findValueAfterColon(_ index: Int, _ log: Span<UInt8>) {
        var end = index
        while end > lineStart, isBlank(log[end - 1]) { end -= 1 }
        if end > 0, log[end - 1] == UInt8(ascii: "\"") {
            findMemberValue(key: log.clamped(to: FieldName.json(in: log, before: end - 1, from: lineStart)), behind: index + 1, log)
        } else if end - lineStart <= FieldName.longest, let kind = FieldName.line(log.clamped(to: lineStart..<end)) {
            if let range = FieldValue.line(in: log, from: index + 1, until: kind == .key ? nil : UInt8(ascii: " ")) {
                found.append(PersonalText(range: range, kind: kind))
            }
        }
    }

    private mutating func findMemberValue(key: Span<UInt8>, behind index: Int, _ log: Span<UInt8>) {
        if let end = object?.end, index >= end { object = nil }
        var index = index
        while let byte = log.at(index), isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { index += 1 }
        switch log.at(index) {
        case UInt8(ascii: "{"):
            guard let kind = FieldName.object(key), let end = FieldValue.objectEnd(in: log, from: index, limit: Self.longestObject) else {
                return
            }
            object = (end, kind)
        case UInt8(ascii: "\""):
            guard let kind = FieldName.member(key, of: object?.kind), let range = FieldValue.string(in: log, from: index + 1) else {
                return
            }
            // A path or an address of mail is looked at for itself.
            if kind == .user, log.clamped(to: range).firstIndex(of: UInt8(ascii: "/"), from: 0) != nil { return }
            if (kind == .user || kind == .host) && UserFolder.isNobody(log.clamped(to: range)) { return }
            found.append(PersonalText(range: range, kind: kind))
        default: return
        }
    }

    /// `USER=jane` of an environment or a command line.
    private mutating func findValueAfterEquals(_ index: Int, _ log: Span<UInt8>) {
        var start = index
        while start > 0, index - start < FieldName.longest, FieldName.isLetter(log[start - 1]) { start -= 1 }
        guard let kind = FieldName.variable(log.clamped(to: start..<index)), let range = FieldValue.word(in: log, from: index + 1) else {
            return
        }
        if (kind == .user || kind == .host) && UserFolder.isNobody(log.clamped(to: range)) { return }
        found.append(PersonalText(range: range, kind: kind))
    }
}

/// A range of a log that identifies a user or a machine.
struct PersonalText: Sendable {
    enum Kind: Sendable {
        case user, host
        /// A key, a serial number or an address, whose shape stays:
        /// `00000000-0000-0000-0000-000000000000`.
        case key
        /// A mail address: `xxxx@xxxxxxx.xxx`.
        case mail
        /// The number of a user: `1000`.
        case userNumber
    }

    var range: Range<Int>
    var kind: Kind
}

/// A user's or a group's name after the number: `uid=1000(jane)`, systemd's `UID: 1000 (jane)`.
private enum NumberedUser {
    /// - Parameters:
    ///   - open: position of the opening parenthesis.
    ///   - lineStart: position of the beginning of its line.
    static func range(in log: Span<UInt8>, behind open: Int, lineStart: Int) -> Range<Int>? {
        var position = open
        while position > lineStart, isBlank(log[position - 1]) { position -= 1 }
        let digits = position
        while position > lineStart, isDigit(log[position - 1]) { position -= 1 }
        guard position < digits, isNamed(log.clamped(to: max(lineStart, position - 12)..<position)) else { return nil }
        var end = open + 1
        while let byte = log.at(end), isWordByte(byte) { end += 1 }
        guard end > open + 1, log.at(end) == UInt8(ascii: ")"), !UserFolder.isNobody(log.clamped(to: open + 1..<end)) else { return nil }
        return open + 1..<end
    }

    private static func isNamed(_ before: Span<UInt8>) -> Bool {
        let before = before.trimmed()
        return ["UID:", "GID:", "uid=", "gid=", "groups="].contains { before.hasSuffix($0) }
    }
}

/// The machine's name in a line of the system's log: after the date, before the program.
private enum SyslogHost {
    /// `Sep 21 16:36:22 host kernel: …`, `2026-05-01T12:00:00.123456+02:00 host program[1]: …`.
    static func range(in log: Span<UInt8>, at lineStart: Int) -> Range<Int>? {
        let line = log.from(lineStart).upTo(256)
        guard let date = dateLength(line) else { return nil }
        let start = lineStart + date
        var end = start
        while let byte = log.at(end), isWordByte(byte) { end += 1 }
        guard end > start, end - start <= 128, log.at(end) == UInt8(ascii: " "), !UserFolder.isNobody(log.clamped(to: start..<end)) else {
            return nil
        }
        // The program's name, and its number or a colon.
        var position = end + 1
        while let byte = log.at(position), isWordByte(byte) || byte == UInt8(ascii: "/") { position += 1 }
        guard position > end + 1, log.at(position) == UInt8(ascii: ":") || log.at(position) == UInt8(ascii: "[") else { return nil }
        return start..<end
    }

    private static func dateLength(_ line: Span<UInt8>) -> Int? {
        if line.count >= 16, hasShape(line, "AAA dd dd:dd:dd ") { return 16 }
        guard line.count >= 20, hasShape(line, "dddd-dd-ddTdd:dd:dd") else { return nil }
        guard let blank = line.upTo(40).firstIndex(of: UInt8(ascii: " "), from: 19) else { return nil }
        return blank + 1
    }

    /// `A` is a letter, `d` a digit or a blank before one, everything else itself.
    private static func hasShape(_ line: Span<UInt8>, _ shape: String) -> Bool {
        var index = 0
        for wanted in shape.utf8 {
            let byte = line[index]
            switch wanted {
            case UInt8(ascii: "A"): guard byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") else { return false }
            case UInt8(ascii: "d"): guard isDigit(byte) || byte == UInt8(ascii: " ") else { return false }
            default: guard byte == wanted else { return false }
            }
            index += 1
        }
        return true
    }
}
