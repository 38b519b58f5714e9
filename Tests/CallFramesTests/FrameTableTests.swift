import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

/// `.eh_frame_hdr`, which a tool may have left as it was when it changed the sections.
struct FrameTableTests {
    static let program = TestPaths.files(under: TestPaths.fixture("binaries")).first { path in
        guard let object = try? ObjectFiles.open(path: path), object.architecture == .x86_64 else { return false }
        return object.section(named: ".eh_frame_hdr") != nil && (ExceptionFrames(object)?.everyRange().count ?? 0) > 2
    }

    @Test func `a table that contradicts the frame descriptions is not believed`() throws {
        let path = try #require(Self.program)
        let sound = try ObjectFiles.open(path: path)
        let table = try #require(sound.section(named: ".eh_frame_hdr")).fileRange
        let ranges = try #require(ExceptionFrames(sound)).everyRange()
        #expect(ranges.count > 2)
        let expected = try #require(CallFrames(sound))
        // The table first has the first function's description for each function, then no entries.
        for isEmpty in [false, true] {
            var bytes = try readFile(path)
            let first = Array(bytes[table.lowerBound + 16..<table.lowerBound + 20])
            for position in stride(from: table.lowerBound + 24, to: table.upperBound - 3, by: 8) {
                bytes.replaceSubrange(position..<position + 4, with: first)
            }
            if isEmpty { bytes.replaceSubrange(table.lowerBound + 8..<table.lowerBound + 12, with: [0, 0, 0, 0]) }
            let file = try MappedFile(bytes: bytes.span.rawBytes, name: "changed")
            let frames = try #require(try ObjectFiles.openAll(file).first.flatMap { CallFrames($0) })
            for range in ranges {
                let rules = try #require(frames.rules(at: range.lowerBound))
                #expect(rules.function == range)
                #expect(rules.frame == expected.rules(at: range.lowerBound)?.frame)
            }
        }
    }
}
