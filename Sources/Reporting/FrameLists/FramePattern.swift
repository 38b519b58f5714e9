/// A pattern of a frame list: `MODULE!FUNCTION`, or `FUNCTION` for any module, where `*` matches
/// any text, including empty text.
///
/// It is a part of its list's text: a report of one crash needs few of the hundreds of patterns.
struct FramePattern: Sendable, Hashable {
    private let module: ArraySlice<UInt8>?
    private let function: ArraySlice<UInt8>

    /// - Parameter bytes: without blanks at their ends, not empty.
    init(_ bytes: ArraySlice<UInt8>) {
        let mark = bytes.firstIndex(of: UInt8(ascii: "!")).flatMap { $0 > bytes.startIndex ? $0 : nil }
        module = mark.map { bytes[..<$0] }
        function = mark.map { bytes[($0 + 1)...] } ?? bytes
    }

    private static let asterisk = UInt8(ascii: "*")

    /// First byte of every matching function; `nil` if the pattern begins with an asterisk, or matches the empty name alone.
    /// Patterns are sorted into drawers by this byte.
    var firstByte: UInt8? { function.first == Self.asterisk ? nil : function.first }

    /// - Parameter function: the normalised name; empty for a frame without one, which only
    ///   `MODULE!*` and `MODULE!` match.
    func matches(function name: [UInt8], module found: [UInt8]) -> Bool {
        if name.isEmpty, module == nil { return false }
        return Self.matches(function, name) && (module.map { Self.matches($0, found) } ?? true)
    }

    /// An asterisk takes as little as possible. Where what follows does not match, the last asterisk takes one byte more; one before
    /// it need not, as its first match leaves most room.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
        var (position, index) = (pattern.startIndex, 0)
        /// After the last asterisk, and the beginning of what is compared with it.
        var retry: (position: Int, index: Int)?
        while index < text.count {
            if position < pattern.endIndex, pattern[position] == asterisk {
                position += 1
                retry = (position, index)
            } else if position < pattern.endIndex, pattern[position] == text[index] {
                position += 1
                index += 1
            } else if let last = retry {
                (position, index) = (last.position, last.index + 1)
                retry = (position, index)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == asterisk }
    }
}
