internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that Julia's runtime prints when a signal ends it (`jl_critical_error` of `src/signal-handling.c`), with
    /// the rows of `jl_print_native_codeloc` and `jl_safe_print_codeloc` (`src/stackwalk.c`):
    ///
    ///     [4242] signal (11.1): Segmentation fault
    ///     in expression starting at REPL[3]:1
    ///     moor at /src/harbour.c:12
    ///     tie at /src/rope.h:3 [inlined]
    ///     berth at /opt/lib/libharbour.so (unknown line)                 the file without lines: the name is the symbol table's
    ///     unknown function (ip: 0x7fae1b1868a2)                          neither; Julia 1.12 adds ` at ` and the library
    ///     Allocations: 14513031 (Pool: 14512010; Big: 1021); GC: 10
    ///
    /// Only rows without a name have an address, and the log does not have the load address of their library. The
    /// address is the one to look up: the runtime subtracts one from return addresses, before 1.6 when it prints them
    /// (`ip -= 1`), since then when it walks the stack (`call_ip` of `jl_unw_stepn`).
    static let julia = StackCard(
        name: "julia-crash",
        summary: "Julia’s runtime: signal (11.1): Segmentation fault",
        openings: [.inLine("signal (", isCertain: true) { JuliaText.heading($0.trimmed()) != nil }],
        rule: .movedBack,
        offsets: .imageStart,
        maxUnrecognizedLines: 8,
        hasOwnRows: true,
        read: { JuliaText.read($0.trimmed()) },
        readRow: JuliaText.row,
        writeResult: JuliaText.writeResult)
}

enum JuliaText {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        if let heading = heading(text) { return .several([.heading(), .cause(heading.cause), .process(name: nil, pid: heading.pid)]) }
        if text.hasPrefix("Allocations: ") { return .last }
        return text.hasPrefix("in expression starting at ") || text.hasPrefix("while loading ") ? .skipped : nil
    }

    /// Reads the heading: `[4242] signal (11.1): Segmentation fault`, since 1.9 with `si_code`; before 1.8 without the
    /// process.
    static func heading(_ text: Span<UInt8>) -> (cause: CrashCause, pid: Int?)? {
        var rest = text
        var pid: Int?
        if rest.consume("[") {
            guard let number = rest.readDecimal(), rest.consume("] ") else { return nil }
            pid = Int(exactly: number)
        }
        guard rest.consume("signal ("), let number = rest.readDecimal(), number < 65 else { return nil }
        var cause = CrashCause(kind: .signal, signal: SignalName.posix(number) ?? "\(number)")
        cause.type = cause.signal
        if rest.consume(".") {
            let minus = rest.consume("-")
            guard let code = rest.readDecimal() else { return nil }
            cause.codes = "code \(minus ? "-" : "")\(code)"
        }
        guard rest.consume("): "), rest.count > 0 else { return nil }
        cause.message = rest.text
        return (cause, pid)
    }

    /// Reads a row. If this package has symbolicated it, the original address comes after it:
    /// `moor at /src/harbour.c:12 (ip: 0x7fae1b1868a2)`.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        let range = (0..<line.count).trimmed(in: line)
        var row = StackRow(number: nil, in: range)
        var text = line.clamped(to: range)
        if let mark = text.lastRange(of: "(ip: "), let close = text.firstIndex(of: UInt8(ascii: ")"), from: mark.upperBound) {
            var number = text.clamped(to: mark.upperBound..<close)
            // `%p` of a null pointer.
            guard let address = number.equals("(nil") ? 0 : number.readAddress() else { return nil }
            row.address = address
            let behind = text.from(close + 1)
            row.hasUnknownName = text.hasPrefix("unknown function (")
            if row.hasUnknownName {
                if behind.hasPrefix(" at "), behind.at(4) != UInt8(ascii: "("), behind.count > 4 {
                    row.module = range.lowerBound + close + 5..<range.upperBound
                }
                return row
            }
            guard behind.count == 0 else { return nil }
            text = text.upTo(mark.lowerBound).trimmed()
        }
        row.isInlined = text.consumeSuffix(" [inlined]")
        let file = text.count - " (unknown line)".utf8.count
        if text.hasSuffix(" (unknown line)"), let at = text.upTo(file).lastRange(of: " at "), at.lowerBound > 0 {
            row.symbol.name = range.lowerBound..<range.lowerBound + at.lowerBound
            row.module = range.lowerBound + at.upperBound..<range.lowerBound + file
            return row
        }
        let name = row.readTrailingLocation(.at, in: line, range.lowerBound..<range.lowerBound + text.count)
        guard row.file != nil, !name.isEmpty else { return nil }
        row.symbol.name = name
        return row
    }

    /// The row that the runtime would have printed, followed by the address.
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(text), row.hasUnknownName, let address = row.address else { return nil }
        let end = " (ip: 0x" + hexadecimal(address, digits: 0) + ")"
        return RowResult(
            range: 0..<text.count,
            functions: result.functions.map { function in
                let location = function.location.map { SourceLocationText.text($0) } ?? (result.imageName + " (unknown line)")
                let inlined = function.isInlined ? " [inlined]" : ""
                return "\(PlainText.line(function.name)) at \(location)\(inlined)\(end)"
            })
    }
}
