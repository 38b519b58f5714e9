package import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import SymbolFiles
internal import SymbolSources
public import Symbolication

/// One JSON object for each trace, a line each. Addresses are strings in hexadecimal, functions run
/// innermost first, absent means unknown.
public struct JSONRenderer: Renderer {
    public static let name = "json"
    /// The version of the schema: it grows within a version, and changes only with it.
    public static let schema = 1

    private let threads: Symbolicator.Threads

    /// - Parameter threads: `crashed` leaves the other threads out.
    public init(threads: Symbolicator.Threads = .all) { self.threads = threads }

    public func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        for report in log.reports {
            document(report, path: log.path).write(to: &output)
            output.append(UInt8(ascii: "\n"))
        }
        return output
    }

    /// Returns the JSON object of one report.
    /// - Parameter path: path of its log; `nil` to leave it out.
    package func document(_ symbolicated: SymbolicatedReport, path: String?) -> WrittenJSON {
        let report = symbolicated.report
        return .object([
            ("schema", .number(Self.schema)),
            ("log", path.map(WrittenJSON.string)),
            ("format", .string(report.format)),
            ("process", process(report.process)),
            ("cause", report.cause.map(cause)),
            ("rootCause", report.rootCause.map { cause($0.cause) }),
            ("meaning", report.meaning.map(WrittenJSON.string)),
            ("instruction", report.instruction.map(WrittenJSON.string)),
            ("platform", report.platform.map(WrittenJSON.string)),
            ("architecture", report.architecture.map { .string($0.name) }),
            ("timestamp", report.timestamp.map { .string($0.text) }),
            ("instant", report.timestamp?.utc.map(WrittenJSON.string)),
            ("threads", .array(shownThreads(of: symbolicated, threads).map(thread))),
            ("exceptionBacktrace", report.exceptionBacktrace.map { .object([("frames", frames($0, symbolicated.exceptionBacktrace))]) }),
            (
                "additionalBacktraces",
                report.additionalBacktraces.isEmpty
                    ? nil : .array(zip(report.additionalBacktraces, symbolicated.additionalBacktraces).map(thread))
            ),
            ("images", .array(symbolicated.images.map(image))),
            ("notes", symbolicated.notes.isEmpty ? nil : .array(symbolicated.notes.map(WrittenJSON.string))),
        ])
    }

    private func process(_ process: ProcessDescription) -> WrittenJSON {
        .object([
            ("name", process.name.map(WrittenJSON.string)),
            ("path", process.path.map(WrittenJSON.string)),
            ("identifier", process.identifier.map(WrittenJSON.string)),
            ("version", process.version.map(WrittenJSON.string)),
            ("pid", process.pid.map(WrittenJSON.number)),
            ("commandLine", process.commandLine.map(WrittenJSON.string)),
        ])
    }

    private func cause(_ cause: CrashCause) -> WrittenJSON {
        .object([
            ("kind", .string(cause.kind.rawValue)),
            ("type", cause.type.map(WrittenJSON.string)),
            ("signal", cause.signal.map(WrittenJSON.string)),
            ("codes", cause.codes.map(WrittenJSON.string)),
            ("message", cause.message.map(WrittenJSON.string)),
            ("messageSource", cause.messageSource.map(WrittenJSON.string)),
            ("address", cause.address.map(hexadecimal)),
        ])
    }

    private func thread(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> WrittenJSON {
        .object([
            ("index", .number(thread.index)),
            ("id", thread.systemID.map(WrittenJSON.unsigned)),
            ("name", thread.name.map(WrittenJSON.string)),
            ("crashed", thread.crashed ? .boolean(true) : nil),
            ("callTree", thread.isCallTree ? .boolean(true) : nil),
            ("frames", frames(thread, outcomes)),
            ("repeated", repeated(thread)),
            ("ending", thread.ending.map(WrittenJSON.string)),
            ("registers", thread.systemID == nil ? nil : thread.registers.map(registers)),
        ])
    }

    /// Recursion: positions of repetitions in `frames`.
    private func repeated(_ thread: ThreadTrace) -> WrittenJSON? {
        let found = thread.isCallTree ? [] : RepeatedFrames.find(thread.frames)
        if found.isEmpty { return nil }
        return .array(
            found.map { run in
                .object([("first", .number(run.range.lowerBound)), ("frames", .number(run.period)), ("times", .number(run.times))])
            })
    }

    /// In the order of the processor's numbers.
    private func registers(_ registers: RegisterState) -> WrittenJSON {
        .object(registers.values.map { ($0.name, hexadecimal(RuntimeAddress($0.value))) })
    }

    private func frames(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> WrittenJSON {
        .array(zip(thread.frames, outcomes).map(frame))
    }

    private func frame(_ frame: Frame, _ outcome: FrameOutcome) -> WrittenJSON {
        var status: String?
        var reason: String?
        var functions: WrittenJSON?
        switch outcome.result {
        case .resolved(let result, let origin):
            status = origin == .debugInformation ? "resolved" : "symbolOnly"
            functions = .array(result.functions.map(function))
            if outcome.isForced { reason = "from a file whose build ID or UUID differs from the log's" }
        case .unresolved(let why): (status, reason) = ("unresolved", why)
        case .partOfNextFrame:
            reason = "an inlined frame of the \(frame.depth == nil ? "next" : "last") frame that is not inlined"
        case .notLookedUp: break
        }
        let (kind, omitted) = kindName(frame.kind)
        return .object([
            ("index", .number(frame.index)),
            ("kind", .string(kind)),
            ("kindEvidence", outcome.kindEvidence.map { .string($0.rawValue) }),
            ("count", omitted.map(WrittenJSON.number)),
            ("address", frame.address.map(hexadecimal)),
            ("lookupAddress", outcome.lookupAddress.map(hexadecimal)),
            ("depth", frame.depth.map(WrittenJSON.number)),
            ("samples", frame.samples.map(WrittenJSON.number)),
            ("inlined", frame.isInlined ? .boolean(true) : nil),
            ("trust", frame.trust.map { .string($0.rawValue) }),
            ("unreliable", frame.isUnreliable ? .boolean(true) : nil),
            ("image", outcome.image.map(WrittenJSON.number)),
            ("imageOffset", outcome.imageOffset.map(hexadecimal)),
            ("place", frame.imageLocation.flatMap(imageLocation)),
            ("status", status.map(WrittenJSON.string)),
            ("reason", reason.map(WrittenJSON.string)),
            ("functions", functions),
            ("note", outcome.note.map(WrittenJSON.string)),
            ("alternative", outcome.alternative.map { .object([("functions", .array($0.functions.map(self.function)))]) }),
            ("printed", frame.printed.flatMap(printed)),
        ])
    }

    /// How the log gives the frame's position, where that is no offset into the image.
    private func imageLocation(_ location: ImageLocation) -> WrittenJSON? {
        switch location {
        case .offset, .textOffset: nil
        case .linkAddress(let address): .object([("linkAddress", hexadecimal(address))])
        case .relativePC(let value): .object([("relativePC", hexadecimal(FileOffset(value)))])
        case .fileOffset(let offset): .object([("fileOffset", hexadecimal(FileOffset(offset)))])
        case .mapping(let mapping):
            .object([("mappingOffset", hexadecimal(FileOffset(mapping.offset))), ("mappingSize", .unsigned(mapping.size))])
        case .symbol(let symbol):
            .object([
                ("symbol", .string(symbol.name)), ("offset", .unsigned(symbol.offset)), ("size", symbol.size.map(WrittenJSON.unsigned)),
            ])
        }
    }

    private func kindName(_ kind: Frame.Kind) -> (kind: String, omitted: Int?) {
        switch kind {
        case .programCounter: ("programCounter", nil)
        case .returnAddress: ("returnAddress", nil)
        case .exact: ("exact", nil)
        case .asyncResumePoint: ("asyncResumePoint", nil)
        case .omitted(let count): ("omitted", count)
        case .truncated: ("truncated", nil)
        }
    }

    private func function(_ function: FrameResult.Function) -> WrittenJSON {
        .object([
            ("name", .string(function.name)),
            ("mangledName", function.mangledName == function.name ? nil : .string(function.mangledName)),
            ("symbolVersion", function.symbolVersion.map(WrittenJSON.string)),
            ("alsoAt", function.alsoAt.isEmpty ? nil : .array(function.alsoAt.map(WrittenJSON.string))),
            ("offset", function.offset.map(WrittenJSON.unsigned)),
            ("inlined", function.isInlined ? .boolean(true) : nil),
            ("file", function.location.map { .string($0.file) }),
            ("line", function.location.flatMap { $0.line > 0 ? .number($0.line) : nil }),
            ("column", function.location.flatMap { $0.column > 0 ? .number($0.column) : nil }),
        ])
    }

    /// Symbol that the log itself has for the frame; `nil` if it has none.
    private func printed(_ symbol: PrintedSymbol) -> WrittenJSON? {
        guard symbol.name != nil || symbol.location != nil else { return nil }
        return .object([
            ("name", symbol.name.map(WrittenJSON.string)),
            ("offset", symbol.offset.map(WrittenJSON.unsigned)),
            ("file", symbol.location.map { .string($0.file) }),
            ("line", symbol.location.flatMap { $0.line > 0 ? .number($0.line) : nil }),
        ])
    }

    private func image(_ outcome: ImageOutcome) -> WrittenJSON {
        let image = outcome.image
        let file = outcome.files.first
        return .object([
            ("name", .string(image.name)),
            ("path", image.path.map(WrittenJSON.string)),
            ("architecture", image.architecture.map { .string($0.name) }),
            ("id", image.id.map { .string($0.description) }),
            ("base", image.base.map(hexadecimal)),
            (
                "baseEvidence",
                outcome.baseFinding.map {
                    .object([
                        ("explained", .number($0.explained)), ("addresses", .number($0.addresses)), ("runnerUp", .number($0.runnerUp)),
                    ])
                }
            ),
            ("size", image.size.map(WrittenJSON.unsigned)),
            (
                "symbols",
                .object([
                    ("status", .string(file?.proof == .forced ? "forced" : outcome.status.rawValue)),
                    ("path", file.map { .string($0.candidate.path) }),
                    ("origin", file.map { .string($0.candidate.origin.description) }),
                    ("reason", outcome.reason.map(WrittenJSON.string)),
                ])
            ),
        ])
    }

    private func hexadecimal(_ address: some AddressValue) -> WrittenJSON { .string(address.description) }
}

/// The threads that an output other than `same` shows, with their outcomes.
func shownThreads(of report: SymbolicatedReport, _ threads: Symbolicator.Threads) -> [(ThreadTrace, [FrameOutcome])] {
    let all = zip(report.report.threads, report.threads).map { ($0, $1) }
    guard threads == .crashed, all.contains(where: \.0.crashed) else { return all }
    return all.filter(\.0.crashed)
}
