internal import BinaryPrimitives

extension PlainText {
    /// The name of a rule: letters, digits, `.`, `_` and `-`, whatever else it was made of.
    static func slug(_ text: String, limit: Int = 64) -> String {
        var result = ""
        for byte in text.utf8 {
            guard result.utf8.count < limit else { break }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !result.isEmpty, result.utf8.last != UInt8(ascii: "-") { result += "-" }
            }
        }
        while result.utf8.last == UInt8(ascii: "-") { result.removeLast() }
        return result
    }
}
