import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Go's crashes: goroutines, the address of the signal, C frames, the race detector.
struct GoPanicTests {
    private static func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "go-panic/GoCrash/\(name).txt") }

    @Test func `a nil pointer's trace`() throws {
        let log = Self.fixture("nil-single")
        let report = try log.report()
        #expect(report.cause?.type == "panic" && report.cause?.kind == .languageException && report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.message == "runtime error: invalid memory address or nil pointer dereference")
        #expect(report.cause?.address == RuntimeAddress(0))
        #expect(report.additionalBacktraces.map(\.name) == ["SIGSEGV: segmentation violation"])
        #expect(report.additionalBacktraces[0].frames.map(\.kind) == [.programCounter])
        let frames = report.threads[0].frames
        #expect(report.threads[0].name == "running" && report.threads[0].crashed && report.threads[0].index == 1)
        #expect(frames.map { $0.printed?.name } == ["main.(*tank).drain", "main.pour", "main.fill", "main.main"])
        #expect(frames.map { $0.printed?.location?.line } == [20, 22, 25, 36])
        #expect(frames.map(\.isInlined) == [false, true, false, false] && frames.map(\.index) == [0, 1, 1, 2])
        // The frame that the signal interrupted is the first: the runtime's own above it are
        // hidden.
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
        // Without an address, the frame is given by the name and the offset from its entry.
        #expect(frames[0].imageLocation == .symbol(SymbolLocation(name: "main.(*tank).drain", offset: 5)) && frames[0].address == nil)
        // The inlined call is where its holder does.
        #expect(frames[1].imageLocation == frames[2].imageLocation)
        #expect(log.text(of: frames[1]) == "main.pour(...)\n\ttank/main.go:22")
    }

    /// As Go 1.19 prints it under Wine.
    @Test func `an exception of Windows has its code`() throws {
        let text = """
            panic: runtime error: invalid memory address or nil pointer dereference
            [signal 0xc0000005 code=0x1 addr=0x0 pc=0x490132]

            goroutine 1 [running]:
            main.grip(...)
            \t/x/crane.go:54 +0x72
            main.main()
            \t/x/crane.go:78 +0x4f

            """
        let report = try SampleLog(text).report()
        #expect(report.cause?.type == "panic" && report.cause?.codes == "c0000005" && report.cause?.address == RuntimeAddress(0))
        #expect(report.additionalBacktraces.first?.frames.map(\.address) == [RuntimeAddress(0x490132)])
        #expect(report.threads[0].frames.first?.kind == .programCounter)
    }

    @Test func `with program counters the frame under sigpanic is exact`() throws {
        let report = try Self.fixture("nil-crash").report()
        let frames = report.threads[0].frames
        #expect(frames.prefix(4).map { $0.printed?.name } == ["panic", "runtime.panicmem", "runtime.sigpanic", "main.(*tank).drain"])
        #expect(frames[3].kind == .programCounter && frames.filter { $0.kind == .programCounter }.count == 1)
        let signal = try #require(report.additionalBacktraces[0].frames[0].address)
        #expect(frames[3].address == signal)
        // A program below 4 GiB is loaded where it was linked: its program counters suffice.
        #expect(frames.allSatisfy { $0.imageLocation == nil || $0.address == nil })
        #expect(report.threads.count > 3 && report.threads.dropFirst().allSatisfy { !$0.crashed })
    }

    @Test func `a position-independent program's frames are found by name and offset`() throws {
        let text = Self.fixture("nil-crash").text.replacing(" pc=0x4627f3", with: " pc=0x5555554627f3")
        let frame = try #require(try SampleLog(text).report().threads[0].frames.last { $0.printed?.name == "main.main" })
        #expect(frame.address.map { $0.value >> 32 } == 0x5555)
        #expect(frame.imageLocation == .symbol(SymbolLocation(name: "main.main", offset: frame.printed?.offset ?? 0)))
    }

    /// Go 1.19's own output for `c.total += n`, the first instruction of a function: `traceback2` prints no offset where the
    /// program counter is the function's entry. The binary's symbol table has `main.add` at 0x457c60.
    @Test func `a row without an offset is at the first instruction of its function`() throws {
        let text = """
            panic: runtime error: invalid memory address or nil pointer dereference
            [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x457c60]

            goroutine 1 [running]:
            main.add(0x0?, 0x45be40?)
            \t/src/nil.go:7
            main.main()
            \t/src/nil.go:12 +0x25

            """
        let frames = try SampleLog(text).report().threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames[0].imageLocation == .symbol(SymbolLocation(name: "main.add", offset: 0)))
        #expect(frames[1].imageLocation == .symbol(SymbolLocation(name: "main.main", offset: 0x25)))
    }

    @Test func `instances of generic functions share a name, and have no place by it`() throws {
        let text =
            "goroutine 1 [running]:\nmain.f[...](0x1)\n\t/src/main.go:5 +0x1d\npanic({0x46b100?, 0x4d7250})\n\t/go/panic.go:987 +0x3ba\n"
        let frames = try SampleLog(text).report().threads[0].frames
        #expect(frames[0].imageLocation == nil && frames[0].printed?.offset == 0x1d)
        #expect(frames[1].imageLocation == .symbol(SymbolLocation(name: "runtime.gopanic", offset: 0x3ba)))
    }

    @Test func `C frames without a symbolizer`() throws {
        let report = try Self.fixture("traced-crash").report()
        let code = report.threads[0].frames.prefix(3)
        #expect(code.allSatisfy { $0.printed == nil && $0.imageLocation == nil && $0.address != nil })
        // The first is the address of the signal.
        #expect(code.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.additionalBacktraces.map(\.name) == ["SIGSEGV: segmentation violation", "runtime stack"])
        #expect(report.cause?.type == "fatal error" && report.cause?.message == "unexpected signal during runtime execution")
    }

    @Test func `what a program's symbolizer knows, and does not`() throws {
        let text = """
            SIGSEGV: segmentation violation
            PC=0x462746 m=0 sigcode=1 addr=0x18
            signal arrived during cgo execution

            goroutine 1 gp=0xc000002380 m=0 mp=0x5a2ee0 [syscall]:
            pour
            \t/src/tank.c:6 pc=0x462746
            fill
            \t/src/tank.c:12 pc=0x462746
            non-Go function
            \tpc=0x462750
            runtime.cgocall(0x462710, 0xc00004af30)
            \t/go/cgocall.go:158 +0x5c fp=0xc00004af08 sp=0xc00004aed0 pc=0x40463c
            created by main.start in goroutine 1
            \t/src/main.go:30 +0x25
            ...additional frames elided...

            rax    0x0
            rip    0x462746

            """
        let report = try SampleLog(text).report()
        #expect(report.cause?.kind == .signal && report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0x18))
        #expect(report.threads[0].registers?.values.map(\.value) == [0, 0x46_2746])
        let frames = report.threads[0].frames
        #expect(frames.map { $0.printed?.name } == ["pour", "fill", nil, "runtime.cgocall", "main.start", nil])
        #expect(frames.map(\.isInlined) == [true, false, false, false, false, false])
        #expect(frames.last?.kind == .truncated)
        #expect(frames[4].imageLocation == .symbol(SymbolLocation(name: "main.start", offset: 0x25)))
    }

    @Test func `answers as the runtime would have printed them`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.printed == nil && frame.address != nil
                ? .function("fill", offset: 6, "/src/tank.c", 12).inlining("pour", "/src/tank.c", 6) : nil
        }
        let log = SampleLog(
            "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x462a66]\r\n\r\ngoroutine 1 [syscall]:\r\nnon-Go function at pc=0x462a66\r\n"
                + "main.main()\r\n\ttank/main.go:37 +0xa9\r\n")
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x462a66] pour [inlined] (/src/tank.c:6) in fill (/src/tank.c:12) +0x6\r\n\r\n"
                + "goroutine 1 [syscall]:\r\npour\r\n\t/src/tank.c:6 pc=0x462a66\r\nfill\r\n\t/src/tank.c:12 pc=0x462a66\r\n"
                + "main.main()\r\n\ttank/main.go:37 +0xa9\r\n")
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        let report = try symbolicated.report()
        #expect(report.additionalBacktraces[0].frames[0].printed?.name == "fill")
        #expect(report.threads[0].frames.map(\.isInlined) == [true, false, false])
    }

    @Test func `a data race's stacks`() throws {
        let text = """
            ==================
            WARNING: DATA RACE
            Read at 0x00c000014100 by goroutine 8:
              main.panicDoRaceRead()
                  /src/main.go:137 +0x3a

            Goroutine 8 (running) created at:
              main.panicRace()
                  /src/main.go:153 +0xa1
            ==================
            more

            """
        let log = SampleLog(text)
        let report = try log.report()
        #expect(report.threads.isEmpty && report.cause?.type == "DATA RACE")
        #expect(report.additionalBacktraces.map(\.name) == ["Read at 0x00c000014100 by goroutine 8", "Goroutine 8 (running) created at"])
        // Already one byte less: tsan's runtime subtracts before it calls Go.
        #expect(report.additionalBacktraces.flatMap(\.frames).map(\.kind) == [.exact, .exact])
        #expect(
            report.additionalBacktraces[0].frames[0].imageLocation == .symbol(SymbolLocation(name: "main.panicDoRaceRead", offset: 0x3a)))
        #expect(log.parsed().pieces.last.map { String(decoding: log.bytes[$0.range], as: UTF8.self) } == "more\n")
    }

    @Test func `panics without a stack and other programs' words are no traces`() {
        for text in [
            "panic: boom\nexit\n", "fatal error: foo.h: No such file\ncompilation terminated.\n", "goroutine leak: 3\n",
            "SIGSEGV: segmentation violation\n",
        ] {
            #expect(SampleLog(text).parsed().reports.isEmpty)
        }
        let two = Self.fixture("nil-single").text + "a line\n" + Self.fixture("goroutine-single").text
        #expect(SampleLog(two).parsed().reports.count == 2)
    }
}

/// Compares with the results of other projects for the same logs.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct GoPanicUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private static func frames(of path: String) throws -> [Frame] {
        let report = try #require(
            SampleLog(bytes: TestPaths.bytes(of: folder + "/" + path)).parsed().reports.first { $0.format == "go-panic" })
        return report.allFrames
    }

    /// syzkaller cuts what it holds for the report out of the log: each frame in it is one of ours,
    /// with the same bytes.
    @Test(arguments: ["0", "2", "4", "6", "8"]) func `syzkaller's reports have our frames`(name: String) throws {
        let expected = String(
            decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/syzkaller-gvisor-\(name).report.txt"), as: UTF8.self)
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/go-panic/syzkaller-gvisor-\(name).txt"))
        let ours = Set(try #require(log.parsed().reports.first).allFrames.map(log.text))
        let lines = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let theirs = zip(lines, lines.dropFirst()).filter { NaiveCount.isGoPlace($1) }.map { "\($0)\n\($1)" }
        #expect(theirs.count >= 5)
        for frame in theirs { #expect(ours.contains(frame), "\(frame)") }
    }

    /// clusterfuzz' state: the crash's first three functions of interest, by the last part of their
    /// package path.
    @Test(arguments: [
        ("go_braces", ["regexp.(*Regexp).Split", "gonids.(*Rule).option", "gonids.parseRuleAux"]),
        ("golang_fatal_error_stack_overflow", ["ast.(*scanner).next", "ast.(*scanner).scanIdent", "ast.(*scanner).Scan"]),
        ("golang_generic_panic_and_asan_abrt", ["json.(*decodeState).unquoteBytes"]),
        ("golang_panic_custom_short_message", ["prog.fromHexChar", "prog.hexToByte"]),
        (
            "golang_panic_runtime_error_index_out_of_range_with_msan",
            ["http.(*conn).serve.func1", "http.HandlerFunc.ServeHTTP", "http.(*ServeMux).ServeHTTP"]
        ),
        (
            "golang_panic_runtime_error_invalid_memory_address",
            ["repro.(*context).reproMinimizeProg", "repro.(*context).repro", "repro.Run"]
        ),
        (
            "golang_panic_runtime_error_slice_bounds_out_of_range",
            ["json.(*decodeState).unquoteBytes", "json.(*decodeState).literalStore", "json.(*decodeState).object"]
        ),
        ("golang_panic_with_type_assertions_in_frames", ["flate.(*compressor).deflate", "flate.(*compressor).syncFlush"]),
    ]) func `clusterfuzz' states are our frames in their order`(name: String, state: [String]) throws {
        // The table is clusterfuzz-expected.tsv's column of the state; a message in it is left out
        // here.
        let table = String(decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self)
        let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("logs/go-panic/clusterfuzz-\(name).txt") })
        for function in state { #expect(row.contains(function)) }
        let names = try Self.frames(of: "logs/go-panic/clusterfuzz-\(name).txt").compactMap { frame in
            frame.printed?.name.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        }
        var position = names.startIndex
        for function in state {
            let next = try #require(names[position...].firstIndex(of: function), "\(function)")
            position = next + 1
        }
    }
}
