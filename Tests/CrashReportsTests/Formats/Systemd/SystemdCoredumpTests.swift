import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct SystemdCoredumpTests {
    private static let message =
        "Process 635109 (my prog) of user 1000 dumped core.\n\nModule /usr/bin/prog with build-id 5f6632d75fd027f5b7b410787f3f06c6bf73eee6\nModule libc.so.6 from deb glibc-2.36-9.amd64\nStack trace of thread 635167:\n"
        + "#0  0x00007237452cb3f4 n/a (libc.so.6 + 0x963f4)\n#1  0x0000000000401445 main (prog + 0x1445)\n#2  0x000072372bf5cb3e n/a (n/a + 0x0)\n\nStack trace of thread 635168:\n#0  0x0000723745272120 raise (libc.so.6 + 0x3d120)\nELF object binary architecture: AMD x86-64\n"

    /// 0x7237452cb3f4 - 0x963f4 = 0x723745235000; 0x401445 - 0x1445 = 0x400000.
    @Test func `the message`() throws {
        let report = try SampleLog(Self.message).report()
        #expect(report.format == "systemd-coredump")
        #expect(report.process.pid == 635109 && report.process.name == "my prog")
        #expect(report.architecture == .x86_64)
        #expect(report.threads.map(\.index) == [635167, 635168])
        #expect(report.threads.map(\.crashed) == [true, false])
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageOffset?.value) == [0x963f4, 0x1445, nil])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(frames.map(\.printed?.name) == [nil, "main", nil])
        #expect(frames.map(\.image) == [1, 0, nil])
        #expect(report.images.map(\.name) == ["prog", "libc.so.6"])
        #expect(report.images.map { $0.base?.description } == ["0x400000", "0x723745235000"])
        #expect(report.images[0].id == ImageID(text: "5f6632d75fd027f5b7b410787f3f06c6bf73eee6"))
    }

    @Test(arguments: [("Size on Disk", "170.7K"), ("Disk Size", "30.6K")])
    func `coredumpctl's fields`(key: String, size: String) throws {
        let log = SampleLog(
            "$ coredumpctl info 3252\n           PID: 3252 (segv.sh)\n           UID: 1000 (u)\n        Signal: 11 (SEGV)\n     Timestamp: Sun 2020-12-06 22:29:21 UTC (6min ago)\n  Command Line: /bin/bash ./segv.sh\n    Executable: /usr/bin/bash\n"
                + "       Storage: /var/lib/systemd/coredump/core.segv\\x2esh.1000.35a2.3252.1607261361000000.lz4\n  \(key): \(size)\n       Message: Process 3252 (segv.sh) of user 1000 dumped core.\n                \n                Stack trace of thread 3252:\n                #0  0x00007fe849946d79 _int_malloc (libc.so.6)\n                #1  0x00005625a34934c2 n/a (bash)\n$ \n"
        )
        let report = try log.report()
        #expect(report.process.path == "/usr/bin/bash" && report.process.pid == 3252)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.kind == .signal)
        #expect(report.timestamp?.text == "Sun 2020-12-06 22:29:21 UTC")
        #expect(report.threads[0].frames.map(\.imageName) == ["libc.so.6", "bash"])
        #expect(report.threads[0].frames.allSatisfy { $0.imageOffset == nil })
        #expect(log.parsed().pieces.count == 3)
    }

    @Test func `the journal's JSON`() throws {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/systemd-coredump/ferry-nopie/journal.json")), as: UTF8.self)
        let report = try SampleLog(text).report()
        #expect(report.process.path == "/srv/cairn-fixtures/ferry-nopie")
        #expect(report.cause?.signal == "SIGSEGV")
        // 2024-01-01, the date in the fixture's script.
        #expect(report.timestamp?.instant == 1_704_067_200_000_000_000)
        // COREDUMP_PROC_MAPS: 00400000-00401000 … 00404000-00405000.
        let own = try #require(report.images.first { $0.name == "ferry-nopie" })
        #expect(own.base == RuntimeAddress(0x400000) && own.size == 0x5000 && own.path == "/srv/cairn-fixtures/ferry-nopie")
        #expect(SampleLog(text).text(of: report.threads[0].frames[0]) == "#0  0x0000000000401518 n/a (ferry-nopie + 0x1518)")
        #expect(SampleLog(#"{"MESSAGE":"Process 1 (a) of user 0 dumped core.","COREDUMP_PID":"1"}"#).parsed().problems.count == 1)
    }

    @Test func `identities of packages`() throws {
        let report = try SampleLog(
            #"{"COREDUMP_PACKAGE_JSON":"{\"elfType\":\"coredump\",\"/usr/lib/libc.so.6\":{\"type\":\"deb\",\"buildId\":\"0a0b0c0d\"}}","MESSAGE":"Process 1 (a) of user 0 dumped core.\n\nStack trace of thread 1:\n#0  0x0000000000000011 n/a (libc.so.6 + 0x1)"}"#
        ).report()
        #expect(report.images.map(\.id) == [ImageID(text: "0a0b0c0d")])
        #expect(report.threads[0].frames.count == 1)
    }

    @Test func `answers take the place of n/a`() throws {
        let result: (Frame) -> FrameResult? = {
            $0.index == 1 ? .function("unload", offset: 1, "/src/\"h.c", 16).inlining("weigh", "/src/h.c", 9) : nil
        }
        let log = SampleLog("Stack trace of thread 1:\n#0  0x0000000000000010 f (a)\n  #1  0x0000000000000020 n/a (b + 0x2)\n")
        #expect(
            log.symbolicated(result).text
                == "Stack trace of thread 1:\n#0  0x0000000000000010 f (a)\n  #1  0x0000000000000020 weigh (b + 0x2) [inlined] at /src/h.c:9\n  #1  0x0000000000000020 unload (b + 0x2) at /src/\"h.c:16\n"
        )
        let json = SampleLog(
            #"{"COREDUMP_PID":"1","MESSAGE":"Stack trace of thread 1:\n#0  0x0000000000000010 f (a)\n#1  0x0000000000000020 n/a (b + 0x2)\n"}"#
        )
        #expect(
            json.symbolicated(result).text
                == #"{"COREDUMP_PID":"1","MESSAGE":"Stack trace of thread 1:\n#0  0x0000000000000010 f (a)\n#1  0x0000000000000020 weigh (b + 0x2) [inlined] at /src/h.c:9\n#1  0x0000000000000020 unload (b + 0x2) at /src/\"h.c:16\n"}"#
        )
    }

    /// Rows that were copied from #6 on are callers, even if they are the first of the text.
    @Test func `a stack that is cut at its top has return addresses only`() throws {
        let rows = "#6  0x0000000005a48b12 n/a (harbour + 0x5848b12)\n#7  0x00000000056b78a5 n/a (harbour + 0x54b78a5)\n"
        let report = try SampleLog("Stack trace of thread 812:\n" + rows).report()
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress, .returnAddress])
        // 0x5a48b12 - 0x5848b12 = 0x200000.
        #expect(report.images.map { $0.base?.description } == ["0x200000"])
    }

    @Test func `rows without a heading`() throws {
        let rows =
            "#23 0x00007f2f1e3a5b12 n/a (libxul.so + 0x2a5b12)\n                #24 0x00007f2f1e3a6c07 moor (libxul.so + 0x2a6c07)\n#25 0x0000564200001234 n/a (n/a + 0x0)\n"
        let report = try SampleLog("it crashed:\n" + rows + "any idea?\n").report()
        #expect(report.format == "systemd-coredump")
        #expect(report.threads[0].frames.map(\.index) == [23, 24, 25])
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress])
        // 0x7f2f1e3a5b12 - 0x2a5b12 = 0x7f2f1e100000.
        #expect(report.images.map { $0.base?.description } == ["0x7f2f1e100000"])
        // The heading of the next thread continues the trace.
        let more = try SampleLog(rows + "\nStack trace of thread 813:\n#0  0x00007f2f1e3a5b12 n/a (libxul.so + 0x2a5b12)\n").report()
        #expect(more.threads.map(\.index) == [0, 813])
        #expect(more.threads[1].frames[0].kind == .programCounter)
        #expect(more.threads.map(\.crashed) == [true, false])
    }

    @Test func `a whole stack without its heading`() throws {
        let report = try SampleLog(
            "#0  0x00007237452cb3f4 n/a (libc.so.6 + 0x963f4)\n#1  0x0000000000401445 main (prog + 0x1445)\n#0  0x0000723745272120 raise (libc.so.6 + 0x3d120)\n"
        ).report()
        // The row after it begins another stack; one row alone is not a stack.
        #expect(report.threads.count == 1)
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(SampleLog("#0  0x00007237452cb3f4 n/a (libc.so.6 + 0x963f4)\n").parsed().reports.isEmpty)
    }
}
