internal import BinaryPrimitives
internal import SymbolFiles
internal import Symbolication
internal import Synchronization

/// The symbols of a service, and what one request needs of them.
final class CountedSymbols: ForwardedSymbols {
    let others: any SymbolProvider
    /// The files of each module that was asked for, by its name; none where it has no symbols.
    private let modules = Mutex<[String: [String]]>([:])

    init(_ symbols: any SymbolProvider) { others = symbols }

    var facts: RequestFacts {
        var facts = RequestFacts()
        for (_, files) in modules.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            if files.isEmpty { facts.missing += 1 } else { facts.found += 1 }
            facts.files += files
        }
        facts.files = Array(facts.files.prefix(RequestFacts.maxFiles))
        return facts
    }

    private func counted(_ request: ImageRequest, _ found: ImageSymbols) -> ImageSymbols {
        let key = request.name.isEmpty ? request.id?.hexadecimal ?? "" : request.name
        let files = found.source == nil ? [] : found.files.map { Path.name(of: $0.candidate.path) }
        // One identity may be read in two ways, of which one leads to a file.
        modules.withLock { modules in if modules[key]?.isEmpty ?? true { modules[key] = files } }
        return found
    }

    func symbols(for request: ImageRequest) -> ImageSymbols { counted(request, others.symbols(for: request)) }
    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        counted(request, others.symbols(for: request, evidence: evidence))
    }
}
