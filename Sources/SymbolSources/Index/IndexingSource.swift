package import BinaryPrimitives
package import DWARF
internal import ObjectFiles
internal import Synchronization

/// Source for a file with compressed debug information that may be searched once or a thousand times. The
/// number is not known before: a log may hold one report or many, and each makes its own lookups.
///
/// Each lookup inflates anew what it reads, because the inflated sections of a file may be larger than a run
/// should hold. For glibc this takes 20 ms, so two thirds of a minute for a log of two thousand short reports.
/// From the `IndexRule.manyLookups`th lookup on, an index gives the same results without inflating: it is
/// made once, and used for this run only.
package final class IndexingSource: SymbolSource {
    private enum State {
        /// The files themselves give the results.
        case requested(Int)
        /// They do until the index is made, by the thread whose lookup reached the limit.
        case beingMade
        case made(IndexSource)
        /// They do from now on: there can be no index.
        case refused
    }

    private let files: ObjectSource
    private let state = Mutex(State.requested(0))

    /// - Parameter objects: the files of one image, the one that is indexed first.
    init(_ objects: [ObjectFile]) { files = ObjectSource(objects) }

    /// Whether results come from an index by now.
    var isIndexed: Bool { state.withLock { if case .made = $0 { true } else { false } } }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] { source().frames(at: offsets) }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { source().frames(at: addresses) }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        source().frames(at: addresses, collecting: calls)
    }

    package var recordedCallSites: (any RecordedCallSites)? {
        state.withLock { if case .made(let source) = $0 { source.recordedCallSites } else { nil } }
    }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] { files.locate(locations) }

    package func offset(of address: LinkAddress) -> ImageOffset? { files.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { files.forEachFunction(body) }

    /// The source that resolves one more lookup.
    private func source() -> any SymbolSource {
        let (made, makes): (IndexSource?, Bool) = state.withLock { state in
            switch state {
            case .requested(let count):
                state = count + 1 == IndexRule.manyLookups ? .beingMade : .requested(count + 1)
                return (nil, count + 1 == IndexRule.manyLookups)
            case .beingMade, .refused: return (nil, false)
            case .made(let source): return (source, false)
            }
        }
        if let made { return made }
        guard makes else { return files }
        guard let first = files.objects.first, let index = try? IndexWriter.make(first) else {
            state.withLock { $0 = .refused }
            return files
        }
        let source = IndexSource(index, files.objects)
        state.withLock { $0 = .made(source) }
        return source
    }
}
