import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Checks for every family that results can be written into the rows, and that the log with results is read like the
/// original.
struct CardRoundTripTests {
    private static func result(_ frame: Frame) -> FrameResult? {
        guard frame.address != nil || frame.imageLocation != nil else { return nil }
        let outer = FrameResult.function("answered", offset: 40, "/src/file.cpp", 12, image: frame.imageName ?? "App")
        return frame.index % 2 == 0 ? outer.inlining("inlined()", "/src/b.cpp", 7) : outer
    }

    @Test(arguments: CardSample.all) func `a sample is one report of its family`(sample: CardSample) throws {
        let report = try sample.log.report()
        #expect(report.format == sample.name)
        #expect(report.notes.allSatisfy { !$0.contains("not understood") })
    }

    @Test(arguments: CardSample.all) func `an answered log has the same frames`(sample: CardSample) throws {
        let symbolicated = sample.log.symbolicated(Self.result)
        let before = try sample.log.report()
        let after = try symbolicated.report()
        #expect(after.format == before.format && after.cause == before.cause)
        let old = before.allFrames.filter { !$0.isInlined }
        let new = after.allFrames.filter { !$0.isInlined }
        #expect(old.map(\.address) == new.map(\.address))
        #expect(old.map(\.kind) == new.map(\.kind))
        #expect(old.map(\.image) == new.map(\.image))
        // A row with a source location is complete.
        let isThere = zip(old, new).allSatisfy { Self.result($0) == nil || $0.printed?.location != nil || $1.printed?.name == "answered" }
        #expect(isThere, "\(symbolicated.text)")
        #expect(symbolicated.symbolicated(Self.result).bytes == symbolicated.bytes)
    }

    @Test(arguments: CardSample.all) func `a log that is cut off is no trap`(sample: CardSample) {
        let bytes = sample.log.bytes
        for end in bytes.indices {
            let log = SampleLog(bytes: Array(bytes[..<end]))
            #expect(log.parsed().reports.count <= 2)
            // An answer takes the place of the reason why libbacktrace has none, of which the last may be cut off.
            let reasons =
                sample.name == "godot-windows"
                ? log.text.split(separator: " - ").dropFirst().reduce(0) { $0 + $1.prefix { $0 != "\n" }.utf8.count } : 0
            if end % 16 == 0 { #expect(log.symbolicated(Self.result).bytes.count >= end - reasons) }
        }
    }

    @Test func `the names of the families differ`() {
        #expect(Set(RowStacks.families.map(\.name)).count == RowStacks.families.count)
        #expect(RowStacks.families.allSatisfy { !$0.summary.isEmpty && $0.summary.count < 120 })
    }
}
