import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct FollyTests {
    @Test func `addresses count in images that are not named`() throws {
        let report = try SampleLog(CardSample.text("folly")).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0x30))
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == [0x58190c, 0x140ff, 0x50b96f].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.allSatisfy { $0.kind == .exact && $0.address == nil && $0.image == nil })
        #expect(frames[0].printed?.location == SourceLocation(file: "/src/folly/SignalHandler.cpp", line: 449))
        #expect(frames[2].printed?.name == "harbour::moor()")
    }
}
