import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

/// KSCrash's own translation of its reports into Apple's text (`KSCrashReportFilterAppleFmt`),
/// frame by frame: address, image, name, offset.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct KSCrashUpstreamTests {
    struct Row: Equatable, CustomStringConvertible {
        var image: String
        var address: String
        var base: String
        var offset: String
        var symbol: String
        var description: String { "\(image) \(address) \(base) \(offset) \(symbol)" }
    }

    /// `3   Crash-Tester                    0x00065628 0x5f000 + 26152 (-[Foo bar] + 68)`
    private static func rows(_ text: String) -> [Row] {
        text.matches(of: #/(?m)^\d+ +(.+?) +0x0*([0-9a-f]+) 0x([0-9a-f]+) \+ (\d+) \((.*)\)$/#).map { match in
            let row = match.output
            return Row(image: String(row.1), address: "0x" + row.2, base: "0x" + row.3, offset: String(row.4), symbol: String(row.5))
        }
    }

    @Test(arguments: ["Abort", "CorruptMemory", "CrashInHandler", "NSException", "Zombie"])
    func `frames agree`(name: String) throws {
        let folder = TestPaths.corpus ?? ""
        let expected = Self.rows(String(decoding: TestPaths.bytes(of: folder + "/expected/upstream/kscrash-\(name).txt"), as: UTF8.self))
        let report = try SampleLog(bytes: TestPaths.bytes(of: folder + "/logs/kscrash-json/kscrash-\(name).json")).report()
        // The text has the recrash after the threads.
        let frames = (report.threads + report.additionalBacktraces).flatMap(\.frames)
        let found = frames.map { frame in
            let image = frame.image.map { report.images[$0] }
            let offset = image?.base.flatMap { base in frame.address.map { $0.value - base.value } } ?? 0
            let symbol = frame.printed.map { "\($0.name ?? "") + \($0.offset ?? 0)" } ?? ""
            return Row(
                image: image?.name ?? "", address: frame.hex, base: image?.base?.description ?? "", offset: "\(offset)", symbol: symbol)
        }
        #expect(found.count > 30 && found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(found == expected) }
    }
}
