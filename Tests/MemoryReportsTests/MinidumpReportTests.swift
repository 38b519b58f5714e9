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

/// Minidumps of the corpus as reports. Expectations are from the output of minidump-stackwalk beside them,
/// and from the programs' sources.
struct MinidumpReportTests {
    static let folder = TestPaths.corpus.map { $0 + "/memory/minidump/" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    private func report(_ name: String, symbols: Bool = false) throws -> SymbolicatedReport {
        let folder = try #require(Self.folder)
        let provider = SourceProvider(
            SearchLocations(symbols: symbols ? [folder + "symbols"] : []),
            openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
            openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
        let made = try MemoryReader(Symbolicator(provider: provider)).report(.minidump, try MappedFile(path: folder + name), from: nil)
        return made.symbolicator.symbolicate(made.report)
    }

    @Test(.enabled(if: folder != nil, "there is no corpus of dumps")) func `a crash of Linux, with Breakpad's symbols`() throws {
        let found = try report("breakpad-linux_null_read_av.dmp", symbols: true)
        #expect(found.report.cause?.signal == "SIGSEGV" && found.report.cause?.address == RuntimeAddress(0))
        #expect(found.report.process.name == "null_read_av" && found.report.process.pid == 11506)
        let thread = try #require(found.report.threads.first)
        #expect(thread.crashed && thread.frames.prefix(3).map(\.trust) == [.context, .cfi, .cfi])
        #expect(found.threads[0].prefix(3).map { $0.resolved?.functions.last?.name } == ["crash()", "main", "__libc_start_main"])
        #expect(found.threads[0].prefix(2).map { $0.resolved?.functions.last?.location?.line } == [18, 27])
    }

    @Test(
        .enabled(if: folder != nil, "there is no corpus of dumps"),
        arguments: [
            // The exception's first parameter is 1, its second the address (minidumpapiset.h).
            ("breakpad-ascii_write_av.dmp", "EXCEPTION_ACCESS_VIOLATION", 0x4141_4141, "writing"),
            ("breakpad-exec_av_on_stack.dmp", "EXCEPTION_ACCESS_VIOLATION", 0x3d_f944, "executing"),
            ("breakpad-read_av_non_null.dmp", "EXCEPTION_ACCESS_VIOLATION", 0x4_e3c9, "reading"),
            ("lldb-windows-sigsegv.dmp", "EXCEPTION_ACCESS_VIOLATION", 0, "writing"),
        ] as [(String, String, UInt64, String)])
    func `Windows' exceptions have their names and addresses`(name: String, type: String, address: UInt64, access: String) throws {
        let cause = try #require(try report(name).report.cause)
        #expect(cause.type == type && cause.address == RuntimeAddress(address) && cause.message == access)
    }

    @Test(.enabled(if: folder != nil, "there is no corpus of dumps")) func `a Windows module without symbols is named with its debug file`()
        throws
    {
        let found = try report("breakpad-read_av_non_null.dmp")
        let image = try #require(found.images.first { $0.image.name == "crashme.exe" })
        let reason = try #require(image.reason)
        #expect(
            reason.hasPrefix("no symbol file for crashme.exe: cairn reads crashme.pdb (") && reason.hasSuffix("which dump_syms makes of it")
        )
        // The folder is that of Breakpad's stores.
        let id = try #require(image.image.debugIdentifier)
        let explained = Explanation(found, provider: NoSymbols()).images.first { $0.outcome.image.name == "crashme.exe" }
        #expect(explained?.remedies.first?.sentence.contains("crashme.pdb/\(id)/crashme.sym") == true)
    }

    @Test(.enabled(if: folder != nil, "there is no corpus of dumps"))
    func `an uncaught exception of Objective-C, and the program's own name`() throws {
        let found = try report("breakpad-minidump_crashpad_annotation.dmp").report
        #expect(found.cause?.kind == .languageException && found.process.name == "ios_crash_xcuitests")
        #expect(found.threads.contains { $0.crashed })
    }
}
