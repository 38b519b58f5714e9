internal import BinaryPrimitives
internal import LibC
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Build IDs by the names of files (debuginfod(8), “WEBAPI”, since elfutils 0.192):
///
///     /metadata?key=glob&value=/usr/bin/t*
///
///     {"results":[{"type":"executable","buildid":"8acbacd7…","file":"/usr/bin/tide","archive":"/tide_1.0_amd64.deb"}],"complete":true}
///
/// Names count from the folders that are served, or from the archive that a file is in, so that they say nothing of this machine.
enum DebuginfodMetadata {
    static let routes = [
        Route(path: "/metadata", method: "GET", errors: .text, descriptions: [description]) { (request, service) throws(Refusal) in
            let value = request.parameter("value") ?? ""
            guard !value.isEmpty, value.utf8.count <= maxPattern else { throw Refusal("expected value=PATH", status: 400) }
            let isWanted: @Sendable (String) -> Bool
            switch request.parameter("key") {
            case "file": isWanted = { $0 == value }
            case "glob":
                // Each star may make the search go back.
                guard value.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= maxStars else {
                    throw Refusal("expected at most \(maxStars) stars", status: 400)
                }
                // As in debuginfod, a star means slashes, too (SQLite, “GLOB”).
                isWanted = { unsafe fnmatch(value, $0, 0) == 0 }
            default: throw Refusal("expected key=file or key=glob", status: 400)
            }
            return response(isWanted, service.symbolicator.provider)
        }
    ]

    private static let maxPattern = 1000
    private static let maxStars = 8
    private static let maxResults = 1000

    private static let description = RouteDescription(
        path: "/metadata", summary: "Build IDs by the names of files, as debuginfod has them.",
        parameters: [
            .init(name: "key", location: .query, schema: #"{"type":"string","enum":["file","glob"]}"#, isRequired: true),
            .init(name: "value", location: .query, schema: #"{"type":"string","minLength":1,"maxLength":1000}"#, isRequired: true),
        ],
        results: [200: [.json("DebuginfodMetadata")]], refusals: [400])

    private static func response(_ isWanted: @escaping @Sendable (String) -> Bool, _ provider: any SymbolProvider) -> Response {
        var found = FoundNames(atMost: maxResults, isWanted)
        let images = provider.images(ofNames: &found)
        var results: [WrittenJSON] = []
        for (file, images) in zip(found.files, images) {
            for case let object as ObjectFile in images where object.description.container == .elf {
                guard let id = object.identity else { continue }
                for (isThere, type) in [(object.holdsCode, "executable"), (object.hasDebugInformation, "debuginfo")] where isThere {
                    results.append(
                        .object([
                            ("type", .string(type)), ("buildid", .string(id.hexadecimal)), ("file", .string(file.name)),
                            ("archive", file.archive.map { .string($0) }),
                        ]))
                }
            }
        }
        return .json(.object([("results", .array(results)), ("complete", .boolean(found.isComplete))]))
    }
}
