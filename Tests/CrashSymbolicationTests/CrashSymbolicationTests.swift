import CrashSymbolication
import TestSupport
import Testing

/// The library as a program that depends on it sees it: one import.
struct CrashSymbolicationTests {
    private let binary = TestPaths.fixture("binaries/CrashExample/out/CrashExample")
    private let log = TestPaths.fixture("logs/nsexception-console/CrashExample/console.log")

    @Test func `the README's example finds line 94`() throws {
        let lines = try crashSites(in: log, symbols: [binary])
        #expect(lines == ["-[CrashExampleAppDelegate performTransition] at /src/CrashExampleAppDelegate.m:94"])
    }

    /// The line that used the memory, and neither the line that freed it (store.cpp:35) nor the one that
    /// allocated it (28). The sanitizer's own symbolizer wrote symbolized.txt.
    @Test func `the README's example finds where a sanitizer's report is about`() throws {
        let folder = TestPaths.fixture("logs/sanitizer-asan/Sanitizers-clang-address")
        let symbolized = String(decoding: try readFile(folder + "/symbolized.txt"), as: UTF8.self)
        #expect(symbolized.contains(" in store::read(store::Shelf const&, int) /src/store.cpp:17:12\n"))
        let lines = try crashSites(
            in: folder + "/log.txt", symbols: [TestPaths.fixture("binaries/Sanitizers/out/clang-address")])
        #expect(lines == ["store::read(store::Shelf const&, int) at /src/store.cpp:17"])
    }

    @Test(.enabled(if: TestPaths.isReadable(TestPaths.root + "/README.md"), "there is no README yet"))
    func `the README shows the example as it is compiled`() throws {
        try requireExample("README example", of: "ReadmeExample.swift", in: "README.md")
    }

    @Test func `library.md shows the example as it is compiled`() throws {
        try requireExample("library.md example", of: "LibraryExample.swift", in: "Documentation/library.md")
    }

    private func requireExample(_ name: String, of file: String, in document: String) throws {
        let source = String(
            decoding: try readFile(String(#filePath.dropLast("CrashSymbolicationTests.swift".count)) + file), as: UTF8.self)
        let example = source.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "// \(name)" }.dropFirst()
            .prefix { $0 != "// \(name) ends" }.joined(separator: "\n")
        let text = String(decoding: try readFile(TestPaths.root + "/" + document), as: UTF8.self)
        #expect(!example.isEmpty && text.contains(example))
    }

    /// `Fixtures/memory/README.md`: gdb's functions. The log's are those of its marker comments.
    @Test func `one call reads a log and a core file`() throws {
        let memory = TestPaths.root + "/Fixtures/memory/"
        let core = try Symbolicator(symbols: [memory + "counter"]).symbolicate(contentsOf: memory + "counter.core.xz")
        #expect(core.reports.map { $0.threads[0].map { $0.resolved?.functions.last?.name } } == [["price", "total", "sell", "_start"]])
        let found = try Symbolicator(symbols: [binary]).symbolicate(contentsOf: log)
        #expect(found.path == log && found.reports.count == 1)
        #expect(found.renderedText(by: .text) == String(decoding: found.rendered(by: .text), as: UTF8.self))
        #expect(found.renderedText(by: .text).hasPrefix("Process:       CrashExample [41720]\n"))
        #expect(crashRows(in: memory + "counter.core.xz", symbols: [memory + "counter"]) == ["price", "total", "sell", "_start"])
    }

    /// Every way to read a file throws an error of the same kind, and none names a command.
    @Test func `a program can tell why a file is not read`() throws {
        try withTemporaryFolder { folder in
            func file(_ name: String, _ bytes: [UInt8]) throws -> String {
                try writeFile(folder + "/" + name, bytes)
                return folder + "/" + name
            }
            // RFC 1952 and 1951: a header, and a stored block whose two lengths contradict each other.
            let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 20)
            let cases: [(String, LogError.Kind)] = [
                (folder + "/none", .missing), (folder, .unreadable), (try file("empty", []), .empty),
                (try file("text", Array("hello\n".utf8)), .noReport), (binary, .otherFile),
                (try file("damaged.gz", gzip), .damaged),
            ]
            for (path, kind) in cases {
                let errors = [
                    error { _ = try CrashLog(contentsOf: path) }, error { _ = try Symbolicator(symbols: []).symbolicate(contentsOf: path) },
                ]
                #expect(errors.map(\.?.kind) == [kind, kind], "\(path): \(errors)")
                #expect(!errors.contains { $0?.description.contains("cairn ") == true }, "\(errors)")
            }
        }
    }

    private func error(of body: () throws -> Void) -> LogError? {
        do { try body() } catch { return error as? LogError }
        return nil
    }

    @Test func `a log is answered in place, as text, and as JSON`() throws {
        let bytes = try readFile(log)
        let answered = Symbolicator(symbols: [binary]).symbolicate(try CrashLog(bytes), path: "console.log")
        let same = String(decoding: answered.rendered(by: .same, source: bytes), as: UTF8.self)
        #expect(same.contains("    6805,  -[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)\n"))
        #expect(String(decoding: answered.rendered(by: .text), as: UTF8.self).hasPrefix("Process:       CrashExample [41720]\n"))
        #expect(String(decoding: answered.rendered(by: .json), as: UTF8.self).hasPrefix(#"{"schema":1,"log":"console.log","#))
    }

    @Test func `what is no crash log is an error that says what was expected`() {
        #expect(throws: LogError.self) { try CrashLog(Array("hello\n".utf8)) }
        #expect(throws: LogError.self) { try CrashLog([]) }
    }

    /// The library's log and the report of the same crash, compressed: one byte stream.
    @Test func `a log is read from its path, as it is and compressed`() throws {
        let plain = try CrashLog(contentsOf: log)
        #expect(plain.reports.count == 1 && plain.reports[0].format == "nsexception-console")
        try withTemporaryFolder { folder in
            let packed = folder + "/console.log.gz"
            let result = try run("/bin/sh", ["-c", "gzip -c \"$0\" > \"$1\"", log, packed])
            let formats = try CrashLog(contentsOf: packed).reports.map(\.format)
            #expect(result.status == 0 && formats == ["nsexception-console"])
            #expect(throws: LogError.self) { try CrashLog(contentsOf: folder + "/absent.log") }
        }
    }

    /// AddressSanitizer's report has the stacks of the access, of the release and of the
    /// allocation.
    @Test func `the crashed frames are those of the crash alone`() throws {
        let folder = TestPaths.fixture("logs/sanitizer-asan/Sanitizers-clang-address")
        let symbolicator = Symbolicator(symbols: [TestPaths.fixture("binaries/Sanitizers/out/clang-address")])
        let report = try #require(symbolicator.symbolicate(try CrashLog(contentsOf: folder + "/log.txt")).reports.first)
        #expect(report.crashedThread?.crashed == true)
        #expect(report.crashedFrames.count < report.allFrames.count)
        #expect(report.crashedFrames.first?.outcome.functions.first?.location?.line == 17)
    }

    /// A place of one's own: files by a table.
    private struct Table: DebugFileLocator {
        var files: [String: String]
        var location: String { "a table" }
        func expectedPaths(for request: ImageRequest) -> [String] { files[request.name].map { [$0] } ?? [] }
        func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
            files[request.name].map { [SymbolFileCandidate(path: $0, origin: .given)] } ?? []
        }
    }

    @Test func `a place of one's own can be plugged in`() throws {
        let ips = try readFile(TestPaths.fixture("logs/apple-ips/CrashExample-exception/exception.ips"))
        let symbolicator = Symbolicator(symbols: [], locators: [Table(files: ["CrashExample": binary])])
        let report = try #require(symbolicator.symbolicate(try CrashLog(ips)).reports.first)
        #expect(report.exceptionBacktrace.compactMap { $0.resolved?.functions.last?.location?.line } == [94, 60, 47, 9])
    }

    @Test func `one symbolicator serves many tasks at once`() async throws {
        let bytes = try readFile(TestPaths.fixture("logs/apple-ips/CrashExample-exception/exception.ips"))
        let log = try CrashLog(bytes)
        let symbolicator = Symbolicator(symbols: [TestPaths.fixture("binaries/CrashExample")])
        let expected = symbolicator.symbolicate(log).rendered(by: .json)
        let results = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { symbolicator.symbolicate(log).rendered(by: .json) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 16)
        #expect(results.allSatisfy { $0 == expected })
    }
}
