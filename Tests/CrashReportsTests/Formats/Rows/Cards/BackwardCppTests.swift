import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct BackwardCppTests {
    @Test func `outermost first, moved back, the cause below`() throws {
        let report = try SampleLog(CardSample.text("backward-cpp")).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(8))
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4, 5, 6] && frames.allSatisfy { $0.kind == .exact })
        #expect(frames.map(\.hex).prefix(2) == ["0x55a48bbe65c9", "0x55a48bbe65d4"] && frames[6].address == nil)
        #expect(frames.map(\.imageName).prefix(4) == ["bw", "bw", "bw", "libc.so.6"])
        #expect(frames[4].printed?.name == "__libc_start_main")
    }

    @Test func `rows of which the source is known`() throws {
        let report = try SampleLog(
            "Stack trace (most recent call last) in thread 2603:\n#2    Source \"../csu/libc-start.c\", line 308, in __libc_start_main [0x7fb7655cc082]\n#1    Object \"/opt/lib/libtide.so\", at 0x7f91b97ef21e, in \n#0    Object \"/opt/harbour\", at 0x55b35919fc04, in moor(int)\nSegmentation fault (Address not mapped to object [0x8])\n"
        ).report()
        #expect(report.threads[0].index == 2603)
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x55b35919fc04", "0x7f91b97ef21e", "0x7fb7655cc082"])
        #expect(frames[2].printed?.location == SourceLocation(file: "../csu/libc-start.c", line: 308))
        #expect(frames.map { $0.printed?.name } == ["moor(int)", nil, "__libc_start_main"])
    }
}
