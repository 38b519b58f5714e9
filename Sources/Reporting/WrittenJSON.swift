/// A JSON document (RFC 8259) to be written: compact, keys in the order given, absent members left out.
package enum WrittenJSON {
    case string(String)
    case number(Int)
    case unsigned(UInt64)
    case boolean(Bool)
    case array([WrittenJSON])
    case object([(key: String, value: WrittenJSON?)])

    /// Appends the document's bytes.
    package func write(to output: inout [UInt8]) {
        switch self {
        case .string(let text): Escaping.json(text, to: &output)
        case .number(let number): output += String(number).utf8
        case .unsigned(let number): output += String(number).utf8
        case .boolean(let value): output += (value ? "true" : "false").utf8
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            var isFirst = true
            for case (let key, let value?) in members {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                Escaping.json(key, to: &output)
                output.append(UInt8(ascii: ":"))
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
