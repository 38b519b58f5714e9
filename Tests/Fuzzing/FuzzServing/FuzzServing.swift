internal import BinaryPrimitives
internal import CrashLogModel
internal import Serving
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Any bytes as a request: `METHOD target`, lines of headers, an empty line, and the body. Whatever
/// it is, there is a response, whose JSON can be read.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var settings = Service.Settings()
    settings.sourceRoots = SourceRoots([folder])
    settings.maxBodyBytes = 1 << 16
    settings.uploadStore = store
    settings.shareFolder = Path.join(store, "shared")
    var limits = Limits()
    limits.responseBytes = 1 << 20
    (limits.sentOutput, limits.uploadedFile, limits.uploadedImages, limits.sharedResults) = (1 << 20, 1 << 20, 10, 10)
    (limits.expandedLog, limits.unpackedArchive, limits.archiveMember, limits.unpackedMemory) = (1 << 20, 1 << 20, 1 << 20, 1 << 20)
    let service = Service(Symbolicator(provider: OddSymbols()), settings: settings, limits: limits)
    let request = request(input)
    let response = service.respond(to: request)
    precondition((200...599).contains(response.status), "a status of \(response.status)")
    precondition(response.headers.allSatisfy { isLine($0.name) && isLine($0.value) }, "a header with a line's end")
    switch response.body {
    case .file(let file, let range):
        precondition(range.lowerBound >= 0 && range.upperBound <= file.size, "bytes that the file does not have")
        // The name of a shared result cannot be guessed.
        precondition(file.path.hasPrefix(folder + "/") || request.path == "/v1/logs", "\(file.path) is no source file")
    case .bytes(let bytes):
        precondition(request.method == "HEAD" || response.header("Content-Length") == "\(bytes.count)", "another length")
        guard response.header("Content-Type") == "application/json", !bytes.isEmpty else { return 0 }
        guard let value = try? JSONParser().parse(bytes.span), value.range == 0..<bytes.count else { preconditionFailure("no JSON") }
        // One frame for each requested frame: the profiler matches them by index.
        if response.status == 200, let stacks = value["results"]?.elements.first?["stacks"], request.path.hasSuffix("v5") {
            let payload = try? JSONParser().parse(request.body.bytes.span)
            let sent = (payload?["jobs"]?.elements.first ?? payload)?["stacks"]
            precondition(stacks.elements.map(\.elements.count) == sent?.elements.map(\.elements.count), "another number of frames")
        }
    }
    return 0
}

/// Store of uploads: a folder that is emptied each time the fuzzer starts.
private let store: String = {
    let path = (environmentVariable("TMPDIR") ?? "/tmp") + "/cairn-fuzz-serving"
    for file in SymbolTree.files(below: path) { FileUse.remove(file) }
    return path
}()

/// Folder of the source files.
private let folder = Path.resolved(Path.directory(of: #filePath)) ?? "/"

private func isLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 } }

private func request(_ input: [UInt8]) -> Request {
    var rest = input[...]
    func next() -> String {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }
    let first = next().split(separator: " ", maxSplits: 1).map(String.init)
    var request = Request(first.first ?? "", first.count > 1 ? first[1] : "/")
    while !rest.isEmpty {
        let line = next()
        guard !line.isEmpty else { break }
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        request.headers.append((parts.first ?? "", String((parts.count > 1 ? parts[1] : "").drop { $0 == " " })))
    }
    request.body = .bytes(Array(rest))
    return request
}

/// Modules whose last digit is odd have symbols, with inlined calls, odd names, and lines or none.
private struct OddSymbols: SymbolProvider {
    func symbols(for request: ImageRequest) -> ImageSymbols {
        guard let id = request.id, let last = id.bytes.last, last & 1 == 1 else {
            return ImageSymbols(source: nil, refusals: [SymbolFileRefusal(path: "/a\n", reason: .logHasNoIdentity)])
        }
        return ImageSymbols(source: Source())
    }

    func unslidImages(processName: String?) -> [UnslidImage] { [] }

    private struct Source: SymbolSource {
        func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
            precondition(zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 }, "the offsets are not ascending")
            return offsets.map { offset in
                guard offset.value % 5 > 0 else { return .unresolved(.noSymbol) }
                let location = SourceLocation(file: #filePath, line: Int(offset.value % 3))
                let inner = SourceFrame(
                    name: "in\"\u{1b}\(offset)", entry: nil, isInlined: true, location: location, origin: .debugInformation)
                let outer = SourceFrame(
                    name: offset.value % 7 > 0 ? "_Z3outv" : "", entry: ImageOffset(offset.value / 2), isInlined: false,
                    location: offset.value % 2 > 0 ? location : nil, origin: .symbolTable)
                return .found(offset.value % 3 > 0 ? [inner, outer] : [outer])
            }
        }
    }
}
