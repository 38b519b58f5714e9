import BinaryPrimitives
import CrashLogModel
import Foundation
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import Synchronization
import TestSupport
import Testing

/// Files that are opened for the images that a log lists.
struct SourceProviderTests {
    /// Has the file from the second request on.
    private final class LateServer: FileFetcher {
        let path: String
        let requests = Mutex(0)

        init(path: String) { self.path = path }

        func results(for files: [RequestedFile]) -> [DownloadResult] {
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            return files.map { file in
                guard file.kind == .debuginfo, number > 2 else { return DownloadResult(file, .missing("the server does not have it")) }
                return DownloadResult(file, .found(path: path, source: "http://a"))
            }
        }
    }

    /// As a service asks, whose requests come one after another.
    @Test func `a file that no server had is requested again when files may have come`() throws {
        let path = TestPaths.fixture("binaries/Stripped/out/shapes-linked.debug")
        let request = ImageRequest(name: "libshapes.so", id: try #require(try ObjectFiles.open(path: path).identity))
        let server = LateServer(path: path)
        var locations = SearchLocations()
        locations.usesImagePaths = false
        locations.others = [
            SymbolServers([SymbolServer(url: "http://a", layouts: [.debuginfod])], fetcher: server, remembersMisses: false)
        ]
        let provider = SourceProvider(
            locations, openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { files in ObjectSource(files.compactMap { $0 as? ObjectFile }) })
        // The debug file, then the binary.
        provider.prepare(for: [request])
        #expect(provider.symbols(for: request).source == nil && server.requests.withLock { $0 } == 2)
        // Nobody asks again at once.
        provider.prepare(for: [request])
        #expect(provider.symbols(for: request).source == nil && server.requests.withLock { $0 } == 2)
        provider.refreshMissing()
        // A search that follows at once has nothing new, and nothing of it is kept.
        #expect(provider.symbols(for: request).source == nil)
        provider.prepare(for: [request])
        #expect(provider.symbols(for: request).source != nil && server.requests.withLock { $0 } == 3)
    }

    /// A log of half a megabyte can list thousands of images that differ in their names alone; each
    /// had the file's tables in memory once more.
    @Test func `a file that many images mean is opened and asked once`() throws {
        let path = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
        let id = try #require(try ObjectFiles.open(path: path).identity)
        let opened = Mutex(0)
        let asks = Asks()
        let provider = SourceProvider(
            SearchLocations(symbols: [path]), openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { files in
                opened.withLock { $0 += 1 }
                return CountingSource(source: ObjectSource(files.compactMap { $0 as? ObjectFile }), asks: asks)
            })
        var report = CrashReport(format: "test")
        for number in 0..<10 {
            var image = BinaryImage(name: "image \(number)")
            image.id = id
            report.images.append(image)
            var frame = Frame(index: number, kind: .exact, address: nil, range: 0..<1)
            frame.imageLocation = .offset(ImageOffset(0x840))
            frame.image = number
            report.threads = [ThreadTrace(index: 0, crashed: true, frames: (report.threads.first?.frames ?? []) + [frame])]
        }
        let results = Symbolicator(provider: provider).symbolicate(report).threads[0].map { outcome -> String? in
            guard case .resolved(let result, _) = outcome.result else { return nil }
            return result.functions.last?.name
        }
        #expect(results.count == 10 && results[0] != nil && Set(results).count == 1)
        #expect(opened.withLock { $0 } == 1)
        // Each time anew it would read what it needs: half a megabyte of names took 80 s.
        #expect(asks.count.withLock { $0 } == 1)
    }

    /// A server's folder of many files: `slow` stands for the million others.
    @Test func `while a folder is being read its layouts are searched, and what is missing is searched again`() throws {
        try withTemporaryFolder { folder in
            let known = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
            let id = try #require(try ObjectFiles.open(path: known).identity)
            let place = "\(folder)/.build-id/\(id.hexadecimal.prefix(2))"
            try makeFolders(place)
            try run("cp", [known, "\(place)/\(id.hexadecimal.dropFirst(2)).debug"]).requireSuccess()
            try run("cp", [TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash"), folder + "/anywhere"]).requireSuccess()
            try run("cp", [known, folder + "/slow"]).requireSuccess()
            var locations = SearchLocations(symbols: [folder])
            locations.folderReading = .inBackground(patience: .zero)
            let gate = DispatchSemaphore(value: 0)
            let provider = SourceProvider(
                locations,
                openFile: { path throws(ObjectFileError) in
                    if path.hasSuffix("/slow") { gate.wait() }
                    return try ObjectFiles.openAll(path: path)
                }, openSource: { ObjectSource($0.compactMap { $0 as? ObjectFile }) })
            let missing = ImageRequest(name: "x", id: try ObjectFiles.open(path: folder + "/anywhere").identity)
            for _ in 0..<2 {
                #expect(provider.symbols(for: ImageRequest(name: "x", id: id)).files.map(\.candidate.origin) == [.buildID(root: folder)])
                #expect(provider.symbols(for: missing).refusals.map(\.reason) == [.folderNotReadYet])
                // Files may have come: what is being read is not read from its beginning.
                provider.refreshMissing()
            }
            gate.signal()
            let latest = ContinuousClock.now + .seconds(60)
            while provider.symbols(for: missing).source == nil, .now < latest {
                _ = FileDescriptor.wait(for: [], atMost: .milliseconds(1))
            }
            #expect(provider.symbols(for: missing).files.map(\.candidate.path) == [folder + "/anywhere"])
        }
    }

    private func provider(_ paths: [String], limits: Limits = .standard, _ opened: Counter) -> SourceProvider {
        SourceProvider(
            SearchLocations(symbols: paths), limits: limits,
            openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { files in
                opened.count.withLock { $0 += 1 }
                return ObjectSource(files.compactMap { $0 as? ObjectFile })
            })
    }

    private func request(_ path: String) throws -> ImageRequest {
        ImageRequest(name: Path.name(of: path), id: try ObjectFiles.open(path: path).identity)
    }

    @Test func `what was missing is looked for again, and what is open stays open`() throws {
        let (first, second) = (TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0"), TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0"))
        try withTemporaryFolder { folder in
            _ = try run("cp", [first, folder + "/a"])
            let opened = Counter()
            let provider = provider([folder], opened)
            let (one, other) = (try request(first), try request(second))
            #expect(provider.symbols(for: one).source != nil && provider.symbols(for: other).source == nil)
            _ = try run("cp", [second, folder + "/b"])
            #expect(provider.symbols(for: other).source == nil)
            provider.refreshMissing()
            #expect(provider.symbols(for: one).source != nil && provider.symbols(for: other).source != nil)
            #expect(opened.count.withLock { $0 } == 2)
        }
    }

    private static let (old, new) = (
        TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0"), TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0")
    )

    /// Ways in which a build leaves a program where another one was.
    enum Change: CaseIterable { case renamed, overwritten, removed }

    private func make(_ change: Change, _ path: String) throws {
        switch change {
        case .renamed:
            _ = try run("cp", [Self.new, path + ".new"])
            _ = try run("mv", [path + ".new", path])
        case .overwritten: _ = try run("cp", [Self.new, path])
        case .removed: _ = try run("rm", [path])
        }
    }

    @Test(arguments: Change.allCases) func `a program that is rebuilt is another file, whoever asks`(change: Change) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/app"
            _ = try run("cp", [Self.old, path])
            let provider = provider([path], Counter())
            let (named, known) = (ImageRequest(name: "app"), try request(Self.old))
            func identities(_ symbols: ImageSymbols) -> [ImageID?] { symbols.source == nil ? [] : symbols.opened.map(\.identity) }
            let old = known.id
            #expect(identities(provider.symbols(for: named)) == [old] && identities(provider.symbols(for: known)) == [old])
            #expect(provider.unslidImages(processName: nil).map(\.id) == [old])
            try make(change, path)
            let new = change == .removed ? [] : [try request(Self.new).id]
            #expect(identities(provider.symbols(for: named)) == new && identities(provider.symbols(for: known)) == [])
            #expect(provider.unslidImages(processName: nil).map(\.id) == new)
            // And back again, for the next report.
            provider.prepare(for: [named])
            _ = try run("cp", [Self.old, path])
            provider.prepare(for: [named])
            #expect(identities(provider.symbols(for: named)) == [old])
        }
    }

    @Test func `a file that is not there yet is found once it is`() throws {
        try withTemporaryFolder { folder in
            let provider = provider([folder + "/app"], Counter())
            func isFound(_ request: ImageRequest) -> Bool {
                provider.prepare(for: [request])
                return provider.symbols(for: request).source != nil
            }
            #expect(!isFound(ImageRequest(name: "app")))
            _ = try run("cp", [Self.old, folder + "/app"])
            #expect(isFound(ImageRequest(name: "app")))
            #expect(try isFound(request(Self.old)))
        }
    }

    /// A log that lists no images, of a program whose files are more than may be open.
    @Test func `more files than stay open are listed at once`() throws {
        var limits = Limits()
        limits.openModules = 2
        let paths = ["c-clang-dwarf4-O0", "c-gcc-dwarf4-O0", "c-gcc-dwarf3-O2"].map { TestPaths.fixture("binaries/C/out/" + $0) }
        let provider = provider(paths, limits: limits, Counter())
        #expect(provider.unslidImages(processName: nil).map(\.path) == paths)
        for path in paths { #expect(try provider.symbols(for: request(path)).source != nil) }
    }

    /// A file on a disk that does not answer holds up those alone who need it.
    @Test func `nobody waits for a file that another needs`() throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [Self.old, folder + "/slow"])
            _ = try run("cp", [Self.new, folder + "/fast"])
            let isOpening = Atomic(false)
            let mayGoOn = Atomic(false)
            let isFirst = Atomic(true)
            let provider = SourceProvider(
                SearchLocations(symbols: [folder]),
                openFile: { path throws(ObjectFileError) in
                    if path.hasSuffix("/slow") {
                        isOpening.store(true, ordering: .sequentiallyConsistent)
                        while !mayGoOn.load(ordering: .sequentiallyConsistent) { usleep(1000) }
                    }
                    return try ObjectFiles.openAll(path: path)
                }, openSource: { ObjectSource($0.compactMap { $0 as? ObjectFile }) })
            Parallel.run(onThreads: 2) {
                if isFirst.exchange(false, ordering: .sequentiallyConsistent) {
                    #expect(provider.symbols(for: ImageRequest(name: "slow")).source != nil)
                } else {
                    while !isOpening.load(ordering: .sequentiallyConsistent) { usleep(1000) }
                    #expect(provider.symbols(for: ImageRequest(name: "fast")).source != nil)
                    mayGoOn.store(true, ordering: .sequentiallyConsistent)
                }
            }
        }
    }

    /// Two of three images are open at a time: the first is opened again after the third.
    @Test func `so many images stay open`() throws {
        let paths = ["c-clang-dwarf4-O0", "c-gcc-dwarf4-O0", "c-gcc-dwarf3-O2"].map { TestPaths.fixture("binaries/C/out/" + $0) }
        for (cap, expected) in [(2, 4), (3, 3)] {
            var limits = Limits()
            limits.openModules = cap
            let opened = Counter()
            let provider = provider(paths, limits: limits, opened)
            for path in paths + [paths[0]] {
                let request = try request(path)
                #expect(provider.symbols(for: request).source != nil)
            }
            #expect(opened.count.withLock { $0 } == expected)
        }
    }
}

private final class Counter: Sendable {
    let count = Mutex(0)
}

private final class Asks: Sendable {
    let count = Mutex(0)
}

/// Counts how often frames are looked up in a source.
private struct CountingSource: SymbolSource {
    let source: ObjectSource
    let asks: Asks

    func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        asks.count.withLock { $0 += 1 }
        return source.frames(at: offsets)
    }

    func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        asks.count.withLock { $0 += 1 }
        return source.frames(at: addresses)
    }

    func locate(_ locations: [ImageLocation]) -> [LocateResult] { source.locate(locations) }

    func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }
}
