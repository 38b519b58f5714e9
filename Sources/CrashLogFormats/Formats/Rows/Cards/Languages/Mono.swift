internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of Mono 6 prints, also in Xamarin's apps and Unity's editor:
    ///
    ///     	Native Crash Reporting
    ///     Got a SIGTRAP while executing native code. This usually indicates
    ///     	Native stacktrace:
    ///     	0x7fb9e3ca5c19 - /usr/lib/libharbour.so.1 :
    ///     	0x7fb9e3c54a31 - /usr/lib/libharbour.so.1 : moor
    ///
    /// `mono_dump_native_crash_info` (`mono/mini/mini-posix.c`) prints the addresses of `backtrace(3)`, with the symbol
    /// of `dladdr(3)` and no offset: the same addresses that gdb prints (measured with 6.8). For SIGSEGV the handler
    /// has left its own stack by then, and no trampoline is in it: the frame that was executing is directly below the
    /// runtime's rows (`mono_arch_handle_altstack_exception`; measured: the first row of another file is the faulting
    /// instruction of `strlen`, not one after a call).
    static let mono = StackCard(
        name: "mono",
        summary: "crash handler of Mono and Xamarin: “Native Crash Reporting”, “Native stacktrace:”",
        openings: [.start("Native Crash Reporting"), .start("Native stacktrace:"), .start("Got a SIG")],
        maxUnrecognizedLines: 10,
        claimsLine: { $0.contains(" - /") && MonoRow.read($0) != nil },
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("=====") || text.hasPrefix("Native ") { return .skipped }
            guard text.hasPrefix("Got a SIG"), text.contains(" while executing native code") else { return nil }
            return SignalText.cause(text.upTo(text.firstIndex(of: UInt8(ascii: ".")) ?? text.count)).map { .cause($0) }
        },
        readRow: MonoRow.read,
        finish: { report in
            guard report.cause?.signal == "SIGSEGV" else { return }
            report.changeStacks { stack in
                guard let runtime = stack.frames.first?.image,
                    let index = stack.frames.firstIndex(where: { $0.image != runtime }), stack.frames[index].image != nil
                else { return }
                stack.frames[index].kind = .programCounter
            }
        })

    /// Crashes that the handler of Unity's players prints:
    ///
    ///     Obtained 4 stack frames.
    ///     #0  0x0000000104a383d4 in boom()
    ///     #1  0x0000000104a383f8 in (Unknown)
    ///
    /// The players are closed. The stack is captured inside the signal handler: return addresses, except for the row
    /// below the trampoline. On Linux the trampoline is the first row, with the name of the exported function before
    /// it: `#0 0x007f4d36409520 in __sigaction`, with glibc before 2.34 `in funlockfile`.
    static let unity = StackCard(
        name: "unity",
        summary: "crash handler of Unity’s players: “Obtained 4 stack frames.”",
        openings: [.anywhere(" stack frames."), .start("Caught fatal signal - signo:")],
        isCertain: true,
        read: { line in
            var text = line.trimmed()
            if text.hasPrefix("Obtained ") { return text.hasSuffix(" stack frames.") ? .skipped : .other }
            guard text.consume("Caught fatal signal - signo:"), let number = text.readDecimal() else { return nil }
            var cause = SignalText.cause(signal: SignalName.posix(number) ?? "\(number)", line.trimmed())
            cause.address = text.address(after: "addr:").map { RuntimeAddress($0) }
            return .cause(cause)
        },
        finish: { report in
            report.changeStacks { stack in
                guard stack.frames.count > 1, stack.frames[0].index == 0, SignalFrame.isNeighbour(stack.frames[0].printed?.name) else {
                    return
                }
                stack.frames[1].kind = .programCounter
            }
        })
}

/// Reads Mono's rows: an address, the file, the function: `0x55deef76a03c - mono : (null)`.
enum MonoRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        guard rest.hasPrefix("0x"), let address = rest.readAddress(), rest.hasPrefix(" - ") else { return nil }
        let end = line.count - rest.count
        guard var row = StackRow(line.upTo(end), isLenient: true) else { return nil }
        row.address = address
        let start = end + 3
        row.end = line.count
        // `0x7ffe76d98230 - Unknown`
        guard let colon = line.from(start).lastRange(of: " :") else { return line.from(start).trimmed().equals("Unknown") ? row : nil }
        guard colon.lowerBound > 0 else { return nil }
        row.module = start..<start + colon.lowerBound
        row.isBare = false
        let name = start + colon.upperBound + 1
        guard name < line.count else { return row }
        let text = line.from(name).trimmed()
        let isUnknown = text.count == 0 || text.equals("(null)") || text.equals("<redacted>")
        if !isUnknown { row.symbol.name = name..<name + text.count }
        return row
    }
}
