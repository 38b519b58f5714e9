internal import BinaryPrimitives
internal import CrashLogModel

/// A row of a stack, read independently of the program that wrote it: the fields of `RowLexer` with their roles.
///
///     #1 0x757e27fc1d4d moor(Ship*, int) (/usr/lib/libtide.so.18.1+0x7c1d4d)
///     |  address        function         module                    offset in it
struct StackRow {
    /// The function of a row. All ranges are positions in the line.
    struct Symbol {
        var name: Range<Int>?
        var offset: UInt64?
        var size: UInt64?
    }

    var number: Int?
    var style = RowNumber.Style.none
    /// Position of the row's first byte. The bytes before it are a prefix.
    var start: Int
    var address: UInt64?
    var addressRange: Range<Int>?
    /// The opening bracket around the address; 0 if there is none.
    var addressBracket: UInt8 = 0
    /// The row has only an address, apart from its number.
    var isBare = false
    /// `virt 0x…`: the address as linked.
    var linkAddress: UInt64?
    /// The module's load address, if the row has it: `0x104a38000 + 1016`.
    var base: UInt64?
    var module: Range<Int>?
    /// Offset from the module's first byte, or from its load bias, depending on the writer (`StackCard.Offsets`).
    var moduleOffset: UInt64?
    /// WebAssembly: the function's number in its module.
    var functionNumber: UInt64?
    /// The module is the program itself, because the writer of the row looks at no other module.
    var isOfProgram = false
    /// An offset of the row is hexadecimal.
    var hasHexadecimal = false
    /// The row has an offset and no module: `(()+0x8865e2)`.
    var isOfUnnamedModule = false
    /// The row names the module twice, and counts from its first byte:
    /// `Demo 0x104a383f8 Demo + 1016`.
    var isFromModuleStart = false
    /// The row has the program counter, printed above the stack: `PC: @     0x7fde64ca37e3`.
    var isProgramCounter = false
    var symbol = Symbol()
    /// The symbol's offset points before the symbol: `main-0x8`.
    var isBeforeSymbol = false
    /// The function that a symbolizer wrote after the row. It takes precedence over the row's own name.
    var symbolizedName: Range<Int>?
    /// The row has a placeholder for an unknown name.
    var hasUnknownName = false
    /// The opening bracket around the name of the module or function: `(` in `./a(main+0x1)`. 0 if there is none.
    var nameBracket: UInt8 = 0
    var file: Range<Int>?
    var line = 0
    var column = 0
    var id: Range<Int>?
    /// Some text fields of the row have no role.
    var hasUnassignedFields = false
    /// The row is marked as inlined into the next one, whose address it repeats.
    var isInlined = false
    /// The row may be stale, from an earlier call: a word that was found on the stack.
    var isUnreliable = false
    /// Kind of the address, if the row itself determines it, as for a register.
    var kind: Frame.Kind?
    /// Position after the last field.
    var end: Int

    /// Whether rows with one name are those of a message that is logged again and again: `retry (0x7f12c4a01054)`. A recursive function
    /// returns to few addresses.
    static func areOfOneMessage(_ rows: [StackRow]) -> Bool {
        let addresses = rows.compactMap(\.address)
        return rows.count > 1 && Set(addresses).count == rows.count
            && rows.allSatisfy { row in
                row.number == nil && row.symbol.name != nil && row.symbol.offset == nil && row.module == nil && row.file == nil
            }
    }

    /// Makes a row for a card that reads its own rows, which sets the other fields afterwards.
    init(
        number: Int?, style: RowNumber.Style = .none, in range: Range<Int>, address: UInt64? = nil, addressRange: Range<Int>? = nil,
        kind: Frame.Kind? = nil
    ) {
        self.number = number
        self.style = style
        start = range.lowerBound
        end = range.upperBound
        self.address = address
        self.addressRange = addressRange
        self.kind = kind
    }

    /// - Parameters:
    ///   - line: the line without its ending.
    ///   - position: the first position at which the row may begin.
    ///   - isLenient: a heading or the neighboring rows indicate that it is a row: text fields without a role are allowed, and any text
    ///     can be a function's name.
    init?(_ line: Span<UInt8>, from position: Int = 0, isLenient: Bool = false) {
        var head = line.from(position)
        RowNumber.skipBullets(&head)
        start = line.count - head.count
        end = line.count
        if let found = RowNumber(line, from: position) {
            number = found.value
            style = found.style
            head = line.from(found.end)
        }
        let first = line.count - head.count
        var limit = line.count
        while limit > first, isBlank(line[limit - 1]) || line[limit - 1] == UInt8(ascii: "\r") { limit -= 1 }
        guard limit > first, limit - first <= StackRow.maxLength else { return nil }
        let lexer = RowLexer(line, first..<limit)
        var roles = RowRoles(lexer.fields)
        roles.assign(to: &self, of: line)
        if lexer.hasUnmatchedBracket { hasUnassignedFields = true }
        guard isLocated || isLenient else { return nil }
        if !isLenient || number == nil {
            guard !hasUnassignedFields || isLenient else { return nil }
            if let name = symbol.name, !isLenient, !RowNames.isName(line.clamped(to: name)) { return nil }
        }
        if let module, !StackRow.isModuleName(line.clamped(to: module)) { return nil }
        guard isPlausible else { return nil }
    }

    /// Reads the result after a row that other rows follow in the same line:
    /// `0x4008b562:0x3ffc3440 ==> moor at /src/a.c:9 0x400dc81f:0x3ffc3450`. The result ends after its source line
    /// number, else before the next hexadecimal number.
    mutating func readResultInside(_ line: Span<UInt8>) {
        guard line.from(end).hasPrefix(RowLexer.resultMark) else { return }
        var limit = line.count
        var position = end + RowLexer.resultMark.utf8.count
        let resultStart = position
        var attempts = 0
        while let blank = line.firstIndex(of: UInt8(ascii: " "), from: position) {
            position = blank + 1
            attempts += 1
            var last = blank
            while last > resultStart, isOne(line[last - 1], of: ", ") { last -= 1 }
            if attempts <= 64, AddressToLineText.symbol(line.clamped(to: resultStart..<last))?.location.map({ $0.line > 0 }) == true,
                !line.from(position).hasPrefix(AddressToLineText.inlinedBy)
            {
                limit = last
                break
            }
            var rest = line.from(position)
            let token = rest.readToken()
            let isNumber = token.count == 8 && token.hexadecimal != nil
            guard isNumber || token.contains("0x") || token.hasPrefix("|<-") || token.equals("<") else { continue }
            limit = blank
            break
        }
        while limit > end, isBlank(line[limit - 1]) { limit -= 1 }
        end = limit
        readResult(in: line, end: &limit)
    }

    /// Reads the result after a row that a card reads by itself: ` ==> main at /src/a.c:3`.
    /// - Parameter end: end of the row; moved before the result.
    mutating func readResult(in line: Span<UInt8>, end: inout Int) {
        guard let mark = line.upTo(end).firstRange(of: RowLexer.resultMark, from: start) else { return }
        var result = mark.upperBound..<end
        end = mark.lowerBound
        // If a line has several functions, the last one contains the code.
        if let last = line.clamped(to: result).lastRange(of: AddressToLineText.inlinedBy) {
            result = result.lowerBound + last.upperBound..<result.upperBound
        }
        guard let symbol = AddressToLineText.symbol(line.clamped(to: result)), let name = symbol.name, let location = symbol.location else {
            return symbolizedName = result
        }
        symbolizedName = result.lowerBound..<result.lowerBound + name.utf8.count
        set(location, at: result.lowerBound + name.utf8.count + 4)
    }

    /// Turns the symbol's offset into the module's, if the symbol has the name of the module or of its header:
    /// `Demo   0x104a383f8 Demo + 1016`, `Demo   0x104a383f8 _mh_execute_header + 1016`. The offset counts from the
    /// image's first byte, which is at a page boundary. (Some writers move the address back by a byte.)
    mutating func countFromImage(in line: Span<UInt8>) {
        guard let module, let name = symbol.name, let offset = symbol.offset, moduleOffset == nil, !isBeforeSymbol else { return }
        let text = line.clamped(to: name)
        let isHeader = text.at(0) == UInt8(ascii: "_") && SymbolText.machHeaders.contains { text.equals($0) }
        guard isHeader || StackRow.isEqual(text, line.clamped(to: module)) else { return }
        let remainder = address.map { ($0 &- offset) & 0xFFF } ?? (isHeader ? 0 : 1)
        guard remainder == 0 || isHeader && (remainder == 1 || remainder == 0xFFF) else { return }
        moduleOffset = offset
        isFromModuleStart = true
        symbol = Symbol()
    }

    private static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }

    /// Maximum length of a row; longer lines are not rows. The longest names that compilers write have some 64 KB,
    /// those in logs some 4.
    private static let maxLength = 1 << 16

    /// Whether the row has an address, or an offset in a module or a function.
    var isLocated: Bool { address != nil || moduleOffset != nil || linkAddress != nil || (symbol.offset != nil && symbol.name != nil) }

    /// Whether the row has another location field besides the address: `./a(+0x10)[0x401010]`.
    var hasSecondField: Bool { moduleOffset != nil || symbol.offset != nil || isBeforeSymbol || nameBracket != 0 }

    /// Whether the row has absorbed no text of a prefix: the row begins with its number or its first field.
    func hasNoPrefixText(from line: Span<UInt8>) -> Bool {
        let position = [addressRange, module].compactMap { $0?.lowerBound }.min() ?? start
        if line.upTo(position).contains("-> ") { return false }
        if number != nil { return true }
        // `ERROR -> /opt/x/libquay.so.6(+0x29d90)[0x7f1f5a429d90]`: glibc has the name in the parentheses.
        if let name = symbol.name, let module, nameBracket != 0, moduleOffset != nil, name.lowerBound < module.lowerBound { return false }
        let fields = [addressRange, module, symbol.name, file].compactMap { $0?.lowerBound }
        guard let first = fields.min(), (min(start, first)..<first).allSatisfy({ !RowSearch.isLetterOrDigit(line[$0]) }) else {
            return false
        }
        // `grep -n` and `grep -Hn`: `2:/opt/x/berth(+0x11c2)[0x55d0c0a0b1c2]`, `log.txt:2:/opt/x/berth(+0x11c2)[0x55d0c0a0b1c2]`
        var rest = line.from(first)
        if rest.readDecimal() != nil, rest.consume(":/") { return false }
        guard let module, module.lowerBound == first, let colon = line.clamped(to: module).firstIndex(of: UInt8(ascii: ":")) else {
            return true
        }
        rest = line.clamped(to: module).from(colon + 1)
        return rest.readDecimal() == nil || !rest.consume(":")
    }

    /// The row begins with its address, or the bracket around it.
    var startsWithAddress: Bool { addressRange.map { $0.lowerBound - start <= 1 } == true }

    /// Whether the address can be one of code. The first page is never mapped: `status[0x10]` is not a row.
    private var isPlausible: Bool {
        guard let address else { return true }
        if address == 0 || address == .max { return number != nil }
        return address >= 0x1000 || moduleOffset != nil || symbol.offset != nil || id != nil
            || (module != nil || hasUnknownName) && (number != nil || addressBracket == UInt8(ascii: "["))
    }

    private static func isModuleName(_ text: Span<UInt8>) -> Bool {
        (0..<text.count).allSatisfy { text[$0] >= 0x20 && text[$0] != UInt8(ascii: "=") && text[$0] != UInt8(ascii: "\"") }
    }

    /// Reads a name and its source location from a text that has nothing else: `slot [inlined] at /src/queue.h:7`. The
    /// name takes precedence over the row's own name.
    mutating func readNameAndLocation(_ style: RowResult.Style, in line: Span<UInt8>, _ range: Range<Int>) {
        let name = readTrailingLocation(style, in: line, range)
        if !name.isEmpty, !line.clamped(to: name).equals("<unknown>") { symbolizedName = name }
    }

    /// Reads the source location, and `[inlined]` before it, from the end of a row.
    /// - Returns: the remaining text, without blanks at both ends.
    mutating func readTrailingLocation(_ style: RowResult.Style, in line: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var remaining = range.trimmed(in: line)
        let (open, close) =
            switch style {
            case .at: (" at ", "")
            case .parentheses: ("(", ")")
            case .brackets: ("[", "]")
            }
        if line.clamped(to: remaining).hasSuffix(close), let mark = line.upTo(remaining.upperBound).lastRange(of: open),
            mark.lowerBound >= range.lowerBound,
            style == .at || mark.lowerBound == remaining.lowerBound || isBlank(line[mark.lowerBound - 1]),
            readLocation(style, in: line, mark.upperBound..<remaining.upperBound - close.utf8.count)
        {
            remaining = (range.lowerBound..<mark.lowerBound).trimmed(in: line)
        }
        guard line.clamped(to: remaining).hasSuffix("[inlined]") else { return remaining }
        isInlined = true
        return (remaining.lowerBound..<remaining.upperBound - "[inlined]".utf8.count).trimmed(in: line)
    }

    /// Reads a source location: `/src/a.c:7:3`, `/src/a.c:7,3`.
    private mutating func readLocation(_ style: RowResult.Style, in line: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var text = line.clamped(to: range)
        var column = 0
        if style == .brackets, let comma = text.lastIndex(of: UInt8(ascii: ",")) {
            var digits = text.from(comma + 1)
            column = digits.readDecimal().flatMap { Int(exactly: $0) } ?? 0
            if digits.count == 0 { text = text.upTo(comma) }
        }
        guard var location = SourceLocationText.read(text), location.line > 0 || style == .at else { return false }
        if column > 0 { location.column = column }
        set(location, at: range.lowerBound)
        return true
    }

    /// - Parameter start: position of the file's name in the line.
    mutating func set(_ location: SourceLocation, at start: Int) {
        file = start..<start + location.file.utf8.count
        line = location.line
        column = location.column
    }
}

extension Range<Int> {
    /// The range without the blanks at both ends.
    func trimmed(in line: Span<UInt8>) -> Range<Int> {
        var (start, end) = (lowerBound, upperBound)
        while start < end, isBlank(line[start]) { start += 1 }
        while start < end, isBlank(line[end - 1]) { end -= 1 }
        return start..<end
    }
}
