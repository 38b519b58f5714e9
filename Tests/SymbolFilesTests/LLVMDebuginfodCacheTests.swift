import BinaryPrimitives
import Testing

@testable import SymbolFiles

struct LLVMDebuginfodCacheTests {
    /// The name that LLVM 19's own test (`debuginfod.test`) gives a file.
    @Test func `a debug file is called by a hash of the server's path`() throws {
        let id = try #require(ImageID(text: "127da749021c1fc1a58cba734a1f542cbe2b7ce4"))
        #expect(LLVMDebuginfodCache(folder: "/cache").expectedPaths(for: id).first == "/cache/llvmcache-1165050469834211050")
    }

    /// xxHash computes short inputs with other functions; a hash of them here would match no file.
    @Test func `a build ID that makes a shorter path than the hash is defined for has no name`() {
        #expect(XXH3.hash(Array("buildid".utf8)) == 0)
        #expect(XXH3.hash([UInt8](repeating: 0, count: 129)) == 0)
    }
}
