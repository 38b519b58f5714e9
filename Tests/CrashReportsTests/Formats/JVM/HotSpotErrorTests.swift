import BinaryPrimitives
import CrashLogModel
import CrashReports
import Foundation
import TestSupport
import Testing

/// The Java machine's fatal error logs: rows of all kinds, libraries of all systems, which rows are
/// return addresses, and results in the machine's own form.
struct HotSpotErrorTests {
    private static let head = """
        #
        # A fatal error has been detected by the Java Runtime Environment:
        #
        #  SIGSEGV (0xb) at pc=0x00007f0000001106, pid=2423, tid=2424
        #
        # JRE version: OpenJDK Runtime Environment (17.0.15+6)
        # Java VM: OpenJDK 64-Bit Server VM (17.0.15+6, mixed mode, g1 gc, linux-aarch64)
        # Problematic frame:
        # C  [libtank.so+0x1106]  Java_Tank_drain+0x6
        #

        ---------------  T H R E A D  ---------------

        Current thread (0x00007fa940009800):  JavaThread "main" daemon [_thread_in_native, id=2424, stack(0x00007fa945f18000,0x00007fa946019000)]

        siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000018

        Registers:
        RAX=0x00000000c5448e8f, RBX=0x0000000000000001
        R8 =0x0000000000000002, RIP=0x00007f0000001106
          TRAPNO=0x000000000000000e

        Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)

        """
    private static let rows = """
        C  [libtank.so+0x1106]  Java_Tank_drain+0x6
        J 728 c1 sun.misc.Unsafe.getLong(J)J java.base@17 (0 bytes) @ 0x00007fa287303dce [0x00007fa287303d00+0xce]
        j  Tank.empty(I)I+1
        v  ~StubRoutines::call_stub 0x00007fffe4400fa6
        V  [libjvm.so+0x8d1a1f]  Call<A, b(int)>::f(A*) const [clone .part.1]+0x24f  (call.cpp:12)
        C  [libstdc++.so.6+0x9d]
        C  0x0000000000001234

        """
    private static let tail = """
        Dynamic libraries:
        7f0000000000-7f0000001000 r--p 00000000 fe:00 5669627                    /opt/libtank.so
        7f0000001000-7f0000002000 r-xp 00001000 fe:00 5669627                    /opt/libtank.so
        7f0000002000-7f0000003000 rw-p 00000000 00:00 0
        7f0000100000-7f0000d00000 r-xp 00000000 fe:00 17610                      /opt/lib/server/libjvm.so

        END.
        what follows is no part of it

        """
    private static let log = SampleLog(head + rows + "\n" + tail)

    @Test func `the header and the thread say what happened`() throws {
        let report = try Self.log.report()
        #expect(report.process.pid == 2423 && report.architecture == .arm64 && report.platform == "linux-aarch64")
        #expect(report.cause?.kind == .signal && report.cause?.signal == "SIGSEGV" && report.cause?.codes == "SEGV_MAPERR")
        #expect(report.cause?.address == RuntimeAddress(0x18))
        #expect(report.threads.count == 1 && report.threads[0].name == "main" && report.threads[0].crashed)
        #expect(report.threads[0].registers?.values.map(\.name) == ["RAX", "RBX", "R8", "RIP", "TRAPNO"])
        #expect(report.threads[0].registers?.values.last?.value == 14)
    }

    @Test func `a row names its file and the offset in it`() throws {
        let report = try Self.log.report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageName) == ["libtank.so", nil, nil, nil, "libjvm.so", "libstdc++.so.6", nil])
        #expect(frames.map { $0.imageOffset?.value } == [0x1106, nil, nil, nil, 0x8d1a1f, 0x9d, nil])
        // If the list gives a file's load address, the frame has an address: 0x7f0000000000 +
        // 0x1106, 0x7f0000100000 + 0x8d1a1f.
        #expect(frames.map(\.hex) == ["0x7f0000001106", "none", "none", "none", "0x7f00009d1a1f", "none", "0x1234"])
        #expect(report.images.map(\.name) == ["libtank.so", "libjvm.so", "libstdc++.so.6"])
        #expect(report.images.map(\.base?.value) == [0x7f00_0000_0000, 0x7f00_0010_0000, nil])
        #expect(report.images.map(\.size) == [0x2000, 0xc0_0000, nil])
        #expect(frames.map(\.image) == [0, nil, nil, nil, 1, 2, nil])
    }

    @Test func `names, offsets and places that the log has`() throws {
        let frames = try Self.log.report().threads[0].frames
        #expect(frames[0].printed == PrintedSymbol(name: "Java_Tank_drain", offset: 6))
        #expect(frames[1].printed == PrintedSymbol(name: "sun.misc.Unsafe.getLong(J)J"))
        #expect(frames[2].printed == PrintedSymbol(name: "Tank.empty(I)I+1"))
        #expect(frames[3].printed == PrintedSymbol(name: "~StubRoutines::call_stub"))
        #expect(
            frames[4].printed
                == PrintedSymbol(
                    name: "Call<A, b(int)>::f(A*) const [clone .part.1]", offset: 0x24f,
                    location: SourceLocation(file: "call.cpp", line: 12)))
        #expect(frames[5].printed == nil)
    }

    @Test func `the first row is where the signal came, the others are return addresses`() throws {
        let report = try Self.log.report()
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter] + Array(repeating: .returnAddress, count: 6))
        #expect(report.additionalBacktraces.map(\.name) == ["Problematic frame"])
        #expect(report.additionalBacktraces[0].frames.map(\.kind) == [.programCounter])
        #expect(Self.log.text(of: report.additionalBacktraces[0].frames[0]) == "C  [libtank.so+0x1106]  Java_Tank_drain+0x6")
    }

    @Test(arguments: [
        "Internal Error (codeCache.cpp:654)", "Out of Memory Error (os_linux.cpp:2749)", "INVALID (0xe0000000) at pc=0x0000000000000000",
    ])
    func `where the machine stopped by itself the first row is one too`(what: String) throws {
        let text =
            "# A fatal error has been detected by the Java Runtime Environment:\n#\n#  \(what), pid=1, tid=2\n#  Error: guarantee(x) failed\n#\n\n"
            + "Native frames: (J=compiled Java code)\n" + Self.rows
        let report = try SampleLog(text).report()
        #expect(report.threads[0].frames[0].kind == .returnAddress)
        #expect(report.cause?.kind == .runtimeError && report.cause?.message == "Error: guarantee(x) failed")
        // A debug build's check faults on purpose: it has registers.
        let debug = text.replacing("\nNative", with: "\nRegisters:\nRAX=0x0000000000000001\n\nNative")
        #expect(try SampleLog(debug).report().threads[0].frames[0].kind == .programCounter)
    }

    @Test func `what a signal's trampoline stands above is exact`() throws {
        let rows =
            "V  [libjvm.so+0x10]  f()+0x1\nC  [libc.so.1+0x13c758]  sigacthandler+0x64\nV  [libjvm.so+0x20]  g()+0x1\nV  [libjvm.so+0x30]\n"
        let frames = try SampleLog(rows).report().threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .programCounter, .returnAddress])
    }

    @Test func `rows and headers may stand alone`() throws {
        let rows = try SampleLog("before\n" + Self.rows + "after\n").report()
        #expect(rows.threads[0].frames.count == 7 && rows.notes.count == 1)
        let header = SampleLog(Self.head.split(separator: "\n\n")[0] + "\nmy own words\n")
        let report = try header.report()
        #expect(report.threads.isEmpty && report.additionalBacktraces[0].frames.count == 1)
        #expect(header.parsed().pieces.last.map { String(decoding: header.bytes[$0.range], as: UTF8.self) } == "my own words\n")
        #expect(SampleLog("V  [x]\nC  nothing\n").parsed().reports.isEmpty)
    }

    @Test func `the log ends with its last line, and the next one begins anew`() {
        #expect(
            Self.log.parsed().pieces.last.map { String(decoding: Self.log.bytes[$0.range], as: UTF8.self) }
                == "what follows is no part of it\n")
        let cut = SampleLog(Self.head + Self.rows + Self.log.text)
        #expect(cut.parsed().reports.count == 2)
    }

    @Test func `a quoted part of a file holds nothing else`() {
        let quoted = SampleLog("Native frames: (J=compiled Java code)\n" + Self.rows + "\nwhat do you think?\n" + Self.log.text)
        #expect(quoted.parsed().reports.count == 2)
        let ruled = SampleLog(Self.rows + "---------------\nother words\n" + Self.log.text)
        #expect(ruled.parsed().reports.count == 2)
    }

    @Test func `libraries of other systems`() throws {
        func images(_ rows: String) throws -> [BinaryImage] {
            try SampleLog(Self.head + Self.rows + "\nDynamic libraries:\n" + rows + "\n\nEND.\n").report().images.filter { $0.base != nil }
        }
        let darwin = try images("0x00000001ae54a000 \t/System/Library/Frameworks/Cocoa.framework/Versions/A/Cocoa")
        #expect(darwin.map(\.name) == ["Cocoa"] && darwin[0].base?.value == 0x1_ae54_a000 && darwin[0].size == nil)
        let windows = try images("0x0000000052380000 - 0x0000000052bda000 \tE:\\path\\java\\bin\\server\\jvm.dll")
        #expect(windows.map(\.name) == ["jvm.dll"] && windows[0].size == 0x85_a000)
        let aix = try images("  text: 0x0900000000000000 - 0x0900000000000100, data: 0x0a00 - 0x0b00 /usr/lib/libc.a(shr_64.o)")
        #expect(aix.map(\.name) == ["libc.a(shr_64.o)"] && aix[0].size == 0x100)
    }

    @Test func `of two files with one name the row does not say which`() throws {
        let second = "7f0001000000-7f0001001000 r-xp 00000000 fe:00 5669628                    /usr/libtank.so\n"
        let report = try SampleLog(Self.log.text.replacing("\nEND.", with: "")).report()
        #expect(report.images[report.threads[0].frames[0].image ?? 99].base != nil)
        let text = Self.log.text.replacing("7f0000100000-", with: second + "7f0000100000-")
        let both = try SampleLog(text).report()
        #expect(both.images[both.threads[0].frames[0].image ?? 99].base == nil && both.threads[0].frames[0].address == nil)
    }

    @Test func `an answer is written as the machine would have`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.imageName == "libtank.so" ? .function("fill", offset: 6, "/src/tank.c", 13).inlining("pour", "/src/tank.c", 7) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let rows = "C  [libtank.so+0x1106]  pour [inlined]  (tank.c:7)\nC  [libtank.so+0x1106]  fill+0x6  (tank.c:13)\n"
        let problem = "# C  [libtank.so+0x1106]  pour [inlined]  (tank.c:7)\n# C  [libtank.so+0x1106]  fill+0x6  (tank.c:13)\n"
        let old = "C  [libtank.so+0x1106]  Java_Tank_drain+0x6\n"
        #expect(symbolicated.text == Self.log.text.replacing("# " + old, with: problem).replacing("\n" + old, with: "\n" + rows))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames[0].isInlined && frames[0].printed?.name == "pour" && frames[1].index == 0 && frames[2].index == 1)
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }
}

/// Compares with Datadog's agent, frame by frame.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct HotSpotUpstreamTests {
    private struct Upstream: Decodable {
        struct Error: Decodable { var stack: Stack }
        struct Stack: Decodable { var frames: [Row] }
        struct Row: Decodable {
            var function: String?
            var path: String?
            var relative_address: String?
            var line: Int?
        }
        var error: Error
    }

    @Test func `frames agree`() throws {
        let folder = TestPaths.corpus ?? ""
        let name = "datadog-sample-crash-for-telemetry-3"
        let json = Data(TestPaths.bytes(of: folder + "/expected/upstream/\(name).json"))
        let expected = try JSONDecoder().decode(Upstream.self, from: json).error.stack.frames
        let report = try SampleLog(bytes: TestPaths.bytes(of: folder + "/logs/jvm-hserr/\(name).txt")).report()
        // The Java frames come after the native ones in theirs.
        let frames = report.threads[0].frames + report.additionalBacktraces.flatMap(\.frames)
        #expect(frames.count == 16 && expected.count == 16)
        for (frame, row) in zip(frames, expected) {
            #expect(frame.imageName == row.path)
            #expect(frame.imageOffset.map { "0x" + String($0.value, radix: 16) } == row.relative_address)
            // Theirs have the offset in the name, of Java frames the bytecode's index in a field of
            // its own.
            let name = (frame.printed?.name ?? "") + (frame.printed?.offset.map { "+0x" + String($0, radix: 16) } ?? "")
            #expect(name == (row.function ?? "") + (row.line.map { "+\($0)" } ?? ""))
        }
    }
}
