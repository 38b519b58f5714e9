internal import BinaryPrimitives
internal import CrashReports
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Symbol files that a build sends, kept in a store of symbols as `cairn symbols add` keeps them:
///
///     curl -T libfoo.so.debug -H 'Authorization: Bearer TOKEN' 'http://localhost:5000/v1/symbols?name=libfoo.so.debug'
///
///     {"added":[{"id":"8acbacd7de1380048ce59203fe9cdd91","kind":"debug"}],"known":[]}
///
/// The body is one file, compressed or not, or an archive of files. No file of the store is
/// replaced: the owner of a token cannot change the files of another build.
enum SymbolUpload {
    static let routes = [
        Route(
            path: "/v1/symbols", method: "PUT", maxBodyBytes: Limits.standard.uploadedFile, needsToken: true, changes: true,
            descriptions: [description]
        ) { (request, service) throws(Refusal) in try response(request, service) }
    ]

    private static let description = RouteDescription(
        path: "/v1/symbols", summary: "Keeps a symbol file, or those of an archive, in the store of this server.",
        parameters: [.init(name: "name", location: .query)], body: [.bytes("application/octet-stream")],
        results: [200: [.json("Upload")], 201: [.json("Upload")], 409: [.json("Upload")]], refusals: [400, 403, 404, 422, 500, 507])

    private static let expected =
        "expected an ELF, Mach-O, Breakpad or GSYM file with a build ID or UUID, or a ZIP or tar archive of such files"

    private static func response(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let limits = service.limits
        guard let root = service.settings.uploadStore else { throw Refusal("this server takes no uploads", status: 404) }
        guard request.body.count <= limits.uploadedFile else {
            throw Refusal("please limit the size of a symbol file to <= \(limits.uploadedFile) bytes", status: 413)
        }
        let name = try name(in: request)
        var arrivals: [SymbolStore.Arrival] = []
        var isFull = false
        do throws(FileError) {
            let folder = try WorkFolder(in: root)
            let path = try write(request.body.file(), name, to: folder, limits)
            defer { OpenArchives.shared.close(path) }
            let paths = OpenArchives.isArchive(path) ? SymbolTree.files(below: path) : [path]
            for path in paths where !isFull {
                guard let files = try? SymbolFileReader.openAll(path: path) else { continue }
                arrivals += try SymbolStore(root: root).addNew(path, files, from: folder)
                isFull = arrivals.count > limits.uploadedImages
            }
        } catch { throw refusal(about: error) }
        // Files that were stored can be used, even if the upload failed after them.
        if arrivals.contains(where: { $0.outcome == .added }) { service.symbolicator.provider.refreshMissing() }
        guard !isFull else {
            throw Refusal("please limit the symbol files of an archive to <= \(limits.uploadedImages)", status: 413)
        }
        guard !arrivals.isEmpty else { throw Refusal("no build ID or UUID found: \(expected)", status: 422) }
        return response(arrivals)
    }

    /// `libfoo.so` of `?name=libfoo.so`: a file's name, and no path.
    private static func name(in request: Request) throws(Refusal) -> String {
        guard let name = request.parameter("name") else { return "symbols" }
        let isPlain = !name.isEmpty && name.utf8.count <= 200 && name == PlainText.line(name) && !name.contains("/") && !name.hasPrefix(".")
        guard isPlain else { throw Refusal("name: expected the file's name, without a directory") }
        return name
    }

    /// Writes what was sent, without what it is compressed in.
    private static func write(
        _ body: MappedFile, _ name: String, to folder: borrowing WorkFolder, _ limits: Limits
    ) throws(FileError) -> String {
        guard OpenArchives.isCompressed(body.bytes(in: 0..<512)) else { return try folder.write(name, body.pieces()) }
        var limits = limits
        limits.expandedLog = limits.uploadedFile
        var bytes = LogBytes(MappedFile(body, 0..<body.size, path: name), limits: limits)
        let ending = [".gz", ".xz", ".zst"].first { name.hasSuffix($0) && name.utf8.count > $0.utf8.count } ?? ""
        let plain = name.hasSuffix(".tgz") ? name.dropLast(4) + ".tar" : name.dropLast(ending.utf8.count)
        var count = 0
        return try folder.write(String(plain)) { () throws(FileError) in
            let part = try bytes.next() ?? []
            count += part.count
            guard count <= limits.uploadedFile else { throw .tooLarge(name) }
            return part
        }
    }

    /// 409 where the store keeps another file than one of those that were sent.
    private static func response(_ arrivals: [SymbolStore.Arrival]) -> Response {
        func list(_ outcome: SymbolStore.Arrival.Outcome) -> WrittenJSON {
            .array(
                arrivals.filter { $0.outcome == outcome }.map { arrival in
                    .object([
                        ("id", .string(arrival.id.description)), ("kind", .string(arrival.hasDebugInformation ? "debug" : "symbols")),
                    ])
                })
        }
        let differs = arrivals.contains { $0.outcome == .differs }
        let message = "the store has another file with the same build ID or UUID, and keeps it"
        return .json(
            .object([
                ("added", list(.added)), ("known", list(.known)), ("different", differs ? list(.differs) : nil),
                ("error", differs ? .string(message) : nil),
            ]), status: differs ? 409 : arrivals.contains { $0.outcome == .added } ? 201 : 200)
    }

    /// Why a file could not be kept, without a path of this machine.
    static func refusal(about error: FileError) -> Refusal {
        if error.isDiskFull { return Refusal("the disk of the symbol store is full: nothing was added", status: 507) }
        if error == .tooLarge(error.path) { return Refusal("the file is too large when it is decompressed", status: 413) }
        return Refusal("the symbol store cannot be written: \(error.problem)", status: 500)
    }
}
