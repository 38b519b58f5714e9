public import BinaryPrimitives
public import ObjectFiles
internal import Synchronization

/// A file with compressed debug information that may be asked once or a thousand times, which is not known before: a log may hold one report or many, and each asks on its own.
///
/// Each question inflates anew what it reads, because what a file's sections hold inflated may be more than a run should keep. Glibc's takes 20 ms so, and a log of two thousand short
/// reports two thirds of a minute. From the `IndexRule.manyQuestions`th question on it is an index that answers, the same and without inflating: made once, and kept for this run only.
public final class OftenAskedSource: SymbolSource {
    private enum State {
        /// The files themselves answer.
        case asked(Int)
        /// They do until the index is made, by the thread that asked for the last time.
        case beingMade
        case made(IndexSource)
        /// They do from now on: there can be no index.
        case refused
    }

    private let files: ObjectSource
    private let state = Mutex(State.asked(0))

    /// - Parameter objects: the files of one image, the one that is indexed first.
    init(_ objects: [ObjectFile]) { files = ObjectSource(objects) }

    /// Whether an index has come to answer.
    var isIndexed: Bool { state.withLock { if case .made = $0 { true } else { false } } }

    public func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] { source().frames(at: offsets) }

    public func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { source().frames(at: addresses) }

    public func locate(_ places: [ImagePlace]) -> [LocatedPlace] { files.locate(places) }

    public func offset(of address: LinkAddress) -> ImageOffset? { files.offset(of: address) }

    public func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { files.forEachFunction(body) }

    /// What answers one more question.
    private func source() -> any SymbolSource {
        let (made, makes): (IndexSource?, Bool) = state.withLock { state in
            switch state {
            case .asked(let count):
                state = count + 1 == IndexRule.manyQuestions ? .beingMade : .asked(count + 1)
                return (nil, count + 1 == IndexRule.manyQuestions)
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
