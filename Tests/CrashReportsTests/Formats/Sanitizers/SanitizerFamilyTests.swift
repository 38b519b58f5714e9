import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Foundation
import TestSupport
import Testing

/// Contents of the other sanitizers' reports. The texts are those of gcc 12's and clang 21's
/// runtimes, shortened.
struct SanitizerFamilyTests {
    @Test func `ThreadSanitizer`() throws {
        let report = try SampleLog(
            """
            ==================
            WARNING: ThreadSanitizer: data race (pid=9292)
              Read of size 4 at 0x7b0400000000 by thread T1:
                #0 <null> <null> (race+0x1233)
                #1 <null> <null> (race+0x128d)

              Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):
                #0 <null> <null> (race+0x1240)

              Mutex M9 (0x5555555580c0) created at:
                #0 <null> <null> (libtsan.so.2+0x50468)

              Thread T1 (tid=9294, running) created by main thread at:
                #0 <null> <null> (libtsan.so.2+0x5e686)

            SUMMARY: ThreadSanitizer: data race (/src/race+0x1233)\u{20}
            ==================
            """
        ).report()
        #expect(report.format == "sanitizer-tsan" && report.process.pid == 9292 && report.threads[0].index == 1)
        #expect(report.cause?.type == "data race" && report.cause?.address == RuntimeAddress(0x7b04_0000_0000))
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):", "Mutex M9 (0x5555555580c0) created at:",
                "Thread T1 (tid=9294, running) created by main thread at:",
            ])
        #expect(report.images.map(\.name) == ["race", "libtsan.so.2"])
        #expect(report.allFrames.allSatisfy { $0.address == nil && $0.kind == .exact && $0.image != nil })
        #expect(report.threads[0].frames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x1233)), .linkAddress(LinkAddress(0x128d))])
    }

    @Test func `LeakSanitizer's blocks are nobody's thread`() throws {
        let report = try SampleLog(
            """
            ==9345==ERROR: LeakSanitizer: detected memory leaks

            Direct leak of 8 byte(s) in 1 object(s) allocated from:
                #0 0x7ffff7813545  (/lib/liblsan.so.0+0x13545)

            Indirect leak of 16 byte(s) in 2 object(s) allocated from:
                #0 0x7ffff7813545  (/lib/liblsan.so.0+0x13545)
                #1 0x555555555146  (/src/leak+0x1146)

            SUMMARY: AddressSanitizer: 24 byte(s) leaked in 3 allocation(s).
            """
        ).report()
        #expect(report.format == "sanitizer-lsan" && report.threads.isEmpty)
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Direct leak of 8 byte(s) in 1 object(s) allocated from:", "Indirect leak of 16 byte(s) in 2 object(s) allocated from:",
            ])
        #expect(report.cause?.type == "detected memory leaks" && report.cause?.message == "24 byte(s) leaked in 3 allocation(s).")
    }

    @Test func `MemorySanitizer's origins`() throws {
        let report = try SampleLog(
            """
            ==9354==WARNING: MemorySanitizer: use-of-uninitialized-value
                #0 0x55555562e50d  (/src/msan+0xda50d)

              Uninitialized value was stored to memory at
                #0 0x55555562e510  (/src/msan+0xda510)

              Uninitialized value was created by a heap allocation
                #0 0x55555562d659  (/src/msan+0xd9659)
                #1 0x55555562e515  (/src/msan+0xda515)

            SUMMARY: MemorySanitizer: use-of-uninitialized-value (/src/msan+0xda50d)\u{20}
            Exiting
            """
        ).report()
        #expect(report.format == "sanitizer-msan" && report.cause?.type == "use-of-uninitialized-value" && report.threads.count == 1)
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Uninitialized value was stored to memory at", "Uninitialized value was created by a heap allocation",
            ])
    }

    @Test func `undefined behaviour with a stack and without`() throws {
        let reports = SampleLog(
            """
            ub.cpp:3:62: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'
                #0 0x555555555175  (/src/ub+0x1175)
                #1 0x555555555189  (/src/ub+0x1189)

            ub.cpp:4:90: runtime error: shift exponent 33 is too large for 32-bit type 'int'
            printed by the program
            a.cc:39:3: runtime error: member call on address 0x15577a7fc900 which does not point to an object of type 'A'
            0x15577a7fc900: note: object is of type 'B'
             00 00 00 00  38 f7 74 89 0e 7f 00 00  5c 9b 8c 07
                          ^~~~~~~~~~~~~~~~~~~~~~~
                          vptr for 'B'
                #0 0x555555555199  (/src/ub+0x1199)
            SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.cc:39:3 in
            """
        ).parsed().reports
        #expect(reports.map(\.format) == ["sanitizer-ubsan", "sanitizer-ubsan", "sanitizer-ubsan"])
        #expect(reports.map(\.allFrames.count) == [2, 0, 1])
        #expect(reports.allSatisfy { $0.cause?.type == "undefined-behavior" })
        #expect(reports[1].cause?.message == "ub.cpp:4:90: shift exponent 33 is too large for 32-bit type 'int'")
    }

    @Test(
        arguments: [
            "panic: runtime error: index out of range [5] with length 3", "goroutine 1: runtime error: x",
            "runtime error: file a.xsl line 3 element b",
            "Fortran runtime error: End of file", "At line 5: runtime error: x",
        ]) func `other runtime errors`(line: String)
    {
        #expect(!SampleLog(line + "\n").parsed().reports.contains { $0.format == "sanitizer-ubsan" })
    }

    @Test func `HWAddressSanitizer`() throws {
        let report = try SampleLog(
            """
            ==26506==ERROR: HWAddressSanitizer: tag-mismatch on address 0x005a5f652fff at pc 0x00635f670774
            READ of size 1 at 0x005a5f652fff tags: 3a/41 (ptr/mem) in thread T3
                #0 0x635f670774  (/system/bin/fuzzer+0x10774)

            Cause: use-after-free
            0x005a5f652fff is located 4 bytes inside a 40-byte region [0x005a5f652000,0x005a5f653000)
            freed by thread T0 here:
                #0 0x635f670000  (/system/bin/fuzzer+0x10000)

            Memory tags around the buggy address (one tag corresponds to 16 bytes):
              0x6805fffff800: 00  00  00
            =>0x680600000000:[89] 89  89
            Registers where the failure occurred (pc 0x00635f670774):
                x0  3a00005a5f652fff  x1  0000000000000001
            SUMMARY: HWAddressSanitizer: tag-mismatch (/system/bin/fuzzer+0x10774)\u{20}
            """
        ).report()
        #expect(report.format == "sanitizer-hwasan" && report.cause?.type == "use-after-free" && report.threads[0].index == 3)
        #expect(report.additionalBacktraces.map(\.name) == ["freed by thread T0 here:"])
        #expect(report.threads[0].registers?.values.map(\.value) == [0x3a00_005a_5f65_2fff, 1])
    }

    @Test func `libFuzzer's heading is no prefix of valgrind's`() throws {
        let report = try SampleLog(
            """
            ==9356== ERROR: libFuzzer: deadly signal
                #0 0x5555555c4774  (/src/fuzz+0x70774)
                #1 0x555555598848  (/src/fuzz+0x44848)

            NOTE: libFuzzer has rudimentary signal handlers.
                  Combine libFuzzer with AddressSanitizer or similar for better crash reports.
            SUMMARY: libFuzzer: deadly signal
            """
        ).report()
        #expect(report.format == "sanitizer-libfuzzer" && report.process.pid == 9356 && report.cause?.type == "deadly signal")
        #expect(report.allFrames.count == 2)
    }

    @Test func `GWP-ASan's rows are raw`() throws {
        let report = try SampleLog(
            """
            *** GWP-ASan detected a memory error ***
            Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:
              #9 ./a.out(_ZSt3foo+0x45) [0x55585c0afa55]
              #10 ./a.out(+0x9f) [0x55585c0af7cf]
              #11 0x55585c0af7d0

            0x7feccab26000 was deallocated by thread 31027 here:
              #7 ./a.out(main+0x83) [0x55585c0af7b3]

            *** End GWP-ASan report ***
            """
        ).report()
        #expect(report.format == "sanitizer-gwp-asan" && report.cause?.type == "Use after free" && report.threads[0].index == 31027)
        #expect(report.allFrames.allSatisfy { $0.kind == .returnAddress })
        #expect(report.allFrames[0].imageLocation == .symbol(SymbolLocation(name: "_ZSt3foo", offset: 0x45)))
        #expect(
            report.allFrames[1].imageLocation == .linkAddress(LinkAddress(0x9f))
                && report.allFrames[2].address == RuntimeAddress(0x5558_5c0a_f7d0))
        #expect(report.additionalBacktraces.map(\.name) == ["0x7feccab26000 was deallocated by thread 31027 here:"])
    }
}

/// Compares with casr-san and ClusterFuzz on the same reports.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct SanitizerUpstreamTests {
    private struct Casrep: Decodable {
        var Stacktrace: [String]
        var CrashLine: String
    }

    private static let folder = TestPaths.corpus ?? ""
    private static let casr = ["1ed8c245b8567", "24131eeed0916", "501ab73a4d212", "51993567d344b", "aae17a1ced499", "ee1e6157fd97d"]

    /// casr gives the rows of the first stack, unchanged, and the location that it takes for the
    /// cause.
    @Test(arguments: casr) func `casr's rows are the first stack's`(name: String) throws {
        let expected = try JSONDecoder().decode(
            Casrep.self, from: Data(TestPaths.bytes(of: Self.folder + "/expected/upstream/casr-san-\(name).casrep")))
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/sanitizer-asan/casr-\(name).txt"))
        let report = try log.report()
        let rows = report.threads[0].frames.map { log.text(of: $0).drop { $0 == " " } }
        #expect(rows.map(String.init) == expected.Stacktrace)
        let locations = report.threads[0].frames.compactMap { $0.printed?.location }.map { "\($0.file):\($0.line):\($0.column)" }
        #expect(locations.contains(expected.CrashLine) || locations.contains(expected.CrashLine + ":0"), "\(expected.CrashLine)")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var address: String
        /// Up to three functions, innermost first, without parameters; of some kinds a message
        /// before them.
        var state: [String]
        var testDescription: String { path }
    }

    static let clusterfuzz: [Row] = {
        let text = String(decoding: TestPaths.bytes(of: folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count > 3, fields[0].contains("/sanitizer-"), !fields[3].isEmpty, fields[3] != "NULL" else { return nil }
            // A source file means the fuzzer's own function.
            let state = fields[3].components(separatedBy: "\\n").filter { !$0.isEmpty && !$0.hasSuffix(".cc") }
            return Row(path: fields[0], address: fields[2], state: state)
        }
    }()

    /// Rows that ClusterFuzz takes from another part of the log, or rewords.
    static let different = [
        "clusterfuzz-absl_log_internal.txt": "messages and file names only",
        "clusterfuzz-centipede_timeout_abrt.txt": "`foo`, which is nowhere in the log",
        "clusterfuzz-v8_csa_dcheck.txt": "messages and file names only",
        "clusterfuzz-linux_gate.txt": "a message only",
        "clusterfuzz-libfuzzer_llvm_fuzzer_test_one_input_crash.txt": "the fuzzer's file stands for its function",
        "clusterfuzz-lkl_libfuzzer_symbolized.txt": "the kernel's report above libFuzzer's",
        "clusterfuzz-libfuzzer_fuzz_target_exited.txt": "the fuzzer's file stands for its function",
        "clusterfuzz-libfuzzer_timeout.txt": "the fuzzer's name stands for its function",
        "clusterfuzz-oom4.txt": "the fuzzer's name stands for its function",
        "clusterfuzz-cfi_invalid_vtable.txt": "there is no stack",
        "clusterfuzz-v8_abort_without_source.txt": "a message only",
    ]

    @Test(arguments: clusterfuzz) func `ClusterFuzz's functions are among the frames, in order`(row: Row) throws {
        let name = row.path.split(separator: "/").last.map(String.init) ?? ""
        guard Self.different[name] == nil, CorpusTests.explained.keys.allSatisfy({ !row.path.hasSuffix($0) || $0.contains("libfuzzer") })
        else { return }
        let reports = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/" + row.path)).parsed().reports
        let names = reports.flatMap(\.allFrames).map { plain($0.printed?.name ?? "") }
        var position = 0
        var found = 0
        for function in row.state {
            if let index = names[position...].firstIndex(where: { isSame($0, function) }) {
                position = index + 1
                found += 1
            }
        }
        #expect(found >= min(1, row.state.count) && found >= row.state.count - 1, "\(row.state) in \(names.prefix(12))")
        let isAddress = row.address.hasPrefix("0x") && !row.path.contains("ubsan")
        if isAddress, let value = UInt64(row.address.dropFirst(2), radix: 16) {
            #expect(reports.contains { $0.cause?.address?.value == value }, "\(row.address)")
        }
    }

    /// ClusterFuzz cuts names at 80 characters.
    private func isSame(_ name: String, _ function: String) -> Bool {
        name == function || name.hasSuffix(" " + function) || (function.count == 80 && name.hasPrefix(function))
    }

    /// Without parameters: `f(int (*)(char)) const` is `f`.
    private func plain(_ name: String) -> String {
        var depth = 0
        let text = name.replacing("(anonymous namespace)::", with: "")
        for index in text.indices {
            if text[index] == "<" { depth += 1 }
            if text[index] == ">" { depth -= 1 }
            if text[index] == "(", depth <= 0, index > text.startIndex { return String(text[..<index]) }
        }
        return text
    }
}
