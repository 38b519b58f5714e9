import BinaryPrimitives
import SymbolSources
import Synchronization
import Testing

/// What was looked up once is not looked up again, and the results come in the order of the
/// lookups.
struct CachingSourceTests {
    /// Returns the offset as a name, and records the lookups.
    private final class Counting: SymbolSource {
        let requested = Mutex<[UInt64]>([])

        func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
            requested.withLock { $0 += offsets.map(\.value) }
            return offsets.map {
                $0.value == 7
                    ? .unresolved(.noSymbol)
                    : .found([SourceFrame(name: "f\($0.value)", entry: nil, isInlined: false, location: nil, origin: .symbolTable)])
            }
        }
        func locate(_ places: [ImagePlace]) -> [LocatedPlace] { [] }
        func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { [] }
        func offset(of address: LinkAddress) -> ImageOffset? { nil }
        func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {}
    }

    @Test func `each place is asked once`() {
        let counting = Counting()
        let source = CachingSource(counting)
        let first = [1, 3, 7].map { ImageOffset($0) }
        #expect(source.frames(at: first) == counting.frames(at: first))
        counting.requested.withLock { $0 = [] }
        let second = [1, 2, 3, 7, 9].map { ImageOffset($0) }
        let answers = source.frames(at: second)
        #expect(counting.requested.withLock { $0 } == [2, 9])
        #expect(answers == counting.frames(at: second))
    }
}
