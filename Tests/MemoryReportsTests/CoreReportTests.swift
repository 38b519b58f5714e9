import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import MemoryReports
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// Cores of the corpus as reports: programs that are found without a build ID, and causes.
struct CoreReportTests {
    static let folder = TestPaths.corpus.map { $0 + "/memory/core/" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    private func report(_ core: String, symbols: [String] = []) throws -> SymbolicatedReport {
        let folder = try #require(Self.folder)
        return try withTemporaryFolder { own in
            var path = folder + core
            if core.hasSuffix(".xz") {
                try run("sh", ["-c", "xz -dc '\(path)' > '\(own)/core'"]).requireSuccess()
                path = own + "/core"
            }
            let provider = SourceProvider(
                SearchLocations(symbols: symbols.map { $0.hasPrefix("/") ? $0 : folder + $0 }),
                openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
            let made = try MemoryReader(Symbolicator(provider: provider)).report(.core, try MappedFile(path: path), from: nil)
            return made.symbolicator.symbolicate(made.report)
        }
    }

    /// LLDB's own test (`TestLinuxCore.py`) states bar, foo and _start, and their lines.
    @Test(.enabled(if: folder != nil, "there is no corpus of cores"), arguments: ["x86_64", "i386"])
    func `a program of LLDB's tests is found by its build ID`(machine: String) throws {
        let found = try report("lldb-linux-\(machine).core", symbols: ["lldb-linux-\(machine).out"])
        #expect(found.threads[0].map { $0.resolved?.functions.last?.name } == ["bar", "foo", "_start"])
        #expect(found.threads[0].map { $0.resolved?.functions.last?.location?.line } == [4, 10, 16])
        #expect(found.report.cause?.signal == "SIGSEGV" && found.report.cause?.signalCode == "SEGV_MAPERR")
    }

    /// The file has no build ID and another name; its first page is in the core.
    @Test(.enabled(if: folder != nil, "there is no corpus of cores")) func `a program without a build ID is known by its first page`()
        throws
    {
        let found = try report("lldb-noreturn-module-end.core", symbols: ["lldb-noreturn-module-end.out"])
        #expect(found.threads[0].map { $0.resolved?.functions.last?.name } == ["func2", "func1", "_start"])
        #expect(found.images.flatMap(\.files).map(\.proof) == [.memory])
        let other = try report("lldb-noreturn-module-end.core", symbols: ["lldb-linux-i386.out"])
        #expect(other.threads[0].allSatisfy { $0.resolved == nil })
    }

    /// LLDB's own test (`TestNetBSDCore.py`) states the process 693, its thread 1, SIGSEGV, and
    /// bar, foo and main.
    @Test(.enabled(if: folder != nil, "there is no corpus of cores")) func `a core of NetBSD has its thread and its signal`() throws {
        let found = try report("lldb-netbsd-1lwp_SIGSEGV.amd64.core", symbols: ["lldb-netbsd-1lwp_SIGSEGV.amd64"])
        #expect(found.report.platform == "NetBSD" && found.report.process.pid == 693 && found.report.cause?.signal == "SIGSEGV")
        #expect(found.report.threads.map(\.systemID) == [1] && found.report.threads.map(\.crashed) == [true])
        #expect(found.threads[0].prefix(3).map { $0.resolved?.functions.last?.name } == ["bar", "foo", "main"])
        // Another program does not begin where this one did.
        let other = try report("lldb-netbsd-1lwp_SIGSEGV.amd64.core", symbols: ["lldb-linux-x86_64.out"])
        #expect(other.threads[0].allSatisfy { $0.resolved == nil })
    }

    /// NetBSD's core lists no files, and `bar` is at 0x200ad0. A program that is linked around that
    /// address is another one.
    @Test(.enabled(if: folder != nil, "there is no corpus of cores")) func `code at an address of another program is none`() throws {
        try withTemporaryFolder { own in
            try writeFile(own + "/a.c", Array("void _start(void) { __asm__(\".skip 8192, 0x90\"); }\n".utf8))
            try Toolchain.run(
                "clang", ["-nostdlib", "-static", "-no-pie", "-Wl,-Ttext-segment=0x200000", "a.c", "-o", "other"], directory: own
            ).requireSuccess()
            let code = try #require(try ObjectFiles.open(path: own + "/other").description.sections.first { $0.name == ".text" })
            #expect((code.address.value..<code.address.value + code.size).contains(0x200ad0))
            let found = try report("lldb-netbsd-1lwp_SIGSEGV.amd64.core", symbols: [own + "/other"])
            #expect(found.report.threads[0].frames.first?.address == RuntimeAddress(0x200ad0))
            #expect(found.threads[0].allSatisfy { $0.resolved == nil })
        }
    }

    /// A process that `gcore` looked at goes on: SIGSTOP is no crash.
    @Test(.enabled(if: folder != nil, "there is no corpus of cores")) func `a process that a debugger stopped has not crashed`() throws {
        let found = try report("lldb-gcore-linux-x86_64.core")
        #expect(found.report.cause == nil && found.report.threads.allSatisfy { !$0.crashed })
        #expect(!found.report.threads.isEmpty)
    }
}
