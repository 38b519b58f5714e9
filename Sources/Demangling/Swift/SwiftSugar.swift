/// Swift's own short forms of types, which `swift-demangle` prints and the runtime's
/// `swift_demangle` does not: `T?` for `Swift.Optional<T>`, `[T]` for `Swift.Array<T>`, `[K : V]`
/// for `Swift.Dictionary<K, V>`.
struct SwiftSugar {
    private enum Bracket { case optional, array, dictionary, plain }

    private struct Open {
        var bracket: Bracket
        var closing: UInt8
        /// Position of its text in the output.
        var start: Int
        /// Whether it holds a function type or a composition (`A & B`), which need parentheses
        /// before `?`.
        var isCompound = false
        /// Whether it holds a function that a specialisation was given; `swift-demangle` prints
        /// those without short forms.
        var isVerbatim = false
        /// Whether it is a list whose types follow one another without anything between.
        var isGlued = false
        /// Position of the ` :` that replaces the comma between a dictionary's arguments.
        var colon: Int?
    }

    private let input: [UInt8]
    private var output: [UInt8] = []
    private var open: [Open] = []
    private var position = 0

    private init(_ text: String) { input = Array(text.utf8) }

    /// `text` with the short forms; unchanged if its brackets do not match.
    static func applied(to text: String) -> String {
        // Most names contain none of the three types.
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var sugar = SwiftSugar(text)
        return sugar.rewrite() ? String(decoding: sugar.output, as: UTF8.self) : text
    }

    private mutating func rewrite() -> Bool {
        output.reserveCapacity(input.count)
        while position < input.count {
            let byte = input[position]
            switch byte {
            case UInt8(ascii: "S") where !isIdentifier(before: position) || open.last?.isGlued == true:
                if !beginType("Swift.Optional<", .optional), !beginType("Swift.Array<", .array),
                    !beginType("Swift.Dictionary<", .dictionary)
                {
                    copy()
                }
            case UInt8(ascii: "-") where position + 1 < input.count && input[position + 1] == UInt8(ascii: ">"):
                // A function type begins with its parameters or an attribute; elsewhere an arrow
                // belongs to the function that a local type is in.
                if let last = open.last, last.start < output.count, "(@".utf8.contains(output[last.start]) {
                    open[open.count - 1].isCompound = true
                }
                copy()
                copy()
            case UInt8(ascii: "&"):
                if !open.isEmpty { open[open.count - 1].isCompound = true }
                copy()
            case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["):
                let closing: UInt8 =
                    byte == UInt8(ascii: "<") ? UInt8(ascii: ">") : byte == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "]")
                let isVerbatim = open.last?.isVerbatim == true || follows("[Constant Propagated Function : ")
                let isGlued = output.suffix(17).elementsEqual("Argument Types : ".utf8) || output.suffix(6).elementsEqual(") for ".utf8)
                open.append(Open(bracket: .plain, closing: closing, start: output.count, isVerbatim: isVerbatim, isGlued: isGlued))
                copy()
            case UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                guard close(byte) else { return false }
            case UInt8(ascii: " ") where follows(" where "):
                keepLong()
                copy()
            case UInt8(ascii: ",") where open.last?.bracket == .dictionary:
                open[open.count - 1].colon = output.count
                output += " :".utf8
                position += 1
            case UInt8(ascii: "."):
                copy()
                copyOperator()
            default:
                if position == 0 { copyOperator() }
                if position < input.count, position > 0 || !isOperator(input[0]) { copy() }
            }
        }
        return open.isEmpty
    }

    private mutating func copy() {
        output.append(input[position])
        position += 1
    }

    /// An operator's name, `<` or `>>` among them, follows a dot; the spelling says what it is:
    /// `Swift.Int.< infix(…)`.
    private mutating func copyOperator() {
        while position < input.count, isOperator(input[position]) { copy() }
    }

    private mutating func beginType(_ name: String, _ bracket: Bracket) -> Bool {
        let end = position + name.utf8.count
        // An extension's constraints are no arguments: `Swift.Array< where A: Swift.Equatable>`.
        guard open.last?.isVerbatim != true, follows(name), end < input.count, input[end] != UInt8(ascii: " ") else { return false }
        open.append(Open(bracket: bracket, closing: UInt8(ascii: ">"), start: output.count))
        if bracket != .optional { output.append(UInt8(ascii: "[")) }
        position = end
        return true
    }

    /// Takes the short form back: what looked like arguments belongs to an extension,
    /// `Swift.Array<A where A: Swift.Equatable>`.
    private mutating func keepLong() {
        guard let last = open.last else { return }
        switch last.bracket {
        case .plain: return
        case .optional: output.insert(contentsOf: "Swift.Optional<".utf8, at: last.start)
        case .array: output.replaceSubrange(last.start...last.start, with: "Swift.Array<".utf8)
        case .dictionary:
            if let colon = last.colon { output.replaceSubrange(colon..<colon + 2, with: ",".utf8) }
            output.replaceSubrange(last.start...last.start, with: "Swift.Dictionary<".utf8)
        }
        open[open.count - 1].bracket = .plain
    }

    private mutating func close(_ byte: UInt8) -> Bool {
        // In the list of a specialised function's arguments the runtime leaves
        // `[Closure Propagated : …` open.
        while byte == UInt8(ascii: ">"), let last = open.last, last.bracket == .plain, last.closing == UInt8(ascii: "]") {
            open.removeLast()
        }
        guard let last = open.popLast(), last.closing == byte else { return false }
        position += 1
        switch last.bracket {
        case .plain:
            output.append(byte)
        case .array, .dictionary:
            output.append(UInt8(ascii: "]"))
        case .optional:
            if last.isCompound || output[last.start...].elementsEqual("some".utf8) {
                output.insert(UInt8(ascii: "("), at: last.start)
                output.append(UInt8(ascii: ")"))
            }
            output.append(UInt8(ascii: "?"))
        }
        return true
    }

    private func follows(_ text: String) -> Bool { input[position...].starts(with: text.utf8) }

    private func isIdentifier(before index: Int) -> Bool {
        guard index > 0 else { return false }
        switch input[index - 1] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"),
            UInt8(ascii: "."), 0x80...:
            return true
        default:
            return false
        }
    }

    private func isOperator(_ byte: UInt8) -> Bool { "/=-+!*%<>&|^~?".utf8.contains(byte) }
}
