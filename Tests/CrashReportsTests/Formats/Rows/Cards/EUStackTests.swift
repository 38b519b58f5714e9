import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct EUStackTests {
    @Test func `threads, of which each first row was executing`() throws {
        let report = try SampleLog("PID 4242 - process\n" + CardSample.text("eu-stack")).report()
        #expect(report.threads.map(\.index) == [4242, 4243])
        #expect(report.threads.map { $0.frames.map(\.kind) } == [[.programCounter, .returnAddress, .returnAddress], [.programCounter]])
        #expect(report.threads[0].frames.map(\.hex) == ["0x7f6079cfbdd0", "0x55bb5442a166", "0x7f6079c4f24a"])
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["pause", nil, "__libc_start_call_main"])
    }
}
