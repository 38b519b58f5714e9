internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import Reporting
internal import Symbolication

/// Any log in the body, symbolicated, in the format that the client chooses:
///
///     curl --data-binary @crash.log http://localhost:5000/v1/logs
///     curl --data-binary @crash.ips -H 'Accept: application/json' http://localhost:5000/v1/logs
///     curl --data-binary @crash.log 'http://localhost:5000/v1/logs?format=same'
///
/// Logs may be compressed; core files and minidumps are unwound first.
enum LogSymbolication {
    static let routes = [
        Route(
            path: "/v1/logs", method: "POST", errors: .text, maxBodyBytes: Limits.standard.sentLog, descriptions: [description]
        ) { (request, service) throws(Refusal) in try response(request, service) }
    ]

    private static let description = RouteDescription(
        path: "/v1/logs", summary: "Symbolicates a crash log, a core file or a minidump, also a compressed one.",
        parameters: [
            .init(name: "format", location: .query, schema: #"{"enum":["text","json","same","apple-crash"]}"#),
            .init(name: "Accept", location: .header),
        ], body: [.bytes("application/octet-stream")],
        results: [
            200: [
                .bytes("text/plain"), .json("SymbolicatedReport"), .bytes("application/x-ndjson"), .bytes("application/octet-stream"),
            ]
        ], refusals: [400, 406, 422, 500, 507])

    private static func response(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let (format, type) = try LogFormat.choose(request)
        var log = SentLog(service)
        var writing = LogWriting(format, service.limits)
        let file: MappedFile
        do throws(FileError) { file = try request.body.file() } catch { throw Refusal(about: error) }
        try log.read(file) { (part, bytes, encoding) throws(Refusal) in try writing.write(part, bytes, encoding) }
        let problems = log.problems + writing.problems
        var response = Response(200, headers: [("Content-Type", type), ("Vary", "Accept"), ("Cache-Control", "no-store")])
        response.headers += problems.prefix(10).map { ("X-Cairn-Warning", PlainText.line($0)) }
        response.body = try writing.finish()
        return response
    }
}

/// Writes the parts of one log.
private struct LogWriting: ~Copyable {
    private let format: LogFormat
    private let renderer: any Renderer
    private var output: SpooledOutput
    private var hasReports = false
    /// Apple's layout is written into text that has it already.
    private var isInPlace = false
    private(set) var problems: [String] = []

    init(_ format: LogFormat, _ limits: Limits) {
        self.format = format
        renderer =
            switch format {
            case .text: TextRenderer()
            case .json: JSONRenderer()
            case .same: SameRenderer()
            case .appleCrash: AppleCrashRenderer()
            }
        output = SpooledOutput(limits)
    }

    mutating func write(_ part: SentLog.Part, _ bytes: Span<UInt8>, _ encoding: TextEncoding) throws(Refusal) {
        if format == .same { output.use(encoding) }
        switch part {
        case .text: if format == .same || isInPlace { try output.append(bytes) }
        case .rest: if format == .same { output.append(raw: bytes) }
        case .binary:
            let problem = "a part of the log is not text, and was left out"
            if format == .same, !problems.contains(problem) { problems.append(problem) }
        case .reports(let reports):
            if format == .same, let binary = reports.first(where: Self.isBinary) {
                throw Refusal(
                    "\(binary.report.format) is binary, so it cannot be written as text. Use format=text or format=json", status: 422)
            }
            isInPlace = format == .appleCrash && reports.allSatisfy(AppleCrashRenderer.isInPlace)
            // A blank line between the reports of one log.
            let blank = [UInt8(ascii: "\n")]
            if hasReports, format == .text || format == .appleCrash { try output.append(blank.span) }
            hasReports = true
            try output.append(renderer.render(SymbolicatedLog(path: "-", reports: reports), source: bytes).span)
        }
    }

    private static func isBinary(_ report: SymbolicatedReport) -> Bool {
        let registry = FormatRegistry.standard
        return !registry.acceptsResults(report.report) && !registry.lineFormats.contains { $0.name == report.report.format }
    }

    consuming func finish() throws(Refusal) -> Response.Body { try output.finish() }
}

/// A response that is written piece by piece, in the encoding of the log that it is made of.
private struct SpooledOutput: ~Copyable {
    private var file = UnlinkedFile()
    private var buffer: [UInt8] = []
    private var encoder: UTF16Encoder?
    private let limits: Limits

    private static let size = 1 << 18

    init(_ limits: Limits) { self.limits = limits }

    /// Bytes that follow are written in this encoding.
    mutating func use(_ encoding: TextEncoding) {
        if case .utf16(let order) = encoding, encoder == nil { encoder = UTF16Encoder(order) }
    }

    mutating func append(_ bytes: Span<UInt8>) throws(Refusal) {
        if encoder != nil { encoder?.encode(bytes, to: &buffer) } else { buffer.append(copying: bytes) }
        if buffer.count >= Self.size { try write() }
    }

    /// Bytes that are written as they are.
    mutating func append(raw bytes: Span<UInt8>) { buffer.append(copying: bytes) }

    private mutating func write() throws(Refusal) {
        guard file.count + buffer.count <= limits.sentOutput else {
            throw Refusal("the response is larger than \(limits.sentOutput) bytes: please send a part of the log", status: 413)
        }
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        do throws(FileError) { try file.append(bytes) } catch { throw Refusal(about: error) }
    }

    consuming func finish() throws(Refusal) -> Response.Body {
        try write()
        let file: MappedFile
        do throws(FileError) { file = try self.file.finish(path: "the response") } catch { throw Refusal(about: error) }
        return .file(file, 0..<file.size)
    }
}
