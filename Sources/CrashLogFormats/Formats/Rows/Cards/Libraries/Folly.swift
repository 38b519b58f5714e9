internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of folly prints, as in Velox, Presto and HHVM:
    ///
    ///     *** Aborted at 1716799045 (Unix time, try 'date -d @1716799045') ***
    ///     *** Signal 11 (SIGSEGV) (0x30) received by PID 4242 (pthread TID 0x7f5e2cf06640) (linux TID 4243) (code: address not mapped to object), stack trace: ***
    ///         @ 000000000058190c folly::symbolizer::(anonymous namespace)::signalHandler(int, siginfo_t*, void*)
    ///                            /src/folly/SignalHandler.cpp:449
    ///         @ 00000000000140ff (unknown)
    ///
    /// Return addresses are moved back, except for the address of an interrupted frame (`getFrameInfo`,
    /// `folly/experimental/symbolizer/StackTrace.cpp`). The address is as linked, in an image that the row does not
    /// name (`SymbolizePrinter::print`): 140ff is in a library.
    static let folly = StackCard(
        name: "folly",
        summary: "crash handler of folly: “*** Aborted at … (Unix time, try …) ***”, “@ 000000000058190c name”",
        openings: [.anywhere("(Unix time, try 'date -d @")],
        isCertain: true,
        rule: .movedBack,
        addresses: .asLinkedAnywhere,
        read: { line in
            let text = line.trimmed()
            // The compiled file, if the source location is in a header.
            if text.hasPrefix("-> ") { return .skipped }
            return GoogleLine.read(text)
        })
}
