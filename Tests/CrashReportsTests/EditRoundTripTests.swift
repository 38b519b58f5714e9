import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Results are written into every sample: the log keeps its meaning, symbolicating again changes
/// nothing, and only the edited parts differ.
struct EditRoundTripTests {
    /// A made-up result that differs from frame to frame; an inlined call for every second one.
    private func result(_ frame: Frame) -> FrameResult? {
        guard let address = Self.number(frame), address.value > 64 else { return nil }
        // This name marks a stack as an exception's, whose first frame is a return address too: no
        // real result removes it.
        if frame.printed?.name?.contains("exceptionPreprocess") == true { return nil }
        let outer = FrameResult.function(
            "function\(address.value % 97)", offset: 40, "/src/folder/file.swift", 12, column: 3, image: frame.imageName ?? "App")
        return address.value % 2 == 0 ? outer.inlining("inlined()", "/src/b.swift", 7) : outer
    }

    /// Number that distinguishes frames: the address, or the location that the log gives instead.
    private static func number(_ frame: Frame) -> RuntimeAddress? {
        if let address = frame.address { return address }
        switch frame.imageLocation {
        case .linkAddress(let address)?: return RuntimeAddress(address.value)
        case .fileOffset(let offset)?, .relativePC(let offset)?: return RuntimeAddress(offset)
        case .symbol(let symbol)?: return RuntimeAddress(symbol.name.utf8.reduce(1000) { $0 &+ UInt64($1) } &+ symbol.offset)
        default: return nil
        }
    }

    /// In JSON a frame's number is its index in an array, which inlined calls in front of it
    /// change; the presets of Swift's backtracer number rows, and so do others.
    private static let renumbering: Set = [
        "abrt-json", "apple-ips", "kscrash-json", "sanitizer-asan", "sanitizer-hwasan", "sanitizer-libfuzzer", "sanitizer-lsan",
        "sanitizer-msan", "sanitizer-tsan", "sanitizer-ubsan", "sentry-event-json", "swift-backtrace", "swift-server-backtrace", "unreal",
        "windows-cdb",
    ]

    @Test(arguments: CorpusTests.editable) func `an answered log has the same frames`(sample: CorpusTests.Sample) {
        let log = sample.log
        let symbolicated = log.symbolicated(result)
        // A sanitizer's rows without a report are recognised by their module, which the result
        // replaces.
        let all = log.parsed().reports
        let before = all.filter { !$0.notes.contains { $0.contains("not inside a sanitizer's report") } }
        // They are anybody's then.
        let after = symbolicated.parsed().reports.filter { before.count == all.count || $0.format != "stack-rows" }
        #expect(after.map(\.format) == before.map(\.format))
        for (old, new) in zip(before, after) {
            // Frames of the log itself: inlined calls that a result brought are left out.
            let count = old.allFrames.filter { !$0.isInlined }
            let kept = new.allFrames.filter { !$0.isInlined }
            #expect(count.map(\.address) == kept.map(\.address))
            // A result may replace an offset. If the log gives only the offset, it stays.
            #expect(count.map { $0.address == nil ? $0.imageLocation : nil } == kept.map { $0.address == nil ? $0.imageLocation : nil })
            #expect(count.map(\.kind) == kept.map(\.kind))
            #expect(count.map(\.index) == kept.map(\.index) || Self.renumbering.contains(old.format))
            #expect(old.threads.map(\.name) == new.threads.map(\.name))
            if old.format.hasPrefix("sanitizer-") {
                // A source location replaces the module's name.
                #expect(new.listedImages.allSatisfy { old.listedImages.contains($0) })
            } else if old.format != "swift-runtime-trace", old.format != "nsexception-console" {
                #expect(old.listedImages == new.listedImages)
            }
        }
    }

    @Test(arguments: CorpusTests.editable) func `every answer is in the log`(sample: CorpusTests.Sample) {
        // Apport's signature is compared as it is, and holds no results.
        if sample.path.hasSuffix("signature.crash") { return }
        let symbolicated = sample.log.symbolicated(result)
        for report in symbolicated.parsed().reports {
            for frame in report.allFrames where !frame.isInlined {
                guard let expected = result(frame)?.functions.last, let printed = frame.printed else { continue }
                // The log's own name stays if it came with a source location.
                #expect(printed.location != nil || printed.name != expected.name)
            }
            #expect(report.allFrames.allSatisfy { result($0) == nil || $0.printed?.name != nil })
        }
    }

    @Test(arguments: CorpusTests.editable) func `answering again changes nothing`(sample: CorpusTests.Sample) {
        let symbolicated = sample.log.symbolicated(result)
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test(arguments: CorpusTests.editable) func `bytes outside the frames stay`(sample: CorpusTests.Sample) {
        let log = sample.log
        for report in log.parsed().reports {
            let frames = report.allFrames
            let edits = FormatRegistry.standard.edits(
                of: report, results: frames.compactMap { frame in result(frame).map { (frame, $0) } }, in: log.bytes.span)
            var end = 0
            for edit in edits {
                #expect(edit.range.lowerBound >= end)
                end = edit.range.upperBound
                // Inside one frame's row or object; a list in parentheses is edited as a whole.
                let isInFrame = frames.contains {
                    $0.range.lowerBound <= edit.range.lowerBound && edit.range.upperBound <= $0.range.upperBound
                }
                // The separator of a list's addresses is replaced by a line's end; a sanitizer's
                // summary names a frame once more.
                let isSeparator = report.format == "address-list" && log.bytes[edit.range].allSatisfy { ", ".utf8.contains($0) }
                let isSummary = report.format.hasPrefix("sanitizer-") && log.line(at: edit.range.lowerBound).contains("SUMMARY: ")
                #expect(isInFrame || isSeparator || isSummary || log.bytes[edit.range.lowerBound] == UInt8(ascii: "("))
            }
        }
    }

    @Test(arguments: CorpusTests.editable) func `no answer, no change`(sample: CorpusTests.Sample) {
        let log = sample.log
        #expect(log.symbolicated { _ in nil }.bytes == log.bytes)
    }
}
