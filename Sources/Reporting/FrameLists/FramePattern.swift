/// A pattern of a frame list: `MODULE!FUNCTION`, or `FUNCTION` for any module, where `*` matches
/// any text, including empty text.
struct FramePattern: Sendable, Hashable {
    /// The parts between the asterisks; one part: the text itself.
    private let module: [[UInt8]]?
    private let function: [[UInt8]]

    /// - Parameter bytes: without blanks at their ends, not empty.
    init(_ bytes: [UInt8]) {
        if let mark = bytes.firstIndex(of: UInt8(ascii: "!")), mark > 0 {
            module = Self.parts(bytes[..<mark])
            function = Self.parts(bytes[(mark + 1)...])
        } else {
            module = nil
            function = Self.parts(bytes[...])
        }
    }

    /// First byte of every matching function; `nil` if the pattern begins with an asterisk.
    /// Patterns are sorted into drawers by this byte.
    var firstByte: UInt8? { function.first?.first }

    /// - Parameter function: the normalised name; empty for a frame without one, which only
    ///   `MODULE!*` and `MODULE!` match.
    func matches(function name: [UInt8], module found: [UInt8]) -> Bool {
        if name.isEmpty, module == nil { return false }
        return Self.matches(function, name) && (module.map { Self.matches($0, found) } ?? true)
    }

    private static func parts(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
        text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Searches for each part after the previous one. The first part must be at the beginning of
    /// the text, and the last part at the end. Backtracking is not needed, as the first match
    /// leaves most room.
    private static func matches(_ parts: [[UInt8]], _ text: [UInt8]) -> Bool {
        guard let first = parts.first, let last = parts.last, text.starts(with: first) else { return false }
        guard parts.count > 1 else { return text.count == first.count }
        guard text.count >= first.count + last.count, text.suffix(last.count).elementsEqual(last) else { return false }
        var index = first.count
        let end = text.count - last.count
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            var found: Int?
            while index + part.count <= end, found == nil {
                if text[index] == part[0], text[index..<index + part.count].elementsEqual(part) { found = index } else { index += 1 }
            }
            guard let found else { return false }
            index = found + part.count
        }
        return true
    }
}
