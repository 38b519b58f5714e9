import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import DWARF

/// Parts of a section that are read at once have the same bytes as those that are read one by one.
struct SectionWindowTests {
    /// A section of 100,000 bytes after 1,000 others, each byte by its place.
    private static let bytes: [UInt8] = (0..<101_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 8) }

    private func withWindow(_ body: (SectionWindow) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/section", Self.bytes)
            try body(SectionWindow(.stored(try MappedFile(path: folder + "/section"), 1_000..<101_000)))
        }
    }

    private func expected(_ range: Range<Int>) -> [UInt8] { Array(Self.bytes[1_000 + range.lowerBound..<1_000 + range.upperBound]) }

    @Test func `parts near to one another, far away, backwards, and up to the end`() throws {
        try withWindow { window in
            var ranges: [Range<Int>] = (0..<59).map { $0 * 1_700..<min(100_000, $0 * 1_700 + 512) }
            ranges += [
                99_990..<100_000, 5..<45, 7_000..<7_512, 7_100..<7_110, 60_000..<99_000, 60_001..<60_041, 0..<100_000, 100_000..<100_000,
            ]
            for range in ranges {
                window.withBytes(in: range) { #expect($0.text.copied() == expected(range), "\(range)") }
            }
        }
    }

    @Test func `a part that is requested while another is used`() throws {
        try withWindow { window in
            window.withBytes(in: 100..<140) { _ in }
            window.withBytes(in: 200..<240) { outer in
                window.withBytes(in: 210..<215) { #expect($0.text.copied() == expected(210..<215)) }
                window.withBytes(in: 90_000..<90_040) { #expect($0.text.copied() == expected(90_000..<90_040)) }
                window.withBytes(in: 90_100..<90_140) { #expect($0.text.copied() == expected(90_100..<90_140)) }
                #expect(outer.text.copied() == expected(200..<240))
            }
        }
    }
}
