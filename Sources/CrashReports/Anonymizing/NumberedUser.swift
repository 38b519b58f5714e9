internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// A user's or a group's name after the number: `uid=1000(jane)`, systemd's `UID: 1000 (jane)`.
enum NumberedUser {
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
