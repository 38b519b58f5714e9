import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct GFortranTests {
    @Test func `addresses are moved back already`() throws {
        let report = try SampleLog(CardSample.text("gfortran")).report()
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.message == "Program received signal SIGSEGV: Segmentation fault - invalid memory reference.")
        let frames = report.threads[0].frames
        #expect(frames.count == 6 && frames.allSatisfy { $0.kind == .exact })
        #expect(frames.map { $0.printed?.name } == [nil, nil, nil, "moor_", "harbour", "main"])
        #expect(frames[3].printed?.location == SourceLocation(file: "/srv/harbour/rise.f90", line: 4))
    }

    @Test func `errors of the library`() throws {
        let report = try SampleLog(
            "At line 4 of file rise.f90\nFortran runtime error: Index '9' of dimension 1 of array 'a' above upper bound of 3\n\nError termination. Backtrace:\n#0  0x401194 in ???\n#1  0x4011f4 in ???\n#2  0xffffffffffffffff in ???\n"
        ).report()
        #expect(report.format == "gfortran" && report.cause?.type == "Fortran runtime error")
        #expect(report.threads[0].frames.map(\.hex) == ["0x401194", "0x4011f4", "none"])
    }

    @Test func `gdb's words are gdb's`() throws {
        let report = try SampleLog(
            "Program received signal SIGSEGV, Segmentation fault.\n0x0000000000401136 in moor ()\n#0  0x0000000000401136 in moor ()\n#1  0x000000000040115a in main ()\n"
        ).report()
        #expect(report.format == "gdb-bt")
    }
}
