internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The backtrace that an X server (Xorg, Xwayland, Xvfb, Xephyr) writes to its log when it
    /// crashes, or when its event queue overflows:
    ///
    ///     (EE) Backtrace:
    ///     (EE) 0: /usr/libexec/Xorg (OsLookupColor+0x139) [0x59ab89]               the nearest exported symbol
    ///     (EE) 1: /lib64/libc.so.6 (__restore_rt+0x0) [0x7f2b13545b1f]
    ///     (EE) 2: /usr/bin/X (0x7f5325509000+0x1ac9a9) [0x7f53256b59a9]            no symbol: where the file was loaded
    ///     (EE) 3: ?? [0x29]
    ///     (EE)
    ///     (EE) Received signal 11 sent by process 4025, uid 0
    ///     Fatal server error:
    ///     (EE) Caught signal 11 (Segmentation fault). Server aborting
    ///
    /// `os/backtrace.c` of xserver prints the rows, with libunwind, with `backtrace(3)` and dladdr, before 1.10 with
    /// `backtrace_symbols(3)`; `OsSigHandler` (`os/osinit.c`) prints the lines below them. All rows are return
    /// addresses, the first included: it is the handler, which called the walker.
    static let xorg = StackCard(
        name: "xorg-backtrace",
        summary: "X servers’ backtraces: Xorg, Xwayland, Xvfb",
        openings: [
            .inLine("(EE) Backtrace:", isCertain: true) { $0.trimmed().equals("(EE) Backtrace:") },
            .inLine("Backtrace:") { $0.trimmed().equals("Backtrace:") },
        ],
        maxUnrecognizedLines: 8,
        hasOneStack: true,
        hasOwnRows: true,
        read: XorgText.read,
        readRow: XorgText.row,
        writeResult: XorgText.writeResult,
        finish: XorgText.finish)
}

enum XorgText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        var text = line.trimmed()
        if text.consume("(EE)") { text = text.trimmed() }
        if text.equals("Backtrace:") { return .heading() }
        if text.hasPrefix("Registers at frame #") || text.equals("Fatal server error:") { return .skipped }
        if text.hasPrefix("Server terminated ") { return .last }
        let message = text
        if text.consume("Caught signal ") { return .several([signal(text, nil), .last]) }
        if text.consume("Received signal ") { return signal(text, message.text) }
        if let at = text.firstRange(of: " at address "), SignalText.name(ofDescriptionIn: text.upTo(at.lowerBound)) != nil {
            return .note(
                CrashCause(
                    kind: .signal, type: text.upTo(at.lowerBound).text,
                    address: text.address(after: " at address ").map { RuntimeAddress($0) }))
        }
        // `rax: 0x0`
        let name = text.readToken()
        text.skipBlanks()
        guard name.count > 1, name.hasSuffix(":"), let value = text.readAddress(), text.count == 0 else { return nil }
        return .registers([(name.upTo(name.count - 1).text, value)])
    }

    private static func signal(_ text: Span<UInt8>, _ message: String?) -> StackLine {
        guard let number = text.leadingDecimal else { return .skipped }
        return .note(CrashCause(kind: .signal, type: SignalName.posix(number) ?? "signal \(number)", signal: "\(number)", message: message))
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        let indent = line.indent
        let start = line.from(indent).hasPrefix("(EE) ") ? indent + 5 : indent
        guard let number = RowNumber(line, from: start), number.style == .colon else { return nil }
        if line.from(number.end).trimmed().equals(RowFrames.signalRow) {
            var row = StackRow(number: number.value, style: .colon, in: indent..<line.count)
            row.symbol.name = (number.end..<line.count).trimmed(in: line)
            row.kind = .programCounter
            return row
        }
        guard let open = line.firstRange(of: "[0x", from: start), let close = line.firstIndex(of: UInt8(ascii: "]"), from: open.upperBound),
            var row = StackRow(line.upTo(close + 1), from: start, isLenient: true), row.address != nil
        else { return nil }
        row.start = indent
        // `? (?+0x29) [0x29]`
        if row.isOfUnnamedModule { row.moduleOffset = nil }
        if let name = row.symbol.name {
            // Only the trampoline is at its own first instruction.
            if row.symbol.offset == 0, SignalFrame.isHandler(name: line.clamped(to: name).text) { row.kind = .programCounter }
            // The name was cut off at 256 bytes.
            if line.clamped(to: name).hasSuffix("...") { row.symbol = StackRow.Symbol() }
        }
        row.readNameAndLocation(.at, in: line, close + 1..<line.count)
        return row
    }

    /// Writes results after the unchanged row: the nearest exported symbol is often another function than the result.
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let end = row(text)?.addressRange?.upperBound else { return nil }
        return RowResult(range: end + 1..<text.count, functions: result.functions.map { RowResult.text($0, .at) })
    }

    /// Keeps the nearest symbol and the distance to it as the location of frames whose image has no base. That is exact
    /// even if the address is in another function.
    static func finish(_ report: inout CrashReport) {
        report.process.name = report.threads.first?.frames.lazy.compactMap(\.imageName).first
        if report.cause == nil { report.cause = CrashCause(kind: .other) }
        if report.cause?.type == nil { report.cause?.type = "backtrace" }
        let bases = report.images.map(\.base)
        report.changeStacks { stack in
            for index in stack.frames.indices {
                if let image = stack.frames[index].image, bases[image] == nil, case .symbol = stack.frames[index].imageLocation { continue }
                stack.frames[index].imageLocation = nil
            }
        }
    }
}
