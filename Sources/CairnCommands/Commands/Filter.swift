internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashLogFormats
internal import CrashReports
internal import Demangling
internal import Reporting
internal import Symbolication

/// `cairn filter`: a stream, symbolicated live.
struct Filter: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Symbolicate crash logs in a stream: read standard input, write standard output.",
        discussion: """
            Lines pass at once. A crash report is held until it has ended, and written symbolicated, in its own format. While no input comes, what is there of it is written after a quarter of a second; after two seconds, or 16 MiB, it has ended.

            Compressed input passes unchanged. To symbolicate it, use: cairn symbolicate. A core, an object file or an archive is refused.

            ./server 2>&1 | cairn filter --symbols symbols/
            journalctl -f | cairn filter
            """)

    @OptionGroup var source: SymbolOptions

    @Flag(name: .of(.noInlines), help: "Do not expand inlined frames.")
    var noInlines = false

    @Flag(name: .of(.noDemangle), help: "Do not demangle symbol names.")
    var noDemangle = false

    init() {}

    /// - Returns: `nil` where the line is not plain.
    init?(plain arguments: ArraySlice<String>) {
        var scan = ArgumentScan(arguments)
        source = SymbolOptions(&scan)
        noInlines = scan.flag(.noInlines)
        noDemangle = scan.flag(.noDemangle)
        guard scan.operands().isEmpty, scan.isPlain else { return nil }
    }

    func run() {
        let (provider, isComplete) = source.provider(source.makeServers(quiet: true))
        var options = source.symbolication
        options.showsInlinedCalls = !noInlines
        if noDemangle { options.demangler = Demangler(style: .none) }
        var log = LiveLog(
            symbolicator: Symbolicator(provider: provider, options: options), registry: source.formats, origin: source.originOfLiveLog)
        do throws(FileError) {
            try pass(&log)
        } catch {
            printDiagnostic(error.description)
            endProcess(.failed)
        }
        endProcess(isComplete ? .done : .failed)
    }

    /// Bytes that are read at a time.
    private static let part = 1 << 18

    private func pass(_ log: inout LiveLog) throws(FileError) {
        var output: [UInt8] = []
        var isFirst = true
        var lastByte = ContinuousClock.now
        while true {
            let wait: Duration? =
                log.hasOpenTrace ? max(.zero, lastByte + log.silence - .now) : log.hasUnfinished ? LiveLog.longestWait : nil
            if FileDescriptor.wait(for: [0], atMost: wait) == [true] {
                let bytes = try FileDescriptor.readSome(from: 0, limit: Self.part)
                // A core has the process's environment in it: nothing of such a file is passed on.
                if isFirst, let foreign = Anonymizer.foreignFile(bytes.span), !foreign.isCompressed {
                    printDiagnostic("standard input: \(foreign.problem())")
                    endProcess(.failed)
                }
                (isFirst, lastByte) = (false, .now)
                if bytes.isEmpty { log.finish(to: &output) } else { log.feed(bytes.span, to: &output) }
                if bytes.isEmpty { return try FileDescriptor.write(output, to: 1) }
            } else if log.hasOpenTrace {
                log.notifySilence(of: .now - lastByte, to: &output)
            } else {
                log.showUnfinished(to: &output)
            }
            try FileDescriptor.write(output, to: 1)
            output.removeAll(keepingCapacity: true)
        }
    }
}
