internal import BinaryPrimitives
internal import CrashLogModel

/// Which lines are rows of the stack, or belong to one.
extension RowStacks {
    enum RowVerdict { case none, taken, beginsAnother }

    mutating func takeRow(_ line: Span<UInt8>, at place: Range<Int>) -> RowVerdict {
        guard let row = readRow(line) else { return .none }
        // The first rows may have been of nobody in particular.
        if card == nil, !isForced { card = StackCards.card(claiming: row, in: line) }
        let prefix = RowSearch.key(ofPrefix: line.upTo(row.start).trimmed())
        if !current.isEmpty, !current.isContinued(by: row, prefix: prefix, isHeaded: isHeaded) {
            // Another stack of the same writer, below the first.
            guard let card, !card.hasOneStack, isHeaded, row.number.map({ $0 <= 1 }) ?? false, stacks.count < Limits.standard.threads else {
                let isOwn = current.prefix == prefix || isOtherNumbering(row) || StackCards.card(claiming: row, in: line) != nil
                return row.hasPlace && isOwn ? .beginsAnother : .none
            }
            endStack()
        }
        guard current.entries.count < Limits.standard.framesPerThread else { return .none }
        current.append(row, line, at: place, prefix: prefix, isInlined: !row.hasPlace && row.number == nil && card?.hasOwnRows != true)
        return .taken
    }

    /// Rows of one stack number themselves alike.
    private func isOtherNumbering(_ row: StackRow) -> Bool {
        guard let last = current.last else { return false }
        return row.style != last.row.style && row.number != nil && last.row.number != nil
    }

    /// The length of the line without the result that this package wrote after a mark.
    static func lengthWithoutAnswer(_ line: Span<UInt8>) -> Int {
        line.firstRange(of: RowLexer.answerMark)?.lowerBound ?? line.count
    }

    private func readRow(_ line: Span<UInt8>) -> StackRow? {
        guard let mark = line.firstRange(of: RowLexer.answerMark) else { return readPlainRow(line) }
        var row = readPlainRow(line.upTo(mark.lowerBound))
        row?.answer = mark.upperBound..<line.count
        return row
    }

    private func readPlainRow(_ line: Span<UInt8>) -> StackRow? {
        if let own = card?.readRow?(line) { return own }
        if card?.hasOwnRows == true { return nil }
        let text = line.trimmed()
        for prefix in card?.rowPrefixes ?? [] where text.hasPrefix(prefix) {
            let start = line.indent + prefix.utf8.count
            return StackRow(line, from: start, isLenient: true)
        }
        if let row = RowSearch.row(in: line), accepts(row, line) { return row }
        guard card != nil || !current.isEmpty else { return nil }
        return lenientRow(line)
    }

    private func accepts(_ row: StackRow, _ line: Span<UInt8>) -> Bool {
        // Below a heading is what it is about:
        // `unrecognized selector sent to instance 0x1f0e8c430`.
        if isHeaded, current.isEmpty, row.number == nil, row.addressBracket == 0, row.moduleOffset == nil, row.symbol.offset == nil,
            row.start > line.indent
        {
            return false
        }
        guard card != nil || !current.isEmpty else { return RowStacks.isWorthy(row, in: line) }
        if let card, row.isBare, !row.saysUnknown, row.number == nil, row.addressBracket == 0 { return card.takesBareAddresses }
        return true
    }

    /// A row that only its number, or its place among others, makes one: `5: main()`,
    /// `libruby.so.3.1(rb_vm_bugreport) vm_dump.c:1045`.
    private func lenientRow(_ line: Span<UInt8>) -> StackRow? {
        guard let row = StackRow(line, isLenient: true) else { return nil }
        guard let last = current.last else { return row.hasPlace && row.number != nil && !row.hasUnassignedFields ? row : nil }
        if let number = row.number, let before = last.row.number {
            guard row.style == last.row.style, number == before + 1 || number == before - 1 || number == before && row.address == nil else {
                return nil
            }
            // A name alone: `5: main()`, where Ceph's and Boost's rows have no address.
            return row.hasPlace || row.symbol.name.map { RowNames.isName(line.clamped(to: $0)) } == true ? row : nil
        }
        // The address at the same place as in the row above says that it is a row, whatever
        // follows.
        if row.number == nil, last.row.number == nil, row.leadsWithAddress, last.row.leadsWithAddress,
            row.addressBracket == last.row.addressBracket
        {
            return row
        }
        // Ruby since 2.6 (addr2line.c) prints an inlined call without its address.
        return last.row.number == nil && row.module != nil && row.symbol.name != nil && row.file != nil && !row.hasUnassignedFields
            ? row : nil
    }

    /// The place in the source on the line below the row: gfortran's `at /src/a.f90:12`, folly's
    /// `/src/a.cpp:449`, Rust's.
    mutating func takeContinuation(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard !current.isEmpty else { return false }
        var text = line.trimmed()
        if text.take(AddressToLineText.inlinedBy) {
            current.addHolder(text, at: place)
            return true
        }
        // After a prefix that rows have as well.
        if let mark = line.firstRange(of: AddressToLineText.inlinedBy),
            RowSearch.key(ofPrefix: line.upTo(mark.lowerBound).trimmed()) == current.prefix
        {
            current.addHolder(line.from(mark.upperBound).trimmed(), at: place.lowerBound + mark.lowerBound - 1..<place.upperBound)
            return true
        }
        _ = text.take("at ")
        guard let location = SourceLocationText.read(text), RowLexer.isFile(Array(location.file.utf8).span),
            text.firstIndex(of: UInt8(ascii: " ")) == nil || text.hasPrefix("/")
        else { return false }
        current.locate(location)
        return true
    }

    /// A line of a JSON document: `"symbolAddress" : "0x0000000102c443b0",`.
    private static func isMember(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        guard rest.take("\""), let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return false }
        rest = rest.from(quote + 1)
        rest.skipBlanks()
        return rest.at(0) == UInt8(ascii: ":")
    }

    /// An entry of a list of values or symbols: a name before a value that nothing ties to it, or the letter of nm before a name.
    ///
    ///     #define GL_RED 0x1903
    ///     STRTAB            0x00000000000141e0
    ///     000000000015fa40 W std::basic_string<char>::basic_string()
    private static func isEntry(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        guard let name = row.symbol.name, let address = row.addressRange, row.addressBracket == 0, row.moduleOffset == nil,
            row.symbol.offset == nil, row.module == nil, row.file == nil
        else { return false }
        if name.lowerBound > address.lowerBound {
            return name.count > 2 && isBlank(line[name.lowerBound + 1]) && RowSearch.isLetterOrDigit(line[name.lowerBound])
        }
        // `moor at 0x5622e9d06e7e`
        return (name.upperBound..<address.lowerBound).allSatisfy { !RowSearch.isLetterOrDigit(line[$0]) }
    }

    /// `running initializer 0x102c4439c in /private/tmp/Long`, as `DYLD_PRINT_INITIALIZERS` prints (`Loader.cpp` of dyld; once `calling
    /// initializer function`): an address, and the file that it is in. Where calls come from, a function or an offset is between the two.
    private static func isAddressInFile(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        guard let module = row.module, row.moduleOffset == nil, row.file == nil, !row.saysUnknown,
            line.upTo(module.lowerBound).hasSuffix(" in "), line.clamped(to: module).hasPrefix("/")
        else { return false }
        return row.symbol.name.map { line.clamped(to: $0).hasSuffix("initializer") || line.clamped(to: $0).hasSuffix("function") } ?? true
    }

    /// A line of a table: fields that commas separate, without blanks.
    private static func isRecord(_ line: Span<UInt8>) -> Bool {
        guard line.firstIndex(of: UInt8(ascii: " ")) == nil else { return false }
        var (commas, index) = (0, 0)
        while let comma = line.firstIndex(of: UInt8(ascii: ","), from: index) { (commas, index) = (commas + 1, comma + 1) }
        return commas >= 3
    }

    /// Whether a row without a card says enough to begin a stack: an address and a name, or a place
    /// in a file.
    static func isWorthy(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        if let address = row.addressRange, let register = RegisterNames.name(before: address.lowerBound, in: line) {
            let hasName = row.symbol.name.map { $0 != register } ?? (row.module != nil || row.file != nil)
            guard hasName, RegisterNames.isOfCode(line.clamped(to: register)) else { return false }
        }
        if row.number == nil, isRecord(line.from(row.start)) || isMember(line) || isAddressInFile(row, in: line) || isEntry(row, in: line) {
            return false
        }
        // `DW_CFA_advance_loc: 6 to 000000000002f026`
        if let name = row.symbol.name, row.symbol.offset == nil, RowNames.isPreposition(line.clamped(to: name)) { return false }
        guard !row.isBare || row.saysUnknown || row.style == .hash || row.style == .frame || row.style == .hashColon else {
            return row.moduleOffset != nil
        }
        // `name + 24` may be arithmetic, and `name: 0x1234` a setting.
        if row.address == nil {
            return row.module != nil && (row.moduleOffset != nil || row.symbol.offset != nil) && row.hasHexadecimal
                || row.style != .none && row.symbol.size != nil
        }
        if row.moduleOffset != nil || row.symbol.offset != nil || row.addressBracket != 0 || row.module != nil { return true }
        // `01 class 0x060400` is a number of another kind; addresses are long, or padded.
        return row.address.map { $0 >= 0x100_0000 } == true || row.addressRange.map { $0.count >= 10 } == true
    }
}
