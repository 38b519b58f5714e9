internal import BinaryPrimitives
internal import CrashLogModel

/// Finds identities (build IDs, UUIDs) that a log prints next to image names, outside of stack rows.
///
/// Many tools print them apart from the stack: lldb's `image list` and crash logs, the `binary_images`
/// of Datadog events, `eu-unstrip -n`, `dwarfdump --uuid`. Formats that parse only the stack miss them,
/// and a symbol file of another build would then match by its name.
///
///     [  0] 4C4C44ED-5555-3144-A1F6-E835C4EE10B4 0x0000000102c44000 /tmp/App
///     0x102c44000-0x102c47fff App <4C4C44ED-5555-3144-A1F6-E835C4EE10B4> /tmp/App
///     "uuid": "4C4C44ED-5555-3144-A1F6-E835C4EE10B4", "name": "App"
struct ListedIdentities: Sendable {
    /// One identity with the text around it: its line, or its JSON object.
    private struct Entry {
        /// Byte offset of the identity in the log.
        var position: Int
        /// Byte ranges in `text`.
        var identity: Range<Int>
        /// The label before the identity is "build ID".
        var isBuildID: Bool
        var context: Range<Int>
        /// Start offset of the trace that contains the text; `nil` outside of traces.
        var owner: Int?
    }

    private var entries: [Entry] = []
    private var text: [UInt8] = []

    /// Maximum distance between a trace and an identity, in bytes of the log. The image list of a large
    /// process has about 100 KB.
    static let reach = 1 << 20
    private static let longestContext = 2048

    /// Whether a report has an image without an identity.
    static func areWanted(by report: CrashReport) -> Bool {
        report.images.contains { isWanted($0) }
    }

    private static func isWanted(_ image: BinaryImage) -> Bool {
        image.id == nil && image.debugIdentifier == nil && !image.isPlaceholder && image.name.utf8.count > 1
    }

    // MARK: Reading

    /// Reads the next bytes of the log.
    /// - Parameters:
    ///   - position: offset of the first byte in the log.
    ///   - owner: start offset of the trace that contains the bytes; `nil` outside of traces.
    mutating func read(_ bytes: Span<UInt8>, at position: Int, owner: Int?) {
        forget(before: position - 2 * Self.reach)
        // An identity has at least 32 digits, so it contains some index that is a multiple of 16,
        // and also the positions 8 and 16 bytes after it. Only these three bytes are checked first.
        let parts = Self.parts
        var index = 0
        while index + 16 < bytes.count {
            guard parts.contains(bytes[index]), parts.contains(bytes[index + 8]), parts.contains(bytes[index + 16]) else {
                index += 16
                continue
            }
            var start = index
            while start > 0, index - start < 130, parts.contains(bytes[start - 1]) { start -= 1 }
            var end = index + 1
            while end < bytes.count, end - start < 130, parts.contains(bytes[end]) { end += 1 }
            if let found = Self.context(of: start..<end, in: bytes) {
                note(start..<end, found.range, isBuildID: found.isBuildID, bytes, position, owner)
            }
            index = max(index + 16, end & ~15)
        }
    }

    private mutating func note(
        _ identity: Range<Int>, _ context: Range<Int>, isBuildID: Bool, _ bytes: Span<UInt8>, _ position: Int, _ owner: Int?
    ) {
        guard entries.count < Limits.standard.images else { return }
        let start = text.count
        text.append(copying: bytes.clamped(to: context))
        let distance = start - context.lowerBound
        entries.append(
            Entry(
                position: position + identity.lowerBound,
                identity: identity.lowerBound + distance..<identity.upperBound + distance, isBuildID: isBuildID,
                context: start..<text.count, owner: owner))
    }

    /// Removes entries that are out of reach of later traces, once they are half of all entries.
    private mutating func forget(before position: Int) {
        guard !entries.isEmpty, entries[entries.count / 2].position < position else { return }
        let kept = entries[(entries.count / 2)...]
        let start = kept.first?.context.lowerBound ?? 0
        text.removeFirst(start)
        entries = kept.map { entry in
            var entry = entry
            entry.identity = entry.identity.lowerBound - start..<entry.identity.upperBound - start
            entry.context = entry.context.lowerBound - start..<entry.context.upperBound - start
            return entry
        }
    }

    private static let parts = ByteSet("0123456789abcdefABCDEF-")

    /// Range of the line or JSON object around an identity.
    /// - Returns: `nil` if the number is not the identity of an image.
    private static func context(of identity: Range<Int>, in bytes: Span<UInt8>) -> (range: Range<Int>, isBuildID: Bool)? {
        let isUUID = isUUID(bytes.clamped(to: identity))
        guard isUUID || isBuildID(bytes.clamped(to: identity)) else { return nil }
        let earliest = max(0, identity.lowerBound - longestContext)
        let before = bytes.clamped(to: earliest..<identity.lowerBound)
        let after = bytes.clamped(to: identity.upperBound..<identity.upperBound + longestContext)
        // UUIDs inside paths name folders: `/var/containers/Bundle/Application/UUID/App.app/App` on iOS.
        guard !isInWord(before.last), !isInWord(after.first) else { return nil }
        // Most numbers of a log have another label: nothing else is read of them.
        let label = Label(endOf: before)
        guard label != .other else { return nil }
        // A key of a JSON document, `"uuid": "`: the text is its object's.
        let isKey = label != .none && before.last == UInt8(ascii: "\"")
        let objectStart = isKey ? before.lastIndex(of: UInt8(ascii: "{")) : nil
        let objectEnd = isKey ? after.firstIndex(of: UInt8(ascii: "}")) : nil
        let start = objectStart ?? before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = objectEnd ?? after.firstIndex(of: UInt8(ascii: "\n")) ?? after.count
        if label == .none {
            // Apple's brackets, elfutils' `@0x…`, or a UUID in a line with an address.
            let isMarked = before.last == UInt8(ascii: "<") && after.first == UInt8(ascii: ">") || after.hasPrefix("@0x")
            guard isMarked || isUUID && (hasAddress(before.from(start)) || hasAddress(after.upTo(end))) else { return nil }
        }
        return (earliest + start..<identity.upperBound + end, label == .buildID)
    }

    /// 8-4-4-4-12 digits.
    private static func isUUID(_ text: Span<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for index in 0..<36 where (text[index] == UInt8(ascii: "-")) != (index == 8 || index == 13 || index == 18 || index == 23) {
            return false
        }
        return true
    }

    /// The 16 bytes of an MD5 or a UUID, the 20 of a SHA-1, the 32 of a SHA-256.
    private static func isBuildID(_ text: Span<UInt8>) -> Bool {
        guard text.count == 32 || text.count == 40 || text.count == 64 else { return false }
        return text.firstIndex(of: UInt8(ascii: "-")) == nil
    }

    private static func isInWord(_ neighbour: UInt8?) -> Bool { neighbour.map { isLetterOrDigit($0) || isOne($0, of: "/._") } ?? false }

    private static func hasAddress(_ text: Span<UInt8>) -> Bool { text.contains("0x") || text.contains("0X") }

    /// Label in front of a number.
    private enum Label {
        /// No label.
        case none
        /// Identity of an image: `UUID:`, `"uuid": "`, `BuildId=`.
        case uuid, buildID
        /// Any other label: `request_id=`.
        case other

        init(endOf text: Span<UInt8>) {
            var rest = text
            var isNamed = false
            while let last = rest.last, isOne(last, of: " \t\"'\\<([{:=>") {
                if last == UInt8(ascii: ":") || last == UInt8(ascii: "=") { isNamed = true }
                rest = rest.upTo(rest.count - 1)
            }
            // `BuildID[sha1]=`
            if isNamed, rest.last == UInt8(ascii: "]"), let bracket = rest.lastIndex(of: UInt8(ascii: "[")) { rest = rest.upTo(bracket) }
            // The last seven letters, the last of them lowest.
            var letters: UInt64 = 0
            var count: UInt64 = 0
            while count < 7, let last = rest.last, isLetterOrDigit(last) || isOne(last, of: "_- ") {
                if isLetterOrDigit(last) {
                    letters |= UInt64(last | 0x20) << (8 * count)
                    count += 1
                }
                rest = rest.upTo(rest.count - 1)
            }
            if letters & 0xffff_ffff == Self.uuidLetters {
                self = .uuid
            } else if letters == Self.buildIDLetters {
                self = .buildID
            } else {
                self = isNamed ? .other : .none
            }
        }

        /// `uuid` and `buildid`, in ASCII.
        private static let uuidLetters: UInt64 = 0x75_75_69_64
        private static let buildIDLetters: UInt64 = 0x62_75_69_6c_64_69_64
    }

    // MARK: Use

    /// Assigns identities to the images of a report that have none. Identities inside the trace come
    /// first, then the nearest one outside of all traces.
    /// - Parameter range: byte range of the trace in the log.
    func complete(_ report: inout CrashReport, at range: Range<Int>) {
        guard !entries.isEmpty else { return }
        for index in report.images.indices where Self.isWanted(report.images[index]) {
            let image = report.images[index]
            guard let id = identity(of: image, near: range) else { continue }
            // Two entries of one list may share a name: old macOS lists its comm page as libSystem, too.
            let isTaken = report.images.contains { $0.id == id && $0.name == image.name && $0.base != image.base }
            if !isTaken { report.images[index].id = id }
        }
    }

    private func identity(of image: BinaryImage, near range: Range<Int>) -> ImageID? {
        var nearest: (distance: Int, isAtBase: Bool, id: ImageID)?
        var contradicts = false
        for entry in entries where entry.owner == nil || entry.owner == range.lowerBound {
            let distance = max(range.lowerBound - entry.position, entry.position - range.upperBound, 0)
            let context = text.span.clamped(to: entry.context)
            guard distance <= Self.reach, Self.names(image.name, context), let known = ImageID(text: text.span.clamped(to: entry.identity)),
                let id = entry.isBuildID ? ImageID(buildID: known.bytes) : known
            else { continue }
            let isAtBase = image.base.map { Self.hasAddress($0, context) } ?? false
            if let known = nearest {
                guard known.isAtBase == isAtBase ? distance <= known.distance : isAtBase else { continue }
                contradicts = known.isAtBase == isAtBase && distance == known.distance && (contradicts || known.id != id)
            }
            nearest = (distance, isAtBase, id)
        }
        return contradicts ? nil : nearest?.id
    }

    /// Whether a text contains a file name as a whole word: alone, at the end of a path, or in quotes.
    private static func names(_ name: String, _ text: Span<UInt8>) -> Bool {
        let count = name.utf8.count
        var from = 0
        while let found = text.firstRange(of: name, from: from) {
            from = found.lowerBound + 1
            let before = text.at(found.lowerBound - 1) ?? UInt8(ascii: " ")
            let after = text.at(found.lowerBound + count) ?? UInt8(ascii: " ")
            if before <= UInt8(ascii: " ") || isOne(before, of: "/\\\"'`(<[:=,"),
                after <= UInt8(ascii: " ") || isOne(after, of: "\"'`)>],;:\\")
            {
                return true
            }
        }
        return false
    }

    private static func hasAddress(_ address: RuntimeAddress, _ text: Span<UInt8>) -> Bool {
        var rest = text
        while rest.count > 0 {
            var number = rest
            if number.readAddress() == address.value { return true }
            while rest.count > 0, isLetterOrDigit(rest[0]) { rest = rest.from(1) }
            while rest.count > 0, !isLetterOrDigit(rest[0]) { rest = rest.from(1) }
        }
        return false
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte)
}

extension Span<UInt8> {
    fileprivate var first: UInt8? { at(0) }
    fileprivate var last: UInt8? { at(count - 1) }
}
