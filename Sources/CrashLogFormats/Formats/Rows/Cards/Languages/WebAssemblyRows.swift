internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks with functions of WebAssembly as SpiderMonkey (Firefox), JavaScriptCore (Safari) and, without the error above them, V8 print
    /// them (`JavaScriptRow`):
    ///
    ///     share@https://app.example/app.wasm:wasm-function[8]:0x260             SpiderMonkey
    ///     run@https://app.example/app.js:10:5
    ///     <?>.wasm-function[9]@[wasm code]                                      JavaScriptCore gives no position
    ///     Thrown at:                                                            Node's --trace-uncaught
    ///         at share (wasm://wasm/app.wasm-00087f1e:1:609)
    ///
    /// The engines give the instruction itself, also for callers (SpiderMonkey: `lastOpcodeOffset` of the call, `CallSite` of
    /// `WasmFrameIter`).
    static let webAssembly = StackCard(
        name: "webassembly",
        summary: "stacks of WebAssembly in Firefox, Safari, Chrome and Node: rows “share@URL:wasm-function[8]:0x260”",
        openings: [":wasm-function[", ".wasm:0x", "wasm://wasm/"].map { .inLine($0) { hasPosition($0) } },
        rule: .movedBack,
        offsets: .file,
        architecture: .wasm32,
        maxUnrecognizedLinesInside: 2,
        hasOwnRows: true,
        claimsLine: { hasPosition($0) },
        readRow: { line in
            let text = line.trimmed()
            guard let found = JavaScriptRow(text) else { return nil }
            let start = line.indent
            func moved(_ range: Range<Int>) -> Range<Int> { start + range.lowerBound..<start + range.upperBound }
            var row = StackRow(number: nil, style: .none, in: start..<start + text.count, kind: .exact)
            row.isInlined = found.isInlined
            row.symbol.name = found.name.map(moved)
            if let location = found.symbol.location, let position = found.locationStart { row.set(location, at: start + position) }
            guard let position = found.position else { return row }
            row.addressRange = moved(found.kept)
            row.functionNumber = position.function
            if let module = position.module, let name = text.clamped(to: found.kept).lastRange(of: module) {
                row.module = moved(found.kept.lowerBound + name.lowerBound..<found.kept.lowerBound + name.upperBound)
                row.moduleOffset = position.offset
            } else {
                row.linkAddress = position.offset
            }
            return row
        },
        writeResult: { line, result in
            guard var row = JavaScriptRow.result(line.trimmed(), result) else { return nil }
            row.range = line.indent + row.range.lowerBound..<line.indent + row.range.upperBound
            row.kept = line.indent + row.kept.lowerBound..<line.indent + row.kept.upperBound
            return row
        })

    private static func hasPosition(_ line: Span<UInt8>) -> Bool { JavaScriptRow(line.trimmed())?.position != nil }
}
