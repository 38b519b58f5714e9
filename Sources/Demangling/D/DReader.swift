internal import BinaryPrimitives

/// Reads names of D's mangling (“Name Mangling” in D's specification, <https://dlang.org/spec/abi.html>)
/// and spells them as D's own runtime does in its backtraces, by its `core.demangle`.
///
/// Example: `_D3std5stdio4File5closeMFNeZv` is `@trusted void std.stdio.File.close()`.
///
/// The order of the spelling differs from that of the name: a return type follows the parameters
/// and is written before the function. So text is written as it is read, and ranges of it are moved
/// to the end (`moveToEnd`).
///
/// Some letters are ambiguous: digits after a digit, a function's parameters or its whole type. As
/// in `core.demangle`, one reading is tried, and where it is malformed the next (`attempt`).
struct DReader {
    var cursor: NameCursor
    private(set) var output: [UInt8] = []
    /// Position of the back-reference to a type that is being read: it must not refer to itself.
    private var typeReference = 0

    private var depth = 0
    private var steps = 0
    private let limits: Limits

    /// - Parameter cursor: at the `_` of `_D`.
    init(_ cursor: NameCursor, limits: Limits) {
        self.cursor = cursor
        self.limits = limits
        output.reserveCapacity(cursor.bytes.count * 2)
    }

    /// Reads the whole name.
    mutating func symbolName() throws(Malformed) {
        try mangledName(showsType: true, length: nil)
        guard cursor.isAtEnd else { throw Malformed() }
    }

    // MARK: - Writing

    mutating func put(_ text: String) { output.append(contentsOf: text.utf8) }

    private mutating func put(_ range: NameRange) { output.append(contentsOf: cursor.slice(range)) }

    /// Moves text that was written to the end of what is written so far.
    private mutating func moveToEnd(_ range: Range<Int>) {
        guard !range.isEmpty, range.upperBound < output.count else { return }
        // An array of its own, or the whole output would be copied.
        let text = Array(output[range])
        steps += (output.count - range.lowerBound) >> 6
        output.replaceSubrange(range, with: EmptyCollection())
        output.append(contentsOf: text)
    }

    private mutating func putSeparator(_ index: Int) {
        if index > 0 { put(", ") }
    }

    // MARK: - Limits

    /// Each production that may contain itself is read between `enter` and `leave`. Once the steps
    /// are used up, everything throws, so that no second reading is tried.
    private mutating func enter() throws(Malformed) {
        depth &+= 1
        steps &+= 1
        guard depth <= limits.demanglingDepth, output.count <= limits.nameLength, steps <= limits.nameLength else { throw Malformed() }
    }

    private mutating func leave() { depth &-= 1 }

    /// Reads a part that may turn out to be something else; then nothing was read or written.
    private mutating func attempt(_ read: (inout Self) throws(Malformed) -> Void) -> Bool {
        let saved = (cursor, output.count, typeReference, depth)
        do {
            try read(&self)
            return true
        } catch {
            cursor = saved.0
            output.removeLast(max(0, output.count - saved.1))
            typeReference = saved.2
            depth = saved.3
            return false
        }
    }

    // MARK: - Back-references

    /// The distance of a back-reference, in base 26: capital letters, and a small letter for the
    /// last digit.
    private mutating func referenceDistance() throws(Malformed) -> Int {
        var value = 0
        while true {
            let letter = cursor.next
            switch letter {
            case "A"..."Z": value = value &* 26 &+ Int(letter.value &- 65)
            case "a"..."z":
                cursor.skip()
                return value &* 26 &+ Int(letter.value &- 97)
            default: throw Malformed()
            }
            guard value <= limits.mangledNameLength else { throw Malformed() }
            cursor.skip()
        }
    }

    /// Reads a back-reference `Q…`; returns the position that it refers to.
    private mutating func reference() throws(Malformed) -> Int {
        let position = cursor.position
        cursor.skip()
        let distance = try referenceDistance()
        guard distance > 0, distance <= position else { throw Malformed() }
        return position - distance
    }

    /// The letter that the back-reference at the cursor refers to.
    private func referredLetter() throws(Malformed) -> Unicode.Scalar {
        var copy = self
        copy.cursor.move(to: try copy.reference())
        return copy.cursor.next
    }

    /// A type's back-reference: the type is read at the position that it refers to, and the cursor returns.
    private mutating func referredType(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        let position = cursor.position
        guard position != typeReference else { throw Malformed() }
        let target = try reference()
        let saved = (cursor.position, typeReference)
        cursor.move(to: target)
        typeReference = position
        try read(&self)
        cursor.move(to: saved.0)
        typeReference = saved.1
    }

    // MARK: - Names

    /// `MangledName: _D QualifiedName Type | _D QualifiedName M Type`
    /// - Parameters:
    ///   - showsType: with the type and the function's attributes, in front.
    ///   - length: for a name in a template's arguments: it ends after so many bytes; 0 if its
    ///     length is not given.
    fileprivate mutating func mangledName(showsType: Bool, length: Int?) throws(Malformed) {
        try enter()
        defer { leave() }
        let end = cursor.position &+ (length ?? 0)
        _ = cursor.consume("_")
        guard cursor.consume("D") else { throw Malformed() }
        while true {
            let start = output.count
            var attributes = start..<start
            repeat {
                // Only the innermost function's attributes are shown.
                output.removeSubrange(attributes)
                if output.count > start { put(".") }
                try symbolPart()
                attributes = try parametersOfPart(keepsAttributes: showsType)
            } while try partIsNext()
            moveToEnd(attributes)
            let name = start..<(output.count - (showsType ? attributes.count : 0))
            _ = cursor.consume("M")
            let typeStart = output.count
            try type()
            if showsType {
                if output.count > typeStart { put(" ") }
                moveToEnd(name)
            } else {
                output.removeLast(output.count - typeStart)
            }
            if cursor.isAtEnd { return }
            if let length, length > 0, cursor.position >= end { return }
            switch cursor.next {
            case "T", "V", "S", "Z": return
            default: put(".")
            }
        }
    }

    /// `QualifiedName`: parts of a path, of which functions have their parameters.
    private mutating func qualifiedName() throws(Malformed) {
        try enter()
        defer { leave() }
        var index = 0
        repeat {
            if index > 0 { put(".") }
            index += 1
            try symbolPart()
            _ = try parametersOfPart(keepsAttributes: false)
        } while try partIsNext()
    }

    /// Whether a part of a path comes next.
    private func partIsNext() throws(Malformed) -> Bool {
        switch cursor.next {
        case "0"..."9", "_": true
        case "Q": isDigit(try referredLetter())
        default: false
        }
    }

    /// `SymbolName: LName | TemplateInstanceName | IdentifierBackRef`
    private mutating func symbolPart() throws(Malformed) {
        switch cursor.next {
        case "_": try templateInstance(hasLength: false)
        case "0"..."9":
            // Older compilers wrote a template instance's length before it, like an identifier's.
            if templateMayBeNext(), attempt({ reader throws(Malformed) in try reader.templateInstance(hasLength: true) }) { return }
            try identifier()
        case "Q": try identifier()
        default: throw Malformed()
        }
    }

    private func templateMayBeNext() -> Bool {
        var ahead = cursor
        guard let length = try? ahead.readDecimal() else { return false }
        return length >= 5 && ahead.next == "_" && ahead.peek(1) == "_" && isTemplateMark(ahead.peek(2))
    }

    /// `__T`, or `__U` for a template that is declared in another one's constraint.
    private func isTemplateMark(_ letter: Unicode.Scalar) -> Bool { letter == "T" || letter == "U" }

    /// `TemplateInstanceName: __T LName TemplateArgs Z`
    private mutating func templateInstance(hasLength: Bool) throws(Malformed) {
        try enter()
        defer { leave() }
        let length = hasLength ? try cursor.readDecimal() : 0
        let start = cursor.position
        guard cursor.consume("_", "_"), isTemplateMark(cursor.next) else { throw Malformed() }
        cursor.skip()
        try identifier()
        put("!(")
        try templateArguments()
        guard cursor.consume("Z"), !hasLength || cursor.position - start == length else { throw Malformed() }
        put(")")
    }

    /// `LName`: an identifier after its length, or a back-reference to one. An empty one is that of
    /// a declaration without a name.
    private mutating func identifier() throws(Malformed) {
        try enter()
        defer { leave() }
        if cursor.next == "Q" {
            let target = try reference()
            let position = cursor.position
            cursor.move(to: target)
            try identifier()
            cursor.move(to: position)
            return
        }
        let length = digitIsNext ? try cursor.readDecimal() : 0
        guard length > 0 else { return put("__anonymous") }
        let name = try cursor.readBytes(length)
        guard let first = cursor.slice(name).first, !isDigit(Unicode.Scalar(first)), cursor.slice(name).allSatisfy(Self.isIdentifier) else {
            throw Malformed()
        }
        put(name)
    }

    private var digitIsNext: Bool { cursor.digitIsNext }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "0"..."9", "a"..."z", "A"..."Z", "_": true
        default: byte >= 0x80
        }
    }

    /// The parameters of a part of a path that is a function, without its return type.
    /// - Returns: Range of the function's attributes in the output, which are before the parameters.
    private mutating func parametersOfPart(keepsAttributes: Bool) throws(Malformed) -> Range<Int> {
        let start = output.count
        var end = start
        let isRead = attempt { reader throws(Malformed) in
            if reader.cursor.consume("M") { reader.modifiers() }
            switch reader.cursor.next {
            case "F", "U", "V", "W", "R": break
            default: return
            }
            try reader.callingConvention()
            try reader.attributes()
            if keepsAttributes { end = reader.output.count } else { reader.output.removeLast(reader.output.count - start) }
            try reader.parameters()
        }
        return isRead ? start..<end : start..<start
    }

    // MARK: - Types

    private mutating func type() throws(Malformed) {
        try enter()
        defer { leave() }
        let start = output.count
        let letter = cursor.next
        switch letter {
        case "Q": return try referredType { reader throws(Malformed) in try reader.type() }
        case "F", "U", "W", "V", "R": return try functionType(isDelegate: false)
        default: break
        }
        guard !cursor.isAtEnd else { throw Malformed() }
        cursor.skip()
        switch letter {
        case "O": try wrappedType("shared(")
        case "x": try wrappedType("const(")
        case "y": try wrappedType("immutable(")
        case "N":
            let second = cursor.next
            cursor.skip()
            switch second {
            case "n": put("noreturn")
            case "g": try wrappedType("inout(")
            case "h": try wrappedType("__vector(")
            default: throw Malformed()
            }
        case "A":
            try type()
            put("[]")
        case "G":
            let count = cursor.readDigits()
            try type()
            put("[")
            put(count)
            put("]")
        case "H":
            try type()
            let key = start..<output.count
            try type()
            put("[")
            moveToEnd(key)
            put("]")
        case "P":
            try type()
            put("*")
        case "C", "S", "E", "T": try qualifiedName()
        case "D": try delegateType(from: start)
        // An empty type, a tuple's, and that of symbols which the compiler adds to a type or module.
        case "n", "B", "Z": break
        case "z":
            switch cursor.next {
            case "i": put("cent")
            case "k": put("ucent")
            default: throw Malformed()
            }
            cursor.skip()
        default:
            guard let name = Self.basicType(letter) else { throw Malformed() }
            put(name)
        }
    }

    private mutating func wrappedType(_ prefix: String) throws(Malformed) {
        put(prefix)
        try type()
        put(")")
    }

    private static func basicType(_ letter: Unicode.Scalar) -> String? {
        switch letter {
        case "a": "char"
        case "b": "bool"
        case "c": "creal"
        case "d": "double"
        case "e": "real"
        case "f": "float"
        case "g": "byte"
        case "h": "ubyte"
        case "i": "int"
        case "j": "ireal"
        case "k": "uint"
        case "l": "long"
        case "m": "ulong"
        case "o": "ifloat"
        case "p": "idouble"
        case "q": "cfloat"
        case "r": "cdouble"
        case "s": "short"
        case "t": "ushort"
        case "u": "wchar"
        case "v": "void"
        case "w": "dchar"
        default: nil
        }
    }

    /// `int delegate(int) const`: the name has the modifiers first, the text has them last.
    private mutating func delegateType(from start: Int) throws(Malformed) {
        modifiers()
        let end = output.count
        if cursor.next == "Q" {
            try referredType { reader throws(Malformed) in try reader.functionType(isDelegate: true) }
        } else {
            try functionType(isDelegate: true)
        }
        guard end > start else { return }
        moveToEnd((end - 1)..<end)
        moveToEnd(start..<(end - 1))
    }

    /// `TypeFunction: CallConvention FuncAttrs Parameters ParamClose Type`
    private mutating func functionType(isDelegate: Bool) throws(Malformed) {
        try enter()
        defer { leave() }
        try callingConvention()
        let start = output.count
        try attributes()
        let parametersStart = output.count
        try parameters()
        if start < parametersStart {
            // The text has the attributes after the parameters, and a space before them instead of after them.
            moveToEnd((parametersStart - 1)..<parametersStart)
            moveToEnd(start..<(parametersStart - 1))
        }
        let end = output.count
        try type()
        put(isDelegate ? " delegate" : " function")
        moveToEnd(start..<end)
    }

    private mutating func callingConvention() throws(Malformed) {
        switch cursor.next {
        case "F": break
        case "U": put("extern (C) ")
        case "W": put("extern (Windows) ")
        case "R": put("extern (C++) ")
        default: throw Malformed()
        }
        cursor.skip()
    }

    /// Modifiers of `this`, each with a space after it.
    private mutating func modifiers() {
        if cursor.consume("y") { return put("immutable ") }
        if cursor.consume("O") { put("shared ") }
        if cursor.consume("N", "g") { put("inout ") }
        if cursor.consume("x") { put("const ") }
    }

    /// A function's attributes, each with a space after it.
    private mutating func attributes() throws(Malformed) {
        while cursor.next == "N" {
            switch cursor.peek(1) {
            case "a": put("pure ")
            case "b": put("nothrow ")
            case "c": put("ref ")
            case "d": put("@property ")
            case "e": put("@trusted ")
            case "f": put("@safe ")
            case "i": put("@nogc ")
            case "j": put("return ")
            case "l": put("scope ")
            case "m": put("@live ")
            // Those of the first parameter.
            case "g", "h", "k", "n": return
            default: throw Malformed()
            }
            cursor.skip(2)
        }
    }

    /// The parameters in parentheses.
    private mutating func parameters() throws(Malformed) {
        put("(")
        var index = 0
        while true {
            if cursor.consume("X") { return put("...)") }
            if cursor.consume("Y") { return put(", ...)") }
            if cursor.consume("Z") { return put(")") }
            putSeparator(index)
            index += 1
            try parameter()
        }
    }

    private mutating func parameter() throws(Malformed) {
        // `return` and `scope` keep the order in which the source has them.
        if cursor.consume("M") { put("scope ") }
        if cursor.consume("N", "k") {
            put("return ")
            if cursor.consume("M") { put("scope ") }
        }
        if cursor.consume("I") {
            put("in ")
            if cursor.consume("K") { put("ref ") }
        } else if cursor.consume("K") {
            put("ref ")
        } else if cursor.consume("J") {
            put("out ")
        } else if cursor.consume("L") {
            put("lazy ")
        }
        try type()
    }

    // MARK: - Arguments of templates

    private mutating func templateArguments() throws(Malformed) {
        var index = 0
        while true {
            // The argument of a specialised parameter.
            _ = cursor.consume("H")
            let kind = cursor.next
            guard kind == "T" || kind == "V" || kind == "S" || kind == "X" else { return }
            cursor.skip()
            putSeparator(index)
            index += 1
            switch kind {
            case "T": try type()
            case "V":
                let letter = cursor.next == "Q" ? try referredLetter() : cursor.next
                let start = output.count
                try type()
                let text = Array(output[start...])
                output.removeLast(output.count - start)
                try value(of: letter, named: text[...])
            case "S": try symbolArgument()
            // A name that another language mangled.
            default: try identifier()
            }
        }
    }

    /// A symbol: a mangled name with or without its length, else a path with or without its length.
    private mutating func symbolArgument() throws(Malformed) {
        if mangledNameMayBeNext() {
            let isRead = attempt { reader throws(Malformed) in
                let length = reader.digitIsNext ? try reader.cursor.readDecimal() : 0
                try reader.mangledName(showsType: false, length: length)
            }
            if isRead { return }
        }
        guard digitIsNext, isDigit(cursor.peek(1)) else { return try qualifiedName() }
        // The length of the path is followed by the length of its first part: each split of the
        // digits is tried, from the longest length of the path on.
        var length = try cursor.readDecimal() / 10
        var position = cursor.position - 1
        cursor.move(to: position)
        while length > 0 {
            let isRead = attempt { reader throws(Malformed) in
                try reader.qualifiedName()
                guard reader.cursor.position == position + length else { throw Malformed() }
            }
            if isRead { return }
            length /= 10
            position -= 1
            cursor.move(to: position)
        }
        try qualifiedName()
    }

    private func mangledNameMayBeNext() -> Bool {
        var ahead = cursor
        if digitIsNext {
            guard let length = try? ahead.readDecimal(), length >= 4, ahead.consume("_", "D") else { return false }
            return ahead.digitIsNext
        }
        guard ahead.consume("_", "D") else { return false }
        var copy = self
        copy.cursor = ahead
        return (try? copy.partIsNext()) ?? false
    }
}

// MARK: - Values

extension DReader {
    /// A value in a template's arguments.
    /// - Parameters:
    ///   - letter: the first one of the value's type; it decides how numbers are written.
    ///   - typeName: the type's name, which is shown for structures only.
    fileprivate mutating func value(of letter: Unicode.Scalar = "\0", named typeName: ArraySlice<UInt8> = []) throws(Malformed) {
        try enter()
        defer { leave() }
        let kind = cursor.next
        guard !isDigit(kind) else { return try number(of: letter) }
        cursor.skip()
        switch kind {
        case "n": put("null")
        case "i":
            guard digitIsNext else { throw Malformed() }
            try number(of: letter)
        case "N":
            put("-")
            try number(of: letter)
        case "e": try real()
        case "c":
            try real()
            put("+")
            guard cursor.consume("c") else { throw Malformed() }
            try real()
            put("i")
        case "a", "w", "d": try string(kind)
        case "A" where letter != "H":
            put("[")
            try values { reader throws(Malformed) in try reader.value() }
            put("]")
        case "A", "H":
            put("[")
            try values { reader throws(Malformed) in
                try reader.value()
                reader.put(":")
                try reader.value()
            }
            put("]")
        case "S":
            append(typeName)
            put("(")
            try values { reader throws(Malformed) in try reader.value() }
            put(")")
        // A function literal.
        case "f": try mangledName(showsType: false, length: 1)
        default: throw Malformed()
        }
    }

    private mutating func values(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        let count = digitIsNext ? try cursor.readDecimal() : 0
        for index in 0..<count {
            putSeparator(index)
            try read(&self)
        }
    }

    private mutating func number(of letter: Unicode.Scalar) throws(Malformed) {
        let digits = cursor.readDigits()
        switch letter {
        case "a", "u", "w": try character(digits, letter)
        case "b": put(try Self.decimal(cursor.slice(digits)) == 0 ? "false" : "true")
        default:
            append(cursor.slice(digits))
            switch letter {
            case "h", "t", "k": put("u")
            case "l": put("L")
            case "m": put("uL")
            default: break
            }
        }
    }

    private static func decimal(_ digits: ArraySlice<UInt8>) throws(Malformed) -> UInt64 {
        guard !digits.isEmpty else { return 0 }
        guard let value = UInt64(String(decoding: digits, as: UTF8.self)) else { throw Malformed() }
        return value
    }

    private mutating func character(_ digits: NameRange, _ letter: Unicode.Scalar) throws(Malformed) {
        let value = try Self.decimal(cursor.slice(digits))
        switch value {
        case 0x27: put("'\\''")
        case 0x5c: put("'\\\\'")
        case 7: put("'\\a'")
        case 8: put("'\\b'")
        case 9: put("'\\t'")
        case 10: put("'\\n'")
        case 11: put("'\\v'")
        case 12: put("'\\f'")
        case 13: put("'\\r'")
        default:
            switch letter {
            case "u": put("'\\u" + Self.hexadecimal(value, width: 4) + "'")
            case "w": put("'\\U" + Self.hexadecimal(value, width: 8) + "'")
            default:
                guard value >= 0x20, value < 0x7f else { return put("\\x" + Self.hexadecimal(value, width: 2)) }
                append([0x27, UInt8(value), 0x27])
            }
        }
    }

    /// A string: its length, an underscore, and two hexadecimal digits for each byte.
    private mutating func string(_ kind: Unicode.Scalar) throws(Malformed) {
        let count = digitIsNext ? try cursor.readDecimal() : 0
        guard cursor.consume("_"), count <= cursor.left / 2 else { throw Malformed() }
        put("\"")
        for _ in 0..<count {
            guard let high = Self.hexadecimalDigit(cursor.next), let low = Self.hexadecimalDigit(cursor.peek(1)) else { throw Malformed() }
            cursor.skip(2)
            let byte = UInt8(high << 4 | low)
            if byte >= 0x20, byte < 0x7f { append([byte]) } else { put("\\x" + Self.hexadecimal(UInt64(byte), width: 2)) }
        }
        put("\"")
        if kind != "a" { put(String(Character(kind))) }
    }

    /// `NAN`, `INF`, `NINF`, or hexadecimal digits of which the first is before the point, `P` and
    /// the exponent, with `N` for each minus.
    private mutating func real() throws(Malformed) {
        if cursor.consume(text: "INF") { return put("real.infinity") }
        if cursor.consume(text: "NINF") { return put("-real.infinity") }
        if cursor.consume(text: "NAN") { return put("real.nan") }
        let isNegative = cursor.consume("N")
        var mantissa: UInt64 = 0
        var digits = 0
        while let digit = Self.hexadecimalDigit(cursor.next) {
            cursor.skip()
            digits += 1
            // Sixteen digits are all of an x86 `real`; what a `real` of 113 bits has beyond them
            // does not change the six decimal digits that are shown.
            if digits <= 16 { mantissa = mantissa << 4 | UInt64(digit) }
        }
        guard digits > 0, cursor.consume("P") else { throw Malformed() }
        let isSmall = cursor.consume("N")
        let exponent = try Self.decimal(cursor.slice(cursor.readDigits()))
        guard exponent <= 16_500 else { throw Malformed() }
        if isNegative { put("-") }
        steps += Int(exponent)
        try enter()
        let number = DecimalSpelling(mantissa: mantissa, exponent: (isSmall ? -Int(exponent) : Int(exponent)) - 4 * (min(digits, 16) - 1))
        append(number.text[...])
        leave()
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) { output.append(contentsOf: bytes) }

    private static func hexadecimalDigit(_ letter: Unicode.Scalar) -> UInt32? {
        switch letter {
        case "0"..."9": letter.value - 48
        case "a"..."f": letter.value - 87
        case "A"..."F": letter.value - 55
        default: nil
        }
    }

    private static func hexadecimal(_ value: UInt64, width: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// A number as C's `printf("%#g")` writes it: six digits, the last one rounded to even.
///
/// Exact, since the numbers go beyond those of `Double`: they are `mantissa` · 2^`exponent`.
private struct DecimalSpelling {
    let text: [UInt8]

    init(mantissa: UInt64, exponent: Int) {
        // Digits of base 10⁹, the lowest first, and the number of decimal digits after the point.
        var limbs: [UInt64] = []
        var rest = mantissa
        while rest > 0 {
            limbs.append(rest % 1_000_000_000)
            rest /= 1_000_000_000
        }
        // 2^-n is 5^n, moved by n digits: 2^-2 is 0.25.
        let factor: UInt64 = exponent < 0 ? 5 : 2
        var left = abs(exponent)
        while left > 0, !limbs.isEmpty {
            let count = min(left, 12)
            var power: UInt64 = 1
            for _ in 0..<count { power *= factor }
            left -= count
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = limbs[index] * power + carry
                limbs[index] = product % 1_000_000_000
                carry = product / 1_000_000_000
            }
            if carry > 0 { limbs.append(carry) }
        }
        var digits: [UInt8] = []
        for (index, limb) in limbs.reversed().enumerated() {
            let text = Array(String(limb).utf8)
            if index > 0 { digits += [UInt8](repeating: 0x30, count: 9 - text.count) }
            digits += text
        }
        guard !digits.isEmpty else {
            text = Array("0.00000".utf8)
            return
        }
        // The power of ten of the first digit.
        var power = digits.count - 1 + min(0, exponent)
        var shown = Array(digits.prefix(6))
        shown += [UInt8](repeating: 0x30, count: 6 - shown.count)
        if digits.count > 6, Self.roundsUp(digits[6...], after: shown[5]) {
            var index = 5
            while index >= 0, shown[index] == 0x39 {
                shown[index] = 0x30
                index -= 1
            }
            if index >= 0 {
                shown[index] += 1
            } else {
                shown = [0x31] + shown.dropLast()
                power += 1
            }
        }
        if power < -4 || power >= 6 {
            let digits = String(abs(power))
            let exponent = (power < 0 ? "e-" : "e+") + (digits.utf8.count < 2 ? "0" : "") + digits
            text = shown[..<1] + [0x2e] + shown[1...] + Array(exponent.utf8)
        } else if power < 0 {
            text = Array("0.".utf8) + [UInt8](repeating: 0x30, count: -power - 1) + shown
        } else {
            text = shown[...power] + [0x2e] + shown[(power + 1)...]
        }
    }

    private static func roundsUp(_ rest: ArraySlice<UInt8>, after last: UInt8) -> Bool {
        guard let first = rest.first, first >= 0x35 else { return false }
        return first > 0x35 || rest.dropFirst().contains { $0 != 0x30 } || last & 1 == 1
    }
}
