package import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import LibC
internal import SymbolSources
internal import Symbolication

/// `cairn stream`: a stage of other engines.
package struct CairnStream: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-stream",
        abstract: "Symbolicate a stream of records: JSON lines in, JSON lines out, for data pipelines.",
        usage: "cairn stream [--symbols PATH]... [--jobs N] [options]",
        discussion: """
            A record of the input is a line: {"key":1,"log":"…"}, {"key":1,"path":"crash.ips"} or {"key":1,"bytes":"base64"}. For each, one line is written, in the order of the input. \
            It has the key, and the columns of cairn batch export. A record that cannot be symbolicated has an error in their place, and the run goes on.

            cairn stream --symbols /srv/symbols < logs.ndjson > crashes.ndjson
            jq -c '{key: input_filename, log: .}' -R -s crash.log | cairn stream --symbols build/
            cairn stream < logs.ndjson | duckdb -c "SELECT \\"group\\", count(*) FROM read_ndjson('/dev/stdin') GROUP BY 1"

            Logs are read by processes of their own, which share the index cache. To fill it before: cairn index --for LOG.
            """,
        version: "cairn-stream \(cairnVersion)")

    @Option(help: ArgumentHelp("Number of records to symbolicate in parallel, each on one processor.", valueName: "count"))
    var jobs = 1

    enum Input: String, ExpressibleByArgument, CaseIterable { case ndjson, lengths }

    @Option(
        help: ArgumentHelp(
            "ndjson: a JSON object a line. lengths: for each record the length of the key, the key, the length of the log, the log; a length is 4 bytes, the most significant first.",
            valueName: "format"))
    var input = Input.ndjson

    @Option(
        help: ArgumentHelp(
            "report: add what cairn --format json prints, as \"report\". stack: add what cairn groups merge compares. Repeatable.",
            valueName: "what"))
    var with: [StreamAddition] = []

    @Option(help: ArgumentHelp("Maximum time for one record, in seconds.", valueName: "seconds"))
    var timeLimit = 60

    @Option(help: ArgumentHelp("Maximum size of one record, in megabytes. A path may lead to a larger file.", valueName: "MB"))
    var recordLimit = 64

    @Option(help: ArgumentHelp("Maximum memory of a process that reads logs, in megabytes.", valueName: "MB"))
    var memory = 2048

    @OptionGroup var signatures: SignatureOptions

    @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Print errors only.")
    var quiet = false

    @OptionGroup var source: SymbolOptions

    package init() {}

    package func validate() throws {
        guard (1...1024).contains(jobs) else { throw ValidationError("--jobs \(jobs): expected 1 to 1024") }
        guard (1...86_400).contains(timeLimit) else { throw ValidationError("--time-limit \(timeLimit): expected 1 to 86400") }
        guard (1...1024).contains(recordLimit) else { throw ValidationError("--record-limit \(recordLimit): expected 1 to 1024") }
        guard (256...1 << 20).contains(memory) else { throw ValidationError("--memory \(memory): expected 256 or more") }
    }

    /// - Parameter arguments: The arguments after `cairn stream`.
    package static func start(_ arguments: [String]) -> Never {
        FileChanges.survive()
        let arguments = DebuginfodOptions.separated(arguments)
        do {
            let command = try parse(arguments)
            endProcess(command.run(arguments))
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }
            printUsageError(message(for: error), of: "cairn stream", prefix: "stream: ")
            endProcess(.usage)
        }
    }

    private func run(_ arguments: [String]) -> ExitStatus {
        guard let program = Program.ownPath, signatures.rules != nil else { return .failed }
        // A missing path is more likely mistyped than about to be created.
        guard source.provider(source.makeServers(quiet: true)).isComplete else { return .failed }
        var settings = StreamRun.Settings()
        settings.framing = input == .lengths ? .lengths : .ndjson
        settings.jobs = jobs
        settings.time = .seconds(timeLimit)
        settings.maxRecordBytes = recordLimit << 20
        settings.memory = memory << 19
        let run = StreamRun(settings) { makesIndexes throws(FileError) in
            try SocketProcess(program, ["stream-worker", makesIndexes ? "indexes" : "none"] + arguments, sockets: 1)
        }
        let start = ContinuousClock.now
        do throws(FileError) {
            let figures = try run.run(
                read: { () throws(FileError) in try FileDescriptor.readSome(from: 0, limit: 1 << 18) },
                write: { line throws(FileError) in try FileDescriptor.write(line, to: 1) },
                fail: { error in
                    printDiagnostic("stream: \(error.description)")
                    endProcessImmediately(ExitStatus.failed.rawValue)
                })
            if !quiet {
                let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
                let line = "records: \(figures.records), errors: \(figures.errors), seconds: \(tenths / 10).\(tenths % 10)\n"
                try? FileDescriptor.write(Array(line.utf8), to: 2)
            }
            return figures.unavailable > 0 ? .failed : .done
        } catch {
            printDiagnostic("stream: \(error.description)")
            return .failed
        }
    }

    /// A process that reads logs (`StreamHost`).
    /// - Parameter arguments: whether it makes indexes, then those of `cairn stream`.
    package static func startWorker(_ arguments: [String]) -> Never {
        FileChanges.survive()
        guard let first = arguments.first, let command = try? parse(Array(arguments.dropFirst())),
            let rules = command.signatures.rules, let socket = SocketProcess.inherited(1).first
        else {
            printDiagnostic("stream-worker is run by cairn stream")
            endProcess(.usage)
        }
        // Lines about a log, or of the system about a log that ends the process, are discarded: the
        // record has the message.
        let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        if nothing >= 0 { _ = dup2(nothing, 2) }
        // The process ends with the process that started it.
        _ = Parallel.start {
            socket.waitForEnd()
            endProcessImmediately(0)
        }
        Parallel.limit(to: 1)
        ProcessMemory.limit(to: command.memory << 20)
        let source = command.source
        let provider = source.provider(source.makeServers(quiet: true, isEndless: true), indexes: first == "indexes" ? .allFiles : .never)
            .provider
        let symbolicator = Symbolicator(provider: provider, options: source.symbolication)
        let traces = LogTraces(symbolicator: symbolicator, registry: source.formats, isForced: source.logFormat != nil)
        StreamHost.run(StreamResponder(traces, rules, usesFilesHere: !source.noLocal, with: Set(command.with)), socket)
        endProcess(.done)
    }
}

extension StreamAddition: ExpressibleByArgument {}
