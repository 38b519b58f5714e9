internal import BinaryPrimitives
internal import CrashLogModel

/// The line above a stack, registers or something else of a thread, in the spellings of all report
/// versions:
///
///     Thread 0 Crashed:
///     Thread 0 Crashed:: Dispatch queue: com.apple.main-thread      since 10.6; with one blank or two
///     Thread 2:: ExceptionSafeThread
///     Thread 1 Crashed: Test Thread Name                            PLCrashReporter
///     Thread 4 name:  WebThread                                     iOS: a line of its own, before `Thread 4:`
///     Thread 0 Attributed:                                          iOS: a report about resources
///     Thread 1 name: worker Crashed:                                Sentry
///     Thread 2                                                      Sentry, and with ` name: NAME`
///     Thread 0 crashed with ARM Thread State (64-bit):              registers
///     Unknown thread crashed with X86 Thread State (32-bit):        the same where no stack was taken
///     PPC Thread State:                                             the same in 10.1
///     Last Exception Backtrace:
///     Application Specific Backtrace 1:
struct AppleHeading {
    enum Kind {
        case thread
        case threadName
        case exception
        case registers
        /// A heading of something that holds no frames.
        case ignored
    }

    var kind: Kind
    /// The thread's number; −1 where the line has none.
    var index = -1
    var name: String?
    var crashed = false
    /// Its line has nothing but the number, as prose may have.
    var isBare = false

    init(thread index: Int) {
        kind = .thread
        self.index = index
    }

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        guard let last = rest.at(rest.count - 1) else { return nil }
        if last == UInt8(ascii: ":") {
            if rest.equals("Last Exception Backtrace:") || rest.hasPrefix("Application Specific Backtrace ") {
                kind = .exception
                name = rest.upTo(rest.count - 1).text
                return
            }
            if rest.hasSuffix("Thread State:") && !rest.hasPrefix("Thread ") || rest.hasPrefix("Unknown thread crashed with ") {
                kind = .registers
                return
            }
        }
        guard rest.consume("Thread "), let number = rest.readDecimal(), let index = Int(exactly: number) else { return nil }
        self.index = index
        if rest.hasPrefix(" crashed with ") || rest.hasPrefix(" Crashed with ") {
            kind = .registers
            return
        }
        if rest.hasPrefix(" instruction stream") || rest.hasPrefix(" last branch register") {
            kind = .ignored
            return
        }
        if rest.consume(" name:") {
            // Sentry (`get_thread_apple_string` of its `applecrashreport.py`).
            crashed = rest.consumeSuffix(" Crashed:")
            kind = crashed ? .thread : .threadName
            name = AppleHeading.name(rest)
            return
        }
        if rest.count == 0 {
            kind = .thread
            isBare = true
            return
        }
        crashed = rest.consume(" Crashed")
        crashed = rest.consume(" Attributed") || crashed
        _ = rest.consume(" Highlighted")
        guard rest.consume(":") else { return nil }
        _ = rest.consume(":")
        kind = .thread
        name = AppleHeading.name(rest)
    }

    /// The thread's label; without one, its dispatch queue's.
    /// `WebThread Dispatch queue: com.apple.main-thread`
    private static func name(_ text: Span<UInt8>) -> String? {
        let marker = text.firstRange(of: "Dispatch queue:") ?? text.firstRange(of: "Dispatch Queue:")
        let label = text.upTo(marker?.lowerBound ?? text.count).trimmed()
        if label.count > 0 { return label.text }
        guard let marker else { return nil }
        let queue = text.from(marker.upperBound).trimmed()
        return queue.count > 0 ? queue.text : nil
    }
}
