internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that Chromium, its derivatives and V8's shell print: after a failed check, in a signal handler, and when
    /// a program requests one.
    ///
    ///     [13906:13906:0721/063600:371439759870:FATAL:render_process_host_impl.cc(2141)] Check failed: host->listeners_.IsEmpty().
    ///     #0 0x0000006a3ab0 base::debug::StackTrace::StackTrace()
    ///     …
    ///     Received signal 11 SEGV_MAPERR 7f6b0c580000
    ///     ==== C stack trace ===============================
    ///      [0x7f6b13882bf1]
    ///       r8: 00007f48990abcc9  r9: …
    ///     [end of stack trace]
    ///
    /// Written by `base/debug/stack_trace_posix.cc`, `stack_trace_win.cc` and `base/logging.cc`,
    /// and by V8's copies in `src/base`.
    ///
    /// `backtrace(3)` and similar functions give return addresses, the first included: it is in the function that
    /// called `backtrace`. The number after a file's name is the byte before, as linked: `google::Symbolize` subtracts
    /// the ELF file's load bias, and gets the byte before for every frame.
    static let chromium = StackCard(
        name: "chromium-misc",
        summary: "Chromium’s and V8’s stack dumps: failed checks, signals",
        openings: [
            .inLine("==== C stack trace", isCertain: true) { $0.trimmed().hasPrefix("==== C stack trace ====") },
            .start("# Fatal error in "),
            .inLine("Received signal ", isCertain: true) { ChromiumText.signal($0.trimmed())?.codes != nil },
            .inLine("Received signal ") { ChromiumText.signal($0.trimmed()) != nil },
            .inLine(":FATAL:") { ChromiumText.fatal($0.trimmed()) != nil },
            .inLine("base::debug::", isCertain: true) { ChromiumText.isFirstRow($0, surely: true) },
            .inLine("#0 0x") { ChromiumText.isFirstRow($0, surely: false) },
        ],
        // Between a check's message and its stack, and inside a stack, other processes of the
        // browser may write.
        maxUnrecognizedLines: 16,
        maxUnrecognizedLinesInside: 16,
        hasOneStack: true,
        hasOwnRows: true,
        read: { ChromiumText.read($0.trimmed()) },
        readRow: ChromiumRow.read,
        writeResult: ChromiumText.writeResult,
        finish: ChromiumText.finish)
}

enum ChromiumText {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        if text.hasPrefix("==== C stack trace ====") { return .heading(isAbove: true) }
        if text.hasPrefix("[end of stack trace]") { return .last }
        if let cause = signal(text) { return .cause(cause) }
        if let fatal = fatal(text) { return .several([.cause(fatal.cause), .process(name: nil, pid: fatal.pid)]) }
        if text.hasPrefix("# Fatal error in ") {
            return .cause(CrashCause(kind: .runtimeError, type: "V8 fatal error", codes: text.from("# Fatal error in ".utf8.count).text))
        }
        // V8 prints the reason in lines with a `#`.
        if text.at(0) == UInt8(ascii: "#"), text.at(1).map(isDigit) != true {
            let message = text.from(1).trimmed()
            return .fact { [message = message.text] in if !message.isEmpty, $0.cause?.message == nil { $0.cause?.message = message } }
        }
        let registers = registers(text)
        if !registers.isEmpty { return .registers(registers) }
        // Messages about the sandbox and control flow come between the reason and a stack.
        for prefix in ["CFI: ", "https://www.chromium.org/", "Calling _exit(1)", "Task trace:"] where text.hasPrefix(prefix) {
            return .skipped
        }
        return text.equals("Backtrace:") || text.equals("Stacktrace:") ? .skipped : nil
    }

    /// Reads the signal: `Received signal 11 SEGV_MAPERR 7f6b0c580000`, `Received signal 6`; not the longer messages of
    /// other programs.
    static func signal(_ text: Span<UInt8>) -> CrashCause? {
        var rest = text
        guard rest.consume("Received signal "), let number = rest.readDecimal(), number < 128 else { return nil }
        var cause = CrashCause(kind: .signal, type: SignalName.posix(number) ?? "signal \(number)", signal: "\(number)")
        rest = rest.trimmed()
        guard rest.count > 0 else { return cause }
        let code = rest.readToken()
        rest.skipBlanks()
        guard code.equals("<unknown>") || code.firstIndex(of: UInt8(ascii: "_")) != nil, let address = rest.readHexadecimal(),
            rest.count == 0
        else { return nil }
        cause.codes = code.text
        cause.address = RuntimeAddress(address)
        return cause
    }

    /// Reads a failed check:
    /// `[13906:13906:0721/063600:371439759870:FATAL:render_process_host_impl.cc(2141)] Check failed: …`, without
    /// processes `[0908/073950.845878:FATAL:base/feature_list.cc:467] …`
    static func fatal(_ text: Span<UInt8>) -> (cause: CrashCause, pid: Int?)? {
        guard text.at(0) == UInt8(ascii: "["), let mark = text.firstRange(of: ":FATAL:"),
            let close = text.firstRange(of: "] ", from: mark.upperBound)
        else { return nil }
        let cause = CrashCause(
            kind: .runtimeError, type: "FATAL", codes: text.clamped(to: mark.upperBound..<close.lowerBound).text,
            message: text.from(close.upperBound).text)
        var rest = text.from(1)
        let pid = rest.readDecimal().flatMap { Int(exactly: $0) }
        return (cause, rest.at(0) == UInt8(ascii: ":") ? pid : nil)
    }

    /// Reads the registers of a line: `  r8: 00007f48990abcc9  r9: 0000000000000000 r10: …`
    private static func registers(_ text: Span<UInt8>) -> [(name: String, value: UInt64)] {
        var rest = text
        var registers: [(name: String, value: UInt64)] = []
        while rest.count > 0 {
            let name = rest.readToken()
            rest.skipBlanks()
            let digits = rest.readToken()
            rest.skipBlanks()
            guard name.count >= 3, name.count <= 4, name.hasSuffix(":"), digits.count == 8 || digits.count == 16,
                let value = digits.hexadecimal
            else { break }
            registers.append((name.upTo(name.count - 1).text, value))
        }
        return registers
    }

    /// - Parameter surely: no other program has such rows.
    static func isFirstRow(_ line: Span<UInt8>, surely: Bool) -> Bool {
        // This check excludes most lines before they are read as rows.
        guard line.hasPrefix("#0 ") || line.contains(" [0x"), let row = ChromiumRow.read(line) else { return false }
        let isOwn = (row.symbolizedName ?? row.symbol.name).map { line.clamped(to: $0).hasPrefix("base::debug::") } == true
        // Rows of sanitizers and debuggers are indented, have two blanks, or have `in`.
        if row.style == .hash { return row.number == 0 && !line.contains(" in ") && (!surely || isOwn) }
        return row.addressBracket == UInt8(ascii: "[") && (isOwn || !surely && line.contains("GetHandleVerifier [0x"))
    }

    /// Writes the function, and file, line and column as Chromium's builds with line numbers print them,
    /// `[../../ui/latency_info.cc:120,16]`; rows of other kinds have them in parentheses.
    static func writeResult(_ text: Span<UInt8>, _ answer: FrameResult) -> RowResult? {
        guard let row = ChromiumRow.read(text), let address = row.addressRange else { return nil }
        let isNumbered = row.style == .hash
        // The file in parentheses keeps the blank in front of it.
        let end = isNumbered ? row.module.map { $0.lowerBound - 2 } ?? text.count : text.count
        let start = row.addressBracket == UInt8(ascii: "[") ? row.end : address.upperBound
        return RowResult(range: start..<end, functions: answer.functions.map { RowResult.text($0, isNumbered ? .brackets : .parentheses) })
    }

    /// Marks the frame that a signal interrupted, which is below the signal's frame: its address equals the instruction
    /// pointer.
    static func finish(_ report: inout CrashReport) {
        if report.cause == nil { report.cause = CrashCause(kind: .other) }
        if report.cause?.type == nil { report.cause?.type = "stack dump" }
        report.dropLocationsWithoutImage()
        report.changeStacks { stack in
            guard let ip = stack.registers?.values.first(where: { ["ip", "rip", "eip"].contains($0.name) })?.value else { return }
            for index in stack.frames.indices where stack.frames[index].address?.value == ip {
                stack.frames[index].kind = .programCounter
                if case .linkAddress(let before)? = stack.frames[index].imageLocation {
                    stack.frames[index].imageLocation = .linkAddress(LinkAddress(before.value &+ 1))
                }
            }
        }
    }
}
