internal import BinaryPrimitives
internal import CrashLogModel
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Uploads of `sentry-cli debug-files upload` (`src/api/data_types/chunking`, as 3.8.2 sends them):
///
///     SENTRY_URL=http://localhost:8080 SENTRY_AUTH_TOKEN=TOKEN sentry-cli debug-files upload -o any -p any build/
///
/// It asks for the limits, which files are missing, sends their chunks, each named by its SHA-1, and asks again:
///
///     {"bb291b29…0eb1":{"name":"libshop.so.debug","debug_id":"5e80d4b8-…","chunks":["bb291b29…0eb1"]}}
///
///     {"bb291b29…0eb1":{"state":"not_found","missingChunks":["bb291b29…0eb1"]}}
///     {"bb291b29…0eb1":{"state":"ok","missingChunks":[],"dif":{…}}}
///
/// Organizations and projects are not told apart: there is one store.
enum ChunkUpload {
    /// Bytes of a chunk, as Sentry has it; chunks of one request, and all their bytes.
    private static let chunkSize = 8 << 20
    private static let maxChunks = 32
    private static let maxRequest = 34 << 20

    static let routes = [
        Route(
            path: "/api/0/organizations/{organization}/chunk-upload/", method: "GET", errors: .detail, needsToken: true,
            descriptions: [
                RouteDescription(
                    path: "/api/0/organizations/{organization}/chunk-upload/", summary: "Limits of sentry-cli’s uploads.",
                    parameters: [.init(name: "organization")], results: [200: [.json("ChunkLimits")]], refusals: [404])
            ]
        ) { (request, service) throws(Refusal) in try limits(request, service) },
        Route(
            path: "/api/0/organizations/{organization}/chunk-upload/", method: "POST", errors: .detail, maxBodyBytes: maxRequest,
            needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/api/0/organizations/{organization}/chunk-upload/", summary: "Chunks of files, each called by its SHA-1.",
                    parameters: [.init(name: "organization")], body: [.form("ChunkForm")], results: [200: [.json("Nothing")]],
                    refusals: [400, 403, 404, 413, 500, 503, 507])
            ]
        ) { (request, service) throws(Refusal) in try keep(request, service) },
        Route(
            path: "/api/0/projects/{organization}/{project}/files/difs/assemble/", method: "POST", errors: .detail, maxBodyBytes: 16 << 20,
            needsToken: true, changes: true,
            descriptions: [
                RouteDescription(
                    path: "/api/0/projects/{organization}/{project}/files/difs/assemble/",
                    summary: "Keeps files whose chunks are there, and says which chunks are missing.",
                    parameters: [.init(name: "organization"), .init(name: "project")], body: [.json("AssembleRequest")],
                    results: [200: [.json("AssembleResult")]], refusals: [400, 403, 404, 413, 500, 507])
            ]
        ) { (request, service) throws(Refusal) in try assemble(request, service) },
    ]

    static let schemas = [
        ("Nothing", #"{"type":"object","maxProperties":0}"#),
        (
            "ChunkForm",
            #"{"type":"object","properties":{"file":{"type":"string","contentMediaType":"application/octet-stream"},"file_gzip":{"type":"string","contentMediaType":"application/gzip"}}}"#
        ),
        (
            "ChunkLimits",
            """
            {"type":"object","required":["url","chunkSize","chunksPerRequest","maxFileSize","maxRequestSize","concurrency","hashAlgorithm",
                                         "compression","accept"],
             "properties":{"url":{"type":"string"},"chunkSize":{"type":"integer"},"chunksPerRequest":{"type":"integer"},
                           "maxFileSize":{"type":"integer"},"maxRequestSize":{"type":"integer"},"concurrency":{"type":"integer"},
                           "hashAlgorithm":{"const":"sha1"},"compression":{"type":"array","items":{"type":"string"}},
                           "accept":{"type":"array","items":{"type":"string"}}}}
            """
        ),
        (
            "AssembleRequest",
            """
            {"type":"object","propertyNames":{"pattern":"^[0-9a-f]{40}$"},
             "additionalProperties":{"type":"object","required":["name","chunks"],
                                     "properties":{"name":{"type":"string"},"debug_id":{},
                                                   "chunks":{"type":"array","items":{"type":"string","pattern":"^[0-9a-f]{40}$"}}}}}
            """
        ),
        (
            "AssembleResult",
            """
            {"type":"object",
             "additionalProperties":{"type":"object","required":["state","missingChunks"],
                                     "properties":{"state":{"enum":["ok","not_found","error"]},"detail":{"type":["string","null"]},
                                                   "missingChunks":{"type":"array","items":{"type":"string"}},"dif":{"type":"object"}}}}
            """
        ),
    ]

    private static func limits(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        _ = try SymbolIntake(service)
        return .json(
            .object([
                ("url", .string(request.url(request.path, service))), ("chunkSize", .number(chunkSize)),
                ("chunksPerRequest", .number(maxChunks)), ("maxFileSize", .number(service.limits.uploadedFile)),
                ("maxRequestSize", .number(chunkSize * 4)), ("concurrency", .number(4)), ("hashAlgorithm", .string("sha1")),
                ("compression", .array([.string("gzip")])), ("accept", .array([.string("debug_files")])),
            ]))
    }

    private static func isChecksum(_ text: String) -> Bool {
        text.utf8.count == 40
            && text.utf8.allSatisfy { hexadecimalValue($0) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
    }

    private static func keep(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let staged = StagedUploads(store: try SymbolIntake(service).root)
        for file in try UploadForm(request, service.limits).files where ["file", "file_gzip"].contains(file.field) {
            guard isChecksum(file.name) else {
                throw Refusal("\(PlainText.line(file.name, limit: 100)): expected a chunk’s SHA-1 as its name")
            }
            let chunk = try file.field == "file_gzip" ? unpacked(file.content, staged, service) : file.content
            guard chunk.size <= chunkSize else { throw Refusal("chunk \(file.name): expected at most \(chunkSize) bytes", status: 413) }
            guard chunk.sha1 == file.name else { throw Refusal("chunk \(file.name): its bytes have another SHA-1: please send it again") }
            try staged.keep(chunk, as: file.name)
        }
        return .json(.object([]))
    }

    private static func unpacked(_ file: MappedFile, _ staged: StagedUploads, _ service: Service) throws(Refusal) -> MappedFile {
        do throws(FileError) {
            let folder = try WorkFolder(in: staged.folder)
            // The file stays open after the folder is gone.
            return try MappedFile(
                path: SymbolIntake.write(unpacked: file, atMost: chunkSize, "chunk", to: folder, service.limits))
        } catch { throw Refusal(storing: error) }
    }

    // MARK: Files

    private static func assemble(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        let value = try RequestedJSON.value(of: request, service.limits)
        guard value.isObject, value.members.count <= service.limits.uploadedImages else {
            throw Refusal("expected an object with at most \(service.limits.uploadedImages) files")
        }
        var results: [(key: String, value: WrittenJSON?)] = []
        for file in value.members {
            guard let list = file.value["chunks"], list.isArray else { throw Refusal("\(file.key): expected a list of chunks") }
            let elements = list.elements
            let chunks = elements.compactMap(\.string)
            guard isChecksum(file.key), chunks.count == elements.count, chunks.allSatisfy(isChecksum), chunks.count <= 10_000 else {
                throw Refusal("expected files and chunks by their SHA-1")
            }
            guard let name = file.value["name"]?.string else { throw Refusal("\(file.key): expected the file's name") }
            results.append((file.key, try result(file.key, name, chunks, intake)))
        }
        return .json(.object(results))
    }

    private static func result(_ checksum: String, _ name: String, _ chunks: [String], _ intake: SymbolIntake) throws(Refusal)
        -> WrittenJSON
    {
        let staged = StagedUploads(store: intake.root)
        // The answer about the file when its chunks were here.
        if let known = staged.open(Self.note(checksum)) {
            return entry("ok", description: String(decoding: known.bytes(in: 0..<min(known.size, 1 << 16)), as: UTF8.self), checksum, name)
        }
        let missing = chunks.filter { !staged.has($0) }
        guard missing.isEmpty, !chunks.isEmpty else { return entry("not_found", missing: missing, checksum, name) }
        var file = UnlinkedFile()
        var hash = SHA1()
        var size = 0
        do throws(FileError) {
            for chunk in chunks {
                guard let chunk = staged.open(chunk), size <= intake.maxBytes else {
                    return entry("not_found", missing: chunks, checksum, name)
                }
                let next = chunk.pieces()
                while true {
                    let part = try next()
                    if part.isEmpty { break }
                    size += part.count
                    hash.update(part)
                    try file.append(part)
                }
            }
            guard size <= intake.maxBytes else { return entry("error", detail: "the file is too large", checksum, name) }
            guard hash.finish() == checksum else { return entry("error", detail: "its bytes have another SHA-1", checksum, name) }
            let whole = try file.finish(path: "the request")
            return try keep(whole, checksum, name, chunks, intake, staged)
        } catch { throw Refusal(storing: error) }
    }

    private static func keep(
        _ file: MappedFile, _ checksum: String, _ name: String, _ chunks: [String], _ intake: SymbolIntake, _ staged: StagedUploads
    ) throws(FileError) -> WrittenJSON {
        let kept: SymbolIntake.Kept
        do throws(Refusal) {
            kept = try intake.keep(file, name: SymbolIntake.plainName(Path.foreignName(of: name)) ?? "symbols")
        } catch { return entry("error", detail: error.message, checksum, name) }
        for chunk in Set(chunks) { staged.remove(chunk) }
        guard let first = kept.arrivals.first else {
            return entry("error", detail: "no build ID or UUID found: \(SymbolIntake.expected)", checksum, name)
        }
        guard !kept.hasDifferent else { return entry("error", detail: SymbolIntake.differs, checksum, name) }
        let isELF = first.id.isBuildID
        let digits = isELF ? BreakpadID.elf(first.id) : BreakpadID.machO(first.id)
        let id = digits.flatMap { SentryModule.debugID(breakpad: $0) } ?? ""
        try FileReplacement.makeDirectories(staged.folder)
        try FileReplacement.write(Array(id.utf8), to: Path.join(staged.folder, note(checksum)))
        return entry("ok", description: id, checksum, name)
    }

    /// Name of the note that a file was kept: the client asks again.
    private static func note(_ checksum: String) -> String { "kept-" + checksum }

    /// - Parameter description: the file's debug ID.
    private static func entry(
        _ state: String, missing: [String] = [], detail: String? = nil, description: String? = nil, _ checksum: String, _ name: String
    ) -> WrittenJSON {
        .object([
            ("state", .string(state)), ("missingChunks", .array(missing.map { .string($0) })), ("detail", detail.map { .string($0) }),
            (
                "dif",
                description.map { id in
                    .object([
                        ("id", .string(checksum)), ("uuid", .string(id)), ("debugId", .string(id)), ("objectName", .string(name)),
                        ("cpuName", .string("any")), ("sha1", .string(checksum)), ("data", .object([])),
                    ])
                }
            ),
        ])
    }
}

extension MappedFile {
    fileprivate var sha1: String {
        var hash = SHA1()
        for start in stride(from: 0, to: size, by: 1 << 20) { hash.update(bytes(in: start..<min(start + 1 << 20, size))) }
        return hash.finish()
    }
}
