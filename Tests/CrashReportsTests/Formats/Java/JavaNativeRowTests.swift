import BinaryPrimitives
import CrashLogModel
import Testing

/// Unity's traces of signals on Android, which look like Java's.
struct JavaNativeRowTests {
    private static let trace =
        "E/AndroidRuntime: java.lang.Error: signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0000000c\nE/AndroidRuntime: \tat libil2cpp.0x559590(Native Method)\nE/AndroidRuntime: \tat libunity.0x3b40f0(Native Method)\nE/AndroidRuntime: \tat com.unity3d.player.UnityPlayer.nativeRender(Native Method)\n"

    @Test func `native rows are places in libraries`() throws {
        let report = try SampleLog(Self.trace).report()
        #expect(report.format == "java-trace" && report.cause?.type == "java.lang.Error")
        #expect(
            report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1 (SEGV_MAPERR)"
                && report.cause?.address == RuntimeAddress(0xc))
        let frames = report.threads[0].frames
        #expect(report.images.map(\.name) == ["libil2cpp.so", "libunity.so"])
        #expect(frames.map(\.image) == [0, 1, nil] && frames.map(\.imageOffset?.value) == [0x559590, 0x3b40f0, nil])
        // The first row of a signal's trace is where the processor was.
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(frames.map(\.printed?.name) == [nil, nil, "com.unity3d.player.UnityPlayer.nativeRender"])
    }

    @Test func `without a signal all rows are callers`() throws {
        let report = try SampleLog("java.lang.Error: x\n\tat libil2cpp.0x559590(Native Method)\n").report()
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress] && report.cause?.signal == nil)
    }

    @Test func `an answer stands behind its row, and is read again`() throws {
        let log = SampleLog(Self.trace.split(separator: "\n").map { $0 + "\r\n" }.joined())
        func result(_ frame: Frame) -> FrameResult? {
            frame.imageName == nil ? nil : .function("Moor", offset: 16, "/src/Harbour.cpp", 12).inlining("Tie", "/src/Rope.h", 3)
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text.contains(
                "E/AndroidRuntime: \tat libil2cpp.0x559590(Native Method)  Tie (Rope.h:3) [inlined]\r\nE/AndroidRuntime: \tat libil2cpp.0x559590(Native Method)  Moor + 16 (Harbour.cpp:12)\r\n"
            ), "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, true, false, false])
        #expect(frames.map(\.printed?.name) == ["Tie", "Moor", "Tie", "Moor", "com.unity3d.player.UnityPlayer.nativeRender"])
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
