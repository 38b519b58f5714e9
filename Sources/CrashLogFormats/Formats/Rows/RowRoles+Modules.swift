internal import BinaryPrimitives
internal import CrashLogModel

/// Which field names the module: by its look, by a word or mark beside it, by its place in the row.
extension RowRoles {
    mutating func takeModule(_ row: inout StackRow, _ line: Span<UInt8>) {
        for index in fields.indices where row.module == nil && fields[index].kind.isPath && !used[index] {
            used[index] = true
            row.module = fields[index].range
            takeTitle(after: index, &row, line)
        }
        for index in fields.indices where row.module == nil && isText(index) {
            let range = fields[index].range
            // lldb: Image`name. Breakpad: module!name
            if let mark = line.at(range.upperBound), mark == UInt8(ascii: "`") || mark == UInt8(ascii: "!") {
                setModule(&row, index, range)
            }
            // `(in Demo)`, `from libtide.so`
            if fields[index].word == .at || fields[index].word == .from, fields[index].bracket == UInt8(ascii: "(") {
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
        if row.module == nil { takeModuleBesideName(&row, line) }
        takeModuleByPosition(&row, line)
        row.countFromImage(in: line)
    }

    /// `libtide.so moor + 0x258`, `moor(int) libtide.so`: one blank between the two.
    func takeModuleBesideName(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard let name = row.symbol.name else { return }
        let text = line.clamped(to: name)
        if let blank = text.firstIndex(of: UInt8(ascii: " ")), RowLexer.isModule(text) {
            row.module = name.lowerBound..<name.lowerBound + blank
            row.symbol.name = name.lowerBound + blank + 1..<name.upperBound
        } else if let blank = text.lastIndex(of: UInt8(ascii: " ")), RowLexer.isModule(text.from(blank + 1)) {
            row.module = name.lowerBound + blank + 1..<name.upperBound
            row.symbol.name = name.lowerBound..<name.lowerBound + blank
            // The offset is of what is before it.
            row.moduleOffset = row.moduleOffset ?? row.symbol.offset
            row.symbol.offset = nil
        }
    }

    mutating func setModule(_ row: inout StackRow, _ index: Int, _ range: Range<Int>) {
        row.module = range
        used[index] = true
    }

    /// Servers overwrite what glibc takes for the program's name:
    /// `./redis-server *:6379(moor+0x1fc)[0x…]`. What is between the path and the bracket is the
    /// title.
    mutating func takeTitle(after index: Int, _ row: inout StackRow, _ line: Span<UInt8>) {
        guard isText(index + 1), index + 2 < fields.count, fields[index + 2].group != fields[index + 1].group, fields[index + 2].isAttached
        else { return }
        used[index + 1] = true
        // A file's name may have blanks as well: `/x/lib mx.so(main+0x1)`.
        if RowLexer.isModule(line.clamped(to: fields[index + 1].range)) {
            row.module = fields[index].range.lowerBound..<fields[index + 1].range.upperBound
        }
    }

    /// A module without folder or ending, by where it is in the row.
    mutating func takeModuleByPosition(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard row.module == nil, let first = fields.indices.first(where: { isText($0) }) ?? fields.indices.first else { return }
        let second = first + 1
        guard second < fields.count else { return }
        // After the bracket is a result: `(moor+0x91) [0x562cbdfcaa61] berth() at /src/b.cpp:7`.
        if row.addressBracket == UInt8(ascii: "["), let address = row.addressRange, fields[first].range.lowerBound > address.lowerBound {
            return
        }
        // glibc without a symbol: `harbour() [0x401234]`. A function of C++ has `::`, or arguments.
        let name = line.clamped(to: fields[first].range)
        if isText(first), row.addressBracket == UInt8(ascii: "["), fields.count == second + 1 || row.file == nil, name.hasSuffix("()"),
            RowLexer.isIdentifier(name.upTo(name.count - 2))
        {
            row.placeBracket = UInt8(ascii: "(")
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
        // The same without addresses, as consoles export it: `3 Demo main + 16`,
        // `30 Demo main (main.m:14)`.
        if row.number != nil, isText(first), row.address == nil, fields[second].isColumn, fields[second].group == 0,
            row.symbol.name == fields[second].range || isText(second) && row.file != nil
        {
            return setModule(&row, first, fields[first].range)
        }
        // Darwin: `3 Demo Program 0x104a383f8 main + 16`: a column between the number and the
        // address.
        guard row.style == .bare, first == 0, isText(first), line.clamped(to: fields[first].range).isModuleOfDarwin,
            row.addressBracket == 0,
            fields[second].isNumber, fields[second].word == .none,
            fields[second].isColumn || fields.count > second + 1
        else { return }
        setModule(&row, first, fields[first].range)
    }
}

extension Span where Element == UInt8 {
    /// `0.` and `[2]` are numbers of rows, `moor(int)` and `maps.(*table).put` functions.
    fileprivate var isModuleOfDarwin: Bool {
        (0..<count).contains { (self[$0] | 0x20) &- UInt8(ascii: "a") < 26 || self[$0] >= 0x80 }
            && !(0..<count).contains { isOne(self[$0], of: "(</") }
    }
}
