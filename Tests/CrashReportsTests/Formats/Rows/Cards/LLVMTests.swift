import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct LLVMTests {
    @Test func `what the trampoline interrupted is exact`() throws {
        let report = try SampleLog(CardSample.text("llvm-stack-dump")).report()
        #expect(report.process.name == "harbourc")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 10])
        #expect(frames.map(\.imageLocation) == [0x7c4d90, 0x7c1d4d, 0x3d1d0, 0x3f7fc5, 0xafd5].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress, .programCounter, .returnAddress])
        #expect(frames[0].printed?.name == "llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)")
    }

    /// 0x104a383f8 - 1016 = 0x104a38000 is the image's first byte; 0x104a383d4 - 0x104a38000 =
    /// 0x3d4.
    @Test func `Darwin's rows count from the image's first byte`() throws {
        let report = try SampleLog(
            "Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH or set the environment var `LLVM_SYMBOLIZER_PATH` to point to it):\n0  Demo                     0x0000000104a383d4 boom + 12\n1  Demo                     0x0000000104a383f8 Demo + 1016\n2  Demo                     0x0000000104a38408 main + 16\n3  dyld                     0x00000001c1dd8dec start + 2220\n"
        ).report()
        #expect(report.format == "llvm-stack-dump")
        let frames = report.threads[0].frames
        #expect(frames.prefix(3).map(\.imageLocation) == [0x3d4, 0x3f8, 0x408].map { .offset(ImageOffset($0)) })
        #expect(frames.map(\.imageName) == ["Demo", "Demo", "Demo", "dyld"])
        #expect(report.images[0].base == RuntimeAddress(0x104a38000))
    }

    @Test func `a failed assertion above is the cause`() throws {
        let report = try SampleLog(
            "harbourc: tide.cpp:12: void moor(): Assertion `ship' failed.\nPLEASE submit a bug report to https://bugs.example and include the crash backtrace.\n"
                + CardSample.text("llvm-stack-dump")
        ).report()
        #expect(report.format == "llvm-stack-dump" && report.cause?.type == "assertion failed")
        #expect(report.threads[0].frames.count == 5)
    }
}
