internal import BinaryPrimitives
internal import SymbolFiles

/// Symbol files that a build sends, kept in a store of symbols as `cairn symbols add` keeps them:
///
///     curl -T libfoo.so.debug -H 'Authorization: Bearer TOKEN' 'http://localhost:5000/v1/symbols?name=libfoo.so.debug'
///
///     {"added":[{"id":"8acbacd7de1380048ce59203fe9cdd91","kind":"debug"}],"known":[]}
///
/// The body is one file, compressed or not, or an archive of files. No file of the store is
/// replaced: the owner of a token cannot change the files of another build. A file that differs from the
/// store's is kept beside it (`SymbolStore.differingFolder`), and the response says where.
enum SymbolUpload {
    static let routes = [
        Route(
            path: "/v1/symbols", method: "PUT", maxBodyBytes: Limits.standard.uploadedFile, needsToken: true, changes: true,
            descriptions: [description]
        ) { (request, service) throws(Refusal) in try response(request, service) }
    ]

    private static let description = RouteDescription(
        path: "/v1/symbols", summary: "Keeps a symbol file, or those of an archive, in the store of this server.",
        parameters: [.init(name: "name", location: .query, schema: #"{"type":"string","maxLength":200,"pattern":"^[^/.][^/]*$"}"#)],
        body: [.bytes("application/octet-stream")],
        results: [200: [.json("Upload")], 201: [.json("Upload")], 409: [.json("Upload")]], refusals: [400, 403, 404, 422, 500, 507])

    private static func response(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        guard let name = request.parameter("name").map({ SymbolIntake.plainName($0) }) ?? "symbols" else {
            throw Refusal("name: expected the file's name, without a directory")
        }
        let body: MappedFile
        do throws(FileError) { body = try request.body.file() } catch { throw Refusal(storing: error) }
        let kept = try intake.keep(body, name: name)
        guard !kept.arrivals.isEmpty else { throw Refusal("no build ID or UUID found: \(SymbolIntake.expected)", status: 422) }
        return response(kept.arrivals)
    }

    /// 409 where the store keeps another file than one of those that were sent.
    private static func response(_ arrivals: [SymbolStore.Arrival]) -> Response {
        func list(_ outcome: SymbolStore.Arrival.Outcome) -> WrittenJSON {
            .array(
                arrivals.filter { $0.outcome == outcome }.map { arrival in
                    .object([
                        ("id", .string(arrival.id.description)), ("kind", .string(arrival.hasDebugInformation ? "debug" : "symbols")),
                        ("file", arrival.differing.map { .string($0) }),
                    ])
                })
        }
        let differs = arrivals.contains { $0.outcome == .differs }
        return .json(
            .object([
                ("added", list(.added)), ("known", list(.known)), ("different", differs ? list(.differs) : nil),
                ("error", differs ? .string(SymbolIntake.differs) : nil),
            ]), status: differs ? 409 : arrivals.contains { $0.outcome == .added } ? 201 : 200)
    }
}
