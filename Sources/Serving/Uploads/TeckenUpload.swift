internal import BinaryPrimitives
internal import SymbolFiles

/// Uploads as Mozilla's symbol server takes them (tecken.readthedocs.io, “Upload”): a ZIP archive of a symbols tree, in a form.
///
///     curl -H 'Auth-Token: TOKEN' -F symbols.zip=@symbols.zip http://localhost:8080/upload/
///
/// Members are `libfoo.so/20AD60B0B4C68177552708AA192E77390/libfoo.so.sym`, or a list `NAME-symbols.txt`, which is left aside, as is what is not
/// named like a symbol file. `skipped_keys` has the symbol files without an identity, and `different_keys` those of whose identity the store has
/// another file.
enum TeckenUpload {
    static let routes = [
        Route(
            path: "/upload/", method: "POST", maxBodyBytes: Limits.standard.uploadedFile, needsToken: true, changes: true,
            descriptions: [description]
        ) { (request, service) throws(Refusal) in try response(request, service) }
    ]

    private static let description = RouteDescription(
        path: "/upload/", summary: "Keeps the symbol files of a ZIP archive, as Mozilla’s symbol server does.", body: [.form("TeckenForm")],
        results: [201: [.json("TeckenUpload")]], refusals: [400, 403, 404, 422, 500, 507])

    static let schemas = [
        ("TeckenForm", #"{"type":"object","additionalProperties":{"type":"string","contentMediaType":"application/zip"}}"#),
        (
            "TeckenUpload",
            """
            {"type":"object","required":["upload"],
             "properties":{"upload":{"type":"object","required":["size","filename","skipped_keys","different_keys"],
                           "properties":{"size":{"type":"integer"},"filename":{"type":"string"},"try_symbols":{"type":"boolean"},
                                         "download_url":{"type":"null"},"redirect_urls":{"type":"array","maxItems":0},
                                         "skipped_keys":{"type":"array","items":{"type":"string"}},
                                         "different_keys":{"type":"array","items":{"type":"string"}}}}}}
            """
        ),
    ]

    private static func response(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let intake = try SymbolIntake(service)
        guard let file = try UploadForm(request, service.limits).files.first else {
            throw Refusal("Must be multipart form data with at least one file")
        }
        guard file.name.lowercased().hasSuffix(".zip"), let name = SymbolIntake.plainName(file.name) else {
            throw Refusal("Unrecognized archive file extension: expected a file NAME.zip")
        }
        let kept = try intake.keep(file.content, name: name) { members throws(Refusal) in
            if let other = members.first(where: { !isSymbolPath($0) }) {
                throw Refusal(
                    "Unrecognized file pattern. Should only be <module>/<hex>/<file> or <name>-symbols.txt and nothing else. "
                        + "(First unrecognized pattern was \(PlainText.line(other, limit: 200)))")
            }
        }
        guard !kept.arrivals.isEmpty || kept.skipped.allSatisfy({ $0 != name }) else {
            throw Refusal("\(name): not a ZIP archive")
        }
        return .json(
            .object([
                (
                    "upload",
                    .object([
                        ("size", .number(file.content.size)), ("filename", .string(name)), ("try_symbols", .boolean(false)),
                        ("download_url", .null), ("redirect_urls", .array([])),
                        ("skipped_keys", .array(kept.skipped.map { .string(PlainText.line($0)) })),
                        (
                            "different_keys",
                            .array(kept.arrivals.filter { $0.outcome == .differs }.map { .string($0.differing ?? $0.id.description) })
                        ),
                    ])
                )
            ]), status: 201)
    }

    /// `xul.pdb/44E4EC8C2F41492B9369D6B9A059577C2/xul.sym`. Archives leave out files whose ending shows that they hold no symbols, as lists do.
    private static func isSymbolPath(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 1 { return path.lowercased().hasSuffix("-symbols.txt") || path == ".DS_Store" }
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty } && parts[1].utf8.allSatisfy { hexadecimalValue($0) != nil }
    }
}
