internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import MemoryReports
internal import SymbolFiles
internal import Symbolication

/// A log in a request, symbolicated while it is read: no more of it is in memory than one report.
struct SentLog: ~Copyable {
    /// A part of a log's result; parts are in the order of the log.
    enum Part {
        /// Lines between reports.
        case text
        /// Bytes that are no text.
        case binary
        /// The end of a log in UTF-16 that is half a unit, as it is.
        case rest
        /// Reports. The positions of their frames count from the first byte that comes with them.
        case reports([SymbolicatedReport])
    }

    /// Gets each part with its bytes, and the log's encoding.
    typealias Handler = (Part, Span<UInt8>, TextEncoding) throws(Refusal) -> Void

    private let symbolicator: Symbolicator
    private let limits: Limits
    private let includesReasons: Bool
    private var reports = 0
    private var frames = 0
    /// Problems that kept parts of the log from being read, although other reports could be.
    private(set) var problems: [String] = []

    init(_ service: Service) {
        symbolicator = service.symbolicator
        limits = service.limits
        includesReasons = service.settings.includesReasons
    }

    /// Reads a log to its end.
    mutating func read(_ file: MappedFile, handler: Handler) throws(Refusal) {
        guard file.size <= limits.sentLog else {
            throw Refusal("please limit the size of a log to <= \(limits.sentLog) bytes", status: 413)
        }
        // The client does not know its path here.
        var input = LogInput(MappedFile(file, 0..<file.size, path: "-"), limits: limits)
        let memory: (kind: MemoryFormat, file: MappedFile)?
        do throws(FileError) { memory = try input.memory() } catch { throw Refusal(about: error) }
        if let memory {
            problems = input.problem.map { [$0.description] } ?? []
            return try read(memory, handler)
        }
        var stream = LogStream(limits: limits)
        var refusal: Refusal?
        func forward(_ piece: LogStream.Piece, _ bytes: Span<UInt8>, _ encoding: TextEncoding) {
            guard refusal == nil else { return }
            do throws(Refusal) { try self.handle(piece, bytes, encoding, handler) } catch { refusal = error }
        }
        while true {
            let part: [UInt8]?
            do throws(FileError) { part = try input.next() } catch { throw Refusal(about: error) }
            guard let bytes = part else { break }
            let encoding = input.encoding
            stream.feed(bytes.span) { piece, bytes in forward(piece, bytes, encoding) }
            if let refusal { throw refusal }
        }
        let encoding = input.encoding
        stream.finish { piece, bytes in forward(piece, bytes, encoding) }
        if let refusal { throw refusal }
        problems = input.problems(of: stream).map(\.description)
        guard reports > 0 else { throw Refusal(problems.first ?? "no crash report found", status: 422) }
        let odd = input.oddByte.map { [$0] } ?? []
        if !odd.isEmpty { try handler(.rest, odd.span, encoding) }
    }

    private mutating func handle(_ piece: LogStream.Piece, _ bytes: Span<UInt8>, _ encoding: TextEncoding, _ handler: Handler)
        throws(Refusal)
    {
        switch piece {
        case .text: try handler(.text, bytes, encoding)
        case .binary: try handler(.binary, bytes, encoding)
        case .traces(let found, let range):
            var symbolicated: [SymbolicatedReport] = []
            for report in found { symbolicated.append(try symbolicate(report.moved(by: -range.lowerBound), symbolicator)) }
            try handler(.reports(symbolicated), bytes, encoding)
        }
    }

    /// A core file or a minidump: its threads are unwound first.
    private mutating func read(_ memory: (kind: MemoryFormat, file: MappedFile), _ handler: Handler) throws(Refusal) {
        let made: MemoryReader.Report
        do throws(LogError) { made = try MemoryReader(symbolicator, limits: limits).report(memory.kind, memory.file, from: nil) } catch {
            throw Refusal(error.description, status: 422)
        }
        let none: [UInt8] = []
        try handler(.reports([try symbolicate(made.report, made.symbolicator)]), none.span, .utf8)
    }

    private mutating func symbolicate(_ report: CrashReport, _ symbolicator: Symbolicator) throws(Refusal) -> SymbolicatedReport {
        reports += 1
        frames += report.stacks.reduce(0) { $0 + $1.frames.count }
        guard reports <= limits.sentReports else {
            throw Refusal("the log has more than \(limits.sentReports) crash reports: please send a part of it", status: 413)
        }
        guard frames <= limits.sentFrames else {
            throw Refusal("the log has more than \(limits.sentFrames) frames: please send a part of it", status: 413)
        }
        let symbolicated = symbolicator.symbolicate(report)
        return includesReasons ? symbolicated : symbolicated.withoutReasons
    }
}

extension Refusal {
    /// A file that cannot be read or written, without its path: it is this machine's.
    init(about error: FileError) {
        self = error.isDiskFull ? Refusal("the server's disk is full", status: 507) : Refusal(error.problem, status: 500)
    }
}

extension SymbolicatedReport {
    /// Copy of the report without texts about files of this machine: symbol files are known by
    /// their names alone, and nothing says why one was not used.
    fileprivate var withoutReasons: SymbolicatedReport {
        var report = self
        report.notes = report.report.cuts
        for index in images.indices {
            report.images[index].refusals = []
            report.images[index].files = images[index].files.map { file in
                let candidate = SymbolFileCandidate(path: Path.name(of: file.candidate.path), origin: file.candidate.origin)
                return ImageSymbols.File(candidate: candidate, proof: file.proof)
            }
        }
        func quiet(_ outcomes: [FrameOutcome]) -> [FrameOutcome] {
            outcomes.map { outcome in
                var outcome = outcome
                (outcome.note, outcome.remedy) = (nil, nil)
                if case .unresolved = outcome.result { outcome.result = .unresolved("unresolved") }
                return outcome
            }
        }
        report.threads = threads.map(quiet)
        report.exceptionBacktrace = quiet(exceptionBacktrace)
        report.additionalBacktraces = additionalBacktraces.map(quiet)
        return report
    }
}
