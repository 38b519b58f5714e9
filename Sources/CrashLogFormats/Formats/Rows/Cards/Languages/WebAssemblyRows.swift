internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks with functions of WebAssembly as SpiderMonkey (Firefox) and JavaScriptCore (Safari) print them:
    ///
    ///     share@https://app.example/app.wasm:wasm-function[8]:0x260             SpiderMonkey
    ///     run@https://app.example/app.js:10:5
    ///     <?>.wasm-function[9]@[wasm code]                                      JavaScriptCore gives no position
    ///
    /// SpiderMonkey gives the instruction itself, also for callers (`lastOpcodeOffset` of the call, `CallSite` of `WasmFrameIter`).
    static let webAssembly = StackCard(
        name: "webassembly",
        summary: "stacks of WebAssembly in Firefox and Safari: rows “share@URL:wasm-function[8]:0x260”",
        openings: [.inLine(":wasm-function[") { WebAssemblyText.row($0)?.functionNumber != nil }],
        rule: .movedBack,
        offsets: .file,
        architecture: .wasm32,
        maxUnrecognizedLinesInside: 2,
        hasOwnRows: true,
        claimsLine: { WebAssemblyText.row($0)?.functionNumber != nil },
        readRow: { WebAssemblyText.row($0) },
        writeResult: WebAssemblyText.writeResult)
}

private enum WebAssemblyText {
    /// A row of WebAssembly; or one of JavaScript, which has no position that could be looked up.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        let text = line.trimmed()
        guard let parts = parts(text) else { return scriptRow(line, text) }
        let start = line.indent
        func moved(_ range: Range<Int>) -> Range<Int> { start + range.lowerBound..<start + range.upperBound }
        var row = StackRow(number: nil, style: .none, in: start..<start + text.count, kind: .exact)
        row.addressRange = moved(parts.position)
        row.functionNumber = parts.found.function
        var name = parts.name
        row.isInlined = text.clamped(to: name).hasSuffix(RowResult.inlined)
        if row.isInlined { name = name.lowerBound..<name.upperBound - RowResult.inlined.utf8.count }
        if !name.isEmpty, !text.clamped(to: name).hasPrefix("wasm-function[") { row.symbol.name = moved(name) }
        if let location = parts.location, let file = text.firstRange(of: location.file) { row.set(location, at: start + file.lowerBound) }
        if let module = parts.found.module, let found = text.clamped(to: parts.position).lastRange(of: module) {
            row.module = moved(parts.position.lowerBound + found.lowerBound..<parts.position.lowerBound + found.upperBound)
            row.moduleOffset = parts.found.offset
        } else {
            row.linkAddress = parts.found.offset
        }
        return row
    }

    /// The parts of a row, counted in it.
    private struct Parts {
        var name: Range<Int>
        var position: Range<Int>
        var location: SourceLocation?
        var found: WasmPosition
    }

    private static func parts(_ text: Span<UInt8>) -> Parts? {
        guard text.contains(":wasm-function["), !text.hasPrefix("at ") else { return nil }
        guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        var position = at + 1..<text.count
        var location: SourceLocation?
        // `share@/src/app.c:12:12 (https://app.example/app.wasm:wasm-function[8]:0x260)`, as `writeResult` makes it.
        if text.hasSuffix(")"), let open = text.lastRange(of: " ("), open.lowerBound > at,
            let written = SourceLocationText.read(text.clamped(to: at + 1..<open.lowerBound))
        {
            (position, location) = (open.upperBound..<text.count - 1, written)
        }
        guard let found = WasmPosition(text.clamped(to: position)) else { return nil }
        return Parts(name: 0..<at, position: position, location: location, found: found)
    }

    /// `run@https://app.example/app.js:10:5`, `@debugger eval code:1:1`, `<?>.wasm-function[9]@[wasm code]`, `wasm-stub@[wasm code]`
    private static func scriptRow(_ line: Span<UInt8>, _ text: Span<UInt8>) -> StackRow? {
        guard let at = text.firstIndex(of: UInt8(ascii: "@")), text.firstIndex(of: UInt8(ascii: " ")).map({ $0 > at }) ?? true else {
            return nil
        }
        var row = StackRow(number: nil, style: .none, in: line.indent..<line.indent + text.count, kind: .exact)
        if at > 0 { row.symbol.name = line.indent..<line.indent + at }
        let source = text.from(at + 1)
        if source.equals("[wasm code]") || source.equals("[native code]") { return row }
        guard let location = SourceLocationText.read(source), location.column > 0 else { return nil }
        row.set(location, at: line.indent + at + 1)
        return row
    }

    static func writeResult(_ line: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        let text = line.trimmed()
        guard let parts = parts(text) else { return nil }
        let kept = line.indent + parts.position.lowerBound..<line.indent + parts.position.upperBound
        return RowResult(
            range: line.indent..<line.indent + text.count, keeping: kept,
            functions: result.functions.map { function in
                let name = RowResult.name(function) + "@"
                guard let location = function.location else { return (name, "") }
                return (name + SourceLocationText.text(location, withColumn: true) + " (", ")")
            })
    }
}
