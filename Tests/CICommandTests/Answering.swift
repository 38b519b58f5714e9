import BinaryPrimitives

/// Replaces cairn: every address becomes a function with everything in its name that is awkward in
/// XML.
enum Answering {
    static let name = "f<T>(\"a\") & ]]> \u{1b}[31m ü"
    /// As XML may hold it.
    static let allowed = "f<T>(\"a\") & ]]> \u{FFFD}[31m ü"

    static func answer(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text.span
        while rest.count > 0 {
            var number = rest
            if number.consume("0x"), number.readHexadecimal() != nil {
                result += name.utf8
                rest = number
            } else {
                result.append(rest[0])
                rest = rest.from(1)
            }
        }
        return result
    }
}
