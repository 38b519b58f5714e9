internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Traps of WebAssembly in Wasmer:
    ///
    ///     RuntimeError: integer divide by zero
    ///         at share (app.wasm[8]:0x260)
    ///         at <unnamed> (app.wasm[9]:0x2f4)
    ///
    /// Module, number of the function and position of the instruction, also for callers (`wasm_trace` of
    /// `lib/compiler/src/engine/trap/stack.rs`, which looks each return address up one byte earlier).
    static let wasmer = StackCard(
        name: "wasmer",
        summary: "traps of WebAssembly in Wasmer: rows “at share (app.wasm[8]:0x260)”",
        openings: [.inLine("]:0x") { WasmerText.row($0) != nil }],
        rule: .movedBack,
        offsets: .file,
        architecture: .wasm32,
        hasOwnRows: true,
        claimsLine: { WasmerText.row($0) != nil },
        readRow: { WasmerText.row($0) },
        writeResult: WasmerText.writeResult)
}

private enum WasmerText {
    static func row(_ line: Span<UInt8>) -> StackRow? {
        let start = line.indent
        let text = line.upTo(start + line.trimmed().count)
        // V8's rows have the function's number after the URL: `(wasm://wasm/app.wasm-00087f1e:wasm-function[8]:0x260)`.
        guard text.from(start).hasPrefix("at "), text.hasSuffix(")"), !text.contains(":wasm-function["),
            let open = text.lastRange(of: " ("),
            let bracket = text.firstIndex(of: UInt8(ascii: "["), from: open.upperBound), bracket > open.upperBound
        else { return nil }
        var module = open.upperBound..<bracket
        var rest = text.clamped(to: bracket + 1..<text.count - 1)
        guard let function = rest.readDecimal(), rest.consume("]:"), rest.hasPrefix("0x") else { return nil }
        let position = text.count - 1 - rest.count
        guard let offset = rest.readAddress(), rest.isEmpty else { return nil }
        var row = StackRow(number: nil, style: .none, in: start..<text.count, kind: .exact)
        row.addressRange = position..<text.count - 1
        row.functionNumber = function
        // `share (/src/app.c:12:12, app.wasm[8]:0x260)`, as `writeResult` makes it.
        if let comma = text.clamped(to: module).lastRange(of: ", "),
            let location = SourceLocationText.read(text.clamped(to: module.lowerBound..<module.lowerBound + comma.lowerBound))
        {
            row.set(location, at: module.lowerBound)
            module = module.lowerBound + comma.upperBound..<module.upperBound
        }
        var name = start + 3..<open.lowerBound
        row.isInlined = text.clamped(to: name).hasSuffix(RowResult.inlined)
        if row.isInlined { name = name.lowerBound..<name.upperBound - RowResult.inlined.utf8.count }
        if !name.isEmpty, !text.clamped(to: name).equals("<unnamed>") { row.symbol.name = name }
        if text.clamped(to: module).equals("<module>") {
            row.linkAddress = offset
        } else {
            (row.module, row.moduleOffset) = (module, offset)
        }
        return row
    }

    static func writeResult(_ line: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(line), let position = row.addressRange, let open = line.upTo(position.lowerBound).lastRange(of: " (") else {
            return nil
        }
        let first = row.module?.lowerBound ?? open.upperBound
        return RowResult(
            range: line.indent + 3..<position.upperBound + 1, keeping: first..<position.upperBound,
            functions: result.functions.map { function in
                let location = function.location.map { SourceLocationText.text($0, withColumn: true) + ", " } ?? ""
                return (RowResult.name(function) + " (" + location, ")")
            })
    }
}
