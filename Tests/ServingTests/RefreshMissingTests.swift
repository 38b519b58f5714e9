import BinaryPrimitives
import ObjectFiles
import Serving
import SymbolFiles
import SymbolSources
import Symbolication
import Synchronization
import TestSupport
import Testing

/// Symbol files that come while the service runs.
struct RefreshMissingTests {
    /// `_GLOBAL__sub_I_main` at 0x1100: `cxx-gcc-dwarf5-O2.expected.tsv`.
    private static let question = #"{"memoryMap":[["cxx","DC968DABDEC97A62CE64EA0173E42ADB0"]],"stacks":[[[0,4352]]]}"#

    private func isFound(_ service: Service) -> Bool {
        service.post("/symbolicate/v5", Self.question).text.contains("_GLOBAL__sub_I_main")
    }

    private func add(_ folder: String) throws {
        try makeFolders(folder)
        _ = try run("cp", [TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2"), folder + "/cxx"])
    }

    /// A folder that was there, and one that was not.
    @Test(arguments: [true, false])
    func `a file that comes later is found after a while`(isThere: Bool) throws {
        try withTemporaryFolder { folder in
            let symbols = folder + "/symbols"
            if isThere { try makeFolders(symbols) }
            let patient = Service.over([symbols]) { $0.refreshInterval = .seconds(3600) }
            let prompt = Service.over([symbols]) { $0.refreshInterval = .zero }
            #expect(!isFound(patient) && !isFound(prompt))
            try add(symbols)
            #expect(!isFound(patient))
            #expect(isFound(prompt))
            // As after an upload.
            patient.symbolicator.provider.refreshMissing()
            #expect(isFound(patient))
        }
    }

    /// Names of modules are strangers': many in one request cause one look.
    @Test func `many missing modules cause one look`() {
        let symbols = CountingSymbols()
        var settings = Service.Settings()
        settings.refreshInterval = .seconds(60)
        let clock = Mutex(ContinuousClock.now)
        settings.now = { clock.withLock { $0 } }
        let service = Service(Symbolicator(provider: symbols), settings: settings)
        func request() {
            let modules = (0..<500).map { "[\"a\($0)\",\"DC968DABDEC97A62CE64EA0173E42ADB0\"]" }.joined(separator: ",")
            let frames = (0..<500).map { "[\($0),4352]" }.joined(separator: ",")
            _ = service.post("/symbolicate/v5", "{\"memoryMap\":[\(modules)],\"stacks\":[[\(frames)]]}")
        }
        for expected in [0, 1, 1] {
            request()
            #expect(symbols.looks.withLock { $0 } == expected)
            if expected == 0 { clock.withLock { $0 += .seconds(60) } }
        }
    }
}

private final class CountingSymbols: SymbolProvider {
    let looks = Mutex(0)

    func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: nil) }
    func unslidImages(processName: String?) -> [UnslidImage] { [] }
    func refreshMissing() { looks.withLock { $0 += 1 } }
}
