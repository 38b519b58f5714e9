internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Symbols of files that the memory itself identifies; they take precedence over all others: files that are
/// only in memory, as the vDSO is, and files that begin with the same bytes as an image without an identity.
struct KnownFiles: SymbolProvider {
    private var symbols: [Key: ImageSymbols] = [:]
    private let others: any SymbolProvider

    private struct Key: Hashable {
        var name: String
        var path: String?

        init(_ request: ImageRequest) { (name, path) = (request.name, request.path) }
        init(_ image: BinaryImage) { (name, path) = (image.name, image.path) }
    }

    init(_ others: any SymbolProvider) { self.others = others }

    /// - Parameter path: the core file's.
    mutating func add(embedded file: MappedFile, of path: String, as image: BinaryImage) {
        guard let object = try? ObjectFiles.openAll(file).first else { return }
        var own = ImageSymbols(
            source: ObjectSource([object]),
            files: [ImageSymbols.File(candidate: SymbolFileCandidate(path: path, origin: .memory), proof: .identity)])
        own.opened = [object]
        symbols[Key(image)] = own
    }

    /// - Parameter path: the core file's.
    mutating func add(generated objects: [ObjectFile], of path: String, as image: BinaryImage) {
        var own = ImageSymbols(
            source: RegisteredCodeSource(objects),
            files: [ImageSymbols.File(candidate: SymbolFileCandidate(path: path, origin: .memory), proof: .identity)])
        own.opened = objects
        symbols[Key(image)] = own
    }

    /// For example `gdb PROGRAM CORE` of a program without a build ID that has another name now.
    mutating func add(_ found: UnslidImage, as image: BinaryImage) {
        var own = found.symbols
        own.files = own.files.map { ImageSymbols.File(candidate: $0.candidate, proof: .memory) }
        symbols[Key(image)] = own
    }

    func prepare(for requests: [ImageRequest]) { others.prepare(for: requests.filter { symbols[Key($0)] == nil }) }
    func symbols(for request: ImageRequest) -> ImageSymbols { symbols[Key(request)] ?? others.symbols(for: request) }
    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        symbols[Key(request)] ?? others.symbols(for: request, evidence: evidence)
    }
    func trail(for request: ImageRequest) -> SearchTrail { others.trail(for: request) }
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { others.trail(for: request, evidence: evidence) }
    /// The mapping of each image is known: no other file has code at an address because it was linked there.
    /// The sizes of files that the user named are not the process's.
    func unslidImages(processName: String?) -> [UnslidImage] { processName == nil ? others.unslidImages(processName: nil) : [] }
    func provableImages(named names: [String]) -> [UnslidImage] { others.provableImages(named: names) }
    func generatedCode(ofProcess process: Int?) -> [UnslidImage] { others.generatedCode(ofProcess: process) }
    func runningPrograms() -> [UnslidImage] { others.runningPrograms() }
}

extension KnownFiles {
    /// - Parameters:
    ///   - report: its images are those of the memory, in any order.
    ///   - path: the core file's.
    init(_ image: MemoryImage, _ report: CrashReport, path: String, _ others: any SymbolProvider) {
        self.init(others)
        for (base, file) in image.embedded {
            if let own = report.images.first(where: { $0.base?.value == base }) { add(embedded: file, of: path, as: own) }
        }
        if let own = report.images.first(where: { $0.name == MemoryImage.generatedName }) {
            add(generated: image.generated, of: path, as: own)
        }
        let nameless = report.images.filter { $0.id == nil && $0.path != nil }
        guard !nameless.isEmpty else { return }
        let candidates = others.provableImages(named: nameless.prefix(Self.maxNames).map(\.name))
        guard !candidates.isEmpty else { return }
        for own in nameless {
            guard let file = image.files.first(where: { $0.base == own.base?.value }) else { continue }
            let fitting = candidates.filter { candidate in
                candidate.symbols.opened.contains {
                    ($0 as? ObjectFile).map { image.holdsBeginning(of: $0, at: file) ?? image.isProgram($0, at: file) } ?? false
                }
            }
            // A copy may be stripped.
            let best = fitting.first { $0.symbols.opened.contains(where: \.hasDebugInformation) } ?? fitting.first
            if let best { add(best, as: own) }
        }
    }

    private static let maxNames = 32
}
