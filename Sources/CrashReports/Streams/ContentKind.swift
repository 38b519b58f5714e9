internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Whether a log is text, by the control characters among its first bytes.
///
/// Of random bytes 11 of 100 are such; programs, images and databases have more. Logs have none but
/// those that move a cursor, or a few that a program printed by mistake.
struct ContentKind: Sendable {
    /// The bytes are no text. That does not keep anybody from finding a report in them.
    var isBinary = false
    /// Bytes that were looked at, and the control characters among them.
    private var seen = 0
    private var controls = 0
    /// Where the next byte is in the log that was not looked at.
    private var position = 0

    /// Bytes that decide.
    private static let head = 4096
    /// One control character in so many bytes is too many.
    private static let share = 20

    /// - Parameter bytes: the log from byte `base` on.
    mutating func look(at bytes: Span<UInt8>, base: Int) {
        while seen < Self.head, position - base < bytes.count {
            let byte = bytes[position - base]
            position += 1
            // Zeros before the first byte are a hole: of a log that was cut while its writer went
            // on at the old place.
            if byte == 0, seen == 0 { continue }
            seen += 1
            // Tab, line feed and their like; escape sequences; overstriking and bells.
            if byte < 0x07 || (0x0E..<0x20).contains(byte) && byte != 0x1B || byte == 0x7F { controls += 1 }
        }
        if controls * Self.share > seen { isBinary = true }
    }
}
