import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct MobileSamplesTests {
    @Test(arguments: MobileSamples.all.indices) func `an answered log has the same frames, and its answers`(index: Int) throws {
        let sample = MobileSamples.all[index]
        let plain = try sample.log.report()
        #expect(plain.format == sample.name)
        func answer(_ frame: Frame) -> FrameResult? {
            FrameResult.function("function\(frame.index)", offset: 40, "/src/file.c", 12, image: frame.imageName ?? "App")
        }
        let answered = sample.log.answered(answer)
        let report = try answered.report()
        #expect(report.format == sample.name && report.cause == plain.cause)
        #expect(report.allFrames.map(\.address) == plain.allFrames.map(\.address))
        #expect(report.allFrames.map(\.index) == plain.allFrames.map(\.index))
        #expect(
            report.allFrames.map { $0.address == nil ? $0.imageLocation : nil }
                == plain.allFrames.map { $0.address == nil ? $0.imageLocation : nil })
        for frame in report.allFrames {
            #expect(frame.printed?.name == "function\(frame.index)" && frame.printed?.location?.line == 12)
        }
        #expect(answered.answered(answer).bytes == answered.bytes)
    }
}
