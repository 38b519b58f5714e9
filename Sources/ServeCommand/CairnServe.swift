package import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Serving
internal import Synchronization

/// `cairn serve`: symbols over HTTP, in the protocols that clients have.
package struct CairnServe: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-serve",
        abstract: "Serve symbols over HTTP: to profilers, crash pipelines, debuggers, and people with a log.",
        usage: "cairn serve --symbols STORE... [--listen ADDRESS:PORT]",
        discussion: """
            cairn serve --symbols /srv/symbols
            curl --data-binary @crash.log http://127.0.0.1:8080/v1/logs
            DEBUGINFOD_URLS=http://127.0.0.1:8080 gdb ./tide
            https://profiler.firefox.com/?symbolServer=http://127.0.0.1:8080

            Protocols: Mozilla's symbolication API (v5, v4), Symbolicator, debuginfod, symbol-server paths (/symbols/), POST /v1/logs, and a page at /. \
            /openapi.json describes them.

            Logs and symbol files are parsed in a worker process. If it crashes, connections stay open. \
            SIGHUP rereads settings, tokens and certificates. SIGTERM stops when requests that came before have their responses.
            """,
        version: "cairn-serve \(cairnVersion)")

    @OptionGroup var options: ServeOptions

    package init() {}

    /// - Parameter arguments: the arguments after `cairn serve`.
    package static func start(_ arguments: [String]) async {
        FileChanges.survive()
        Allocation.keepLargeBlocks()
        do {
            let current = try ServeArguments(arguments)
            let command = try parse(current.expanded)
            #if Service
                await ServeRun(command.options, current).run()
            #else
                printDiagnostic("serve: this build has no server: expected the package trait Service")
                endProcess(.failed)
            #endif
        } catch let error as ConfigFileError {
            printDiagnostic("serve: \(error)")
            endProcess(.failed)
        } catch {
            guard exitCode(for: error) != .success else {
                if ShortHelp.isWanted(arguments) { return print(shortHelp.text, terminator: "") }
                exit(withError: error)
            }
            printUsageError(usageProblem(error, arguments, root: "cairn serve"), of: "cairn serve", prefix: "serve: ")
            endProcess(.usage)
        }
    }

    /// The text of `cairn serve -h`.
    private static var shortHelp: ShortHelp {
        ShortHelp(
            of: Self.self, usage: ["cairn serve --symbols STORE... [options]"],
            examples: [
                "cairn serve --symbols /srv/symbols", "curl --data-binary @crash.log http://127.0.0.1:8080/v1/logs",
                "DEBUGINFOD_URLS=http://127.0.0.1:8080 gdb ./tide",
            ],
            options: [
                .symbols, .port, ["--listen"], .debuginfod, ["--upload"], .store, .sourceRoot, ["--certificate"], ["--key"],
                ["--log-level"],
            ],
            more: [("cairn serve --help", "All options and protocols.")])
    }

    /// The engine's process (`EngineHost`).
    /// - Parameter arguments: how many sockets it has, then those of the server.
    package static func startEngine(_ arguments: [String]) {
        FileChanges.survive()
        Allocation.keepLargeBlocks()
        guard let count = arguments.first.flatMap({ Int($0) }), (1...256).contains(count),
            let options = try? parse(Array(arguments.dropFirst())).options, let service = try? options.service()
        else {
            printDiagnostic("serve-engine is run by cairn serve")
            endProcess(.usage)
        }
        ProcessMemory.limit(to: options.memory << 20)
        ProcessMemory.releaseProgram()
        EngineHost(service).run(sockets: count)
        endProcess(.done)
    }
}

/// The arguments of a server: as they were given, and with those of the file of `--config`, which may be read again.
final class ServeArguments: Sendable {
    private let given: [String]
    private let current: Mutex<[String]>

    init(_ given: [String]) throws(ConfigFileError) {
        self.given = given
        current = Mutex(DebuginfodOptions.separated(try ConfigFile.expanded(given)))
    }

    /// With those of the file, as it was when it was last read.
    var expanded: [String] { current.withLock { $0 } }

    /// Reads the file again. Options that are wrong leave the old ones in force.
    func reread() throws {
        let new = DebuginfodOptions.separated(try ConfigFile.expanded(given))
        do { _ = try CairnServe.parse(new) } catch { throw ConfigFileError(description: CairnServe.message(for: error)) }
        current.withLock { $0 = new }
    }
}
