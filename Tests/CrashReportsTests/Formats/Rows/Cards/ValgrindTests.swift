import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct ValgrindTests {
    /// A position-independent program is loaded at 0x108000: 0x10915c is 0x115c in the file, as
    /// `nm` and gdb have it.
    @Test func `the program's rows count from 0x108000`() throws {
        let report = try SampleLog(CardSample.text("valgrind")).report()
        #expect(report.cause?.type == "Invalid read of size 4" && report.process.pid == 8220)
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x10915c", "0x109169", "0x10918a", "0x4884249"])
        #expect(frames.allSatisfy { $0.kind == .exact })
        #expect(report.images[0].base == RuntimeAddress(0x108000) && report.images[0].path == "/srv/harbour/moor-stripped")
        #expect(frames.map(\.image) == [0, 0, 0, nil])
        #expect(frames[3].printed == PrintedSymbol(location: .init(file: "libc_start_call_main.h", line: 58)))
        let block = try #require(report.additionalBacktraces.first)
        #expect(block.name == "Address 0x4a42044 is 0 bytes after a block of size 4 alloc'd")
        #expect(block.frames.map(\.hex) == ["0x48417b4", "0x10917f", "0x4884249"])
        #expect(block.frames.map(\.image) == [1, 0, nil] && block.frames[0].printed?.name == "malloc")
    }

    @Test func `programs that are not position-independent lie where they were linked`() throws {
        let report = try SampleLog(
            "==1==    at 0x401136: moor (in /opt/harbour)\n==1==    by 0x40115A: main (in /opt/harbour)\n==1==\n"
        ).report()
        #expect(report.format == "valgrind" && report.images[0].base == nil)
        #expect(report.threads[0].frames.map(\.imageLocation) == [0x401136, 0x40115a].map { .linkAddress(LinkAddress($0)) })
    }

    @Test func `each error is a report, and a signal is a cause`() throws {
        let log = SampleLog(
            """
            ==7== Conditional jump or move depends on uninitialised value(s)
            ==7==    at 0x10915C: moor (moor.c:4)
            ==7==  Uninitialised value was created by a stack allocation
            ==7==    at 0x109160: main (moor.c:9)
            ==7==\u{20}
            ==7== 72,704 bytes in 1 blocks are still reachable in loss record 1 of 1
            ==7==    at 0x48417B4: malloc (in /usr/lib/vgpreload_memcheck-amd64-linux.so)
            ==7==    by 0x10918A: main (moor.c:6)
            ==7==\u{20}
            ==7== Process terminating with default action of signal 11 (SIGSEGV)
            ==7==  Access not within mapped region at address 0x4
            ==7==    at 0x10915C: moor (moor.c:4)
            ==7==    by 0x109169: berth (moor.c:5)
            ==7==\u{20}

            """)
        let reports = log.parsed().reports
        #expect(reports.map(\.format) == ["valgrind", "valgrind", "valgrind"])
        #expect(reports.map { $0.threads[0].frames.count } == [1, 2, 2])
        #expect(reports[0].additionalBacktraces.map(\.name) == ["Uninitialised value was created by a stack allocation"])
        #expect(reports[2].cause?.signal == "SIGSEGV" && reports[2].cause?.address == RuntimeAddress(4))
        // No row names the program's file, but its base is known.
        #expect(reports[2].images.map(\.base) == [RuntimeAddress(0x108000)])
        #expect(reports[2].threads[0].frames.map(\.image) == [0, 0])
    }

    /// The fault address is in the line below the rows.
    @Test func `the address that was accessed`() throws {
        let report = try SampleLog(
            "==4242== Invalid read of size 1\n==4242==    at 0x10A991: moor (in /opt/harbour)\n==4242==    by 0x5324FC4: ??? (in /lib/libtide.so.1)\n==4242==    by 0x471A4E: main (harbour.c:796)\n==4242==  Address 0x0 is not stack'd, malloc'd or (recently) free'd\n"
        ).report()
        #expect(report.cause?.address == RuntimeAddress(0))
        #expect(report.threads[0].frames.map(\.imageName) == ["harbour", "libtide.so.1", nil])
        #expect(report.threads[0].frames.map(\.image) == [0, 1, 0])
    }

    @Test func `prose is no error of valgrind's`() {
        #expect(SampleLog("Invalid read of size 4 was what it said\nand more\n").parsed().reports.isEmpty)
    }
}
