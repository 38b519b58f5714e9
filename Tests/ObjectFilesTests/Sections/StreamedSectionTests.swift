import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Compressed sections that are inflated as far as they are needed, against the same sections
/// inflated whole.
struct StreamedSectionTests {
    /// A block of the stream has 128 KB: parts of one, several, and what does not end with one.
    static let lengths = [1, 100, 4096, 128 << 10, (300 << 10) + 7]

    /// Every compressed section of three files: zlib's and Zstandard's, of gcc and of Rust.
    private func sections() throws -> [(object: ObjectFile, section: Section)] {
        var found: [(ObjectFile, Section)] = []
        for file in ["Stripped/out/shapes-zlib", "Stripped/out/shapes-zstd", "RustCrash/out/tank.debug"] {
            let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + file))
            found += object.description.sections.filter { $0.compression != nil }.map { (object, $0) }
        }
        return found
    }

    private func read(_ contents: SectionContents, _ range: Range<Int>) -> [UInt8] { contents.withBytes(in: range, ReadBuffer(), array) }

    @Test func `what is read from first to last, in pieces of any size, is what the section inflates to`() throws {
        let sections = try sections()
        #expect(sections.contains { $0.section.size > 1 << 20 })
        for (object, section) in sections {
            let whole = try object.contents(of: section).withBytes(array)
            for length in Self.lengths where whole.count / length < 2000 {
                let contents = try object.streamedContents(of: section)
                #expect(contents.isStreamed)
                #expect(contents.count == whole.count)
                var pieces: [UInt8] = []
                while pieces.count < whole.count { pieces += read(contents, pieces.count..<pieces.count + length) }
                #expect(pieces == whole, "\(section.name) of \(object.path) by \(length)")
                #expect(contents.problem == nil)
            }
        }
    }

    @Test(arguments: [64 << 10, 8 << 20])
    func `who goes back gets the same bytes, whether the decoder's state was kept near there or not`(distance: Int) throws {
        var generator = SplitMix64(seed: 7)
        for (object, section) in try sections() {
            let whole = try object.contents(of: section).withBytes(array)
            let contents = try object.streamedContents(of: section, checkpointsEvery: distance)
            for _ in 0..<40 {
                let start = Int(generator.next() % UInt64(whole.count))
                let end = min(whole.count, start + Int(generator.next() % 300_000))
                #expect(read(contents, start..<end) == Array(whole[start..<end]), "\(section.name) of \(object.path), \(start)..<\(end)")
            }
        }
    }

    @Test func `several threads read one section, each what it asks for`() throws {
        let (object, section) = try #require(try sections().max { $0.section.size < $1.section.size })
        let whole = try object.contents(of: section).withBytes(array)
        let contents = try object.streamedContents(of: section, checkpointsEvery: 256 << 10)
        let starts = Array(stride(from: 0, to: whole.count, by: 10_000))
        let pieces = Parallel.map(starts, minPerThread: 1, state: { ReadBuffer() }) { buffer, start in
            contents.withBytes(in: start..<start + 10_000, buffer, array)
        }
        #expect(pieces.flatMap { $0 } == whole)
    }

    @Test func `bytes before the damage are given, those behind it are not, and the reason is told`() throws {
        let stream = InflateTests.stored
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(InflateTests.contents.count))
        // Cut in the middle of the stream.
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + stream.prefix(stream.count / 2))]
        let object = try object(builder.build())
        let section = try #require(object.section(named: ".debug_info"))
        let contents = try object.streamedContents(of: section)
        #expect(read(contents, 0..<1000) == Array(InflateTests.contents.prefix(1000)))
        #expect(contents.problem == nil)
        let rest = read(contents, 0..<InflateTests.contents.count)
        #expect(rest.count < InflateTests.contents.count)
        #expect(rest == Array(InflateTests.contents.prefix(rest.count)))
        #expect(contents.problem?.problem.contains("the compressed bytes of section .debug_info are damaged") == true)
    }

    @Test func `a section that is stored as it is is not streamed`() throws {
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".debug_info", type: 1, bytes: InflateTests.contents)]
        let object = try object(builder.build())
        let contents = try object.streamedContents(of: try #require(object.section(named: ".debug_info")))
        #expect(!contents.isStreamed)
        #expect(read(contents, 5..<50) == Array(InflateTests.contents[5..<50]))
    }
}
