import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct PerfScriptTests {
    private static let header = "ferry 7/8 [001] 11897.757385:     250000 cycles:u: \n"

    @Test(arguments: [
        ("ferry 14443 [001] 11897.757385:     250000 cycles:u: ", "ferry", 14443),
        ("Web Content 14443/14444 11897.757385: cpu-clock:u: ", "Web Content", 14444),
        ("swapper     0 [000]  4711.000001: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 ==> next_comm=a", "swapper", 0),
        (":-1 12 1.000001: instructions:ppp: ", ":-1", 12),
    ])
    func `headers`(header: String, name: String, thread: Int) throws {
        let report = try SampleLog(header + "\n\t    7f0000001000 f+0x1 (/lib/a.so)\n\n").report()
        #expect(report.process.name == name)
        #expect(report.threads.map(\.index) == [thread])
    }

    /// Before Linux 6.4: 0x112b is where the instruction is in the file. The mapping
    /// 0x7ffff7fbc000 at file offset 0x1000 makes it 0x7ffff7fbc12b in memory; 0x7ffff7fbb000 is
    /// the image's base, by the first mapping.
    @Test func `offsets into files, with all mappings`() throws {
        let report = try SampleLog(
            "a 7/7 1.000001: PERF_RECORD_MMAP2 7/7: [0x7ffff7fbb000(0x5000) @ 0 fe:00 1 2]: r--p /srv/lib a.so\na 7/7 1.000002: PERF_RECORD_MMAP2 7/7: [0x7ffff7fbc000(0x1000) @ 0x1000 <0a0b0c0d>]: r-xp /srv/lib a.so\n"
                + "a 7/7 1.000003: cycles: \n\t            112b [unknown] (/srv/lib a.so)\n\t            1171 f+0x11 (/srv/lib a.so)\n\n"
        ).report()
        #expect(report.images.map { $0.base?.description } == ["0x7ffff7fbb000"])
        #expect(report.images.map(\.id) == [ImageID(text: "0a0b0c0d")])
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x7ffff7fbc12b", "0x7ffff7fbc171"])
        #expect(frames.map(\.image) == [0, 0] && frames.allSatisfy { $0.imageLocation == nil })
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames.map(\.printed?.name) == [nil, "f"])
    }

    /// perf records the mappings of code alone. If a linker has put a page between the segments,
    /// their difference is not the image's base, so the file offset is used.
    @Test func `with the mappings of code alone the file's own offset is the place`() throws {
        let frames = try SampleLog(
            "a 7/7 1.000002: PERF_RECORD_MMAP2 7/7: [0x7ffff7fbc000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /srv/a.so\na 7/7 1.000003: cycles: \n\t            112b [unknown] (/srv/a.so)\n"
        ).report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x7ffff7fbc12b"])
        #expect(frames.map(\.imageLocation) == [.fileOffset(0x112b)])
    }

    @Test func `without mappings a library's low addresses are offsets, for the whole run`() throws {
        let report = try SampleLog(Self.header + "\t    1136 main+0x6 (/srv/a)\n\t    112b [unknown] (/srv/libb.so.1)\n").report()
        #expect(report.threads[0].frames.map(\.imageLocation) == [.fileOffset(0x1136), .fileOffset(0x112b)])
        #expect(report.threads[0].frames.map(\.hex) == ["none", "none"])
        #expect(report.notes.isEmpty)
    }

    /// Since Linux 6.4.
    @Test func `addresses in memory`() throws {
        let frames = try SampleLog(
            Self.header
                + "\t  401136 main+0x6 (/srv/a)\n\t 7ffff7fbc12b [unknown] (/srv/libb.so.1)\n\t 7ffff7fbc130 g+0x3 (/srv/libb.so.1+0x1130)\n"
        ).report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x401136", "0x7ffff7fbc12b", "0x7ffff7fbc130"])
        #expect(frames.map(\.imageLocation) == [.symbol(SymbolLocation(name: "main", offset: 6)), nil, .fileOffset(0x1130)])
    }

    @Test func `what cannot be told is not guessed`() throws {
        let report = try SampleLog(Self.header + "\t  401136 [unknown] (/srv/a)\n").report()
        #expect(report.threads[0].frames.map(\.imageLocation) == [nil])
        #expect(report.notes.count == 1)
    }

    /// A page fault of 0x401136: the kernel's rows are above, and the program's first is where it
    /// was.
    @Test func `the kernel's rows and the program's`() throws {
        let frames = try SampleLog(
            Self.header
                + "\tffffffff8108af30 do_fault+0xc0 ([kernel.kallsyms])\n\tffffffffa0001234 nf_hook+0x4 ([nf_conntrack])\n\t    7ffff7fbc12b f+0x1 (/srv/b.so)\n\t    7ffff7fbc171 g+0x1 (/srv/b.so)\n"
        ).report()
        #expect(frames.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .programCounter, .returnAddress])
        #expect(Set(frames.images.map(\.name)) == ["vmlinux", "nf_conntrack.ko", "b.so"])
        #expect(frames.threads[0].frames[1].imageLocation == .symbol(SymbolLocation(name: "nf_hook", offset: 4)))
    }

    /// As perf writes them (expected-dwarf-lines.txt of the fixtures).
    @Test func `inlined calls and places in the source`() throws {
        let log = SampleLog(
            Self.header
                + "\t            112a weigh+0x2a\n  /src/harbour.c:9 (inlined)\n\t            112a unload+0x2a (/srv/libharbour.so.1)\n  /src/harbour.c:16\n\t            1469 sail+0x29 (inlined)\n\t            11d8 main+0x78 (/srv/a)\n  ??:0\n\n"
        )
        let frames = try log.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false, false])
        #expect(frames.map(\.printed?.location?.line) == [9, 16, nil, nil])
        #expect(frames.map(\.image) == [1, 1, nil, 0])
        #expect(log.text(of: frames[1]) == "\t            112a unload+0x2a (/srv/libharbour.so.1)\n  /src/harbour.c:16")
    }

    @Test func `answers are perf's with srcline`() throws {
        let log = SampleLog(
            Self.header
                + "\t    7ffff7fbc12b [unknown] (/srv/b.so)\n\t    7ffff7fbc130 g+0x3 (/srv/b.so)\n\na 7 1.000001: cycles:  7ffff7fbc12c f+0x1 (/srv/b.so)\n"
        )
        let symbolicated = log.symbolicated { frame in
            let result = FrameResult.function("unload", offset: 43, "/src/harbour.c", 16)
            return frame.hex == "0x7ffff7fbc130" ? nil : result.inlining("weigh", "/src/harbour.c", 9)
        }
        #expect(
            symbolicated.text == Self.header
                + "\t    7ffff7fbc12b weigh\n  /src/harbour.c:9 (inlined)\n\t    7ffff7fbc12b unload+0x2b (/srv/b.so)\n  /src/harbour.c:16\n\t    7ffff7fbc130 g+0x3 (/srv/b.so)\n\na 7 1.000001: cycles:  7ffff7fbc12c unload+0x2b (/srv/b.so)\n  /src/harbour.c:16\n"
        )
    }

    @Test func `processes are reports of their own`() throws {
        let log = SampleLog(
            "a 7/7 1.000001: cycles: \n\t 7ffff7fbc12b f+0x1 (/b.so)\n\nc 9/10 1.000001: cycles: \n\t 7ffff7fbc12b f+0x1 (/b.so)\n\na 7/8 1.000001: cycles: \n\t 7ffff7fbc12b f+0x1 (/b.so)\n\n"
        )
        let reports = log.parsed().reports
        #expect(reports.map(\.process.pid) == [7, 9])
        #expect(reports.map { $0.threads.map(\.index) } == [[7, 8], [10]])
    }
}
