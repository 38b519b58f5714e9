/// Names of signals whose numbers are the same on Linux and every BSD, macOS included; of others a number alone does not tell the name.
enum SignalName {
    static func posix(_ number: UInt64) -> String? {
        [
            2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE",
            14: "SIGALRM", 15: "SIGTERM",
        ][number]
    }
}
