/// JSON with a line for each member and element, indented by two spaces for each level, as LLVM's writer does it.
enum IndentedJSON {
    /// - Parameters:
    ///   - text: JSON without white space between its parts.
    ///   - depth: levels around it.
    static func text(_ text: String, depth: Int) -> String {
        var result: [UInt8] = []
        var depth = depth
        var isInString = false
        var isEscaped = false
        let bytes = Array(text.utf8)
        func newLine() {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        for (index, byte) in bytes.enumerated() {
            if isInString {
                result.append(byte)
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                result.append(byte)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                depth += 1
                // What is empty stays on one line.
                if index + 1 < bytes.count, bytes[index + 1] != byte + 2 { newLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if index > 0, bytes[index - 1] != byte - 2 { newLine() }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                newLine()
            case UInt8(ascii: ":"): result += [byte, UInt8(ascii: " ")]
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
