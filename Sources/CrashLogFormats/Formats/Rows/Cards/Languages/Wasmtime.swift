internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Traps of WebAssembly in Wasmtime:
    ///
    ///     Error: error while executing at wasm backtrace:
    ///         0: 0xf2f3 - <unknown>!<wasm function 144>
    ///         1: 0x9641b - moor.wasm!abort
    ///                        at /src/moor.c:12:3
    ///
    ///         2: 0x69340 - moor_all
    ///                        at /src/moor.c:30:3
    ///                  - main
    ///                        at /src/main.c:7:1
    ///
    /// If the module has debug information, rows have no module name, and functions that others were inlined into have
    /// no number. The hexadecimal number is the instruction's offset in the module (`WasmBacktrace` of
    /// `crates/wasmtime/src/runtime/trap.rs`): it points to the call itself rather than to its return address, because
    /// each return address was looked up one byte earlier.
    static let wasmtime = StackCard(
        name: "wasmtime",
        summary: "traps of Wasmtime: “wasm backtrace:”, rows “0: 0xf2f3 - moor.wasm!name”",
        openings: [.inLine("wasm backtrace:", isCertain: true) { $0.trimmed().hasSuffix("wasm backtrace:") }],
        rule: .movedBack,
        offsets: .file,
        architecture: .wasm32,
        hasOwnRows: true,
        claimsLine: { $0.contains("!") && (WasmtimeText.row($0)?.module != nil || $0.contains("!<wasm function ")) },
        read: { line in
            var text = line.trimmed()
            if text.hasPrefix("- "), line.indent > 0 { return .enclosingFunction(line.indent + 2..<line.indent + text.count) }
            if text.hasSuffix("wasm backtrace:") { return .cause(CrashCause(kind: .runtimeError, type: "trap")) }
            if text.consume("at "), let location = SourceLocationText.read(text), location.line > 0 { return .location(location) }
            guard let mark = text.firstRange(of: "wasm trap: ") else { return nil }
            return .note(CrashCause(kind: .runtimeError, message: text.from(mark.upperBound).text))
        },
        readRow: { WasmtimeText.row($0) },
        edit: WasmtimeText.edit)
}

private enum WasmtimeText {
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .colon else { return nil }
        var rest = line.from(number.end)
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let offset = rest.readAddress() else { return nil }
        let end = line.count - rest.count
        guard rest.consume(" - "), rest.count > 0 else { return nil }
        var row = StackRow(number: number.value, style: .colon, in: line.indent..<line.count)
        row.addressRange = start..<end
        let mark = rest.firstIndex(of: UInt8(ascii: "!"))
        let module = end + 3..<end + 3 + (mark ?? 0)
        if module.isEmpty || line.clamped(to: module).equals("<unknown>") {
            row.linkAddress = offset
        } else {
            (row.module, row.moduleOffset) = (module, offset)
        }
        let name = module.upperBound + (mark == nil ? 0 : 1)..<line.indent + line.trimmed().count
        var text = line.clamped(to: name)
        if text.consume("<wasm function ") {
            row.functionNumber = text.readDecimal()
        } else if name.count > 0 {
            row.symbol.name = name
        }
        return row
    }

    /// Writes a result as Wasmtime itself does with debug information: each function's source below it, and the functions that
    /// one was inlined into below that.
    static func edit(_ frame: Frame, _ result: FrameResult, _ log: Span<UInt8>) -> TextEdit? {
        let row = log.clamped(to: frame.range)
        guard let dash = row.firstRange(of: " - ") else { return nil }
        let line = LogLine(around: frame.range, in: log)
        let head = log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
        let column = [UInt8](repeating: UInt8(ascii: " "), count: dash.lowerBound + 1)
        var text: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { text += line.ending + head + column + Array("- ".utf8) }
            text += Array(PlainText.line(function.name).utf8)
            guard let location = function.location else { continue }
            text += line.ending + head + column + Array("    at \(SourceLocationText.text(location, withColumn: true))".utf8)
        }
        return TextEdit(range: frame.range.lowerBound + dash.upperBound..<frame.range.upperBound, replacement: text)
    }
}
