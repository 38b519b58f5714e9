internal import BinaryPrimitives
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Uploads of Breakpad's `symupload` (`src/common/linux/symbol_upload.cc`, `symbol_collector_client.cc`), in both of its protocols:
///
///     symupload app.sym 'http://localhost:8080/symupload?key=TOKEN'            one form
///     symupload -p sym-upload-v2 -k TOKEN app.sym http://localhost:8080        four requests
///
/// The second protocol asks whether the server has the file, gets a URL, puts the file there, and says that it is complete. The program reads the
/// replies with regular expressions, which want a blank after each colon.
enum BreakpadUpload {
    static let routes = [
        Route(
            path: "/symupload", method: "POST", errors: .text, maxBodyBytes: Limits.standard.uploadedFile, needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/symupload", summary: "Keeps a symbol file of Breakpad’s symupload.", parameters: [key],
                    body: [.form("SymuploadForm")], results: [200: [.bytes("text/plain")]], refusals: [400, 403, 404, 409, 422, 500, 507])
            ]
        ) { (request, service) throws(Refusal) in try form(request, service) },
        Route(
            path: "/v1/symbols/{name}/{id}:checkStatus", method: "GET", needsToken: true,
            descriptions: [
                RouteDescription(
                    path: "/v1/symbols/{name}/{id}:checkStatus", summary: "Whether there are symbols of a module.",
                    parameters: [.init(name: "name"), .init(name: "id"), key], results: [200: [.json("SymuploadStatus")]], refusals: [404])
            ]
        ) { (request, service) throws(Refusal) in try status(request, service) },
        Route(
            path: "/v1/uploads:create", method: "POST", maxBodyBytes: 1 << 16, needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/v1/uploads:create", summary: "Begins an upload.", parameters: [key], results: [200: [.json("SymuploadBegin")]],
                    refusals: [403, 404, 500, 503, 507])
            ]
        ) { (request, service) throws(Refusal) in try create(request, service) },
        Route(
            path: "/v1/uploads/{key}", method: "PUT", maxBodyBytes: Limits.standard.uploadedFile, needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/v1/uploads/{key}", summary: "The file of an upload.", parameters: [.init(name: "key"), key],
                    body: [.bytes("application/octet-stream")], results: [200: []], refusals: [403, 404, 500, 503, 507])
            ]
        ) { (request, service) throws(Refusal) in try put(request, service) },
        Route(
            path: "/v1/uploads/{key}:complete", method: "POST", maxBodyBytes: 1 << 16, needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/v1/uploads/{key}:complete", summary: "Ends an upload: its file is kept.",
                    parameters: [.init(name: "key"), key],
                    body: [.bytes("application/json")], results: [200: [.json("SymuploadEnd")]],
                    refusals: [403, 404, 409, 413, 422, 500, 507])
            ]
        ) { (request, service) throws(Refusal) in try complete(request, service) },
    ]

    private static let key = RouteDescription.Parameter(name: "key", location: .query)

    static let schemas = [
        (
            "SymuploadForm",
            #"{"type":"object","required":["symbol_file"],"properties":{"symbol_file":{"type":"string","contentMediaType":"application/octet-stream"}}}"#
        ),
        ("SymuploadStatus", #"{"type":"object","required":["status"],"properties":{"status":{"enum":["FOUND","MISSING"]}}}"#),
        (
            "SymuploadBegin",
            #"{"type":"object","required":["uploadUrl","uploadKey"],"properties":{"uploadUrl":{"type":"string"},"uploadKey":{"type":"string"}}}"#
        ),
        ("SymuploadEnd", #"{"type":"object","required":["result"],"properties":{"result":{"enum":["OK","DUPLICATE_DATA"]}}}"#),
    ]

    /// The form has facts of the first record beside the file; what the file says itself decides.
    private static func form(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        guard let file = try UploadForm(request, service.limits).files.first(where: { $0.field == "symbol_file" }) else {
            throw Refusal("expected a file in the field symbol_file")
        }
        return .text(try keep(file.content, file.name, intake) ? "added\n" : "already there\n")
    }

    /// - Returns: whether it is new.
    private static func keep(_ file: MappedFile, _ name: String, _ intake: SymbolIntake) throws(Refusal) -> Bool {
        let kept = try intake.keep(file, name: SymbolIntake.plainName(name) ?? "symbols")
        guard !kept.arrivals.isEmpty else { throw Refusal("no build ID or UUID found: \(SymbolIntake.expected)", status: 422) }
        guard !kept.hasDifferent else { throw Refusal(SymbolIntake.differs, status: 409) }
        return kept.hasNew
    }

    private static func status(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        _ = try SymbolIntake(service)
        let parts = parts(of: request, in: routes[1])
        let module = ModuleKey(debugName: parts.first ?? "", debugID: parts.last ?? "")
        let isFound =
            module.hasValidName && module.hasValidID
            && module.requests.contains { service.symbolicator.provider.symbols(for: $0.request).source != nil }
        return reply([("status", isFound ? "FOUND" : "MISSING")])
    }

    private static func create(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        let name = SharedResults.makeName()
        try StagedUploads(store: intake.root).begin(name)
        let query = request.query.isEmpty ? "" : "?" + request.query
        return reply([("uploadUrl", request.url("/v1/uploads/\(name)\(query)", service)), ("uploadKey", name)])
    }

    private static func put(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let staged = StagedUploads(store: try SymbolIntake(service).root)
        guard let name = parts(of: request, in: routes[3]).first, staged.has(name) else { throw unknown }
        let body: MappedFile
        do throws(FileError) { body = try request.body.file() } catch { throw Refusal(storing: error) }
        try staged.keep(body, as: name)
        return Response(200)
    }

    /// The body repeats the module's name, which is not JSON in older programs; the file's own records decide.
    private static func complete(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        let staged = StagedUploads(store: intake.root)
        guard let name = parts(of: request, in: routes[4]).first, let file = staged.open(name) else { throw unknown }
        defer { staged.remove(name) }
        // Breakpad's files are called by the module in their first record.
        let stored = BreakpadFile(file)?.module.name.description ?? "symbols"
        return reply([("result", try keep(file, stored, intake) ? "OK" : "DUPLICATE_DATA")])
    }

    private static let unknown = Refusal("no such upload: it is over, or older than a day", status: 404)

    private static func parts(of request: Request, in route: Route) -> [String] {
        (route.parts(of: request.path) ?? []).map { PercentCoding.decoded($0) ?? "" }
    }

    private static func reply(_ members: [(String, String)]) -> Response {
        let texts = members.map { name, value in
            var text: [UInt8] = []
            WrittenJSON.string(value).write(to: &text)
            return "\"\(name)\": " + String(decoding: text, as: UTF8.self)
        }
        return .json(Array("{\(texts.joined(separator: ", "))}".utf8))
    }
}
