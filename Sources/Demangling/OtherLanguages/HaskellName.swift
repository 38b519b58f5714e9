internal import BinaryPrimitives

/// Names of GHC, in its “Z-encoding” (`GHC.Utils.Encoding`): the package if it is not the program's
/// own, the module and the name, each encoded, with underscores between them, and the kind of code
/// or data at the end.
///
/// Example: `base_GHCziBase_zpzp_info` is `base:GHC.Base.++`, `ShopziStock_primezq_info` is
/// `Shop.Stock.prime'`.
///
/// Functions of C may be spelled alike (`Puzzle_solve_info`), so a name is read only if it ends in
/// such a kind, has an escape of another character than a letter or underscore, and its
/// decoded parts are a package, a module and a name of Haskell.
enum HaskellName {
    /// The code of a function or constructor, and its static data.
    private static let kinds = [
        "_info", "_closure", "_entry", "_con_info", "_con_entry", "_static_info", "_static_entry", "_ret_info", "_ret_entry", "_ret",
        "_slow",
        "_fast",
    ]

    /// The plain form; `nil` if the name is not certainly GHC's.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        guard start < bytes.count, isLetter(bytes[start]) else { return nil }
        let kind = kinds.filter { bytes.count - start > $0.utf8.count && bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
            .max { $0.utf8.count < $1.utf8.count }
        guard let kind else { return nil }
        let parts = bytes[start..<(bytes.count - kind.utf8.count)].split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        var isCertain = false
        var decoded: [[Unicode.Scalar]] = []
        for part in parts {
            guard let text = decode(part, &isCertain) else { return nil }
            decoded.append(text)
        }
        guard isCertain, let name = decoded.popLast(), isName(name), let module = decoded.popLast(), isModule(module) else { return nil }
        guard decoded.allSatisfy(isPackage) else { return nil }
        return decoded.map { string($0) + ":" }.joined() + string(module) + "." + string(name)
    }

    /// A cheap check before the name is split: the last letters of each kind.
    @inline(__always)
    static func mayBe(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4 else { return false }
        let (last, next) = (bytes[bytes.count &- 1], bytes[bytes.count &- 2])
        let isKind =
            switch Unicode.Scalar(last) {
            case "o": next == UInt8(ascii: "f")
            case "e", "y": next == UInt8(ascii: "r")
            case "t": next == UInt8(ascii: "e") || next == UInt8(ascii: "s")
            case "w": next == UInt8(ascii: "o")
            default: false
            }
        return isKind && bytes.contains { $0 | 0x20 == UInt8(ascii: "z") }
    }

    /// Undoes the encoding.
    /// - Parameter isCertain: becomes true at an escape that no word has by itself.
    private static func decode(_ part: ArraySlice<UInt8>, _ isCertain: inout Bool) -> [Unicode.Scalar]? {
        var text: [Unicode.Scalar] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte | 0x20 == UInt8(ascii: "z") else {
                guard isLetter(byte) || isDigit(byte) else { return nil }
                text.append(Unicode.Scalar(byte))
                continue
            }
            guard let next = rest.first else { return nil }
            if isDigit(next) {
                let digits = rest.prefix { isDigit($0) || $0 &- 0x61 < 6 }
                rest = rest[digits.endIndex...]
                guard digits.count < 8, let end = rest.popFirst() else { return nil }
                if byte == UInt8(ascii: "z") {
                    // A character by its number: `z3bbU`.
                    guard end == UInt8(ascii: "U"), let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), code > 0x20,
                        let scalar = Unicode.Scalar(code)
                    else { return nil }
                    text.append(scalar)
                } else {
                    // A tuple by the number of its elements: `Z2T` is `(,)`, `Z3H` is `(#,,#)`.
                    guard let count = Int(String(decoding: digits, as: UTF8.self)), count <= 64, part.count == digits.count + 2,
                        let tuple = tuple(count, end)
                    else { return nil }
                    text += tuple.unicodeScalars
                }
                isCertain = true
                continue
            }
            guard let letter = byte == UInt8(ascii: "z") ? symbol(next) : capital(next) else { return nil }
            rest.removeFirst()
            if !isWord(letter) { isCertain = true }
            text.append(letter)
        }
        return text.isEmpty ? nil : text
    }

    private static func tuple(_ count: Int, _ kind: UInt8) -> String? {
        let commas = String(repeating: ",", count: max(0, count - 1))
        switch kind {
        case UInt8(ascii: "T"): return count == 1 ? nil : "(" + commas + ")"
        case UInt8(ascii: "H"): return count == 1 ? "(# #)" : "(#" + commas + "#)"
        default: return nil
        }
    }

    /// After `z`.
    private static func symbol(_ letter: UInt8) -> Unicode.Scalar? {
        switch Unicode.Scalar(letter) {
        case "a": "&"
        case "b": "|"
        case "c": "^"
        case "d": "$"
        case "e": "="
        case "g": ">"
        case "h": "#"
        case "i": "."
        case "l": "<"
        case "m": "-"
        case "n": "!"
        case "p": "+"
        case "q": "'"
        case "r": "\\"
        case "s": "/"
        case "t": "*"
        case "u": "_"
        case "v": "%"
        case "z": "z"
        default: nil
        }
    }

    /// After `Z`.
    private static func capital(_ letter: UInt8) -> Unicode.Scalar? {
        switch Unicode.Scalar(letter) {
        case "L": "("
        case "R": ")"
        case "M": "["
        case "N": "]"
        case "C": ":"
        case "Z": "Z"
        default: nil
        }
    }

    // MARK: - Haskell's names

    private static func isPackage(_ text: [Unicode.Scalar]) -> Bool { text.allSatisfy { isWord($0) || $0 == "-" || $0 == "." } }

    /// `Data.Map.Internal`
    private static func isModule(_ text: [Unicode.Scalar]) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            part.first.map { ("A"..."Z").contains($0) || !$0.isASCII } == true && part.allSatisfy { isWord($0) || $0 == "'" }
        }
    }

    /// A variable, constructor or operator, or a name that GHC makes of such: `$w++`, `$fEqItem_$c==`,
    /// `C:Monad`, `<+>1`.
    private static func isName(_ text: [Unicode.Scalar]) -> Bool {
        guard let first = text.first else { return false }
        if first == "$" || first == "(" || first == "[" { return true }
        if (first == "C" || first == "N" || first == "D") && text.count > 1 && text[1] == ":" { return true }
        if isWord(first) {
            // GHC's own parts begin with a dollar, after an underscore.
            let word = text.prefix { isWord($0) || $0 == "'" || $0 == "#" }
            guard word.count < text.count else { return true }
            return text[word.count] == "$" && word.last == "_"
        }
        let operatorName = text.prefix { !isWord($0) && $0 != "'" }
        let rest = text[operatorName.count...]
        return rest.starts(with: ["_", "$"]) || rest.allSatisfy { ("0"..."9").contains($0) }
    }

    private static func string(_ text: [Unicode.Scalar]) -> String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text)
        return String(result)
    }

    private static func isWord(_ letter: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(letter) || ("A"..."Z").contains(letter) || ("0"..."9").contains(letter) || letter == "_" || !letter.isASCII
    }

    private static func isLetter(_ byte: UInt8) -> Bool { isCapital(byte) || isLowercase(byte) }
}
