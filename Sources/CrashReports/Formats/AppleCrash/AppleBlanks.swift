internal import BinaryPrimitives

/// What stands for a blank in reports that were copied: the no-break space (`C2 A0` in UTF-8) that Safari gives, and the line break where a mailer broke a row.
enum AppleBlanks {
    /// The same number of bytes with blanks in their place; `nil` where there are none, as in nearly every line.
    static func replaced(in text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8]?
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if bytes == nil { bytes = text.copied() }
                bytes?[index] = UInt8(ascii: " ")
            case 0xC2 where text.at(index + 1) == 0xA0:
                if bytes == nil { bytes = text.copied() }
                bytes?[index] = UInt8(ascii: " ")
                bytes?[index + 1] = UInt8(ascii: " ")
            default: continue
            }
        }
        return bytes
    }
}
