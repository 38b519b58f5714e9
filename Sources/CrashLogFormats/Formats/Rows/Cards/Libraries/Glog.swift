internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of Google's logging library prints, as in Caffe, Kudu, Impala, Doris and YugabyteDB:
    ///
    ///     *** Aborted at 1617389896 (unix time) try "date -d @1617389896" if you are using GNU date ***
    ///     PC: @                0x0 (unknown)
    ///     *** SIGSEGV (@0x8) received by PID 4242 (TID 0x7fdc09652800) from PID 8; stack trace: ***
    ///         @     0x7fdc098843c0 (unknown)
    ///         @     0x56164b1cec64 Harbour::moor()
    ///
    /// The addresses are as unwound: names are those of the byte before (`DumpStackFrameInfo`, `src/signalhandler.cc`:
    /// “Use pc - 1”). The row below the signal's trampoline is the program counter again; if the library cannot read
    /// it, the `PC` line has 0 (measured with Debian's 0.6). Then the trampoline is the first or the second row: the
    /// one whose address is a multiple of 16, where `__restore_rt` begins: `0x7fdc098843c0` above.
    static let glog = StackCard(
        name: "glog",
        summary: "crash handler and failed checks of glog: “*** Aborted at …”, “*** Check failure stack trace: ***”",
        openings: [.anywhere("(unix time) try \"date -d @"), .start("*** Check failure stack trace: ***")],
        isCertain: true,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("*** Check failure stack trace: ***") {
                return .cause(CrashCause(kind: .runtimeError, type: "check failed"))
            }
            return GoogleLine.read(text)
        },
        readRow: GoogleLine.programCounter,
        finish: { report in
            guard report.cause?.kind == .signal else { return }
            report.changeStacks { stack in
                // Inlined calls of a symbolicated log come before the frame that contains them.
                let rows = stack.frames.indices.filter { !stack.frames[$0].isInlined }
                guard !stack.frames.contains(where: { $0.kind == .programCounter }),
                    let trampoline = rows.prefix(2).firstIndex(where: { stack.frames[$0].address.map { $0.value & 0xF == 0 } == true }),
                    trampoline + 1 < rows.count
                else { return }
                for index in rows[trampoline] + 1...rows[trampoline + 1] { stack.frames[index].kind = .programCounter }
            }
        })

    /// Crashes that the handler of Abseil prints, as in Ray, gRPC and TensorFlow. Between address and name is the
    /// frame's size:
    ///
    ///     *** SIGSEGV received at time=1646847326 on cpu 0 ***
    ///     PC: @     0x7fde64ca37e3  (unknown)  harbour::Moor()
    ///         @     0x7fde8a1a53c0       3344  (unknown)
    ///         @     0x7fde64ca3674         80  harbour::Berth()
    ///
    /// `DumpPCAndFrameSizesAndStackTrace` (`absl/debugging/internal/examine_stack.cc`) prints addresses as unwound, and
    /// looks up the names of those of the stack by the byte before.
    static let abseil = StackCard(
        name: "abseil",
        summary: "crash handler of Abseil: “*** SIGSEGV received at time=… ***”, “PC: @ 0x…”",
        openings: [.anywhere(" received at time=")],
        isCertain: true,
        read: { GoogleLine.read($0.trimmed()) },
        readRow: GoogleLine.programCounter)
}

/// Reads the lines that glog, Abseil and folly print around their stacks.
enum GoogleLine {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        if text.hasPrefix("*** Aborted at ") { return .skipped }
        if text.hasPrefix("PC: @"), isNull(text) { return .skipped }
        guard text.hasPrefix("*** "), text.contains(" received ") else { return nil }
        return cause(text)
    }

    /// Whether the line is a program counter of 0: `PC: @                0x0 (unknown)`.
    private static func isNull(_ text: Span<UInt8>) -> Bool {
        guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { return false }
        return text.from(at + 1).trimmed().leadingAddress == 0
    }

    /// Reads the cause: `*** SIGSEGV (@0x8) received by PID 4242 …; stack trace: ***`, folly's
    /// `*** Signal 11 (SIGSEGV) (0x30) received by PID 4242 …`
    private static func cause(_ text: Span<UInt8>) -> StackLine? {
        guard var cause = SignalText.cause(text) else { return nil }
        if let fault = text.address(after: "(@") ?? text.address(after: ") (") {
            cause.address = RuntimeAddress(fault)
        }
        return .cause(cause)
    }

    /// Reads the row of the program counter: `PC: @     0x7fde64ca37e3  (unknown)  harbour::Moor()`.
    static func programCounter(_ line: Span<UInt8>) -> StackRow? {
        guard line.trimmed().hasPrefix("PC: @"), let at = line.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        var row = StackRow(line, from: at, isLenient: true)
        row?.start = line.indent
        row?.isProgramCounter = true
        return row
    }
}
