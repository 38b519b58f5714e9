import BinaryPrimitives
import SymbolFiles
import Synchronization
import Testing

/// Requests to the servers, and the use of their responses.
struct SymbolServersTests {
    /// Replies by the first byte of the build ID, and records the requests.
    private final class Fetcher: FileFetcher {
        private let list = Mutex<[[String]]>([])

        var requested: [[String]] { list.withLock { $0 } }

        func results(for files: [RequestedFile]) -> [DownloadResult] {
            list.withLock { $0.append(files.map(\.line)) }
            return files.map { file in
                switch (file.kind, file.image.id?.bytes[0]) {
                case (.debuginfo, 1): DownloadResult(file, .found(path: "/c/debuginfo", source: "http://a"))
                case (.executable, 2): DownloadResult(file, .found(path: "/c/executable", source: "http://a"))
                case (_, 3): DownloadResult(file, .failed("http://a: HTTP 500"))
                default: DownloadResult(file, .missing("http://a does not have it"))
                }
            }
        }
    }

    private func request(_ name: String, _ bytes: [UInt8]) -> ImageRequest { ImageRequest(name: name, id: ImageID(bytes: bytes)) }

    @Test func `all images are asked for at once, each once`() {
        let fetcher = Fetcher()
        let servers = SymbolServers([SymbolServer(url: "http://a/", layouts: [.debuginfod])], fetcher: fetcher)
        let found = request("a", [1, 1])
        let binary = request("b", [2, 2])
        let broken = request("c", [3, 3])
        let absent = request("d", [4, 4])
        servers.prepare(for: [found, binary, broken, absent, found, ImageRequest(name: "unknown")])
        servers.prepare(for: [found, absent])
        // Binaries only of those without a debug file anywhere; not of one that may have it.
        #expect(
            fetcher.requested == [
                ["debuginfo id=0101", "debuginfo id=0202", "debuginfo id=0303", "debuginfo id=0404"],
                ["executable id=0202", "executable id=0404"],
            ])
        #expect(servers.candidates(for: found).map(\.path) == ["/c/debuginfo"])
        #expect(servers.candidates(for: found).map(\.origin.description) == ["debuginfod"])
        #expect(servers.candidates(for: binary).map(\.path) == ["/c/executable"])
        #expect(servers.candidates(for: broken).isEmpty && servers.candidates(for: absent).isEmpty)
        #expect(servers.expectedPaths(for: found) == ["http://a/buildid/0101/debuginfo"])
        #expect(servers.remarks(for: found) == ["http://a had the debug file"])
        #expect(servers.remarks(for: binary) == ["no debug file: http://a does not have it", "http://a had the binary"])
        #expect(servers.remarks(for: broken) == ["the debug file was not fetched: http://a: HTTP 500"])
        #expect(servers.problems == ["debuginfod: 1 file was not fetched: http://a: HTTP 500"])
    }

    /// Only `prepare` sends requests: an image that it did not get has its debug information
    /// elsewhere.
    @Test func `looking for candidates asks nobody`() {
        let fetcher = Fetcher()
        let servers = SymbolServers([SymbolServer(url: "http://a", layouts: [.debuginfod])], fetcher: fetcher)
        #expect(servers.candidates(for: request("a", [1])).isEmpty)
        #expect(fetcher.requested.isEmpty)
    }

    /// Sixteen bytes are a Mach-O UUID; `--build-id=md5` makes as many, and only the name of a
    /// shared library distinguishes them.
    @Test func `Mach-O files are not asked for`() {
        let fetcher = Fetcher()
        let servers = SymbolServers([SymbolServer(url: "http://a", layouts: [.debuginfod])], fetcher: fetcher)
        let uuid = [UInt8](repeating: 7, count: 16)
        servers.prepare(for: [request("App", uuid), request("libSystem.dylib", uuid)])
        #expect(fetcher.requested.isEmpty)
        #expect(servers.remarks(for: request("App", uuid)).first?.hasPrefix("debuginfod servers have ELF files") == true)
        servers.prepare(for: [request("libfoo.so.1", uuid)])
        #expect(fetcher.requested.first == ["debuginfo id=07070707070707070707070707070707"])
    }
}
