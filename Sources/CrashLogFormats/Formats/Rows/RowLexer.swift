internal import BinaryPrimitives
internal import CrashLogModel

/// Splits a row of a stack into fields, independently of the separators between them.
///
///     #1 0x757e27fc1d4d moor(Ship*, int) (/usr/lib/libtide.so.18.1+0x7c1d4d)
///     text hexadecimal  text             path                     offset
///
/// Fields in brackets belong to a group, and remember the bracket:
///
///     ./a(main+0x1) [0x401136]
///     |   |   |     |
///     |   |   |     hexadecimal, group 2, in [
///     |   |   offset, group 1, in (
///     |   text, group 1, in (, attached to the path
///     path, group 0
///
/// `RowRoles` decides which field is the address, the module and the function.
struct RowLexer {
    enum Kind {
        /// A number that can be an address: `0x…`, or 8, 12 or 16 bare hexadecimal digits.
        case hexadecimal(UInt64, hasPrefix: Bool)
        /// `+0x18`, ` + 24`: distance after the start of what the field before it names.
        case offset(UInt64)
        /// `-0x8`: distance before it.
        case negativeOffset
        /// `/0x40` after an offset: the function's size.
        case size(UInt64)
        /// A source location: `file:12:3`.
        case location(line: Int, column: Int)
        /// An unknown location: `??:0`.
        case noLocation
        /// A build ID or UUID.
        case identifier
        case path
        /// A placeholder for an unknown name: `??`, `<unknown>`.
        case unknown
        case text
        /// ` ==> `: the text after it is a result that this package wrote after the row.
        case resultMark

        var isNumber: Bool { if case .hexadecimal = self { true } else { false } }
        var isLocation: Bool { if case .location = self { true } else { false } }
        var isText: Bool { if case .text = self { true } else { false } }
        var isPath: Bool { if case .path = self { true } else { false } }
        var isUnknown: Bool { if case .unknown = self { true } else { false } }
        var isNoLocation: Bool { if case .noLocation = self { true } else { false } }
        var isIdentifier: Bool { if case .identifier = self { true } else { false } }
        var isResultMark: Bool { if case .resultMark = self { true } else { false } }
    }

    /// Separates a row from the result written after it.
    static let resultMark = " ==> "

    struct Field {
        var kind: Kind
        var range: Range<Int>
        /// The opening bracket that contains the field; 0 outside of all brackets.
        var bracket: UInt8 = 0
        /// Number of the bracket in the row: fields of one bracket belong together.
        var group = 0
        /// Nothing separates the field from the one before: `./a(main+0x1)`.
        var isAttached = false
        /// Keyword before the field, which describes it: `in`, `at`, `from`, `pc`.
        var keyword: Keyword = .none
        /// Two blanks or a tab come before the field: it is a column of its own.
        var isColumn = false
    }

    /// Meaning of the keywords between fields. All other words are text.
    enum Keyword {
        case none, at, from, location, line, programCounter, linkAddress, stackPointer, fileOffset, moduleOffset, module, symbol, buildID
    }

    private(set) var fields: [Field] = []
    /// The row has a closing bracket without an opening one: `<Ship object at 0x7f1c2a21d0a0>`.
    private(set) var hasUnmatchedBracket = false
    private var groups = 0

    /// Rows have at most this many fields; further fields are ignored.
    static let maxFields = 24

    /// - Parameters:
    ///   - line: the whole line; positions count in it.
    ///   - range: the part of it that may be the row.
    init(_ line: Span<UInt8>, _ range: Range<Int>) {
        // Most rows have fewer.
        fields.reserveCapacity(8)
        read(line, range, bracket: 0, group: 0, depth: 0)
    }

    private mutating func add(_ kind: Kind, _ range: Range<Int>, _ bracket: UInt8, _ group: Int, _ gap: Gap) {
        guard fields.count < RowLexer.maxFields else { return }
        var field = Field(kind: kind, range: range, bracket: bracket, group: group)
        field.isAttached = gap.isNone
        field.isColumn = gap.isWide
        field.keyword = gap.keyword
        fields.append(field)
    }

    /// The separators and the keyword before a field.
    private struct Gap {
        var isNone = true
        var isWide = false
        var keyword = Keyword.none
    }

    private mutating func read(_ line: Span<UInt8>, _ range: Range<Int>, bracket: UInt8, group: Int, depth: Int) {
        var position = range.lowerBound
        var gap = Gap()
        // The first field of a row is not attached.
        if depth == 0 { gap.isNone = false }
        while position < range.upperBound, fields.count < RowLexer.maxFields {
            let byte = line[position]
            if depth == 0, !fields.isEmpty, byte == UInt8(ascii: ")") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "]"),
                !isBlank(line[position - 1])
            {
                hasUnmatchedBracket = true
            }
            if isBlank(byte) || RowLexer.isSeparator(byte, line, position, range) {
                gap.isWide = gap.isWide || byte == UInt8(ascii: "\t") || (position > range.lowerBound && isBlank(line[position - 1]))
                gap.isNone = false
                position += 1
                continue
            }
            let next = readField(line, position..<range.upperBound, bracket, group, depth, &gap)
            // A word between fields leaves the gap open.
            position = max(next, position + 1)
        }
    }

    /// Whether the byte separates fields: commas, dashes and the like.
    private static func isSeparator(_ byte: UInt8, _ line: Span<UInt8>, _ position: Int, _ range: Range<Int>) -> Bool {
        let isFree = position + 1 >= range.upperBound || isBlank(line[position + 1])
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "|"): return true
        case UInt8(ascii: "-"), UInt8(ascii: ">"), UInt8(ascii: "*"): return isFree
        case UInt8(ascii: "@"): return isFree || line[position + 1] == UInt8(ascii: "0")
        case UInt8(ascii: ")"), UInt8(ascii: "]"): return true
        // `module!function`
        case UInt8(ascii: "!"): return position > range.lowerBound && !isBlank(line[position - 1])
        default: return false
        }
    }

    /// Reads the field at the beginning of the range.
    /// - Returns: the end of the field.
    private mutating func readField(
        _ line: Span<UInt8>, _ range: Range<Int>, _ bracket: UInt8, _ group: Int, _ depth: Int, _ gap: inout Gap
    ) -> Int {
        let start = range.lowerBound
        let rest = line.clamped(to: range)
        func addField(_ kind: Kind, _ length: Int, _ lexer: inout RowLexer) -> Int {
            lexer.add(kind, start..<start + length, bracket, group, gap)
            gap = Gap()
            return start + length
        }
        if let number = RowLexer.offset(rest) {
            if number.isSize {
                if case .offset? = fields.last?.kind { return addField(.size(number.value), number.length, &self) }
            } else {
                return addField(number.isNegative ? .negativeOffset : .offset(number.value), number.length, &self)
            }
        }
        if rest.hasPrefix("==> ") { return addField(.resultMark, 4, &self) }
        if let length = RowLexer.unknown(rest) { return addField(.unknown, length, &self) }
        if let length = RowLexer.uuid(rest) { return addField(.identifier, length, &self) }
        if gap.keyword == .buildID, let length = RowLexer.digits(rest), length >= 16 { return addField(.identifier, length, &self) }
        if let number = RowLexer.hexadecimal(rest) {
            return addField(.hexadecimal(number.value, hasPrefix: number.hasPrefix), number.length, &self)
        }
        if let length = RowLexer.byteList(rest) { return start + length }
        if let close = RowLexer.closing(rest), depth < 3,
            RowLexer.containsFields(rest.clamped(to: 1..<close), isAttached: gap.isNone && start > 0, bracket: rest[0])
        {
            groups += 1
            let before = fields.count
            read(line, start + 1..<start + close, bracket: rest[0], group: groups, depth: depth + 1)
            if before < fields.count, !gap.isNone { fields[before].isAttached = false }
            if before < fields.count, gap.isWide { fields[before].isColumn = true }
            gap = Gap()
            return start + close + 1
        }
        if let found = RowLexer.location(rest) ?? (gap.keyword == .location ? RowLexer.locationToTheEnd(rest) : nil) {
            if found.line < 0 { return addField(.noLocation, found.length, &self) }
            return addField(.location(line: found.line, column: found.column), found.length, &self)
        }
        if let length = RowLexer.path(rest) { return addField(.path, length, &self) }
        if let (keyword, length) = RowLexer.keyword(rest) {
            gap.keyword = keyword
            gap.isNone = false
            return start + length
        }
        let length = RowLexer.text(rest, bracket)
        return addField(.text, length, &self)
    }

    // MARK: Brackets

    /// Maximum nesting of square brackets; beyond it, a bracket counts as not closed.
    private static let maxBracketDepth = 16

    /// Position of the bracket that closes the one at the beginning of the text.
    static func closing(_ text: Span<UInt8>) -> Int? {
        guard let open = text.at(0) else { return nil }
        let close: UInt8
        switch open {
        case UInt8(ascii: "("): close = UInt8(ascii: ")")
        case UInt8(ascii: "["): close = UInt8(ascii: "]")
        case UInt8(ascii: "<"): close = UInt8(ascii: ">")
        case UInt8(ascii: "{"): close = UInt8(ascii: "}")
        default: return nil
        }
        var depth = 0
        for index in 0..<text.count {
            if index > 0, open == UInt8(ascii: "<"), text[index] == open || text[index] == close, isOperator(text.upTo(index)) { continue }
            if text[index] == open {
                depth += 1
                // libFuzzer's half-open ranges have no closing square bracket:
                // `26419 [0x7ca64cb54910, 0x7ca64cb5b043), 685 [0x7ca…`.
                if depth > maxBracketDepth, open == UInt8(ascii: "[") { return nil }
            }
            if text[index] == close, !(close == UInt8(ascii: ">") && index > 0 && text[index - 1] == UInt8(ascii: "-")) {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Whether a bracket holds fields of the row, rather than arguments of a function.
    private static func containsFields(_ text: Span<UInt8>, isAttached: Bool, bracket: UInt8) -> Bool {
        let inner = text.trimmed()
        guard inner.count > 0 else { return false }
        if bracket == UInt8(ascii: "<") {
            // `<moor+0x2a5>`, `<00007f05944c098c>`
            return hexadecimal(inner).map { $0.length == inner.count } == true || endsInOffset(inner)
        }
        if endsInOffset(inner) { return true }
        if let number = hexadecimal(inner), number.length == inner.count || isBlank(inner[number.length]) { return true }
        if inner.hasPrefix("<"), inner.hasSuffix(">"), hexadecimal(inner.from(1)) != nil { return true }
        if inner.hasPrefix("in ") || inner.hasPrefix("BuildId") || inner.hasPrefix("BuildID") || inner.hasPrefix("Missing UUID")
            || inner.hasPrefix("offset 0x") || inner.hasPrefix("ip: 0x")
        {
            return true
        }
        if let found = location(inner), found.length == inner.count { return true }
        if let length = path(inner), !isAttached || bracket == UInt8(ascii: "["), length == inner.count { return true }
        if let length = unknown(inner), length == inner.count, !isAttached { return true }
        // `[libtide.so.6]`
        if bracket == UInt8(ascii: "["), !isAttached, inner.firstIndex(of: UInt8(ascii: " ")) == nil, isModule(inner) { return true }
        // `[/lib64/libpthread.so.0(+0x7dc5) [0x7f838e86bdc5]]`
        return bracket == UInt8(ascii: "[") && inner.hasSuffix("]") && inner.contains("[0x")
    }

    /// Whether the text ends in an offset: `moor+0x1c`, `/lib/x.so + 24`, `+0x11f0`.
    private static func endsInOffset(_ text: Span<UInt8>) -> Bool {
        guard let plus = text.lastIndex(of: UInt8(ascii: "+")) ?? text.lastRange(of: "-0x")?.lowerBound else { return false }
        guard let found = offset(text.from(plus)) else { return false }
        if plus + found.length == text.count { return !found.isNegative || plus > 0 }
        // `moor+0x1/0x20`
        guard text.at(plus + found.length) == UInt8(ascii: "/") else { return false }
        return offset(text.from(plus + found.length)).map { plus + found.length + $0.length == text.count } ?? false
    }

    // MARK: Text

    /// Length of a name, which ends at the next field. Brackets without fields belong to the name.
    private static func text(_ text: Span<UInt8>, _ bracket: UInt8) -> Int {
        var length = 0
        while let byte = text.at(length) {
            switch byte {
            case UInt8(ascii: "\t"): return length
            case UInt8(ascii: " "):
                if endsText(text, at: length) { return length }
            case UInt8(ascii: "`") where length > 0, UInt8(ascii: "\""): return length
            case UInt8(ascii: "!") where length > 0 && bracket == 0 && isIdentifier(text.upTo(length)): return length
            case UInt8(ascii: ":") where text.at(length + 1).map(isBlank) ?? true: return length
            case UInt8(ascii: ","): return length
            case UInt8(ascii: "+") where length > 0:
                if offset(text.from(length)) != nil { return length }
            case UInt8(ascii: "-") where bracket != 0 && length > 0:
                if offset(text.from(length)) != nil { return length }
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "{"):
                let rest = text.from(length)
                if let close = closing(rest) {
                    // Rust's hash of a crate is a part of the name: `std[e28293b1aa0f68bd]::panicking`.
                    if length > 0, byte != UInt8(ascii: "{"), !rest.from(close + 1).hasPrefix("::"),
                        containsFields(rest.clamped(to: 1..<close), isAttached: true, bracket: byte)
                    {
                        return length
                    }
                    length += close
                } else if length > 0, isOperator(text.upTo(length)) == false, byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") {
                    return length
                }
            case UInt8(ascii: ")"), UInt8(ascii: "]"): return max(length, 1)
            default: break
            }
            length += 1
        }
        return length
    }

    /// Whether the text ends in `operator`, after which a bracket need not close.
    static func isOperator(_ text: Span<UInt8>) -> Bool {
        text.hasSuffix("operator") || text.hasSuffix("operator<") || text.hasSuffix("operator>") || text.hasSuffix("operator-")
    }

    static func isIdentifier(_ text: Span<UInt8>) -> Bool {
        (0..<text.count).allSatisfy { index in
            let byte = text[index]
            return isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "$")
        }
    }

    /// Whether a field follows the blank.
    private static func endsText(_ text: Span<UInt8>, at blank: Int) -> Bool {
        let rest = text.from(blank + 1)
        guard let first = rest.at(0) else { return true }
        if isBlank(first) { return true }
        switch first {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "."):
            return offset(rest) != nil || path(rest) != nil
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"):
            guard let close = closing(rest) else { return false }
            return containsFields(rest.clamped(to: 1..<close), isAttached: false, bracket: first)
        case UInt8(ascii: "="): return rest.hasPrefix("==> ") || (rest.at(1).map(isBlank) ?? true)
        case UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "@"): return rest.at(1).map(isBlank) ?? true
        default:
            if isDrive(rest) || hexadecimal(rest) != nil || uuid(rest) != nil || location(rest) != nil || unknown(rest) != nil {
                return true
            }
            // `in`, `at` and `from` are keywords only before a field; in names, other text follows them.
            guard let (keyword, length) = keyword(rest), keyword != .none else { return false }
            let behind = rest.from(length).trimmed()
            guard behind.count > 0 else { return true }
            return path(behind) != nil || location(behind) != nil || hexadecimal(behind) != nil || keyword == .buildID || isModule(behind)
                || behind.hasPrefix("\"")
        }
    }

    private static let moduleEnds = ByteSet("([,)]")
    private static let nonModuleBytes = ByteSet("\"'<>{}|=;")

    /// Whether the first word of the text is a library's or a module's name.
    static func isModule(_ text: Span<UInt8>) -> Bool {
        var length = 0
        var hasDot = false
        while let byte = text.at(length), !isBlank(byte), !moduleEnds.contains(byte) {
            hasDot = hasDot || byte == UInt8(ascii: ".")
            length += 1
        }
        let name = text.upTo(length)
        guard hasDot, length > 3, (0..<length).allSatisfy({ name[$0] > 0x20 && !nonModuleBytes.contains(name[$0]) }) else { return false }
        if let dot = name.firstRange(of: ".so"), dot.lowerBound > 0, dot.upperBound == length || name[dot.upperBound] == UInt8(ascii: ".") {
            return true
        }
        return [".dylib", ".ko", ".node", ".exe", ".dll", ".DLL", ".EXE", ".apk", ".oat", ".odex"].contains { name.hasSuffix($0) }
    }

    // MARK: Fields

    /// Reads an offset or a size: `+0x18`, ` + 24`, `/0x40`, `-0x8`.
    private static func offset(_ text: Span<UInt8>) -> (value: UInt64, length: Int, isSize: Bool, isNegative: Bool)? {
        var rest = text
        guard let sign = text.at(0), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "/") || sign == UInt8(ascii: "-") else { return nil }
        rest = rest.from(1)
        let isSpaced = rest.at(0) == UInt8(ascii: " ")
        if isSpaced {
            guard sign == UInt8(ascii: "+") else { return nil }
            rest = rest.from(1)
        }
        let isHexadecimal = rest.hasPrefix("0x")
        guard isHexadecimal || sign == UInt8(ascii: "+"), let value = isHexadecimal ? rest.readAddress() : rest.readDecimal(),
            endsToken(rest)
        else { return nil }
        return (value, text.count - rest.count, sign == UInt8(ascii: "/"), sign == UInt8(ascii: "-"))
    }

    private static func endsToken(_ rest: Span<UInt8>) -> Bool {
        guard let byte = rest.at(0) else { return true }
        return isBlank(byte) || tokenEnds.contains(byte)
    }

    private static let tokenEnds = ByteSet(")]>,/:;\"'")

    private static func hexadecimal(_ text: Span<UInt8>) -> (value: UInt64, length: Int, hasPrefix: Bool)? {
        guard let first = text.at(0), hexadecimalValue(first) != nil else { return nil }
        var rest = text
        let hasPrefix = rest.consume("0x") || rest.consume("0X")
        let digits = rest.count
        guard let value = rest.readHexadecimal() else { return nil }
        let length = digits - rest.count
        // `(0x7f5325509000+0x1ac9a9)`
        guard length <= 16, endsToken(rest) || hasPrefix && rest.hasPrefix("+0x"), hasPrefix || length == 16 || length == 12 || length == 8
        else { return nil }
        // `deadbeef` may be a word, `20230101` a date: bare digits of an address are padded, or at
        // least mixed.
        if !hasPrefix, length < 16 {
            let digits = text.upTo(length)
            guard (0..<length).contains(where: { isDigit(digits[$0]) }) else { return nil }
        }
        return (value, text.count - rest.count, hasPrefix)
    }

    /// Length of the list of bytes that HAProxy prints before the address: `<fc ff ff e8 30 94 e5 ff]` (src/debug.c,
    /// `dump_hex`).
    private static func byteList(_ text: Span<UInt8>) -> Int? {
        guard let first = text.at(0), first == UInt8(ascii: "<") || first == UInt8(ascii: "[") else { return nil }
        var length = 1
        while let high = text.at(length), let low = text.at(length + 1), hexadecimalValue(high) != nil, hexadecimalValue(low) != nil {
            guard let mark = text.at(length + 2) else { return nil }
            length += 3
            if mark == UInt8(ascii: "]") || mark == UInt8(ascii: ">") { return length > 6 ? length : nil }
            guard mark == UInt8(ascii: " ") else { return nil }
        }
        return nil
    }

    /// Number of hexadecimal digits at the beginning of the text, if a token ends after them.
    private static func digits(_ text: Span<UInt8>) -> Int? {
        var length = 0
        while let byte = text.at(length), hexadecimalValue(byte) != nil { length += 1 }
        return length > 0 && endsToken(text.from(length)) ? length : nil
    }

    /// Length of a UUID at the beginning of the text: `4C4C44F6-5555-3144-A1C7-8F23AF66DDA8`.
    private static func uuid(_ text: Span<UInt8>) -> Int? { text.beginsWithUUID && endsToken(text.from(36)) ? 36 : nil }

    /// Placeholders for unknown names, with the programs that print them.
    private static let placeholders = [
        "<symbol not found>",  // Greenplum
        "<unknown function>",  // PyTorch
        "<unknown symbol>", "<unknown>",  // Rust, Godot
        "<redacted>",  // iOS
        "<deduplicated_symbol>",  // Xcode
        "<null sym>",  // bcc
        "<unavailable>",  // Swift
        "(unknown)",  // glog, Abseil
        "(Unknown)",  // Unity
        "(Missing)", "Missing",  // Crashlytics
        "[unknown]",  // bcc, perf
        "???", "??", "n/a",  // valgrind and libbacktrace; gdb and addr2line; systemd
        "(below main)",  // valgrind
        "()",  // glibc without a symbol
    ]

    private static func unknown(_ text: Span<UInt8>) -> Int? {
        guard let first = text.at(0) else { return nil }
        switch first {
        case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "?"), UInt8(ascii: "n"), UInt8(ascii: "M"),
            UInt8(ascii: "U"):
            break
        default: return nil
        }
        // Crashlytics: `(Missing UUID 4c4c44f6…)` has the image's UUID.
        if text.hasPrefix("Missing UUID ") { return nil }
        for placeholder in placeholders where text.hasPrefix(placeholder) {
            let rest = text.from(placeholder.utf8.count)
            if endsToken(rest) || rest.at(0) == UInt8(ascii: "[") || rest.at(0) == UInt8(ascii: "+") {
                return rest.at(0) == UInt8(ascii: ":") ? nil : placeholder.utf8.count
            }
        }
        if first == UInt8(ascii: "?"), endsToken(text.from(1)) || text.at(1) == UInt8(ascii: "+"), text.at(1) != UInt8(ascii: ":") {
            return 1
        }
        // Intel Fortran's columns.
        if text.hasPrefix("Unknown"), endsToken(text.from(7)) { return 7 }
        // lldb's names for functions without a symbol: `___lldb_unnamed_symbol696$$harbour`.
        if text.hasPrefix("___lldb_unnamed_symbol") {
            var length = 22
            while let byte = text.at(length), !isBlank(byte) { length += 1 }
            return length
        }
        return nil
    }

    /// Reads a source location: `/src/a.c:12:3`, `a.c:12`, `??:0`: a file's name with an ending or a folder, and one or
    /// two numbers. The line is -1 if the location is unknown.
    private static func location(_ text: Span<UInt8>) -> (line: Int, column: Int, length: Int)? {
        var length = 0
        var depth = 0
        while let byte = text.at(length), !isBlank(byte), byte != UInt8(ascii: ","), byte != UInt8(ascii: "\"") {
            // MariaDB: `sql/main.cc:34(main)[0x5570e8512345]`
            if depth == 0, byte == UInt8(ascii: "("), endsInLine(text.upTo(length)) { break }
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") {
                if depth == 0 { break }
                depth -= 1
            }
            length += 1
        }
        while length > 0, text[length - 1] == UInt8(ascii: ":") { length -= 1 }
        var token = text.upTo(length)
        if token.consumeSuffix(":?") { return token.hasPrefix("??") ? (-1, 0, length) : nil }
        let numbers = SourceLocationText.readNumbers(&token)
        guard let line = numbers.first, token.count > 0 else { return nil }
        if token.equals("??") || token.equals("???") { return (-1, 0, length) }
        guard isFile(token) else { return nil }
        return (line, numbers.count > 1 ? numbers[1] : 0, length)
    }

    /// Whether the text ends in a line number: `a.c:34`.
    private static func endsInLine(_ text: Span<UInt8>) -> Bool {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon + 1 < text.count else { return false }
        return (colon + 1..<text.count).allSatisfy { isDigit(text[$0]) }
    }

    /// Reads the rest of the row as one source location, after `at`: `at /app/my sources/a.c:12`.
    private static func locationToTheEnd(_ text: Span<UInt8>) -> (line: Int, column: Int, length: Int)? {
        guard path(text) != nil, !text.contains("0x"), text.firstIndex(of: UInt8(ascii: "(")) == nil,
            let found = SourceLocationText.read(text)
        else { return nil }
        return (found.line, found.column, text.count)
    }

    /// Whether the text is a source file: its ending begins with a letter, and no name of C++ is in it.
    static func isFile(_ token: Span<UInt8>) -> Bool {
        if token.equals("<compiler-generated>") { return true }
        guard token.firstIndex(of: UInt8(ascii: "(")) == nil else { return false }
        // `ERROR:harbour.crash:0:` is a prefix of a log. Only a drive of Windows has a colon after it.
        if let colon = token.lastIndex(of: UInt8(ascii: ":")) { guard colon == 1, isDrive(token) else { return false } }
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")), dot > 0 || token.count > 1 else { return token.hasPrefix("/") }
        guard let letter = token.at(dot + 1), !isDigit(letter), letter != UInt8(ascii: "/"), token.count - dot <= 8 else {
            return token.hasPrefix("/")
        }
        return true
    }

    /// Endings of source files, for texts that only their ending identifies as a source file.
    private static let sourceEndings: Set<String> = [
        "adb", "asm", "c", "C", "cc", "cpp", "cu", "cuh", "cxx", "d", "f", "F", "f03", "f08", "f90", "F90", "f95", "for", "go", "h", "hh",
        "hpp",
        "hxx", "inc", "inl", "ipp", "java", "jl", "kt", "m", "mm", "nim", "pas", "py", "rs", "s", "S", "swift", "y", "zig",
    ]

    static func isSource(_ token: Span<UInt8>) -> Bool {
        token.lastIndex(of: UInt8(ascii: ".")).map { sourceEndings.contains(token.from($0 + 1).text) } ?? false
    }

    /// Whether the text begins like a path of Windows: `C:\`.
    static func isDrive(_ text: Span<UInt8>) -> Bool {
        guard let letter = text.at(0), isLetter(letter), text.at(1) == UInt8(ascii: ":") else { return false }
        return text.at(2) == UInt8(ascii: "\\") || text.at(2) == UInt8(ascii: "/")
    }

    /// Length of a path at the beginning of the text: `/usr/lib/libc.so.6`, `./a`, `../bin/a`, `C:\bin\a.exe`. A path
    /// may have blanks if a folder follows them.
    static func path(_ text: Span<UInt8>) -> Int? {
        let isDrive = isDrive(text)
        guard isDrive || text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../"), let second = text.at(1), !isBlank(second),
            !text.hasPrefix("//")
        else { return nil }
        var length = 1
        while let byte = text.at(length), byte >= 0x20, !pathEnds.contains(byte), byte != UInt8(ascii: "\t") {
            if byte == UInt8(ascii: ":"), !isDrive || length > 1 { break }
            if byte == UInt8(ascii: "]") { break }
            if byte == UInt8(ascii: "["), text.from(length).hasPrefix("[0x") { break }
            if byte == UInt8(ascii: "+"), offset(text.from(length)) != nil { break }
            if byte == UInt8(ascii: " ") {
                guard let slash = text.firstIndex(of: UInt8(ascii: "/"), from: length + 1), text.at(slash + 1) != UInt8(ascii: "/"),
                    slash > length + 1, isFolderName(text.clamped(to: length + 1..<slash)),
                    !isModule(text.clamped(to: (text.lastIndex(of: UInt8(ascii: "/"), before: length, from: 0) ?? 0) + 1..<length))
                else { break }
            }
            length += 1
        }
        return length
    }

    private static let pathEnds = ByteSet("()<>\",;")

    /// Whether the text is a folder's name, perhaps with blanks, as in `/Applications/My App.app/Contents`: it has none
    /// of the separators that rows have.
    private static func isFolderName(_ text: Span<UInt8>) -> Bool {
        (0..<text.count).allSatisfy { text[$0] >= 0x20 && !nonNameBytes.contains(text[$0]) } && !text.contains(" in ")
            && !text.contains("- ")
            && !text.hasSuffix(" ") && !text.contains("0x") && !text.contains("  ")
    }

    private static let nonNameBytes = ByteSet("()[]<>:@#+=\"")

    private static let keywords: [(text: String, keyword: Keyword)] = [
        ("in", .at), ("from", .from), ("at", .location), ("by", .location), ("pc", .programCounter), ("ip", .programCounter),
        ("abs", .programCounter), ("virt", .linkAddress), ("sp", .stackPointer), ("fp", .stackPointer), ("bp", .stackPointer),
        ("offset", .fileOffset), ("BuildId", .buildID), ("BuildID", .buildID), ("build id", .buildID), ("Missing UUID", .buildID),
        ("Object", .from), ("Source", .location), ("line", .none),
    ]

    /// Keys of `key=value` and `key:value`, with the meaning of the value. The values of other keys do not belong to
    /// the row.
    private static let keys: [(text: String, keyword: Keyword)] = [
        ("addr", .programCounter), ("address", .programCounter), ("pc", .programCounter), ("ip", .programCounter), ("rip", .programCounter),
        ("eip", .programCounter), ("sp", .stackPointer), ("fp", .stackPointer), ("bp", .stackPointer), ("rsp", .stackPointer),
        ("rbp", .stackPointer),
        ("off", .moduleOffset), ("offset", .moduleOffset), ("module", .module), ("lib", .module), ("image", .module), ("object", .module),
        ("binary", .module), ("dso", .module), ("so", .module), ("func", .symbol), ("function", .symbol), ("fn", .symbol), ("sym", .symbol),
        ("symbol", .symbol), ("name", .symbol), ("file", .location), ("line", .line), ("buildid", .buildID), ("build_id", .buildID),
    ]

    /// Keywords before a value without `=` or `:`: `module /lib/libc.so.6`.
    private static let labels: [(text: String, keyword: Keyword)] = [
        ("module ", .module), ("library ", .module), ("image ", .module), ("function ", .symbol), ("symbol ", .symbol),
    ]

    /// All keywords, keys and labels by their first letters, because most words of a row are none of them.
    private static let openings =
        keywords.map { ($0.text, Opening(keyword: $0.keyword, kind: .keyword)) }
        + keys.map { ($0.text, Opening(keyword: $0.keyword, kind: .key)) }
        + labels.map { ($0.text, Opening(keyword: $0.keyword, kind: .label)) }
    private static let table = LetterTable(openings.map(\.0))

    private struct Opening {
        enum Kind { case keyword, key, label }

        var keyword: Keyword
        var kind: Kind
    }

    /// Reads a keyword between two fields: `in `, `pc `, `ip=`, `BuildId: `.
    private static func keyword(_ text: Span<UInt8>) -> (Keyword, Int)? {
        var candidate = table.first(for: text)
        while let match = candidate {
            let opening = openings[match.number].1
            if let end = end(of: opening, in: text, match.length) { return (opening.keyword, end) }
            candidate = table.next(after: match, for: text)
        }
        return nil
    }

    /// End of the keyword and its mark; `nil` if the mark does not fit.
    private static func end(of opening: Opening, in text: Span<UInt8>, _ length: Int) -> Int? {
        var rest = text.from(length)
        switch opening.kind {
        case .keyword:
            // libunwind's users: `ip = 5b, sp = 7ffd`
            let hasMark = rest.consume("=") || rest.consume(":") || rest.consume(" = ")
            guard hasMark || rest.at(0).map(isBlank) ?? true else { return nil }
            // `at::Tensor` is a name.
            if hasMark, rest.at(0) == UInt8(ascii: ":") { return nil }
            if opening.keyword == .none, !hasMark { guard rest.trimmed().at(0).map(isDigit) == true else { return nil } }
        case .key:
            guard rest.consume("=") || rest.consume(":"), let value = rest.at(0), !isBlank(value), value != UInt8(ascii: ":") else {
                return nil
            }
        case .label: break
        }
        return text.count - rest.count
    }
}
