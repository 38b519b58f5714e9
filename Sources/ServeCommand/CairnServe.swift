package import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Serving

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
        let arguments = DebuginfodOptions.separated(arguments)
        do {
            let command = try parse(arguments)
            #if Service
                await ServeRun(command.options, arguments).run()
            #else
                printDiagnostic("serve: this build has no server: expected the package trait Service")
                endProcess(.failed)
            #endif
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
