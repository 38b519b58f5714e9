import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Compressed sections that are inflated into memory as far as they are read, against the same sections inflated whole.
struct GrowingSectionTests {
    private func open(_ packed: [UInt8], size: Int) throws -> (object: ObjectFile, section: Section) {
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(size))
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + packed)]
        let object = try object(builder.build())
        return (object, try #require(object.section(named: ".debug_info")))
    }

    private func read(_ contents: SectionContents, _ range: Range<Int>) -> [UInt8] { contents.withBytes(in: range, ReadBuffer(), array) }

    @Test(arguments: InflatingAheadTests.Contents.allCases)
    func `parts in any order are what was compressed`(contents: InflatingAheadTests.Contents) throws {
        let bytes = contents.bytes
        let (object, section) = try open(InflatingAheadTests.compress(bytes), size: bytes.count)
        let growing = try object.growingContents(of: section)
        #expect(!growing.isStreamed && growing.count == bytes.count)
        var generator = SplitMix64(seed: 11)
        for _ in 0..<50 {
            let start = Int(generator.next() % UInt64(bytes.count))
            let end = start + Int(generator.next() % 500_000)
            #expect(read(growing, start..<end) == Array(bytes[start..<min(end, bytes.count)]))
            let buffer = ReadBuffer()
            growing.load(start..<end, into: buffer)
            #expect(buffer.withLoaded(array) == Array(bytes[start..<min(end, bytes.count)]))
            #expect(growing.withMappedBytes(in: start..<end, array) == Array(bytes[start..<min(end, bytes.count)]))
        }
        #expect(growing.withBytes(array) == bytes && growing.problem == nil)
        #expect(read(growing, bytes.count..<bytes.count + 10) == [])
    }

    @Test func `several threads read while one inflates ahead`() throws {
        let bytes = InflatingAheadTests.Contents.near.bytes
        let (object, section) = try open(InflatingAheadTests.compress(bytes), size: bytes.count)
        let contents = try object.growingContents(of: section)
        guard case .growing(let growing) = contents else { throw CancellationError() }
        let starts = Array(stride(from: 0, to: bytes.count, by: 100_000))
        let (_, pieces) = Parallel.both(worthwhile: true) {
            while growing.advance() {}
        } _: {
            Parallel.map(starts.reversed(), minPerThread: 1, state: { ReadBuffer() }) { buffer, start in
                contents.withBytes(in: start..<start + 100_000, buffer, array)
            }
        }
        #expect(pieces.reversed().flatMap { $0 } == bytes)
        #expect(growing.isWhole && !growing.advance())
    }

    @Test func `bytes before damage are given, and the reason is told`() throws {
        let bytes = InflatingAheadTests.Contents.random.bytes
        let packed = InflatingAheadTests.compress(bytes)
        // Cut in the middle of the stream.
        let (object, section) = try open(Array(packed.prefix(packed.count / 2)), size: bytes.count)
        let contents = try object.growingContents(of: section)
        #expect(read(contents, 0..<1000) == Array(bytes.prefix(1000)))
        #expect(contents.problem == nil)
        let given = contents.withBytes(array)
        #expect(given.count < bytes.count && given == Array(bytes.prefix(given.count)))
        #expect(contents.problem?.problem.contains("they end early") == true, "\(contents.problem?.problem ?? "")")
        guard case .growing(let growing) = contents else { throw CancellationError() }
        #expect(!growing.advance())
    }

    @Test func `a checksum that is wrong and a size that is too small are told at the end`() throws {
        let bytes = InflatingAheadTests.Contents.near.bytes
        var packed = InflatingAheadTests.compress(bytes)
        let tooSmall = try open(packed, size: bytes.count - 1)
        let small = try tooSmall.object.growingContents(of: tooSmall.section)
        #expect(small.withBytes(array).count == bytes.count - 1)
        #expect(small.problem?.problem.contains("more than") == true, "\(small.problem?.problem ?? "")")
        packed[packed.count - 1] ^= 1
        let wrong = try open(packed, size: bytes.count)
        let contents = try wrong.object.growingContents(of: wrong.section)
        _ = contents.withBytes(array)
        #expect(contents.problem != nil)
    }
}
