internal import BinaryPrimitives
internal import CrashCapture

/// A command behind a process that watches it for crashes: this program, as `cairn-tools watch`.
package enum WatchedCommand {
    /// Whether a command can be watched: not one that runs as another user, which would lose its rights.
    static func isPossible(_ command: [String]) -> Bool {
        guard let own = Program.ownPath, Path.name(of: own).hasPrefix("cairn-tools"),
            let path = command.first.flatMap({ Program.path(of: $0) })
        else { return false }
        return !Program.changesUser(path)
    }

    static func arguments(_ command: [String], _ watch: CrashWatch, sharesSignals: Bool) -> [String] {
        [Program.ownPath ?? "", "watch", String(watch.inherited), sharesSignals ? "group" : "alone"] + command
    }

    /// `cairn-tools watch DESCRIPTOR group|alone COMMAND [ARGUMENT…]`.
    package static func start(_ arguments: [String]) -> Never {
        guard arguments.count > 2, let descriptor = Int32(arguments[0]) else { exitProcess(64) }
        CrashWatch.run(Array(arguments[2...]), reportingTo: descriptor, sharesSignals: arguments[1] == "group")
    }
}
