import BinaryPrimitives
import CrashLogModel
import Foundation
import TestSupport
import Testing

/// Compares with Datadog's agent, frame by frame.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct HotSpotUpstreamTests {
    private struct Upstream: Decodable {
        struct Error: Decodable { var stack: Stack }
        struct Stack: Decodable { var frames: [Row] }
        struct Row: Decodable {
            var function: String?
            var path: String?
            var relative_address: String?
            var line: Int?
        }
        var error: Error
    }

    @Test func `frames agree`() throws {
        let folder = TestPaths.corpus ?? ""
        let name = "datadog-sample-crash-for-telemetry-3"
        let json = Data(TestPaths.bytes(of: folder + "/expected/upstream/\(name).json"))
        let expected = try JSONDecoder().decode(Upstream.self, from: json).error.stack.frames
        let report = try SampleLog(bytes: TestPaths.bytes(of: folder + "/logs/jvm-hserr/\(name).txt")).report()
        // The Java frames come after the native ones in theirs.
        let frames = report.threads[0].frames + report.additionalBacktraces.flatMap(\.frames)
        #expect(frames.count == 16 && expected.count == 16)
        for (frame, row) in zip(frames, expected) {
            #expect(frame.imageName == row.path)
            #expect(frame.imageOffset.map { "0x" + String($0.value, radix: 16) } == row.relative_address)
            // Theirs have the offset in the name, of Java frames the bytecode's index in a field of
            // its own.
            let name = (frame.printed?.name ?? "") + (frame.printed?.offset.map { "+0x" + String($0, radix: 16) } ?? "")
            #expect(name == (row.function ?? "") + (row.line.map { "+\($0)" } ?? ""))
        }
    }
}
