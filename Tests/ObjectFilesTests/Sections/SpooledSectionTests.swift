import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Compressed sections of texts, inflated no further than to the last byte that is read, compared
/// with the same sections inflated whole.
struct SpooledSectionTests {
    /// The texts of a Rust program: some hundred kilobytes.
    private func texts() throws -> (object: ObjectFile, section: Section) {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/RustCrash/out/tank.debug"))
        return (object, try #require(object.section(named: ".debug_str")))
    }

    @Test func `each text is the one that the whole section has there`() throws {
        let (object, section) = try texts()
        let whole = try object.contents(of: section).withBytes(array)
        #expect(whole.count > 512 << 10)
        let spooled = try #require(object.spooledContents(of: section))
        #expect(spooled.count == whole.count)
        var numbers = SplitMix64(seed: 12)
        for _ in 0..<3000 {
            let offset = Int(numbers.next() % UInt64(whole.count))
            let end = try #require(whole[offset...].firstIndex(of: 0))
            #expect(spooled.text(at: UInt64(offset)) == String(decoding: whole[offset..<end], as: UTF8.self))
            // A longer text is cut, as elsewhere.
            if end - offset > 9 { #expect(spooled.text(at: UInt64(offset), limit: 9)?.utf8.count == 9) }
        }
        #expect(spooled.text(at: UInt64(whole.count)) == nil && spooled.text(at: .max) == nil)
        #expect(try spooled.contents().withBytes(array) == whole)
    }

    @Test func `it is inflated piece by piece, to the end`() throws {
        let (object, section) = try texts()
        let spooled = try #require(object.spooledContents(of: section))
        var pieces = 1
        while spooled.advance() { pieces += 1 }
        // Pieces of 256 KB, of which the last is inflated by the call that returns that nothing is
        // left.
        #expect(pieces == (spooled.count + (256 << 10) - 1) / (256 << 10) - 1)
        #expect(!spooled.advance())
    }

    @Test func `texts before damage are read, those after it are none, and the reason is reported`() throws {
        let contents = (0..<90_000).flatMap { Array("text \($0)\0".utf8) }
        let packed = InflatingAheadTests.compress(contents)
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(contents.count))
        builder.sections = [.init(name: ".debug_str", type: 1, flags: 0x800, bytes: header + packed.prefix(packed.count / 2))]
        let object = try object(builder.build())
        let section = try #require(object.section(named: ".debug_str"))
        let spooled = try #require(object.spooledContents(of: section))
        #expect(spooled.text(at: 7) == "text 1")
        #expect(spooled.text(at: UInt64(contents.count - 3)) == nil)
        let failure = #expect(throws: ObjectFileError.self) { try spooled.contents() }
        #expect(failure?.problem.contains("the compressed bytes of section .debug_str are damaged") == true)
    }

    @Test func `a small section, and one that is stored as it is, are not spooled`() throws {
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".debug_str", type: 1, bytes: [UInt8](repeating: 0, count: 1 << 20))]
        let stored = try object(builder.build())
        #expect(stored.spooledContents(of: try #require(stored.section(named: ".debug_str"))) == nil)
        let header = builder.compressionHeader(type: 1, size: 100)
        let packed = InflatingAheadTests.compress([UInt8](repeating: 0, count: 100))
        builder.sections = [.init(name: ".debug_str", type: 1, flags: 0x800, bytes: header + packed)]
        let small = try object(builder.build())
        #expect(small.spooledContents(of: try #require(small.section(named: ".debug_str"))) == nil)
    }
}
