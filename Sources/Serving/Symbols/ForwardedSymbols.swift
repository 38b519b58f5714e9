internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Symbols that are another provider's, but for the requests that a type answers itself.
protocol ForwardedSymbols: SymbolProvider {
    var others: any SymbolProvider { get }
}

extension ForwardedSymbols {
    func prepare(for requests: [ImageRequest]) { others.prepare(for: requests) }
    func refreshMissing() { others.refreshMissing() }
    func trail(for request: ImageRequest) -> SearchTrail { others.trail(for: request) }
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { others.trail(for: request, evidence: evidence) }
    func unslidImages(processName: String?) -> [UnslidImage] { others.unslidImages(processName: processName) }
    func provableImages(named names: [String]) -> [UnslidImage] { others.provableImages(named: names) }
    func unreadableFiles() -> [String] { others.unreadableFiles() }
    func images(ofNames found: inout FoundNames) -> [[any SymbolFile]] { others.images(ofNames: &found) }
    func downloadedSource(of id: ImageID, at path: String) -> String? { others.downloadedSource(of: id, at: path) }
    func generatedCode(ofProcess process: Int?) -> [UnslidImage] { others.generatedCode(ofProcess: process) }
    func runningPrograms() -> [UnslidImage] { others.runningPrograms() }
}
