import BinaryPrimitives
import CZlib
import Decompression
import ObjectFiles
import TestSupport
import Testing

/// Zlib streams of which threads inflate parts while the reader is still in front of them, compared
/// with the original bytes.
///
/// A part begins 2 MB ahead of the reader, so the streams have several times as much.
struct InflatingAheadTests {
    enum Contents: String, CaseIterable {
        /// Copies come from the last few hundred bytes: soon nothing depends on what came before.
        case near
        /// Nearly every byte is a copy of the one 32,000 bytes before it: everything depends on it,
        /// to the end.
        case far
        /// Blocks that are stored as they are: no beginning of one is found.
        case random
        /// 8 MB of each kind.
        case mixed

        var bytes: [UInt8] {
            var generator = SplitMix64(seed: 41)
            var bytes: [UInt8] = []
            switch self {
            case .near:
                while bytes.count < 24 << 20 {
                    let number = generator.next()
                    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift * 8)) & 63) }
                    if number % 5 == 0 { bytes += Array(bytes.suffix(300).prefix(Int(number >> 32 % 40) + 3)) }
                }
            case .far:
                for _ in 0..<32_000 { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
                while bytes.count < 48 << 20 {
                    // Twelve of 2,000 are new.
                    bytes += Array(bytes[(bytes.count - 32_000)...].prefix(2_000))
                    for _ in 0..<60 {
                        let number = generator.next()
                        bytes[bytes.count - 1 - Int(number % 2_000)] = UInt8(truncatingIfNeeded: number >> 40)
                    }
                }
            case .random:
                while bytes.count < 12 << 20 {
                    let number = generator.next()
                    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift * 8))) }
                }
            case .mixed:
                let near = Contents.near.bytes.prefix(12 << 20)
                bytes = Array(near + Contents.random.bytes.prefix(4 << 20) + near)
            }
            return bytes
        }
    }

    /// zlib's own. With the level that `objcopy` uses, which finds the copies of everything.
    static func compress(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        let code = unsafe packed.withUnsafeMutableBufferPointer { target in
            unsafe bytes.withUnsafeBufferPointer { source in
                unsafe compress2(target.baseAddress, &size, source.baseAddress, UInt(source.count), level)
            }
        }
        #expect(code == Z_OK)
        return Array(packed.prefix(Int(size)))
    }

    private func section(_ packed: [UInt8], size: Int) throws -> (object: ObjectFile, section: Section) {
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(size))
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + packed)]
        let object = try object(builder.build())
        return (object, try #require(object.section(named: ".debug_info")))
    }

    /// Reads a section as a lookup does, with any number of processors.
    private func streamed(_ object: ObjectFile, _ section: Section) throws -> SectionContents {
        let contents = try object.streamedContents(of: section)
        contents.inflateAhead(ifProcessors: 1)
        return contents
    }

    @Test(arguments: Contents.allCases)
    func `a section inflates to what was compressed, in pieces of any size`(contents: Contents) throws {
        let bytes = contents.bytes
        let packed = Self.compress(bytes)
        #expect(packed.count > 5 << 20, "\(packed.count)")
        let (object, section) = try section(packed, size: bytes.count)
        let streamed = try streamed(object, section)
        let buffer = ReadBuffer()
        var generator = SplitMix64(seed: 5)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int(generator.next() % 700_000))
            try #require(streamed.withBytes(in: start..<end, buffer, array) == Array(bytes[start..<end]), "\(start)..<\(end)")
            start = end
        }
        #expect(streamed.problem == nil)
        // And back, from where the decoder's state was kept.
        for _ in 0..<12 {
            let start = Int(generator.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + 100_000)
            try #require(streamed.withBytes(in: start..<end, buffer, array) == Array(bytes[start..<end]), "\(start)..<\(end)")
        }
    }

    @Test func `a wrong checksum, and damage in what a thread inflates, are reported as they are without threads`() throws {
        let bytes = Contents.near.bytes
        let packed = Self.compress(bytes)
        var wrong = packed
        wrong[wrong.count - 1] ^= 1
        let (object, section) = try section(wrong, size: bytes.count)
        for ahead in [true, false] {
            let streamed = ahead ? try streamed(object, section) : try object.streamedContents(of: section)
            #expect(streamed.withBytes(array).count < bytes.count)
            #expect(streamed.problem?.problem.contains("incorrect data check") == true, "\(streamed.problem?.problem ?? "")")
        }
        for position in [3 << 20, packed.count / 2, packed.count - (1 << 20)] {
            var damaged = packed
            damaged.replaceSubrange(position..<position + 64, with: repeatElement(0xff, count: 64))
            let (object, section) = try self.section(damaged, size: bytes.count)
            let (alone, streamed) = (try object.streamedContents(of: section), try streamed(object, section))
            let (expected, read) = (alone.withBytes(array), streamed.withBytes(array))
            #expect(read == expected && streamed.problem?.problem == alone.problem?.problem)
            #expect(read != bytes)
        }
    }

    @Test(arguments: [Contents.near, .far])
    func `a block is found where zlib comes to one, and decodes without its window as soon as that is known`(contents: Contents) throws {
        let library = try #require(ISALLibrary.shared, "ISA-L is not installed")
        #expect(ISALLibrary.beginsInside)
        let bytes = Array(contents.bytes.prefix(12 << 20))
        let packed = Self.compress(bytes)
        let blocks = try Self.blocks(packed)
        #expect(blocks.count > 20)
        for position in stride(from: 40_000, to: packed.count - 400_000, by: packed.count / 9) {
            let rest = Array(packed[position..<position + 400_000])
            let first = DeflateBlocks.firstStart(in: rest.span.rawBytes)
            let bit = try #require(first)
            let block = try #require(blocks.first { $0.bit >= position * 8 })
            #expect(position * 8 + bit == block.bit)
            let inflater = UnanchoredInflater(library, byte: rest[bit >> 3], bit: bit & 7)
            var (output, other) = ([UInt8](repeating: 0, count: 256 << 10), [UInt8](repeating: 0, count: 256 << 10))
            let input = Array(rest[(bit >> 3 + 1)...])
            let step = unsafe try output.withUnsafeMutableBytes { output in
                unsafe try other.withUnsafeMutableBytes { other in
                    unsafe try input.withUnsafeBytes { unsafe try inflater.decode($0, into: output, and: other) }
                }
            }
            #expect(step.produced == output.count)
            unsafe output.withUnsafeBytes { output in
                unsafe other.withUnsafeBytes { unsafe inflater.anchor(after: output, and: $0) }
            }
            #expect(inflater.isAnchored == (contents == .near))
            let window = Array(bytes[block.position - UnanchoredInflater.windowSize..<block.position])
            unsafe output.withUnsafeMutableBytes { output in
                unsafe other.withUnsafeBytes { unsafe UnanchoredInflater.resolve(output, $0, window: window) }
            }
            #expect(output == Array(bytes[block.position..<block.position + output.count]))
        }
    }

    /// Starts of the blocks that zlib meets: the first bit of the header, and the number of bytes
    /// decoded before it.
    private static func blocks(_ packed: [UInt8]) throws -> [(bit: Int, position: Int)] {
        var found: [(Int, Int)] = []
        var stream = unsafe z_stream()
        let begun = unsafe cairn_inflateInit2(&stream, 15)
        #expect(begun == Z_OK)
        defer { unsafe _ = inflateEnd(&stream) }
        var (input, output) = (packed, [UInt8](repeating: 0, count: 64 << 10))
        var code = Z_OK
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            unsafe output.withUnsafeMutableBufferPointer { output in
                while code == Z_OK {
                    unsafe stream.next_out = output.baseAddress
                    unsafe stream.avail_out = UInt32(output.count)
                    code = unsafe inflate(&stream, Z_BLOCK)
                    // 128: a block has ended, or the stream's header; below it, how many bits of
                    // the last byte are left; 64: that was the last block.
                    guard unsafe stream.data_type & 128 != 0, unsafe stream.data_type & 64 == 0 else { continue }
                    unsafe found.append((Int(stream.total_in) * 8 - Int(stream.data_type & 7), Int(stream.total_out)))
                }
            }
        }
        #expect(code == Z_STREAM_END)
        return found
    }
}
