internal import BinaryPrimitives
internal import Console

/// The logs of a command line. Without any, standard input is the log, if it is not a terminal.
enum LogArguments {
    /// - Parameter command: for the error, `cairn explain`.
    /// - Returns: at least one log. On a terminal without one the process ends: that is wrong
    ///   usage, and not a log that somebody would type.
    static func logs(_ given: [String], of command: String) -> [String] {
        guard given.isEmpty else { return given }
        guard FileDescriptor.isTerminal(0) else { return ["-"] }
        complainOfUsage("no log given. Name a file, or pipe a log into it", of: command)
        endProcess(.usage)
    }

    /// The name of a log in messages.
    static func shown(_ path: String) -> String { path == "-" ? "standard input" : path }
}
