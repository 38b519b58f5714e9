import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct PyTorchTests {
    /// 0x7e3b07e98ba6 - 0x20ba6 = 0x7e3b07e78000 is the library's bias; 0x7e3b07e9a507 -
    /// 0x7e3b07e78000 = 0x22507.
    @Test func `offsets of unnamed functions count in the library`() throws {
        let report = try SampleLog(CardSample.text("pytorch")).report()
        #expect(report.cause?.type == "c10::Error" && report.cause?.message == "Exception raised from moor at ../c10/harbour.cpp:43")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [3, 4, 8])
        #expect(frames.map(\.imageLocation) == [0x20ba6, 0x22507, 0x510ceb].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.map(\.imageName) == ["libharbour.so", "libharbour.so", "python"])
        #expect(frames[1].printed == PrintedSymbol(name: "harbour::Ship::~Ship()", offset: 0x1e3))
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
    }
}
