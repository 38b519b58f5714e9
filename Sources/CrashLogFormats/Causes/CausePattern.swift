internal import BinaryPrimitives
package import CrashLogModel

/// How a program words the signal that it caught: a row of `CausePatterns`, the line's text with fields, and the program and its file.
///
///     …mysqld got signal {number}                      `11:40:21 UTC - mysqld got signal 11 ;`
///     …[BUG] {text}… at {address}                     `/srv/harbour.rb:12: [BUG] Segmentation fault at 0x0000000000000018`
///     *** {name} (@{address}                           `*** SIGSEGV (@0x18) received by PID 4242 (TID 0x7f…) from PID 24; stack trace: ***`
///     *** {text}{end}                                 `*** Segmentation fault`
///
/// `…` is any text. Without it at the beginning only a logger's prefix comes before the text.
package struct CausePattern: Sendable {
    /// How the signal is named after `mark`.
    package enum Signal: Sendable {
        /// `11`
        case number
        /// `SIGSEGV`
        case name
        /// `Segmentation fault`
        case text
        /// Not at all: the line adds to one before it.
        case none
    }
    package enum Anchor: Sendable {
        /// Only a prefix of the logger in brackets, or blanks, may come before `mark`.
        case start
        case anywhere
    }

    /// Occurs in every such line.
    package var mark: String
    package var anchor: Anchor
    package var signal: Signal
    /// Follows the signal at once.
    package var end: String
    /// Text before the address of a bad access, if the line has one.
    package var address: String?
    /// Nothing follows it.
    package var isWhole: Bool
    /// The program and its file.
    package var source: String

    init?(_ columns: [String]) {
        guard columns.count == 2, var text = columns.first.map({ $0[...] }) else { return nil }
        source = columns[1]
        anchor = text.hasPrefix("…") ? .anywhere : .start
        if anchor == .anywhere { text = text.dropFirst() }
        let open = text.firstIndex(of: "{") ?? text.endIndex
        mark = String(text[..<open].filter { $0 != "…" })
        text = text[open...]
        signal = [Signal.number, .name, .text].first { text.hasPrefix("{\($0)}") } ?? .none
        if signal != .none { text = text.drop { $0 != "}" }.dropFirst() }
        isWhole = text.hasSuffix("{end}")
        let hasAddress = text.hasSuffix("{address}")
        let tail = text.prefix { $0 != "{" }.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
        end = String(tail.first ?? "")
        address = hasAddress ? String(tail.dropFirst().first ?? "") : nil
    }

    /// - Returns: the cause that a line states in this wording; `nil` if the line does not match.
    package func cause(in line: Span<UInt8>) -> CrashCause? {
        guard let found = mark.isEmpty ? 0..<0 : line.firstRange(of: mark) else { return nil }
        guard anchor == .anywhere || CausePattern.isPrefix(line.upTo(found.lowerBound)) else { return nil }
        var rest = line.from(found.upperBound)
        var cause = CrashCause(kind: .signal)
        guard readSignal(&rest, &cause) else { return nil }
        let tail = rest
        guard rest.consume(end), !isWhole || rest.trimmed().count == 0 else { return nil }
        // With other signals the address is the sender: with abort() it is the process's own
        // number.
        let isAccess = signal == .none || cause.signal == "SIGSEGV" || cause.signal == "SIGBUS"
        if isAccess, let address, let at = address.isEmpty ? 0..<0 : rest.firstRange(of: address) {
            var digits = rest.from(at.upperBound)
            cause.address = CausePattern.address(&digits).map { RuntimeAddress($0) }
        }
        CausePattern.readCode(tail, &cause)
        guard cause.type != nil || cause.address != nil || cause.codes != nil else { return nil }
        return cause
    }

    private func readSignal(_ rest: inout Span<UInt8>, _ cause: inout CrashCause) -> Bool {
        switch signal {
        case .none: return true
        case .number:
            guard let number = rest.readDecimal(), (1...64).contains(number) else { return false }
            cause.signal = SignalName.posix(number) ?? "\(number)"
        case .name:
            guard rest.hasPrefix("SIG") else { return false }
            let length = (0..<rest.count).first { !(rest[$0] >= UInt8(ascii: "A") && rest[$0] <= UInt8(ascii: "Z")) } ?? rest.count
            guard length > 3 else { return false }
            cause.signal = rest.upTo(length).text
            rest = rest.from(length)
        case .text:
            guard let (text, name) = SignalName.namesByDescription.first(where: { rest.hasPrefix($0.key) }) else { return false }
            cause.signal = name
            _ = rest.consume(text)
            // `Segmentation fault: 11` of Darwin's `strsignal(3)`.
            var numbered = rest
            if numbered.consume(": "), numbered.readDecimal() != nil { rest = numbered }
        }
        cause.type = cause.signal.map { $0.hasPrefix("SIG") ? $0 : "signal \($0)" }
        return true
    }

    /// `0x18`, `(nil)` of glibc's `%p`, or bare digits.
    private static func address(_ text: inout Span<UInt8>) -> UInt64? {
        if text.consume("(nil)") { return 0 }
        if let value = text.readAddress() { return value }
        guard let value = text.readHexadecimal(), text.at(0).map({ isBlank($0) || $0 == UInt8(ascii: ",") }) ?? true else { return nil }
        return value
    }

    /// `code 1 (SEGV_MAPERR)` of Android, `Signal code: Address not mapped (1)` of Open MPI,
    /// `address not mapped to object` of `psignal(3)`.
    private static func readCode(_ text: Span<UInt8>, _ cause: inout CrashCause) {
        if let open = text.firstRange(of: " (SEGV_") ?? text.firstRange(of: " (BUS_"),
            let close = text.firstIndex(of: UInt8(ascii: ")"), from: open.upperBound)
        {
            cause.codes = text.clamped(to: open.lowerBound + 2..<close).text
            return
        }
        let start = text.upTo(Swift.min(text.count, 512))
        for (phrase, name) in codes where start.contains(phrase) {
            cause.codes = name
            return
        }
    }

    /// glibc's names for codes (`string/psiginfo-data.h`), with and without capitals, and Open
    /// MPI's (`opal/util/stacktrace.c`).
    private static let codes = [
        ("ddress not mapped", "SEGV_MAPERR"), ("nvalid permissions", "SEGV_ACCERR"), ("nvalid address alignment", "BUS_ADRALN"),
        ("on-existant physical address", "BUS_ADRERR"), ("onexistant physical address", "BUS_ADRERR"),
        ("nteger divide by zero", "FPE_INTDIV"), ("nteger divide-by-zero", "FPE_INTDIV"),
    ]

    /// Blanks, or what loggers put in front: `[node7:4242] `,
    /// `2018.05.10 14:48:11.468212 [ 4085 ] <Error> BaseDaemon: `.
    private static func isPrefix(_ text: Span<UInt8>) -> Bool {
        let head = text.trimmed()
        return head.count == 0 || head.hasSuffix("]") || head.hasSuffix(":") || head.hasSuffix(">") || head.hasSuffix("#")
            || head.hasSuffix("|")
    }
}

/// The wordings of programs that print their own stack when a signal ends them.
package enum CausePatterns {
    package static let all: [CausePattern] = TextTable.rows(
        """
        …mysqld got signal {number} | MySQL, sql/signal_handler.cc
        …mariadbd got signal {number} | MariaDB, sql/signal_handler.cc
        … crashed by signal: {number} | Redis, src/debug.c, sigsegvHandler
        Accessing address: {address} | Redis, src/debug.c, sigsegvHandler
        SIGSEGV caused by address: {address} | Redis 2.8, src/debug.c, sigsegvHandler
        …[BUG] {text}… at {address} | Ruby, signal.c, check_stack_overflow and error.c, rb_bug_for_fatal_signal
        …*** Caught signal ({text}) | Ceph, src/global/signal_handler.cc, handle_fatal_signal
        Signal: {text} ( | Open MPI, opal/util/stacktrace.c, show_stackframe
        Signal code: … | Open MPI, opal/util/stacktrace.c, show_stackframe
        Failing at address: {address} | Open MPI, opal/util/stacktrace.c, show_stackframe
        …Program crashed with signal {number} | Godot, platform/linuxbsd/crash_handler_linuxbsd.cpp
        Got a {name} while executing native code | Mono, mono/mini/mini-exceptions.c, mono_handle_native_crash
        …Fatal signal {number} (…fault addr {address} | Android, debuggerd/handler/debuggerd_handler.cpp, log_signal_summary
        …) Received signal {text} ( | ClickHouse, src/Daemon/BaseDaemon.cpp, SignalListener
        Caught {text}, suspect faulting address… {address} | Envoy, source/server/backtrace.h and signal_action.cc
        *** Signal {number} (…) ({address} | folly, folly/debugging/symbolizer/SignalHandler.cpp, dumpSignalInfo
        *** {name} received at time= | Abseil, absl/debugging/failure_signal_handler.cc, WriteSignalMessage
        *** {name} (@{address} | glog, src/signalhandler.cc, DumpSignalInfo
        Program received signal {name}: … | gfortran, libgfortran/runtime/compile_options.c, backtrace_handler
        …): {name}, segmentation fault occurred | Intel Fortran, error 174
        signal ({number} | Julia, src/signals-unix.c
        {text} on shard … | Seastar, src/core/reactor.cc, sigsegv_action
        {text} (Address not mapped to object… [{address} | psiginfo(3), which backward-cpp's SignalHandling calls
        {text} (Invalid permissions for mapped object… [{address} | psiginfo(3), which backward-cpp's SignalHandling calls
        Caught signal {number}… at address {address} | UCX, src/ucs/debug/debug.c, ucs_handle_error
        *** {text}{end} | glibc before 2.35, debug/segfault.c
        … was terminated by signal {number}: … | PostgreSQL, src/backend/postmaster/postmaster.c, LogChildExit
        """
    ).compactMap(CausePattern.init)
}
