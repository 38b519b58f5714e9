internal import BatchCommand
internal import BinaryPrimitives
internal import CICommand
internal import Console
internal import Dispatch
internal import DwarfdumpCommand
internal import FetchCommand
internal import ServeCommand

/// The program of the commands that need more than the core's few libraries: a database, an HTTP
/// client, libxml2, libdwarf. `cairn batch DIR` runs `cairn-tools batch DIR`.
///
/// One program, because each would have its own copy of the engine and of Swift's library. What
/// reads hostile bytes with old C libraries does so in a process of its own all the same.
@main struct CairnTools {
    static func main() {
        let arguments = Program.arguments
        let rest = Array(arguments.dropFirst(2))
        switch arguments.dropFirst().first {
        case "batch": wait { await CairnBatch.start(rest) }
        case "ci": CairnCI.start(rest)
        case "dwarfdump": CairnDwarfdump.start(rest)
        case "fetch": wait { await CairnFetch.start(rest) }
        case "groups": CairnGroups.start(rest)
        case "serve": wait { await CairnServe.start(rest) }
        case "serve-engine": CairnServe.startEngine(rest)
        case "stream": CairnStream.start(rest)
        case "stream-worker": CairnStream.startWorker(rest)
        // A part of `cairn ci`.
        case "watch": WatchedCommand.start(rest)
        // A part of `cairn symbols`.
        case "push": wait { await CairnPush.start(rest) }
        case "verify": CairnDwarfdump.start(["verify"] + rest)
        default:
            printDiagnostic(
                "cairn-tools is run by cairn: expected batch, ci, dwarfdump, fetch, groups, serve, stream or verify as its first argument")
            endProcess(.usage)
        }
    }

    /// Runs what waits for others to its end. The other commands start quicker without a main
    /// function that could wait.
    private static func wait(for command: @escaping @Sendable () async -> Void) -> Never {
        Task {
            await command()
            endProcess(.done)
        }
        dispatchMain()
    }
}
