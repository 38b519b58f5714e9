internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Symbols of files that are in the memory alone, as the vDSO is, before those of any place.
struct EmbeddedFiles: SymbolProvider {
    private let symbols: [String: ImageSymbols]
    private let others: any SymbolProvider

    /// - Parameter path: the core file's.
    init(_ files: [MappedFile], path: String, _ others: any SymbolProvider) {
        var symbols: [String: ImageSymbols] = [:]
        for file in files {
            guard let object = try? ObjectFiles.openAll(file).first else { continue }
            var own = ImageSymbols(
                source: ObjectSource([object]),
                files: [ImageSymbols.File(candidate: SymbolFileCandidate(path: path, origin: .memory), proof: .identity)])
            own.opened = [object]
            symbols[file.path] = own
        }
        self.symbols = symbols
        self.others = others
    }

    func prepare(for requests: [ImageRequest]) { others.prepare(for: requests.filter { symbols[$0.name] == nil }) }
    func symbols(for request: ImageRequest) -> ImageSymbols { symbols[request.name] ?? others.symbols(for: request) }
    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        symbols[request.name] ?? others.symbols(for: request, evidence: evidence)
    }
    func trail(for request: ImageRequest) -> SearchTrail { others.trail(for: request) }
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { others.trail(for: request, evidence: evidence) }
    func unslidImages(processName: String?) -> [UnslidImage] { others.unslidImages(processName: processName) }
    func provableImages(named names: [String]) -> [UnslidImage] { others.provableImages(named: names) }
    func runningPrograms() -> [UnslidImage] { others.runningPrograms() }
}
