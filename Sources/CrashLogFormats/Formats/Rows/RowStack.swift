internal import BinaryPrimitives
internal import CrashLogModel

/// A stack whose rows are being read.
struct RowStack: Sendable {
    struct Entry: Sendable {
        var row: StackRow
        var range: Range<Int>
        var module: String?
        var symbol: String?
        /// The function that a symbolizer wrote after the row.
        var symbolizedName: String?
        var location: SourceLocation?
        var id: ImageID?
        /// The row is inlined into the row below it, and has no address of its own.
        var isInlined = false
    }

    var number: Int?
    var name: String?
    var isCrashed = false
    /// Kind of the addresses, if the heading determines it.
    var rule: StackCard.Rule?
    /// The stack does not belong to a thread.
    var isAdditional = false
    /// According to the heading, the outermost frame comes first.
    var isReversed = false
    var registers: [(name: String, value: UInt64)] = []
    private(set) var entries: [Entry] = []
    /// Rows that begin like rows of this stack and could not be read.
    private(set) var unparsedRows: [String] = []
    private(set) var prefix: UInt64?

    var isEmpty: Bool { entries.isEmpty }
    var last: Entry? { entries.last }
    /// Number of rows with an address or an offset.
    var locatedRowCount: Int { entries.count { !$0.isInlined } }

    /// Whether the numbers decrease: the outermost frame comes first.
    var isOutermostFirst: Bool {
        guard let first = entries.first(where: { $0.row.number != nil })?.row.number,
            let last = entries.last(where: { $0.row.number != nil })?.row.number
        else { return false }
        return first > last
    }

    /// Whether the first two rows have the same number, but different addresses.
    var hasOneNumber: Bool {
        guard entries.count > 1, let first = entries.first?.row.number else { return false }
        return entries[1].row.number == first && entries[1].row.address != entries[0].row.address
    }

    /// Whether the row continues the stack.
    func isContinued(by row: StackRow, prefix: UInt64, isHeaded: Bool) -> Bool {
        guard let last = entries.last else { return true }
        guard self.prefix == prefix || isHeaded, row.style == last.row.style else { return false }
        if let number = row.number, let before = last.row.number {
            // An equal number on all rows is a prefix: `ctest -V` prints the number of the test.
            if entries.count == 1 || hasOneNumber { return number == before || entries.count == 1 }
            return isOutermostFirst ? number <= before : number >= before
        }
        return row.addressBracket == last.row.addressBracket || isHeaded || last.row.address == nil || row.address == nil
    }

    mutating func append(_ row: StackRow, _ line: Span<UInt8>, at range: Range<Int>, prefix: UInt64, isInlined: Bool = false) {
        if self.prefix == nil { self.prefix = prefix }
        var entry = Entry(row: row, range: range.lowerBound + row.start..<range.lowerBound + max(row.start, line.trimmedEnd))
        entry.module = row.module.map { line.clamped(to: $0).text }
        entry.symbol = row.symbol.name.flatMap { RowStack.name(line.clamped(to: $0)) }
        entry.symbolizedName = row.symbolizedName.map { line.clamped(to: $0).text }
        entry.location = row.file.map { SourceLocation(file: line.clamped(to: $0).text, line: row.line, column: row.column) }
        if let result = row.symbolizedName, let printed = AddressToLineText.symbol(line.clamped(to: result).trimmed()) {
            entry.symbolizedName = printed.name
            entry.location = printed.location
        }
        entry.id = row.id.flatMap { ImageID(text: line.clamped(to: $0)) }
        entry.isInlined = isInlined || row.isInlined
        // Reports since macOS 12 write it after the name, and so does this package in rows of Darwin.
        if let name = entry.symbol, name.hasSuffix(" [inlined]") { entry.symbol = String(name.dropLast(" [inlined]".utf8.count)) }
        // Kotlin writes it before the source location.
        if line.trimmed().hasSuffix(" [inlined]") || entry.location != nil && line.from(row.start).contains(" [inlined] (") {
            entry.isInlined = true
        }
        entries.append(entry)
    }

    /// The function's name in the row, without the arguments that gdb prints after a blank; `nil` for a placeholder.
    private static func name(_ text: Span<UInt8>) -> String? {
        if text.hasPrefix("___lldb_unnamed_symbol") || RowNames.isPlaceholder(text) { return nil }
        // Xcode's navigator puts `()` after each name: `thunk for @escaping () -> () ()`.
        if text.hasSuffix(" ()"), text.count > 3, !text.hasSuffix("-> ()") { return text.upTo(text.count - 3).text }
        guard text.hasSuffix(")"), let open = text.firstRange(of: " ("), open.lowerBound > 0,
            RowLexer.closing(text.from(open.lowerBound + 1)).map({ open.lowerBound + 1 + $0 }) == text.count - 1,
            text.upTo(open.lowerBound).firstIndex(of: UInt8(ascii: " ")) == nil
        else { return text.text }
        return text.upTo(open.lowerBound).text
    }

    /// Removes names and locations that belong to a prefix of the log, such as a logger's name or the line of a test:
    /// they begin each row and are equal in all rows, while the addresses differ.
    ///
    ///     crash_test.go:12: 0x5622e9d06e7e Harbour::moor()
    ///     crash_test.go:12: 0x5622e9f6dfb9 main
    static func withoutPrefixes(_ entries: [Entry]) -> [Entry] {
        let addresses = entries.compactMap(\.row.address)
        guard entries.count > 1, addresses.count == entries.count, Set(addresses).count == addresses.count else { return entries }
        let first = entries[0]
        let isLocation =
            first.location != nil && entries.allSatisfy { $0.location == first.location && $0.row.file?.lowerBound == $0.row.start }
        let isName =
            first.symbol != nil
            && entries.allSatisfy {
                $0.symbol == first.symbol && $0.row.symbol.offset == nil && $0.row.symbol.name?.lowerBound == $0.row.start
            }
        guard isLocation || isName else { return entries }
        return entries.map { entry in
            var entry = entry
            if isLocation { entry.location = nil }
            if isName { entry.symbol = nil }
            return entry
        }
    }

    /// Sets the source location of the last row, from the line after it: gfortran, folly.
    /// - Parameter end: end of that line, if it belongs to the row.
    mutating func locate(_ location: SourceLocation, to end: Int? = nil) {
        guard let index = entries.indices.last, entries[index].location == nil else { return }
        entries[index].location = location
        if let end { entries[index].range = entries[index].range.lowerBound..<end }
    }

    /// Sets the module of the last row, from the line after it: compute-sanitizer.
    mutating func setModule(_ name: String) {
        guard let index = entries.indices.last, entries[index].module == nil else { return }
        entries[index].module = name
    }

    /// Sets the address of the last row, from the line after it: minidump_stackwalk. For row 0 it is the instruction,
    /// for the others the return address.
    mutating func setAddress(_ value: UInt64) {
        guard let index = entries.indices.last, !entries[index].row.isLocated, value > 0, rule != .movedBack else { return }
        entries[index].row.address = value
        entries[index].row.kind = entries[index].row.number == 0 ? .programCounter : .returnAddress
    }

    /// Adds the function that the frame above was inlined into: ` (inlined by) main at /src/main.cc:12`.
    mutating func addEnclosingFunction(_ text: Span<UInt8>, at range: Range<Int>) {
        guard var outer = entries.last else { return }
        entries[entries.count - 1].isInlined = true
        let printed = AddressToLineText.symbol(text) ?? PrintedSymbol(name: text.text)
        outer.range = range
        outer.symbolizedName = printed.name
        outer.location = printed.location
        entries.append(outer)
    }

    mutating func addUnparsedRow(_ line: Span<UInt8>) {
        guard unparsedRows.count < 8 else { return }
        unparsedRows.append(PlainText.line(line.trimmed().upTo(60).text))
    }
}

extension Span where Element == UInt8 {
    /// Length of the text without the blanks at its end.
    fileprivate var trimmedEnd: Int {
        var end = count
        while end > 0, isBlank(self[end - 1]) || self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end
    }
}
