internal import BinaryPrimitives

/// Names of Nim (`mangle` of the compiler's `ccgutils.nim`): `inner__main_2`, since version 2
/// `inner__main_u2`, is `main.inner`.
///
/// Characters that no identifier of C has are written as words, and an underscore ends them: `plus___shop_29`
/// is `shop.+`, `eqdestroy___shop_4` is `shop.=destroy`, `colonanonymous___main_5` is `main.:anonymous`.
///
/// Functions of C may be called alike, so a name is read only where the source file is Nim's.
enum NimName {
    private static let characters: [(code: String, text: String)] = [
        ("dollar", "$"), ("percent", "%"), ("amp", "&"), ("roof", "^"), ("emark", "!"), ("qmark", "?"), ("star", "*"), ("plus", "+"),
        ("minus", "-"), ("slash", "/"), ("backslash", "\\"), ("eq", "="), ("lt", "<"), ("gt", ">"), ("tilde", "~"), ("colon", ":"),
        ("dot", "."), ("at", "@"), ("bar", "|"),
    ]

    /// Names that the compiler gives, and those of a type's hooks.
    private static let hooks: Set<Substring> = ["anonymous", "env", "destroy", "copy", "sink", "trace", "deepcopy", "dup", "wasMoved"]

    /// The plain form of a name in a file of Nim; `nil` if it is not one of the language.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = bytes.prefix { $0 != UInt8(ascii: ".") }
        guard name.allSatisfy(isIdentifier), let suffix = CompilerSuffix.text(bytes[name.endIndex...]) else { return nil }
        // The number of the symbol in its module.
        var rest = name
        while let last = rest.last, isDigit(last) { rest = rest.dropLast() }
        guard rest.endIndex < name.endIndex else { return nil }
        if rest.suffix(2).elementsEqual("_u".utf8) { rest = rest.dropLast() }
        guard rest.last == UInt8(ascii: "_") else { return nil }
        rest = rest.dropLast()
        guard let separator = separator(in: rest) else { return nil }
        let (own, module) = (rest[..<separator], rest[(separator + 2)...])
        guard let first = own.first, !isDigit(first), let moduleName = moduleName(module) else { return nil }
        guard let text = own.last == UInt8(ascii: "_") ? special(own.dropLast()) : String(decoding: own, as: UTF8.self) else { return nil }
        return moduleName + "." + text + suffix
    }

    /// Position of the two underscores before the module: the last of three belong to it.
    private static func separator(in name: ArraySlice<UInt8>) -> Int? {
        var index = name.endIndex - 2
        while index > name.startIndex {
            if name[index] == UInt8(ascii: "_"), name[index + 1] == UInt8(ascii: "_") { return index }
            index -= 1
        }
        return nil
    }

    /// The module's own name: the last part of its path (`uniqueModuleName` of the compiler's `msgs.nim`), in which `Z` is a slash, `O` a dot,
    /// and what is no small letter is its decimal number: `OOZunit50` is `../unit2`. `nil` if it is no such path.
    private static func moduleName(_ path: ArraySlice<UInt8>) -> String? {
        var name: [UInt8] = []
        var rest = path
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "Z"): name = []
            case UInt8(ascii: "O"): name.append(UInt8(ascii: "."))
            case _ where isLowercase(byte): name.append(byte)
            case _ where isDigit(byte):
                // Numbers from 100 on have three digits; the first is 1 or 2 then.
                let count = byte == UInt8(ascii: "1") || byte == UInt8(ascii: "2") ? 2 : 1
                let digits = [byte] + rest.prefix(count)
                rest = rest.dropFirst(count)
                guard digits.count == count + 1, digits.allSatisfy(isDigit), let number = UInt8(String(decoding: digits, as: UTF8.self)),
                    !isLowercase(number)
                else { return nil }
                name.append(number)
            default: return nil
            }
        }
        return name.isEmpty ? nil : String(validating: name, as: UTF8.self)
    }

    /// A name with characters that are written as words or numbers; `nil` if it is none that Nim allows: operators, an identifier after
    /// `=` or `:`, one before `=`, and one with letters beyond ASCII.
    private static func special(_ name: ArraySlice<UInt8>) -> String? {
        guard let (text, hasNumbers) = decodeNumbers(name) else { return nil }
        var rest = Substring(text)
        var operators = ""
        while let first = rest.first {
            if let word = characters.first(where: { rest.hasPrefix($0.code) }) {
                operators += word.text
                rest = rest.dropFirst(word.code.count)
            } else if first.isASCII, !first.isLetter, !first.isNumber {
                operators.append(first)
                rest = rest.dropFirst()
            } else {
                break
            }
            if operators == "=" || operators == ":", Self.hooks.contains(rest) { return operators + rest }
        }
        if rest.isEmpty { return operators.isEmpty ? nil : operators }
        if text.hasSuffix("eq") { return text.dropLast(2) + "=" }
        return hasNumbers ? text : nil
    }

    /// The name with the bytes that are written as numbers (`X5B` is `[`), and whether it has any; `nil` if that is not UTF-8.
    private static func decodeNumbers(_ name: ArraySlice<UInt8>) -> (text: String, hasNumbers: Bool)? {
        var bytes: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "X"), let number = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 {
                bytes.append(number)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self).map { ($0, bytes.count < name.count) }
    }
}
