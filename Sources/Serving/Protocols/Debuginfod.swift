internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Files by build ID, as debuginfod serves them (debuginfod(8), “WEBAPI”):
///
///     /buildid/8acbacd7de1380048ce59203fe9cdd91/debuginfo
///     /buildid/8acbacd7de1380048ce59203fe9cdd91/executable
///     /buildid/8acbacd7de1380048ce59203fe9cdd91/section/.gdb_index
///     /buildid/8acbacd7de1380048ce59203fe9cdd91/source/usr/src/a%20b.c
///
/// `HEAD` and ranges are served, too, which debuginfod 0.188 refuses and ignores. What it calls an
/// invalid path (503) is absent here, as every other path (404).
enum Debuginfod {
    static let routes = [
        Route(path: "/buildid/", method: "GET", errors: .text, descriptions: descriptions) { (request, service) throws(Refusal) in
            try file(request, service)
        }
    ]

    private static let descriptions = [
        ("debuginfo", "The debug file of a build ID, as debuginfod serves it.", nil), ("executable", "The binary of a build ID.", nil),
        ("section/{name}", "A section of a build’s files.", "name"), ("source/{path}", "A source file of a build.", "path"),
    ].map { rest, summary, last in
        RouteDescription(
            path: "/buildid/{id}/" + rest, summary: summary,
            parameters: [.init(name: "id", schema: #"{"type":"string","pattern":"^([0-9a-f]{2})+$"}"#)]
                + (last.map { [.init(name: $0)] } ?? [])
                + [
                    .init(name: "X-DEBUGINFOD-MAXSIZE", location: .header, schema: #"{"type":"integer","minimum":0}"#),
                    .init(name: "Range", location: .header),
                ],
            results: RouteDescription.file, refusals: [404, 406, 416])
    }

    private static let absent = Refusal("not found", status: 404)

    private static func file(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let parts = request.path.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false).dropFirst(2)
        guard let text = parts.first, let id = buildID(text), let artifact = parts.dropFirst().first else { throw absent }
        let rest = parts.dropFirst(2).first
        let symbols = service.symbolicator.provider.prepared(for: ImageRequest(name: "", id: id))
        let found = zip(symbols.files, symbols.opened).compactMap { match, file -> Found? in
            // A GUID of Breakpad's is no build ID, though it means a file that has one.
            guard let object = file as? ObjectFile, object.description.container == .elf, object.identity == id else { return nil }
            return Found(candidate: match.candidate, object: object)
        }
        switch (artifact, rest) {
        case ("debuginfo", nil):
            guard let file = found.first(where: \.object.hasDebugInformation) else { throw absent }
            return try response(file, nil, request)
        case ("executable", nil):
            guard let file = found.first(where: \.object.holdsCode) else { throw absent }
            return try response(file, nil, request)
        case ("section", let name?):
            guard let name = PercentCoding.decoded(name) else { throw absent }
            for file in found { if let part = bytes(of: name, in: file.object) { return try response(file, part, request) } }
            throw absent
        case ("source", let path?):
            guard let path = PercentCoding.decoded("/" + path) else { throw absent }
            if let file = service.settings.sourceRoots.open(path), isSource(path, of: found.map(\.object)) {
                return try response(file, nil, name: Path.name(of: path), request)
            }
            // Another server has it if its own debug information names it. A path with dots is none of a compiler's.
            guard Path.normalised(path) == path, let copy = service.symbolicator.provider.downloadedSource(of: id, at: path),
                let file = try? MappedFile(path: copy)
            else { throw absent }
            return try response(file, nil, name: Path.name(of: path), request)
        default: throw absent
        }
    }

    /// Whether the debug information of a build names a path. Without this check a client with one build ID could read every file below the roots.
    private static func isSource(_ path: String, of files: [ObjectFile]) -> Bool {
        let path = Path.normalised(path)
        return files.contains { file in
            // A compilation directory may be relative: the request's path then counts from `/`.
            DWARFReader(file)?.sourceFiles().contains { Path.normalised(Path.join("/", $0)) == path } ?? false
        }
    }

    private struct Found {
        var candidate: SymbolFileCandidate
        var object: ObjectFile
    }

    /// Lower-case digits, two for each byte.
    private static func buildID(_ text: Substring) -> ImageID? {
        let isWritten = text.utf8.allSatisfy { hexadecimalValue($0) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
        return isWritten ? ImageID(buildID: text) : nil
    }

    /// Range of a section's bytes in the file, as they are stored: compressed ones with their
    /// header.
    private static func bytes(of name: String, in object: ObjectFile) -> Range<Int>? {
        guard !object.description.sectionsAreSegments, let section = object.section(named: name), section.problem == nil,
            !section.fileRange.isEmpty
        else { return nil }
        guard section.compression != nil else { return section.fileRange }
        // `ZLIB` and the size in 8 bytes; `Elf32_Chdr` and `Elf64_Chdr`.
        let header = section.name.hasPrefix(".z") ? 12 : object.description.addressSize == 8 ? 24 : 12
        return max(0, section.fileRange.lowerBound - header)..<section.fileRange.upperBound
    }

    private static func response(_ found: Found, _ part: Range<Int>?, _ request: Request) throws(Refusal) -> Response {
        var archive: String?
        if case .archive(let path) = found.candidate.origin { archive = path }
        return try response(found.object.file, part, name: Path.name(of: found.candidate.path), archive: archive, request)
    }

    private static func response(
        _ file: MappedFile, _ part: Range<Int>?, name: String, archive: String? = nil, _ request: Request
    ) throws(Refusal) -> Response {
        let size = part?.count ?? file.size
        if let maxSize = request.header("X-DEBUGINFOD-MAXSIZE").flatMap({ Int($0) }), maxSize >= 0, size > maxSize {
            throw Refusal("File too large, max size=\(maxSize)", status: 406)
        }
        var response = Response.file(file, part, for: request)
        response.headers += [("X-DEBUGINFOD-SIZE", "\(size)"), ("X-DEBUGINFOD-FILE", PlainText.line(name))]
        if let archive { response.headers.append(("X-DEBUGINFOD-ARCHIVE", PlainText.line(archive))) }
        return response
    }
}
