internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The native stack that Node prints before it ends itself, and the JavaScript one below it:
    ///
    ///     FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
    ///     ----- Native stack trace -----
    ///
    ///      1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
    ///      4: 0x10fb205  [node]
    ///      2: 00007FF64E9020FF node::TriggerNodeReport+71583                                   Windows
    ///
    ///     ----- JavaScript stack trace -----
    ///
    ///     1: runScriptInThisContext (node:internal/vm:209:10)
    ///     2: [eval]:1:9
    ///
    /// Written by `DumpNativeBacktrace` and `DumpJavaScriptBacktrace` in Node's
    /// `src/debug_utils.cc`; before Node 20 without the headings, and before Node 10 (`src/backtrace_posix.cc`) with the name in place of
    /// the address: ` 1: node::Abort() [node]`.
    ///
    /// `backtrace(3)` gives return addresses; Node omits the first, its own. Addresses below 4 GB are in programs that
    /// are not position-independent, such as the project's own builds, and are as linked. Linux loads other programs,
    /// and every library, far above on the 64-bit machines that Node runs on, and the rows do not give the load
    /// addresses.
    static let node = StackCard(
        name: "node-native",
        summary: "Node’s native stacks: fatal errors, assertions, process.abort()",
        openings: [
            .inLine(NodeText.native, isCertain: true) { $0.trimmed().equals(NodeText.native) }, .start("FATAL ERROR: "),
            .inLine(" 1: 0x", isCertain: true) { NodeText.isFirstRow($0, surely: true) },
            .inLine(" 1: 0x") { NodeText.isFirstRow($0, surely: false) },
            .inLine(" 1: node::", isCertain: true) { NodeText.isFirstRow($0, surely: true) },
        ],
        offsets: .imageStart,
        maxUnrecognizedLines: 16,
        hasOneStack: true,
        hasOwnRows: true,
        read: { NodeText.read($0.trimmed()) },
        readRow: { NodeText.row($0) ?? NodeText.scriptRow($0) },
        writeResult: NodeText.writeResult,
        finish: NodeText.finish)
}

enum NodeText {
    static let native = "----- Native stack trace -----"

    static func read(_ text: Span<UInt8>) -> StackLine? {
        if text.equals(native) { return .heading() }
        if text.equals("----- JavaScript stack trace -----") { return .stack(name: "JavaScript stack trace") }
        var rest = text
        guard rest.consume("FATAL ERROR: ") else { return nil }
        return .cause(CrashCause(kind: .runtimeError, type: "FATAL ERROR", message: rest.text))
    }

    /// Whether the row is the first of Node before 20, which is in Node's own function.
    static func isFirstRow(_ line: Span<UInt8>, surely: Bool) -> Bool {
        let text = line.from(line.indent)
        guard text.hasPrefix("1: 0x") || text.hasPrefix("1: node::"), let row = row(line), row.module != nil else { return false }
        return !surely || row.symbol.name.map { line.clamped(to: $0).hasPrefix("node::") } == true
    }

    /// Reads a row: number, address, dladdr's name, `+` and a distance on Windows, and the file in brackets
    /// (`SymbolInfo::Display`). If this package has symbolicated it, ` (../src/api/hooks.cc:142:3)` comes after it.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .colon else { return nil }
        var rest = line.from(number.end)
        // Windows prints sixteen digits.
        let hasPrefix = rest.hasPrefix("0x")
        let address = hasPrefix ? rest.readAddress() : rest.readHexadecimal()
        let isPadded = line.count - rest.count - number.end == 16
        guard let address, hasPrefix || isPadded, rest.at(0).map(isBlank) ?? true else { return hasPrefix ? nil : namedRow(line, number) }
        var row = StackRow(
            number: number.value, style: .colon, in: line.indent..<line.count, address: address,
            addressRange: number.end..<line.count - rest.count)
        var remaining = row.readTrailingLocation(.parentheses, in: line, line.count - rest.count..<line.count)
        if !row.isInlined, line.clamped(to: remaining).hasSuffix("]"),
            let open = line.lastIndex(of: UInt8(ascii: "["), before: remaining.upperBound, from: remaining.lowerBound)
        {
            row.module = open + 1..<remaining.upperBound - 1
            remaining = row.readTrailingLocation(.parentheses, in: line, remaining.lowerBound..<open)
        }
        if let plus = line.upTo(remaining.upperBound).lastIndex(of: UInt8(ascii: "+")), plus > remaining.lowerBound {
            if let offset = line.clamped(to: plus + 1..<remaining.upperBound).decimal {
                row.symbol.offset = offset
                remaining = remaining.lowerBound..<plus
            }
        }
        if !remaining.isEmpty { row.symbol.name = remaining }
        return row
    }

    /// Reads a row without an address: ` 3: v8::Utils::ReportOOMFailure(char const*, bool) [node]`.
    private static func namedRow(_ line: Span<UInt8>, _ number: RowNumber) -> StackRow? {
        let text = line.upTo(line.indent + line.trimmed().count)
        guard text.hasSuffix("]"), let open = text.lastRange(of: " ["), open.lowerBound > number.end else { return nil }
        let module = open.upperBound..<text.count - 1
        let name = number.end..<open.lowerBound
        guard module.count > 0, line.clamped(to: module).firstIndex(of: UInt8(ascii: " ")) == nil, RowNames.isName(line.clamped(to: name))
        else { return nil }
        var row = StackRow(number: number.value, style: .colon, in: line.indent..<text.count)
        row.module = module
        row.symbol.name = name
        return row
    }

    /// Reads a row of JavaScript: `2: runScriptInThisContext (node:internal/vm:209:10)`, `1: [eval]:1:9`.
    static func scriptRow(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .colon else { return nil }
        var row = StackRow(number: number.value, style: .colon, in: line.indent..<line.count, kind: .exact)
        let remaining = row.readTrailingLocation(.parentheses, in: line, number.end..<line.count)
        if row.file != nil {
            row.symbol.name = remaining
        } else {
            guard let location = SourceLocationText.read(line.clamped(to: remaining)), location.line > 0 else { return nil }
            row.set(location, at: remaining.lowerBound)
        }
        return row
    }

    /// Writes the name before the file's bracket, and file, line and column after it in parentheses, as the rows of
    /// JavaScript have them.
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(text), let start = row.addressRange?.upperBound else { return nil }
        let file = row.module.map { $0.lowerBound - 2..<$0.upperBound + 1 }
        let image = file == nil ? " [\(PlainText.line(result.imageName))]" : ""
        return RowResult(
            range: start..<text.count, keeping: file ?? 0..<0,
            functions: result.functions.map { (" " + RowResult.name($0), image + RowResult.location($0, .parentheses)) })
    }

    static func finish(_ report: inout CrashReport) {
        report.process.name = "node"
        if report.cause == nil { report.cause = CrashCause(kind: .runtimeError) }
        if report.cause?.type == nil { report.cause?.type = "native stack trace" }
        report.dropLocationsWithoutImage()
        if report.threads.contains(where: { $0.frames.contains { $0.image != nil && $0.imageLocation == nil } }) {
            report.notes.append("the log has no load addresses of libraries and position-independent programs")
        }
    }
}
