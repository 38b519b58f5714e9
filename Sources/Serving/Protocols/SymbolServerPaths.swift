internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Symbol files by the paths of symbol servers, so that debuggers and other servers may use this
/// one: SSQP's keys (dotnet/symstore, “SSQP Key Conventions”), and Breakpad's.
///
///     /symbols/libfoo.so/elf-buildid-ab8d96dc…/libfoo.so        the binary
///     /symbols/_.debug/elf-buildid-sym-ab8d96dc…/_.debug        its debug file
///     /symbols/app/mach-uuid-4c4c44395555…/app                  the same of Mach-O
///     /symbols/_.dwarf/mach-uuid-sym-4c4c44395555…/_.dwarf
///     /symbols/libfoo.so/DC968DABDEC97A62CE64EA0173E42ADB0/libfoo.so.sym
///
///     /symbols/tide.dll/5B2D3C0C6f5b000/tide.dll                timestamp and size of a PE image
///     /symbols/tide.dll/5B2D3C0C6f5b000/tide.sym                leads to the Breakpad file by its debug ID (302)
///
/// A folder of the name's first two letters may be in front (symstore's `index2.txt`). Symbolicator
/// has the same below `/proxy`, and Mozilla's symbol server without a folder, and below `/try` for builds
/// that were not released. PDB files are absent: they are not read here, so that none could be
/// proven to be the one that is wanted. So are compressed files (`tide.dl_`) and files that lead elsewhere
/// (`file.ptr`), for which Windows' debuggers ask after the plain file.
///
/// The names in a path are never used as a path of this machine: its identity is looked for like
/// the identity of a log's image.
enum SymbolServerPaths {
    static let routes = [
        route("/symbols/", below: "/symbols/"), route("/proxy/", below: "/proxy/"), route("/try/", below: "/try/"),
        route("/{name}/{key}/{file}", below: "/"),
    ]

    private static func route(_ path: String, below prefix: String) -> Route {
        let forms = path == prefix ? descriptions(prefix) : Array(descriptions(prefix).prefix(1))
        return Route(path: path, method: "GET", errors: .text, descriptions: forms) { (request, service) throws(Refusal) in
            let parts = request.path.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard let wanted = SymbolServerKey(parts.map { String($0) ?? "" }) else { throw Refusal("not found", status: 404) }
            if case .breakpadByCode(let name, let code) = wanted {
                guard let path = pathByDebugID(name, code, service.symbolicator.provider) else { throw Refusal("not found", status: 404) }
                return Response(302, headers: [("Location", prefix + path)])
            }
            guard let file = file(wanted, service.symbolicator.provider) else { throw Refusal("not found", status: 404) }
            return .file(file.file, file.bytes, for: request)
        }
    }

    private static func descriptions(_ prefix: String) -> [RouteDescription] {
        [["name", "key", "file"], ["folder", "name", "key", "file"]].map { parts in
            RouteDescription(
                path: prefix + parts.map { "{\($0)}" }.joined(separator: "/"), summary: "A symbol file by its path in a symbol server.",
                parameters: parts.map { .init(name: $0) } + [.init(name: "Range", location: .header)], results: RouteDescription.file,
                refusals: [404, 416])
        }
    }

    /// The path of a symbol file by its debug ID.
    private static func pathByDebugID(_ name: String, _ code: String, _ provider: any SymbolProvider) -> String? {
        var request = ImageRequest(name: name)
        request.codeIdentifier = code
        let files = provider.prepared(for: request).opened.lazy.compactMap { $0 as? BreakpadFile }
        guard let module = files.first(where: { $0.codeIdentifier == code })?.module else { return nil }
        let stem = module.name.lowercased().hasSuffix(".pdb") ? String(module.name.dropLast(4)) : module.name
        return [module.name, module.debugID, stem + ".sym"].map { PercentCoding.encoded($0) }.joined(separator: "/")
    }

    private typealias Found = (file: MappedFile, bytes: Range<Int>?)

    private static func file(_ wanted: SymbolServerKey, _ provider: any SymbolProvider) -> Found? {
        switch wanted {
        case .breakpadByCode: return nil
        case .object(let kind, let name, let id):
            // By its identity alone where a Breakpad file, which has the name, ends the search.
            for name in [name, ""] {
                let objects = provider.prepared(for: ImageRequest(name: name, id: id)).opened.compactMap { $0 as? ObjectFile }
                let found = objects.first { object in
                    object.identity == id && object.description.container == kind.container
                        && !object.description.isInSharedCache && (kind.isDebugFile ? object.hasDebugInformation : object.holdsCode)
                }
                if let found { return (found.file, found.slice) }
            }
            return nil
        case .windows(let name, let code):
            var request = ImageRequest(name: name)
            request.codeIdentifier = code
            let objects = provider.symbols(for: request).opened.compactMap { $0 as? ObjectFile }
            return objects.first { $0.codeIdentifier == code }.map { ($0.file, nil) }
        case .breakpad(let module):
            let requests = module.requests.map(\.request)
            func first(_ files: [any SymbolFile]) -> Found? { files.lazy.compactMap { $0 as? BreakpadFile }.first.map { ($0.file, nil) } }
            for request in module.requests.map(\.withoutWaiting.request) + requests {
                if let found = first(provider.symbols(for: request).opened) { return found }
            }
            // The provider opens no more files where the binary has everything that frames need.
            for file in requests.flatMap({ provider.trail(for: $0).locations }).flatMap(\.files) where file.verdict.isProven {
                if let found = first((try? SymbolFileReader.openAll(path: file.path)) ?? []) { return found }
            }
            return nil
        }
    }
}

/// Meaning of a path of a symbol server.
enum SymbolServerKey {
    case object(Kind, name: String, ImageID)
    case breakpad(ModuleKey)
    /// A PE image's timestamp in eight digits, and its size, as `CodeIdentifier` writes them.
    case windows(name: String, String)
    /// A Breakpad file by the name, the timestamp and the size of the PE image: it leads to the path by its debug ID.
    case breakpadByCode(name: String, String)

    struct Kind: Hashable {
        var container: ObjectFile.Container
        var isDebugFile: Bool
    }

    /// - Parameter parts: `["libfoo.so", "elf-buildid-ab8d…", "libfoo.so"]`, perhaps with `li` in
    ///   front, as they were sent.
    init?(_ parts: [String]) {
        var parts = parts.compactMap { PercentCoding.decoded($0) }[...]
        if parts.count == 4, let folder = parts.popFirst() {
            guard let name = parts.first, name.lowercased().prefix(2) == folder.lowercased() else { return nil }
        }
        guard parts.count == 3, let name = parts.popFirst(), let key = parts.popFirst(), let file = parts.popFirst() else { return nil }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name != ".", name != ".." else { return nil }
        let lower = key.lowercased()
        for (prefix, kind) in Self.kinds where lower.hasPrefix(prefix) {
            let digits = lower.dropFirst(prefix.utf8.count)
            let found = kind.container == .elf ? ImageID(buildID: digits) : ImageID(text: digits)
            guard file.lowercased() == name.lowercased(), let id = found else { return nil }
            if kind.container == .machO, id.uuid == nil { return nil }
            self = .object(kind, name: name, id)
            return
        }
        if file.lowercased() == name.lowercased() {
            guard let code = CodeIdentifier.read(key) else { return nil }
            self = .windows(name: name, code)
            return
        }
        // `tide.dll/5B2D3C0C6f5b000/tide.sym`, as Mozilla's symbol server has it.
        if let code = CodeIdentifier.read(key), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), file == name[..<dot] + ".sym" {
            self = .breakpadByCode(name: name, code)
            return
        }
        let stem = name.lowercased().hasSuffix(".pdb") ? String(name.dropLast(4)) : name
        let module = ModuleKey(debugName: name, debugID: key)
        guard file == stem + ".sym", module.hasValidName, module.hasValidID, !module.requests.isEmpty else { return nil }
        self = .breakpad(module)
    }

    private static let kinds: [(String, Kind)] = [
        ("elf-buildid-sym-", Kind(container: .elf, isDebugFile: true)), ("elf-buildid-", Kind(container: .elf, isDebugFile: false)),
        ("mach-uuid-sym-", Kind(container: .machO, isDebugFile: true)), ("mach-uuid-", Kind(container: .machO, isDebugFile: false)),
    ]
}

extension SearchTrail.Verdict {
    /// Its identity is the one that was looked for.
    fileprivate var isProven: Bool { if case .fits(.identity, _) = self { true } else { false } }
}
