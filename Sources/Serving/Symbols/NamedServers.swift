internal import BinaryPrimitives
internal import SymbolFiles
internal import Symbolication

/// The symbols of a service for one request that names servers of its own: they are asked in place of the operator's. The operator's files
/// count as for other requests.
struct NamedServers: ForwardedSymbols {
    let others: any SymbolProvider
    /// As `SymbolServer.text`.
    let servers: [String]

    private func named(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.servers = servers
        return request
    }

    func prepare(for requests: [ImageRequest]) { others.prepare(for: requests.map(named)) }
    func symbols(for request: ImageRequest) -> ImageSymbols { others.symbols(for: named(request)) }
    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        others.symbols(for: named(request), evidence: evidence)
    }
    func trail(for request: ImageRequest) -> SearchTrail { others.trail(for: named(request)) }
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { others.trail(for: named(request), evidence: evidence) }
}
