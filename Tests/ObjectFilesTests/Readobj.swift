import TestSupport

/// What LLVM's `llvm-readobj` (version 19) says of a file: the second opinion on sections and
/// symbols.
enum Readobj {
    static let program = "/usr/bin/llvm-readobj-19"
    static var isInstalled: Bool { TestPaths.isReadable(program) }

    /// The blocks (`Section {`, `Symbol {`) of its output, each as its `Key: value` lines.
    ///
    /// A value such as `.text (12)` keeps its number. `Flags [ (0x6)` becomes `Flags` with the
    /// value `0x6`.
    static func blocks(_ kind: String, _ options: [String], _ path: String) throws -> [[String: String]] {
        var blocks: [[String: String]] = []
        var isInside = false
        for line in try run(program, options + [path]).lines {
            let text = line.drop { $0 == " " }
            if text == "\(kind) {" {
                blocks.append([:])
                isInside = true
            } else if text == "}" {
                isInside = false
            } else if isInside, let colon = text.firstIndex(of: ":") {
                let key = String(text[..<colon])
                if blocks[blocks.count - 1][key] == nil {
                    blocks[blocks.count - 1][key] = String(text[text.index(after: colon)...].dropFirst())
                }
            } else if isInside, text.hasSuffix(")"), let bracket = text.firstIndex(of: "["), let parenthesis = text.lastIndex(of: "(") {
                let key = text[..<bracket].split(separator: " ").joined()
                blocks[blocks.count - 1][key] = String(text[text.index(after: parenthesis)...].dropLast())
            } else if isInside, !text.isEmpty, text.allSatisfy(\.isLetter) {
                blocks[blocks.count - 1][String(text)] = ""
            }
        }
        return blocks
    }

    /// `name (number)` without the number.
    static func name(_ value: String?) -> String {
        guard let value, let end = value.lastIndex(of: "("), value.hasSuffix(")") else { return value ?? "" }
        return String(value[..<end].dropLast())
    }

    /// The number in `name (number)`.
    static func number(_ value: String?) -> UInt64? {
        guard let value, let begin = value.lastIndex(of: "("), value.hasSuffix(")") else { return integer(value) }
        return integer(String(value[value.index(after: begin)...].dropLast()))
    }

    /// A decimal or `0x` number.
    static func integer(_ text: String?) -> UInt64? {
        guard let text else { return nil }
        return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}

/// Every regular file below a folder, in the order of their names.
func filesBelow(_ folder: String) throws -> [String] {
    try run("find", ["-L", folder, "-type", "f"]).lines.sorted()
}
