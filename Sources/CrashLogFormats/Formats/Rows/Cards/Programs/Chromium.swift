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
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = ChromiumRow.read(text), let address = row.addressRange else { return nil }
        let isNumbered = row.style == .hash
        // The file in parentheses keeps the blank in front of it.
        let end = isNumbered ? row.module.map { $0.lowerBound - 2 } ?? text.count : text.count
        let start = row.addressBracket == UInt8(ascii: "[") ? row.end : address.upperBound
        return RowResult(range: start..<end, functions: result.functions.map { RowResult.text($0, isNumbered ? .brackets : .parentheses) })
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

/// Reads a row of a stack that `base::debug::StackTrace` of Chromium or V8 prints, in the forms of all platforms and
/// versions:
///
///     #3 0x7f48b4856ef4 ui::LatencyInfo::AddLatencyNumber() [../../ui/latency_info.cc:120,16]      Linux
///     #0 0x59903e819bb2 (/opt/google/chrome/chrome+0xa6a3bb1)                                      Linux without symbols
///     #0 0x7fdf1ae337a8 in abc::def() /src/abc.cc:111                                              what a tool made of it
///      [0x7f6b13882bf1]                                                                            in a signal handler
///         /usr/lib/libv8.so(v8::base::Abort()+0x29) [0x7fb5468870d9]                               backtrace_symbols(3)
///     0   Content Shell Framework   0x000000010a99b743 _ZN4base5debug10StackTraceC1Ev + 19         macOS, and newer builds with dladdr(3)
///     base::debug::CollectStackTrace [0x00007FF9B2DDC1BA+58] (base/debug/stack_trace_win.cc:332)   Windows
///      1: 0x7f4843814746                                                                           V8 before 2018, and `16: main` without an address
private enum ChromiumRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var start = 0
        // Windows' rows are indented by an em space in some logs.
        while line.from(start).hasPrefix("\u{2003}") { start += 3 }
        while line.at(start).map(isBlank) == true { start += 1 }
        guard let first = line.at(start) else { return nil }
        // Sanitizers indent their rows by four blanks; a single blank is a damaged row.
        if first == UInt8(ascii: "#") { return start <= 1 ? numbered(line, start) : nil }
        if let open = line.lastRange(of: "[0x"), open.lowerBound >= start { return bracketed(line, start, open.lowerBound) }
        guard isDigit(first) else { return nil }
        if let row = rowWithColon(line, start) { return row }
        guard start == 0, let row = StackRow(line, isLenient: true), row.style == .bare, row.module != nil || row.hasUnknownName,
            row.address != nil
        else {
            return nil
        }
        return row
    }

    private static func numbered(_ line: Span<UInt8>, _ first: Int) -> StackRow? {
        var rest = line.from(first + 1)
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.consume(" ") else { return nil }
        let start = line.count - rest.count
        // ClusterFuzz prints rows without `0x`.
        let hasPrefix = rest.hasPrefix("0x")
        guard let address = hasPrefix ? rest.readAddress() : rest.readHexadecimal(), hasPrefix || rest.hasPrefix(" in ") else { return nil }
        var row = StackRow(
            number: number, style: .hash, in: first..<line.count, address: address, addressRange: start..<line.count - rest.count)
        guard rest.consume(" ") else { return rest.count == 0 ? row : nil }
        // FreeBSD's kernel has `at`; rows of other programs have dashes between columns, or a module in square
        // brackets.
        guard !rest.hasPrefix("at "), !rest.hasPrefix("- "), !rest.trimmed().hasPrefix("[") else { return nil }
        var names = line.count - rest.count..<line.count
        if line.hasSuffix(")"), let open = line.lastRange(of: "(/"), let plus = line.lastRange(of: "+0x"),
            plus.lowerBound > open.lowerBound,
            open.lowerBound >= names.lowerBound
        {
            if let value = line.clamped(to: plus.upperBound..<line.count - 1).hexadecimal {
                row.module = open.lowerBound + 1..<plus.lowerBound
                row.moduleOffset = value
                row.kind = .exact
                names = names.lowerBound..<open.lowerBound
            }
        }
        let text = line.clamped(to: names)
        // Rows of other programs have an offset after the name, or a module or a source location in parentheses.
        if row.module == nil, text.hasSuffix(")"), let open = text.lastRange(of: " (") {
            let inner = text.clamped(to: open.upperBound..<text.count - 1)
            if inner.hasPrefix("in ") || SourceLocationText.read(inner) != nil { return nil }
        }
        guard !text.contains("+0x"), !text.contains(" + ") else { return nil }
        if text.hasPrefix("in ") {
            readSymbolizerText(&row, line, (names.lowerBound + 3..<names.upperBound).trimmed(in: line))
        } else {
            row.readNameAndLocation(.brackets, in: line, names)
        }
        return row
    }

    /// Reads the text that a symbolizer wrote: `abc::def() /src/abc.cc:111`.
    private static func readSymbolizerText(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        row.symbol.name = range
        guard let blank = line.upTo(range.upperBound).lastIndex(of: UInt8(ascii: " ")), blank >= range.lowerBound,
            let location = SourceLocationText.read(line.clamped(to: blank + 1..<range.upperBound)), location.line > 0
        else { return }
        row.set(location, at: blank + 1)
        row.symbol.name = (range.lowerBound..<blank).trimmed(in: line)
    }

    /// Reads a row with the address in brackets: `path(name+0x29) [0x7fb5468870d9]`,
    /// `name [0x00007FF9B2DDC1BA+58] (file:332)`, `[0x7f6b13882bf1]`.
    private static func bracketed(_ line: Span<UInt8>, _ start: Int, _ open: Int) -> StackRow? {
        var rest = line.from(open + 1)
        guard let address = rest.readAddress() else { return nil }
        var row = StackRow(number: nil, in: start..<line.count, address: address, addressRange: open + 1..<line.count - rest.count)
        row.addressBracket = UInt8(ascii: "[")
        var offset: UInt64?
        if rest.consume("+") {
            // Windows prints the offset in decimal; newer versions of chromedriver in hexadecimal.
            var digits = rest
            if let number = digits.readDecimal(), digits.hasPrefix("]") {
                offset = number
                rest = digits
            } else if rest.readHexadecimal() == nil {
                return nil
            }
        }
        guard rest.consume("]") else { return nil }
        row.end = line.count - rest.count
        row.readNameAndLocation(.parentheses, in: line, row.end..<line.count)
        let before = (start..<open).trimmed(in: line)
        let text = line.clamped(to: before)
        guard text.count > 0, !text.hasSuffix("(No symbol)") else { return row }
        if text.hasSuffix(")"), let parenthesis = text.firstIndex(of: UInt8(ascii: "(")), let plus = text.lastRange(of: "+0x"),
            plus.lowerBound > parenthesis
        {
            if let number = text.clamped(to: plus.upperBound..<text.count - 1).hexadecimal {
                row.module = before.lowerBound..<before.lowerBound + parenthesis
                let name = before.lowerBound + parenthesis + 1..<before.lowerBound + plus.lowerBound
                if name.isEmpty { row.moduleOffset = number } else { row.symbol = StackRow.Symbol(name: name, offset: number) }
                return row
            }
        }
        if text.hasPrefix("/") { row.module = before } else { row.symbol = StackRow.Symbol(name: before, offset: offset) }
        return row
    }

    /// Reads a row with a colon after the number: ` 1: 0x7f4843814746`, `16: __libc_start_main`.
    private static func rowWithColon(_ line: Span<UInt8>, _ start: Int) -> StackRow? {
        var rest = line.from(start)
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.consume(": ") else { return nil }
        var row = StackRow(number: number, style: .colon, in: start..<line.count)
        let digits = line.count - rest.count
        row.address = rest.readAddress()
        row.addressRange = digits..<line.count - rest.count
        row.readNameAndLocation(.parentheses, in: line, line.count - rest.count..<line.count)
        if row.address == nil {
            guard let name = row.symbolizedName, row.file == nil, line.clamped(to: name).firstIndex(of: UInt8(ascii: " ")) == nil else {
                return nil
            }
        }
        return row
    }
}
