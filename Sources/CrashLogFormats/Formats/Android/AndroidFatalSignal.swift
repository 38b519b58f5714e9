internal import BinaryPrimitives
internal import CrashLogModel

/// The C library's log message from the process that crashes, before another process writes the
/// crash's stack (`log_signal_summary` of bionic's `linker/debugger.cpp`, since Android 8 of
/// `debuggerd/handler/debuggerd_handler.cpp`):
///
///     Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4242 (RenderThread), pid 4200 (example.harbour)
///     Fatal signal 6 (SIGABRT), code -6 in tid 6998 (generic)
///     Fatal signal 11 (SIGSEGV) at 0x0000000c (code=1), thread 14630 (CompositorTileW)                                          before Android 5
struct AndroidFatalSignal {
    static let trigger = "Fatal signal "

    /// Range of the part of the line that is worded as `debuggerd` words it after a head:
    /// `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0`.
    var range: Range<Int>
    /// Fault address of the old form of the line, which has it in another position.
    var address: UInt64?
    var codes: String?
    var pid: Int?
    /// The process' name, of which Linux keeps 15 bytes.
    var processName: String?
    var thread: Int?
    var threadName: String?

    init?(_ text: Span<UInt8>) {
        var rest = text
        guard rest.consume(AndroidFatalSignal.trigger), let number = rest.readDecimal(), number < 65, rest.consume(" ("),
            let close = rest.firstIndex(of: UInt8(ascii: ")")), rest.hasPrefix("SIG") || rest.hasPrefix("?")
        else { return nil }
        let start = "Fatal ".utf8.count
        rest = rest.from(close + 1)
        range = start..<text.count - rest.count
        if rest.consume(" at ") {
            address = rest.readAddress()
            if rest.consume(" (code="), let end = rest.firstIndex(of: UInt8(ascii: ")")) {
                codes = "code " + rest.upTo(end).text
                rest = rest.from(end + 1)
            }
            guard rest.consume(", thread ") else { return }
        } else {
            guard let end = rest.firstRange(of: " in tid ") else { return }
            range = start..<text.count - rest.count + end.lowerBound
            rest = rest.from(end.upperBound)
        }
        (thread, threadName) = AndroidFatalSignal.read(&rest)
        guard rest.consume(", pid ") else { return }
        (pid, processName) = AndroidFatalSignal.read(&rest)
    }

    /// `4242 (RenderThread)`
    private static func read(_ rest: inout Span<UInt8>) -> (number: Int?, name: String?) {
        let number = rest.readDecimal().flatMap { Int(exactly: $0) }
        guard rest.consume(" (") else { return (number, nil) }
        // A name may hold a parenthesis.
        let end = rest.firstRange(of: "), pid ")?.lowerBound ?? (rest.hasSuffix(")") ? rest.count - 1 : rest.count)
        let name = rest.upTo(end).text
        rest = rest.from(min(end + 1, rest.count))
        return (number, name.isEmpty ? nil : name)
    }
}
