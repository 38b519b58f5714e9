internal import BinaryPrimitives
/// Whether a log is text, by the control characters among its first bytes.
///
/// Among 100 random bytes 11 are control characters; programs, images and databases have more. Logs
/// have only those that move a cursor, or a few that a program printed by mistake.
struct ContentKind: Sendable {
    /// The bytes are not text. They may contain a report all the same.
    var isBinary = false
    /// Bytes that were looked at, and the control characters among them.
    private var seen = 0
    private var controls = 0
    /// Position in the log of the next byte to look at.
    private var position = 0

    /// Number of first bytes that decide.
    private static let head = 4096
    /// One control character in so many bytes is too many.
    private static let share = 20

    /// - Parameter bytes: the log from byte `base` on.
    mutating func inspect(_ bytes: Span<UInt8>, base: Int) {
        while seen < Self.head, position - base < bytes.count {
            let byte = bytes[position - base]
            position += 1
            // Zeros before the first byte are a hole: the log was cut while its writer went on at
            // the old offset.
            if byte == 0, seen == 0 { continue }
            seen += 1
            // Tab, line feed and their like; escape sequences; overstriking and bells.
            if byte < 0x07 || (0x0E..<0x20).contains(byte) && byte != 0x1B || byte == 0x7F { controls += 1 }
        }
        if controls * Self.share > seen { isBinary = true }
    }
}
