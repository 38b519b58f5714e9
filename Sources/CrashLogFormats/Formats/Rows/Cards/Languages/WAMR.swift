internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Traps of WebAssembly in the WebAssembly Micro Runtime, built with `WAMR_BUILD_DUMP_CALL_STACK`:
    ///
    ///     #00: 0x0261 - share
    ///     #01: 0x02fa - $f9                                          without names
    ///
    ///     Exception: integer divide by zero
    ///
    /// The numbers count from the module's first byte, and are those of the next instruction, in the first row, too
    /// (`interp_create_call_stack` of `core/iwasm/interpreter/wasm_runtime.c`). The module has no name.
    static let wamr = StackCard(
        name: "wamr",
        summary: "traps of WebAssembly in WAMR (iwasm): rows “#00: 0x0261 - share”",
        openings: [.inLine("#00: 0x") { WAMRText.row($0) != nil }],
        offsets: .file,
        architecture: .wasm32,
        allowsSingleRow: false,
        hasOneStack: true,
        hasOwnRows: true,
        claimsLine: { WAMRText.row($0) != nil },
        read: { line in
            var text = line.trimmed()
            return text.consume("Exception: ") ? .causeBelow(CrashCause(kind: .runtimeError, type: "trap", message: text.text)) : nil
        },
        readRow: { WAMRText.row($0) },
        writeResult: WAMRText.writeResult)
}

private enum WAMRText {
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line.from(line.indent)
        guard rest.consume("#"), let number = rest.readDecimal(), rest.consume(": ") else { return nil }
        let start = line.count - rest.count
        // `%02u`, and `%04x` of 32 bits.
        guard start - line.indent >= "#00: ".utf8.count, let offset = rest.readAddress(), offset <= UInt64(UInt32.max) else { return nil }
        let end = line.count - rest.count
        guard end - start >= "0x0000".utf8.count else { return nil }
        guard rest.consume(" - "), rest.count > 0 else { return nil }
        var row = StackRow(number: Int(exactly: number), style: .hashColon, in: line.indent..<line.count)
        (row.addressRange, row.linkAddress) = (start..<end, offset)
        var remaining = row.readTrailingLocation(.at, in: line, end + 3..<line.indent + line.trimmed().count)
        row.isInlined = row.isInlined || line.clamped(to: remaining).hasSuffix(RowResult.inlined)
        if line.clamped(to: remaining).hasSuffix(RowResult.inlined) {
            remaining = remaining.lowerBound..<remaining.upperBound - RowResult.inlined.utf8.count
        }
        var name = line.clamped(to: remaining)
        if name.consume("$f"), let function = name.readDecimal(), name.isEmpty {
            row.functionNumber = function
        } else {
            row.symbol.name = remaining
        }
        return row
    }

    static func writeResult(_ line: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let end = row(line)?.addressRange?.upperBound else { return nil }
        return RowResult(range: end..<line.count, functions: result.functions.map { " -" + RowResult.text($0, .at) })
    }
}
