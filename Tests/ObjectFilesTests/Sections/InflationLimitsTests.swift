import BinaryPrimitives
import TestSupport
import Testing

@testable import ObjectFiles

/// Limits of compressed sections (`Limits`): a section at the limit is inflated whole, one byte
/// more is refused before memory is allocated.
struct InflationLimitsTests {
    private static let contents: [UInt8] = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    /// An object with compressed sections of 1,000 bytes, and their compressed bytes.
    private func compressed(
        names: [String] = [".debug_info"], type: UInt32 = 1, stream: [UInt8] = zlibStored(contents), _ limits: Limits
    ) throws -> (object: ObjectFile, sections: [Section]) {
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: type, size: UInt64(Self.contents.count))
        builder.sections = names.map { .init(name: $0, type: 1, flags: 0x800, bytes: header + stream) }
        let bytes = builder.build()
        let object = try #require(try ELFReader.open(MappedFile(bytes: bytes.span.rawBytes, name: "test"), limits))
        return (object, object.description.sections.filter { $0.compression != nil })
    }

    /// Reads a section whole and as a stream.
    /// - Returns: why it is refused, which is the same for both; `nil` where both give its
    ///   contents.
    private func problem(_ object: ObjectFile, _ section: Section) throws -> String? {
        func read(_ body: () throws(ObjectFileError) -> [UInt8]) -> Result<[UInt8], ObjectFileError> { Result(catching: body) }
        let results = [
            read { () throws(ObjectFileError) in try object.contents(of: section).withBytes(array) },
            read { () throws(ObjectFileError) in
                var all: [UInt8] = []
                try object.inflateStreaming(section) { piece in
                    all += array(piece)
                    return true
                }
                return all
            },
        ]
        var problems: Set<String?> = []
        for result in results {
            switch result {
            case .success(let bytes):
                #expect(bytes == Self.contents)
                problems.insert(nil)
            case .failure(let error): problems.insert(error.problem)
            }
        }
        try #require(problems.count == 1)
        return problems.first ?? nil
    }

    @Test func `a section inflates to so many bytes`() throws {
        var limits = Limits()
        limits.inflatedSection = 1000
        let (whole, sections) = try compressed(limits)
        #expect(try problem(whole, sections[0]) == nil)
        limits.inflatedSection = 999
        let (refused, others) = try compressed(limits)
        // zlib's stream is two bytes, then a stored block's five and the 1,000, then four of the
        // checksum.
        #expect(
            try problem(refused, others[0])
                == "section .debug_info of 1011 compressed bytes declares 1000 inflated ones, expected at most 1100 times as many, and 999")
    }

    /// Sections of one name that a linker would join.
    @Test func `sections that are read as one inflate to so many bytes together`() throws {
        var limits = Limits()
        limits.inflatedSection = 2000
        let (whole, sections) = try compressed(names: [".debug_info", ".debug_info"], limits)
        #expect(try whole.contents(joining: sections).withBytes(array) == Self.contents + Self.contents)
        limits.inflatedSection = 1999
        let (refused, others) = try compressed(names: [".debug_info", ".debug_info"], limits)
        let error = #expect(throws: ObjectFileError.self) { try refused.contents(joining: others) }
        #expect(error?.problem == "the sections named .debug_info inflate to more than 1999 bytes together")
    }

    /// Stored blocks are longer than what comes of them; what repeats is packed many times shorter.
    @Test func `a section inflates to so many times its compressed bytes`() throws {
        var limits = Limits()
        limits.inflationRatio = 1
        let (whole, sections) = try compressed(limits)
        #expect(try problem(whole, sections[0]) == nil)
        let script = "import zlib, sys; sys.stdout.buffer.write(zlib.compress(bytes(range(100)) * 10))"
        let packed = try run("python3", ["-c", script]).standardOutput
        let ratio = 1000 / packed.count
        try #require(ratio > 1 && 1000 % packed.count > 0)
        limits.inflationRatio = ratio
        let (refused, others) = try compressed(stream: packed, limits)
        #expect(
            try problem(refused, others[0])
                == "section .debug_info of \(packed.count) compressed bytes declares 1000 inflated ones, expected at most \(ratio) times as many, and \(limits.inflatedSection)"
        )
        limits.inflationRatio = ratio + 1
        let (read, others2) = try compressed(stream: packed, limits)
        #expect(try read.contents(of: others2[0]).count == 1000)
    }

    /// A frame of raw blocks: nine bytes and the 1,000. A run of one byte (RFC 8878, section
    /// 3.1.1.2.2) has four for as many: 1,000 in ten bytes are 100 times as many.
    @Test func `the same for Zstandard`() throws {
        var limits = Limits()
        limits.zstandardRatio = 1
        let (whole, sections) = try compressed(type: 2, stream: InflateTests.zstandardFrame(Self.contents), limits)
        #expect(try problem(whole, sections[0]) == nil)
        let header = 1000 << 3 | 1 << 1 | 1
        let run: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 10 << 3, UInt8(header & 0xff), UInt8(header >> 8), 0, 0x55]
        limits.zstandardRatio = 100
        let (read, runs) = try compressed(type: 2, stream: run, limits)
        #expect(try read.contents(of: runs[0]).withBytes(array) == [UInt8](repeating: 0x55, count: 1000))
        limits.zstandardRatio = 99
        let (refused, others) = try compressed(type: 2, stream: run, limits)
        #expect(
            try problem(refused, others[0])
                == "section .debug_info of 10 compressed bytes declares 1000 inflated ones, expected at most 99 times as many, and \(limits.inflatedSection)"
        )
    }

    /// Two sections of 1,000 bytes each, in a file of more than 2,000.
    @Test func `sections take so many bytes at one time, or so many times the file's`() throws {
        var limits = Limits()
        limits.inflatedPerByte = 0
        for (limit, isRead) in [(2000, true), (1999, false)] {
            limits.inflatedAtOnce = limit
            let (object, sections) = try compressed(names: [".debug_info", ".debug_str"], limits)
            let first = try object.contents(of: sections[0])
            #expect(first.count == 1000)
            #expect((try? object.contents(of: sections[1]).count) == (isRead ? 1000 : nil))
        }
        // The file is larger than both, so that once its size suffices.
        limits.inflatedPerByte = 1
        let (object, sections) = try compressed(names: [".debug_info", ".debug_str"], limits)
        let (first, second) = (try object.contents(of: sections[0]), try object.contents(of: sections[1]))
        #expect(object.file.size > 2000 && first.count + second.count == 2000)
    }
}
