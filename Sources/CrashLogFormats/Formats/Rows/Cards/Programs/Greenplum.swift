internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of errors of Greenplum and Cloudberry:
    ///
    ///     1    0x7f1a4d50d918 libharbour.so moor + 0x258
    ///     2    0x7f1a4d52ea03 libharbour.so <symbol not found> + 0x4d52ea03
    ///     3    0x4027db harbour main + 0x56b
    ///
    /// `gp_backtrace` walks the stack, `append_stacktrace` prints it (`src/backend/utils/error/elog.c`): return
    /// addresses, `%-4d %p FILE NAME + 0xOFFSET`. With `gp_log_stack_trace_lines` the source location replaces the
    /// offset, `(elog.c:541)`. The offset is the address minus `dli_saddr`, cut to 32 bits: in a row without a symbol
    /// it is the lower half of the address.
    static let greenplum = StackCard(
        name: "greenplum",
        summary: "errors of Greenplum: rows “1    0x… libpostgres.so errstart + 0x258”",
        openings: [],
        claimsLine: { GreenplumRow.read($0) != nil },
        readRow: GreenplumRow.read)
}

/// Reads a row: a number, an address, the module, the function, an offset.
enum GreenplumRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let start = rest.count
        guard rest.readDecimal() != nil else { return nil }
        // The column of the number is four characters wide, and a blank follows.
        let width = start - rest.count
        guard width < 5, rest.hasPrefix(String(repeating: " ", count: 5 - width) + "0x") else { return nil }
        rest.skipBlanks()
        guard rest.readAddress() != nil, let behind = rest.at(0), isBlank(behind) else { return nil }
        let addressEnd = line.count - rest.count
        guard var row = StackRow(line.upTo(addressEnd), isLenient: true) else { return nil }
        guard let plus = rest.lastRange(of: " + 0x") else { return readRowWithLocation(line, addressEnd) }
        rest.skipBlanks()
        let module = line.count - rest.count
        guard let blank = rest.firstIndex(of: UInt8(ascii: " ")), module + blank < addressEnd + plus.lowerBound else { return nil }
        var digits = line.from(addressEnd + plus.upperBound - 2)
        guard let offset = digits.readAddress(), digits.trimmed().count == 0 else { return nil }
        row.module = module..<module + blank
        row.isBare = false
        row.end = line.count - digits.count
        let name = module + blank + 1..<addressEnd + plus.lowerBound
        if !line.clamped(to: name).equals("<symbol not found>") { row.symbol = StackRow.Symbol(name: name, offset: offset) }
        return row
    }
    /// Reads a row with a source location: `2    0x4027db harbour main (main.c:215)`.
    private static func readRowWithLocation(_ line: Span<UInt8>, _ addressEnd: Int) -> StackRow? {
        guard line.hasSuffix(")"), var row = StackRow(line, isLenient: true), row.file != nil, row.addressRange?.upperBound == addressEnd
        else { return nil }
        var rest = line.from(addressEnd)
        rest.skipBlanks()
        let module = line.count - rest.count
        guard let blank = rest.firstIndex(of: UInt8(ascii: " ")), let open = line.lastRange(of: " ("), open.lowerBound > module + blank
        else { return nil }
        row.module = module..<module + blank
        let name = module + blank + 1..<open.lowerBound
        row.symbol = StackRow.Symbol(name: line.clamped(to: name).equals("<symbol not found>") ? nil : name)
        row.isBare = false
        return row
    }
}
