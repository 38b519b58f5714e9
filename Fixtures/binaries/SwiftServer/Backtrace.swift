// A signal handler that walks the stack by libbacktrace and prints what the package swift-server/swift-backtrace prints, row by row. (The package itself does nothing
// when Swift 5.9 or later compiles it.)
import CBacktrace
import Glibc

@_silgen_name("swift_demangle")
func swiftDemangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ output: UnsafeMutablePointer<CChar>?, _ outputLength: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

nonisolated(unsafe) let state = backtrace_create_state(nil, 1, nil, nil)

func say(_ text: String) { _ = text.withCString { fputs($0, stderr) } }

enum Backtrace {
    static func install() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            say("Received signal \(number). Backtrace:\n")
            backtrace_full(
                state, 0,
                { _, pc, file, line, function in
                    var row = "0x" + String(pc, radix: 16)
                    if let function {
                        let name = String(cString: function)
                        let plain = name.hasPrefix("$s") ? swiftDemangle(function, UInt(name.utf8.count), nil, nil, 0) : nil
                        row += ", " + (plain.map { String(cString: $0) } ?? name)
                    }
                    if let file { row += " at \(String(cString: file)):\(line)" }
                    say(row + "\n")
                    return 0
                }, { _, message, number in say("SwiftBacktrace ERROR: \(message.map { String(cString: $0) } ?? "") (errno: \(number))\n") }, nil)
            fflush(stderr)
            raise(number)
        }
        action.sa_flags = CInt(SA_NODEFER) | CInt(bitPattern: CUnsignedInt(SA_RESETHAND))
        for number in [SIGILL, SIGSEGV, SIGBUS, SIGFPE] { sigaction(number, &action, nil) }
    }
}
