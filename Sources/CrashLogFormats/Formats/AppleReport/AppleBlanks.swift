internal import BinaryPrimitives
internal import CrashLogModel

/// What replaces a blank in a row that a mailer broke over several lines: the line break.
enum AppleBlanks {
    /// The same number of bytes with blanks in their place; `nil` where there are none, as in
    /// nearly every line.
    static func replaced(in text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8]?
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if bytes == nil { bytes = text.copied() }
                bytes?[index] = UInt8(ascii: " ")
            default: continue
            }
        }
        return bytes
    }
}
