import BinaryPrimitives
import TestSupport
import Testing

/// No committed fixture shows where it was built: neither binaries nor logs hold a path of the
/// machine.
struct NeutralPathTests {
    /// The folders that a build on this machine would leave: the package and what it is in, the
    /// user's own, the toolchain's. On another machine than the one that built the fixtures this
    /// finds nothing by luck; the script that builds them looks for the same there.
    private static let folders: [String] = {
        let package = TestPaths.root
        let parent = "/" + package.split(separator: "/").dropLast().joined(separator: "/")
        let candidates = [package, TestPaths.environment("HOME") ?? "", parent, Toolchain.folder ?? ""]
        // A root folder of one part (`/usr`) is every machine's.
        return candidates.filter {
            $0.split(separator: "/").count > 1 || ($0.hasPrefix("/") && $0 == TestPaths.environment("HOME") && $0.count > 1)
        }
    }()

    @Test func `committed binaries and logs hold no path of the building machine`() throws {
        let files = try run("find", [TestPaths.fixture(""), "-type", "f", "-path", "*/out/*", "-o", "-type", "f", "-path", "*/logs/*"])
            .lines
        #expect(files.count > 100, "the fixtures are not where they are expected")
        for file in files {
            let bytes = try MappedFile(path: file).withBytes { $0.array() }
            for folder in Self.folders {
                #expect(!bytes.contains(folder), "\(file) holds \(folder)")
            }
        }
    }

    @Test func `the search finds a path where there is one`() throws {
        #expect(Array("abc/srv/buildhouse/x".utf8).contains("/srv/buildhouse"))
        #expect(!Array("abc/srv/buildhous".utf8).contains("/srv/buildhouse"))
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { self[$0] == first && self[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}

extension RawSpan {
    fileprivate func array() -> [UInt8] { (0..<byteCount).map { byte(at: $0) } }
}
