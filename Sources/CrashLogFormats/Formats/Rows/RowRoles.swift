internal import BinaryPrimitives
internal import CrashLogModel

/// Decides which field of a row is the address, the module, the function and the source location.
///
///     #1 0x757e27fc1d4d moor(Ship*, int) (/usr/lib/libtide.so.18.1+0x7c1d4d)
///        hexadecimal    text              path                    offset         fields of `RowLexer`
///        address        function          module                  offset in it   roles
///
/// Roles are assigned in the order of `assign`, the clearest first; a field has one role.
struct RowRoles {
    private let fields: [RowLexer.Field]
    /// Whether each field has a role.
    private var used: [Bool]
    /// The row has no row number, and several of its numbers can be the address: a table of relocations, or registers.
    private var hasTable = false

    init(_ fields: [RowLexer.Field]) {
        self.fields = fields
        used = [Bool](repeating: false, count: fields.count)
    }

    mutating func assign(to row: inout StackRow, of line: Span<UInt8>) {
        assignNumbers(&row, line)
        assignLocation(&row, line)
        assignIdentifier(&row)
        assignOffsets(&row, line)
        assignKeyedFields(&row)
        assignMarkedResult(&row)
        assignModule(&row, line)
        assignSymbol(&row, line)
        checkOffset(&row)
        assignResult(&row, line)
        for field in fields where field.kind.isUnknown || field.kind.isNoLocation {
            // glibc's empty parentheses: `./ferry() [0x4013b1]`.
            if line.clamped(to: field.range).equals("()") { row.nameBracket = UInt8(ascii: "(") } else { row.hasUnknownName = true }
        }
        row.hasUnassignedFields = hasTable || fields.indices.contains { !used[$0] && fields[$0].kind.isText }
        row.end = fields.last?.range.upperBound ?? row.start
        // Skips the brackets that close after the last field.
        while let byte = line.at(row.end), isOne(byte, of: ")]>\"") { row.end += 1 }
        row.isBare = row.address != nil && row.module == nil && row.symbol.name == nil && row.file == nil && row.id == nil
    }

    private func isText(_ index: Int) -> Bool { fields.indices.contains(index) && !used[index] && fields[index].kind.isText }

    // MARK: Numbers

    /// Finds the address. If several numbers can be addresses, it is the one in brackets, else the one after a keyword
    /// for it, else the first.
    private mutating func assignNumbers(_ row: inout StackRow, _ line: Span<UInt8>) {
        var best: (index: Int, rank: Int)?
        for index in fields.indices {
            let field = fields[index]
            guard case .hexadecimal(let value, let hasPrefix) = field.kind else {
                // Columns of decimal digits, such as sizes of frames or widths of registers, are ignored.
                if field.kind.isText, isDecimal(line.clamped(to: field.range)), !isLineColumn(index, line) { used[index] = true }
                continue
            }
            used[index] = true
            switch field.keyword {
            case .stackPointer: continue
            case .linkAddress:
                row.linkAddress = value
                continue
            case .fileOffset where field.bracket != 0: continue
            case .fileOffset, .moduleOffset:
                row.moduleOffset = row.moduleOffset ?? value
                continue
            default: break
            }
            if index + 1 < fields.count, case .offset = fields[index + 1].kind, fields[index + 1].group == field.group { continue }
            var rank = hasPrefix || field.range.count == 16 ? 2 : 1
            if field.keyword == .programCounter { rank = 3 }
            if field.bracket == UInt8(ascii: "[") || field.bracket == UInt8(ascii: "<") { rank = 4 }
            if let old = best, row.number == nil, value != row.address, old.rank == rank { hasTable = true }
            if let old = best, old.rank >= rank { continue }
            best = (index, rank)
            row.address = value
            row.addressRange = field.range
            row.addressBracket = field.bracket
        }
    }

    private func isDecimal(_ text: Span<UInt8>) -> Bool { (0..<text.count).allSatisfy { isDigit(text[$0]) } }

    /// Whether the field is a line number: a column before the one with the file, as Intel Fortran and others have it.
    private func isLineColumn(_ index: Int, _ line: Span<UInt8>) -> Bool {
        guard index + 1 < fields.count, fields[index + 1].kind.isText || fields[index + 1].kind.isPath, fields[index].isColumn else {
            // `Source "libc-start.c", line 308`
            return index > 0 && fields[index - 1].keyword == .location && !fields[index - 1].kind.isText
        }
        return RowLexer.isSource(line.clamped(to: fields[index + 1].range))
    }

    // MARK: Source locations

    private mutating func assignLocation(_ row: inout StackRow, _ line: Span<UInt8>) {
        // `crash_test.go:12: ` before a row belongs to the log, if the row has its own location.
        if fields.count(where: { $0.kind.isLocation }) > 1, fields[0].kind.isLocation { used[0] = true }
        for index in fields.indices where row.file == nil && !(used[index] && index == 0) {
            let field = fields[index]
            if case .location(let number, let column) = field.kind {
                let colon = lastColon(of: field.range, line, numbers: column > 0 ? 2 : 1)
                set(&row, field.range.lowerBound..<colon, number, column)
                used[index] = true
            } else if !used[index], field.kind.isText, index > 0, isDecimal(line.clamped(to: field.range)) {
                let number = line.clamped(to: field.range).leadingDecimal.flatMap { Int(exactly: $0) } ?? 0
                used[index] = true
                if fields[index - 1].keyword == .location, !used[index - 1] {
                    set(&row, fields[index - 1].range, number, 0)
                    used[index - 1] = true
                } else if index + 1 < fields.count {
                    set(&row, fields[index + 1].range, number, 0)
                    used[index + 1] = true
                }
            }
        }
    }

    private func set(_ row: inout StackRow, _ file: Range<Int>, _ line: Int, _ column: Int) {
        row.file = file
        row.line = line
        row.column = column
    }

    private func lastColon(of range: Range<Int>, _ line: Span<UInt8>, numbers: Int) -> Int {
        var end = range.upperBound
        for _ in 0..<numbers { end = line.lastIndex(of: UInt8(ascii: ":"), before: end, from: range.lowerBound) ?? end }
        return end
    }

    private mutating func assignIdentifier(_ row: inout StackRow) {
        for index in fields.indices where fields[index].kind.isIdentifier && row.id == nil {
            row.id = fields[index].range
            used[index] = true
        }
    }

    /// Moves an offset from the module to the function if it gives a base that is not a page boundary, since images are
    /// loaded at pages.
    private func checkOffset(_ row: inout StackRow) {
        // `0x102c443b0 0x102c44000 + 12`: Sentry's offset counts from the function, although a base comes before it.
        if let base = row.base, let address = row.address, let offset = row.moduleOffset, base &+ offset != address,
            SymbolText.isLoadAddress(base, of: address, offsetInFunction: offset)
        {
            row.moduleOffset = address - base
        }
        guard let address = row.address, let offset = row.moduleOffset, row.base == nil, row.symbol.name != nil, row.symbol.offset == nil
        else { return }
        // Some writers move one of the two back by a byte.
        let remainder = (address &- offset) & 0xFFF
        guard remainder > 1, remainder < 0xFFF else { return }
        row.symbol.offset = offset
        row.moduleOffset = nil
    }

    // MARK: Keys

    /// Reads fields with keys: `func=moor lib=/opt/harbour`.
    private mutating func assignKeyedFields(_ row: inout StackRow) {
        for index in fields.indices where !used[index] && (fields[index].kind.isText || fields[index].kind.isPath) {
            switch fields[index].keyword {
            case .module where row.module == nil: row.module = fields[index].range
            case .symbol where row.symbol.name == nil: row.symbol.name = fields[index].range
            default: continue
            }
            used[index] = true
        }
    }

    // MARK: Offsets

    private mutating func assignOffsets(_ row: inout StackRow, _ line: Span<UInt8>) {
        for index in fields.indices {
            let field = fields[index]
            switch field.kind {
            case .size(let value): row.symbol.size = row.symbol.size ?? value
            case .negativeOffset:
                used[index] = true
                if isText(index - 1), fields[index - 1].group == field.group {
                    used[index - 1] = true
                    row.symbol.name = fields[index - 1].range
                    row.isBeforeSymbol = true
                    row.nameBracket = field.bracket
                }
            case .offset(let value):
                used[index] = true
                if line.clamped(to: field.range).contains("0x") { row.hasHexadecimal = true }
                assignOffset(&row, value, index, line)
            default: continue
            }
        }
    }

    /// Assigns an offset: it counts from the field before it.
    private mutating func assignOffset(_ row: inout StackRow, _ value: UInt64, _ index: Int, _ line: Span<UInt8>) {
        row.nameBracket = fields[index].bracket
        let before = index - 1
        guard before >= 0, fields[before].group == fields[index].group else {
            // `(+0x11f0)`
            return setModuleOffset(&row, value, isUnnamed: true)
        }
        switch fields[before].kind {
        case .hexadecimal(let base, _):
            row.base = base
            setModuleOffset(&row, value)
            // `0x104a38000 + 1016` alone is the address as well.
            if row.address == nil, base >= 0x1000 { row.address = base &+ value }
        case .path:
            row.module = fields[before].range
            used[before] = true
            setModuleOffset(&row, value)
        case .identifier: setModuleOffset(&row, value)
        case .unknown:
            // On iOS the function's name is hidden, and the offset counts from the function.
            let placeholder = line.clamped(to: fields[before].range)
            if placeholder.equals("<redacted>") || placeholder.equals("<deduplicated_symbol>") { return }
            setModuleOffset(&row, value, isUnnamed: true)
        case .text where !used[before]:
            used[before] = true
            if let module = moduleBeforeOffset(before, line) {
                row.module = module
                setModuleOffset(&row, value)
            } else if row.symbol.name == nil {
                row.symbol.name = fields[before].range
                row.symbol.offset = value
            }
        default: return
        }
    }

    private func setModuleOffset(_ row: inout StackRow, _ value: UInt64, isUnnamed: Bool = false) {
        guard row.moduleOffset == nil else { return }
        row.moduleOffset = value
        row.isOfUnnamedModule = isUnnamed
    }

    /// The module's name, if the text before an offset is a module: a library's name; `name:`; or `(harbour + 0x18)`
    /// after an address. The last form has a function's name, or a placeholder, before it.
    private func moduleBeforeOffset(_ index: Int, _ line: Span<UInt8>) -> Range<Int>? {
        let range = fields[index].range
        let name = line.clamped(to: range)
        if name.hasSuffix(":") { return range.lowerBound..<range.upperBound - 1 }
        if RowLexer.isModule(name), name.firstIndex(of: UInt8(ascii: " ")) == nil { return range }
        let bracket = fields[index].bracket
        guard bracket == UInt8(ascii: "(") || bracket == UInt8(ascii: "["), !fields[index].isAttached, index > 0 else { return nil }
        // `0xADDRESS name (harbour + 0x18)`
        let outside = fields[index - 1]
        guard !RowLexer.isModule(line.clamped(to: outside.range)) else { return nil }
        guard outside.group != fields[index].group, outside.kind.isText || outside.kind.isUnknown,
            fields[..<index].contains(where: { $0.kind.isNumber && $0.group == 0 })
        else { return nil }
        return range
    }

    // MARK: Functions

    /// Reads the result after a mark: `@ 0x401136 main ==> main at /src/a.c:3`.
    private mutating func assignMarkedResult(_ row: inout StackRow) {
        guard let mark = fields.firstIndex(where: { $0.kind.isResultMark }), isText(mark + 1) else { return }
        used[mark + 1] = true
        row.symbolizedName = fields[mark + 1].range
    }

    /// Reads the result after a row, in the form of `addr2line -pfi`: `./a(main+0x1)[0x401136] main at /src/a.c:3`.
    private mutating func assignResult(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard row.symbolizedName == nil else { return }
        guard row.symbol.name != nil, let address = row.addressRange, row.addressBracket == UInt8(ascii: "[") else { return }
        for index in fields.indices where isText(index) && fields[index].range.lowerBound > address.upperBound && row.symbolizedName == nil
        {
            guard !fields[index].isAttached, fields[index].bracket == 0, RowNames.isName(line.clamped(to: fields[index].range)) else {
                return
            }
            used[index] = true
            row.symbolizedName = fields[index].range
        }
    }

    /// Removes the parentheses around a name: `libruby.so.3.1(rb_vm_bugreport) vm_dump.c:1045`.
    private func withoutBrackets(_ range: Range<Int>, _ line: Span<UInt8>) -> Range<Int> {
        let text = line.clamped(to: range)
        guard text.hasPrefix("("), let close = RowLexer.closing(text), close == text.count - 1, close > 1 else { return range }
        return range.lowerBound + 1..<range.upperBound - 1
    }

    private mutating func assignSymbol(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard row.symbol.name == nil else { return }
        for index in fields.indices where isText(index) {
            // `app: 0x401136` is a prefix, or a key and its value.
            if line.at(fields[index].range.upperBound) == UInt8(ascii: ":"), fields[index].bracket == 0 { continue }
            // `EDT /opt/x/libquay.so.6(+0x29d90)[0x7f1f5a429d90]`: glibc has the name in the parentheses, and the text
            // before is a prefix.
            if let module = row.module, row.moduleOffset != nil, row.nameBracket == UInt8(ascii: "("),
                row.addressBracket == UInt8(ascii: "["), fields[index].range.upperBound <= module.lowerBound
            {
                return
            }
            used[index] = true
            row.symbol.name = fields[index].isAttached ? withoutBrackets(fields[index].range, line) : fields[index].range
            if row.module == nil { assignModuleBesideName(&row, line) }
            return
        }
    }

    // MARK: Modules

    private mutating func assignModule(_ row: inout StackRow, _ line: Span<UInt8>) {
        for index in fields.indices where row.module == nil && fields[index].kind.isPath && !used[index] {
            used[index] = true
            row.module = fields[index].range
            skipTitle(after: index, &row, line)
        }
        for index in fields.indices where row.module == nil && isText(index) {
            let range = fields[index].range
            // lldb: Image`name. Breakpad: module!name
            if let mark = line.at(range.upperBound), mark == UInt8(ascii: "`") || mark == UInt8(ascii: "!") {
                setModule(&row, index, range)
            }
            // `(in Demo)`, `from libtide.so`
            if fields[index].keyword == .at || fields[index].keyword == .from, fields[index].bracket == UInt8(ascii: "(") {
                setModule(&row, index, range)
            }
        }
        for index in fields.indices where row.module == nil && isText(index) {
            let name = line.clamped(to: fields[index].range)
            guard RowLexer.isModule(name) else { continue }
            let length = name.firstIndex(of: UInt8(ascii: " ")) ?? name.count
            row.module = fields[index].range.lowerBound..<fields[index].range.lowerBound + length
            used[index] = true
            if length < name.count {
                row.symbol.name = fields[index].range.lowerBound + length + 1..<fields[index].range.upperBound
            }
        }
        if row.module == nil { assignModuleBesideName(&row, line) }
        assignModuleByPosition(&row, line)
        row.countFromImage(in: line)
    }

    /// Separates a module from a function's name that only one blank is between: `libtide.so moor + 0x258`,
    /// `moor(int) libtide.so`.
    private func assignModuleBesideName(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard let name = row.symbol.name else { return }
        let text = line.clamped(to: name)
        if let blank = text.firstIndex(of: UInt8(ascii: " ")), RowLexer.isModule(text) {
            row.module = name.lowerBound..<name.lowerBound + blank
            row.symbol.name = name.lowerBound + blank + 1..<name.upperBound
        } else if let blank = text.lastIndex(of: UInt8(ascii: " ")), RowLexer.isModule(text.from(blank + 1)) {
            row.module = name.lowerBound + blank + 1..<name.upperBound
            row.symbol.name = name.lowerBound..<name.lowerBound + blank
            // The offset counts from the module, which is directly before it.
            row.moduleOffset = row.moduleOffset ?? row.symbol.offset
            row.symbol.offset = nil
        }
    }

    private mutating func setModule(_ row: inout StackRow, _ index: Int, _ range: Range<Int>) {
        row.module = range
        used[index] = true
    }

    /// Skips a process title between the path and the bracket: `./redis-server *:6379(moor+0x1fc)[0x…]`. Servers
    /// overwrite the argument that glibc prints as the program's name.
    private mutating func skipTitle(after index: Int, _ row: inout StackRow, _ line: Span<UInt8>) {
        guard isText(index + 1), index + 2 < fields.count, fields[index + 2].group != fields[index + 1].group, fields[index + 2].isAttached
        else { return }
        used[index + 1] = true
        // A file's name may have blanks as well: `/x/lib mx.so(main+0x1)`.
        if RowLexer.isModule(line.clamped(to: fields[index + 1].range)) {
            row.module = fields[index].range.lowerBound..<fields[index + 1].range.upperBound
        }
    }

    /// Finds a module without folder or ending by its position in the row.
    private mutating func assignModuleByPosition(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard row.module == nil, let first = fields.indices.first(where: { isText($0) }) ?? fields.indices.first else { return }
        let second = first + 1
        guard second < fields.count else { return }
        // The text after the bracket is a result: `(moor+0x91) [0x562cbdfcaa61] berth() at /src/b.cpp:7`.
        if row.addressBracket == UInt8(ascii: "["), let address = row.addressRange, fields[first].range.lowerBound > address.lowerBound {
            return
        }
        // glibc without a symbol: `harbour() [0x401234]`. A function of C++ has `::`, or arguments.
        let name = line.clamped(to: fields[first].range)
        if isText(first), row.addressBracket == UInt8(ascii: "["), fields.count == second + 1 || row.file == nil, name.hasSuffix("()"),
            RowLexer.isIdentifier(name.upTo(name.count - 2))
        {
            row.nameBracket = UInt8(ascii: "(")
            return setModule(&row, first, fields[first].range.lowerBound..<fields[first].range.upperBound - 2)
        }
        // glibc: `harbour(moor+0x11)[0x…]`, `harbour() [0x…]`,
        // `postgres: a b [local](moor+0x5b) [0x…]`
        if isText(first), row.addressBracket == UInt8(ascii: "[") {
            let isTitled = isText(second) && line.at(fields[first].range.upperBound) == UInt8(ascii: ":") && second + 1 < fields.count
            let bracket = isTitled ? second + 1 : second
            if bracket < fields.count, fields[bracket].isAttached,
                fields[bracket].bracket == UInt8(ascii: "(") || fields[bracket].kind.isUnknown
            {
                used[second] = used[second] || isTitled
                return setModule(&row, first, fields[first].range)
            }
            if row.symbol.name != nil, fields[second].bracket == UInt8(ascii: "("),
                RowLexer.isIdentifier(line.clamped(to: fields[first].range)), fields[second].group != 0,
                case .text = fields[second].kind
            {
                return setModule(&row, first, fields[first].range)
            }
        }
        // Darwin's rows without addresses, as consoles export them: `3 Demo main + 16`, `30 Demo main (main.m:14)`.
        if row.number != nil, isText(first), row.address == nil, fields[second].isColumn, fields[second].group == 0,
            row.symbol.name == fields[second].range || isText(second) && row.file != nil
        {
            return setModule(&row, first, fields[first].range)
        }
        // Darwin: `3 Demo Program 0x104a383f8 main + 16`: a column between the number and the
        // address.
        guard row.style == .bare, first == 0, isText(first), line.clamped(to: fields[first].range).isModuleOfDarwin,
            row.addressBracket == 0,
            fields[second].kind.isNumber, fields[second].keyword == .none,
            fields[second].isColumn || fields.count > second + 1
        else { return }
        setModule(&row, first, fields[first].range)
    }
}

extension Span where Element == UInt8 {
    /// Whether the text can be a module of Darwin: `0.` and `[2]` are row numbers, `moor(int)` and `maps.(*table).put`
    /// functions.
    fileprivate var isModuleOfDarwin: Bool {
        (0..<count).contains { isLetter(self[$0]) || self[$0] >= 0x80 }
            && !(0..<count).contains { isOne(self[$0], of: "(</") }
    }
}
