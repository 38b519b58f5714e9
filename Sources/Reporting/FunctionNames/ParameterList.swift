internal import BinaryPrimitives

/// The types of a C++ function's parameters, as far as every tool spells them alike, to tell
/// overloads apart.
///
///     handle(int, char const*)          int,*char
///     handle(unsigned long)             unsigned long      also of `long unsigned int`, as in DWARF
///     handle(Row<int> const&, size_t)   class,?            a typedef may be any type
///
/// A list is empty if nothing is known: of `handle`, of `handle()`, as debuggers print functions
/// without debug information, and of `handle (row=0x0)`, which are values.
package enum ParameterList {
    /// - Parameter name: demangled, as a log or the symbols have it.
    static func text(of name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "(")) else { return "" }
        var rest = NameText(name)
        // At most the values of a debugger, and the list before them.
        for _ in 0..<2 {
            guard let (list, start) = lastList(rest) else { return "" }
            if list.contains("=") {
                rest.keep(first: start)
                continue
            }
            let parameters = split(list)
            guard parameters.count <= maxParameters else { return "" }
            return parameters.map(type).joined(separator: ",")
        }
        return ""
    }

    private static let maxParameters = 32

    /// Whether two lists are of two overloads: another number of parameters, or types that are
    /// known and differ.
    package static func differ(_ left: String, _ right: String) -> Bool {
        guard !left.isEmpty, !right.isEmpty, left != right else { return false }
        let (one, other) = (left.split(separator: ","), right.split(separator: ","))
        guard one.count == other.count else { return true }
        return zip(one, other).contains { first, second in
            if first == second || first == "?" || second == "?" { return false }
            // Pointers to types that are not fundamental: classes and typedefs.
            return !(first == "*" && second.hasPrefix("*") || second == "*" && first.hasPrefix("*"))
        }
    }

    /// The text between the last parentheses, with the index of the opening one.
    private static func lastList(_ name: NameText) -> (NameText, Int)? {
        guard let close = name.bytes.lastIndex(of: UInt8(ascii: ")")),
            let open = name.opening(of: close, UInt8(ascii: "("), UInt8(ascii: ")"))
        else { return nil }
        let ending = String(decoding: name.bytes[(close + 1)...], as: UTF8.self)
        let endings = ["", " ", " const", " &", " &&", " const &", " const&", " volatile", " noexcept"]
        guard open > 0, endings.contains(ending) || ending.hasPrefix(" [clone ") || ending.hasPrefix(" (.") else { return nil }
        return (NameText(name.bytes[(open + 1)..<close]), open)
    }

    /// At commas outside of all brackets.
    private static func split(_ list: NameText) -> [NameText] {
        var result: [NameText] = []
        var depth = 0
        var start = 0
        for (index, byte) in list.bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                result.append(NameText(list.bytes[start..<index]))
                start = index + 1
            default: continue
            }
        }
        let last = NameText(list.bytes[min(start, list.count)...])
        let isNone = result.isEmpty && last.bytes.allSatisfy { $0 == 0x20 }
        return isNone ? [] : result + [last]
    }

    private static let fundamental: Set<String> = [
        "signed", "unsigned", "char", "short", "int", "long", "bool", "float", "double", "void", "wchar_t", "char8_t", "char16_t",
        "char32_t",
    ]
    private static let qualifiers: Set<String> = [
        "const", "volatile", "struct", "class", "enum", "union", "restrict", "__restrict", "__ptr64",
    ]

    private static func type(_ parameter: NameText) -> String {
        let bytes = parameter.bytes
        // Functions and arrays are pointers; references to a type and the type itself are spelled
        // alike by some.
        if bytes.contains(UInt8(ascii: "(")) || bytes.contains(UInt8(ascii: "[")) { return "*" }
        if bytes.contains(UInt8(ascii: "<")) { return bytes.last == UInt8(ascii: "*") ? "*" : "class" }
        let isPointer = bytes.contains(UInt8(ascii: "*"))
        if bytes.contains(UInt8(ascii: "&")) { return "?" }
        let tokens = bytes.split(whereSeparator: { $0 == 0x20 || $0 == UInt8(ascii: "*") }).map { String(decoding: $0, as: UTF8.self) }
            .filter { !qualifiers.contains($0) }
        guard !tokens.isEmpty, tokens.allSatisfy(fundamental.contains) else { return isPointer ? "*" : "?" }
        return (isPointer ? "*" : "") + integer(tokens)
    }

    /// `long unsigned int` and `unsigned long` are one type.
    private static func integer(_ tokens: [String]) -> String {
        let longs = tokens.count { $0 == "long" }
        if tokens.contains("double") { return longs > 0 ? "long double" : "double" }
        if tokens.contains("char") {
            return tokens.contains("unsigned") ? "unsigned char" : tokens.contains("signed") ? "signed char" : "char"
        }
        let sign = tokens.contains("unsigned") ? "unsigned " : ""
        if longs > 0 { return sign + (longs > 1 ? "long long" : "long") }
        if tokens.contains("short") { return sign + "short" }
        return tokens.contains("int") || tokens == ["unsigned"] || tokens == ["signed"] ? sign + "int" : tokens.joined(separator: " ")
    }
}
