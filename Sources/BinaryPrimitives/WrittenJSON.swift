/// A JSON document (RFC 8259) to be written: keys in the order given, absent members left out.
package enum WrittenJSON {
    case string(String)
    case number(Int)
    case unsigned(UInt64)
    case boolean(Bool)
    /// For readers that distinguish “unknown” from “not there”.
    case null
    case array([WrittenJSON])
    case object([(key: String, value: WrittenJSON?)])

    /// How a document looks.
    package struct Style: Sendable {
        /// Appends a string with its quotation marks.
        var quote: @Sendable (_ text: String, _ output: inout [UInt8]) -> Void
        /// Levels of indentation around the document, whose members and elements have a line each;
        /// `nil` for a document without white space.
        var depth: Int?

        package init(depth: Int? = nil, quote: @escaping @Sendable (_ text: String, _ output: inout [UInt8]) -> Void) {
            self.quote = quote
            self.depth = depth
        }

        /// Without white space, and with characters escaped that are unsafe in a terminal.
        package static let compact = Style { JSONString.append($0, to: &$1) }
    }

    /// Appends the document's bytes.
    package func write(to output: inout [UInt8], style: Style = .compact) { write(to: &output, style, depth: style.depth) }

    private func write(to output: inout [UInt8], _ style: Style, depth: Int?) {
        switch self {
        case .string(let text): style.quote(text, &output)
        case .number(let number): output += String(number).utf8
        case .unsigned(let number): output += String(number).utf8
        case .boolean(let value): output += (value ? "true" : "false").utf8
        case .null: output += "null".utf8
        case .array(let values):
            let inner = depth.map { $0 + 1 }
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.breakLine(inner, &output)
                value.write(to: &output, style, depth: inner)
            }
            if !values.isEmpty { Self.breakLine(depth, &output) }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            let inner = depth.map { $0 + 1 }
            output.append(UInt8(ascii: "{"))
            var isEmpty = true
            for case (let key, let value?) in members {
                if !isEmpty { output.append(UInt8(ascii: ",")) }
                isEmpty = false
                Self.breakLine(inner, &output)
                style.quote(key, &output)
                output.append(UInt8(ascii: ":"))
                if inner != nil { output.append(UInt8(ascii: " ")) }
                value.write(to: &output, style, depth: inner)
            }
            if !isEmpty { Self.breakLine(depth, &output) }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a line's end and the next line's indentation, two blanks for each level; nothing in
    /// a document without white space.
    private static func breakLine(_ depth: Int?, _ output: inout [UInt8]) {
        guard let depth else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
