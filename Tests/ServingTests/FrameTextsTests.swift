import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

@testable import Serving

@Suite struct FrameTextsTests {
    private struct Nothing: SymbolSource {
        func frames(at offsets: [ImageOffset]) -> [SymbolResult] { offsets.map { _ in .unresolved(.noResult) } }
    }

    private func text(_ offsets: [ImageOffset]) -> [[UInt8]] { offsets.map { Array("\($0)".utf8) } }

    @Test func `a text is made once for each source`() {
        let texts = FrameTexts()
        let (first, second) = (ImageSymbols(source: CachingSource(Nothing())), ImageSymbols(source: CachingSource(Nothing())))
        var made: [[UInt64]] = []
        func request(_ symbols: ImageSymbols, _ offsets: [UInt64]) -> [String] {
            texts.texts(of: symbols, at: offsets.map { ImageOffset($0) }) { missing in
                made.append(missing.map(\.value))
                return text(missing)
            }.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(request(first, [3, 1, 3]) == ["0x3", "0x1", "0x3"])
        #expect(request(first, [3, 2, 1]) == ["0x3", "0x2", "0x1"])
        #expect(request(second, [1]) == ["0x1"])
        #expect(request(first, [1, 2, 3]) == ["0x1", "0x2", "0x3"])
        #expect(made == [[1, 3], [2], [1]])
    }

    /// Its file would stay open.
    @Test func `a source is not kept`() {
        let texts = FrameTexts()
        weak var kept: CachingSource?
        do {
            let source = CachingSource(Nothing())
            kept = source
            _ = texts.texts(of: ImageSymbols(source: source), at: [ImageOffset(1)], text)
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }

    /// The number of cached texts is limited for any sequence of requests.
    @Test func `with too many those go that were not requested for longest`() {
        let texts = FrameTexts()
        let symbols = ImageSymbols(source: CachingSource(Nothing()))
        var count = 0
        func request(_ offsets: Range<UInt64>) {
            _ = texts.texts(of: symbols, at: offsets.map { ImageOffset($0) }) { missing in
                count += missing.count
                return text(missing)
            }
        }
        let limit = UInt64(FrameTexts.limit)
        request(0..<limit)
        request(0..<10)
        #expect(count == FrameTexts.limit)
        // One more than there may be: an eighth goes.
        request(limit..<limit + 1)
        request(limit - 10..<limit + 1)
        request(0..<10)
        #expect(count == FrameTexts.limit + 1)
        request(10..<20)
        #expect(count == FrameTexts.limit + 11)
    }

    /// As a server has it: the second response is of texts that are kept.
    @Test func `a response is the same however often it is made`() throws {
        let path = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
        func service(_ isKept: Bool) -> Service {
            var search = SearchLocations(symbols: [path])
            search.usesImagePaths = false
            let provider = SourceProvider(
                search, openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { files in
                    let source = ImageSource.open(files, hiddenNames: BCSymbolMapSearch(symbols: []))
                    return isKept ? CachingSource(source) : source
                })
            return Service(Symbolicator(provider: provider))
        }
        let offsets = (0..<400).map { 0x1000 + $0 * 5 }
        // The build ID's first 16 bytes, whose first numbers are swapped: in the file they are
        // ab8d96dc, c9de and 627a.
        let body =
            #"{"memoryMap":[["cxx-gcc-dwarf5-O2","DC968DABDEC97A62CE64EA0173E42ADB0"]],"stacks":[[\#(offsets.map { "[0,\($0)]" }.joined(separator: ","))]]}"#
        let fresh = service(false).post("/symbolicate/v5", body)
        #expect(fresh.text.contains("\"inlines\":["))
        let kept = service(true)
        for _ in 0..<3 { #expect(kept.post("/symbolicate/v5", body).bytes == fresh.bytes) }
    }
}
