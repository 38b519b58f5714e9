import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// `SHF_COMPRESSED` sections: whole, as a stream, and damaged.
struct InflateTests {
    /// Two windows of the stream and a bit.
    static let contents: [UInt8] = (0..<(2 << 20) + 12_345).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    static let stored = zlibStored(contents)

    /// An object with one compressed section, `.debug_info`.
    private func compressed(
        _ encoding: Encoding = .little64, type: UInt32 = 1, size: Int? = nil, stream: [UInt8] = stored
    ) throws -> (object: ObjectFile, section: Section) {
        var builder = ELFBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        let header = builder.compressionHeader(type: type, size: UInt64(size ?? Self.contents.count))
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + stream)]
        let file = try object(builder.build())
        return (file, try #require(file.section(named: ".debug_info")))
    }

    private func streamed(_ object: ObjectFile, _ section: Section) throws -> [UInt8] {
        var all: [UInt8] = []
        try object.inflateStreaming(section) { piece in
            all += array(piece)
            return true
        }
        return all
    }

    private func whole(_ object: ObjectFile, _ section: Section) throws -> [UInt8] {
        try object.contents(of: section).withBytes(array)
    }

    @Test(arguments: Encoding.allCases)
    func `a section inflates to what was compressed, whole and as a stream`(encoding: Encoding) throws {
        let (object, section) = try compressed(encoding)
        #expect(section.compression == .zlib)
        #expect(section.size == UInt64(Self.contents.count))
        #expect(try whole(object, section) == Self.contents)
        #expect(try streamed(object, section) == Self.contents)
    }

    @Test func `a stream stops when it is asked to, and comes in windows of a megabyte`() throws {
        let (object, section) = try compressed()
        var sizes: [Int] = []
        try object.inflateStreaming(section) { piece in
            sizes.append(piece.byteCount)
            return sizes.count < 2
        }
        #expect(sizes == [1 << 20, 1 << 20])
    }

    @Test func `a section that is stored as it is streams too`() throws {
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".debug_info", type: 1, bytes: Self.contents)]
        let file = try object(builder.build())
        #expect(try streamed(file, try #require(file.section(named: ".debug_info"))) == Self.contents)
    }

    /// Two sections of 300 MB of zeros, which deflate packs into 300 KB each: 512 MB may be in
    /// memory for so small a file.
    @Test func `what is inflated at one time has an end, and makes room when it is let go`() throws {
        let size = 300 << 20
        let script = "import zlib, sys; sys.stdout.buffer.write(zlib.compress(bytes(\(size))))"
        let stream = try run("python3", ["-c", script]).standardOutput
        try #require(stream.count > 200_000)
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(size))
        builder.sections = [".debug_str", ".debug_ranges"].map { .init(name: $0, type: 1, flags: 0x800, bytes: header + stream) }
        let object = try object(builder.build())
        let sections = object.description.sections.filter { $0.name.hasPrefix(".debug_") }
        try #require(sections.count == 2)
        var first: SectionContents? = try object.contents(of: sections[0])
        #expect(first?.count == size)
        let error = #expect(throws: ObjectFileError.self) { try object.contents(of: sections[1]) }
        #expect(
            error?.problem.contains("declares 314572800 bytes, expected that all that is inflated at one time takes at most 536870912")
                == true)
        // Its last reader has gone.
        first = nil
        #expect(try object.contents(of: sections[1]).count == size)
    }

    @Test func `an empty section inflates to nothing`() throws {
        let (object, section) = try compressed(size: 0, stream: zlibStored([]))
        #expect(try whole(object, section) == [])
        #expect(try streamed(object, section) == [])
    }

    /// Damaged streams of both sizes: ISA-L inflates large sections where it is installed, zlib
    /// small ones.
    static let damage: [(String, Int, [UInt8], String)] = [contents, Array(contents.prefix(4000))].flatMap { contents in
        let stream = zlibStored(contents)
        var checksum = stream
        checksum[stream.count - 1] ^= 1
        return [
            ("shorter", contents.count + 1, stream, "they inflate to \(contents.count) bytes"),
            ("longer", contents.count - 1, stream, "they inflate to more than"),
            ("longer by a window", contents.count / 2, stream, "they inflate to more than"),
            ("cut", contents.count, Array(stream.dropLast(10)), "they end early"),
            ("no zlib", contents.count, contents, "incorrect header check"),
            ("checksum", contents.count, checksum, "incorrect data check"),
            ("nothing", 0, [], "they end early"),
        ]
    }

    @Test(arguments: damage)
    func `damage is an error, whole and as a stream`(name: String, size: Int, stream: [UInt8], message: String) throws {
        let (object, section) = try compressed(size: size, stream: stream)
        let first = #expect(throws: ObjectFileError.self) { try whole(object, section) }
        #expect(first?.kind == .corrupt)
        #expect(first?.problem.contains(message) == true, "\(first?.problem ?? "")")
        let second = #expect(throws: ObjectFileError.self) { try streamed(object, section) }
        #expect(second?.problem.contains(message) == true, "\(second?.problem ?? "")")
    }

    @Test func `a size that no deflate stream can reach is refused before memory is taken`() throws {
        let (object, section) = try compressed(size: 1 << 40, stream: [0x78, 1, 3, 0, 0, 0, 0, 1])
        let error = #expect(throws: ObjectFileError.self) { try whole(object, section) }
        #expect(error?.problem.contains("declares 1099511627776 inflated ones") == true)
    }

    @Test func `another method is refused by its number`() throws {
        let (object, section) = try compressed(type: 77)
        #expect(section.compression == .unsupported(77))
        for read in [whole, streamed] {
            let error = #expect(throws: ObjectFileError.self) { try read(object, section) }
            #expect(error?.kind == .unsupported)
            #expect(error?.problem.contains("an unknown method, number 77") == true)
        }
    }

    // MARK: Zstandard

    /// A frame of raw blocks (RFC 8878, section 3.1.1): magic number, a header without checksum and
    /// with a window of 1 MB (exponent 10, section 3.1.1.1.2), then blocks of at most 128 KB whose
    /// three bytes of header hold the size, the type 0 and whether the block is the last.
    static func zstandardFrame(_ bytes: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 10 << 3]
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(128 << 10)
            rest = rest.dropFirst(piece.count)
            let header = piece.count << 3 | (rest.isEmpty ? 1 : 0)
            frame += [UInt8(header & 0xff), UInt8(header >> 8 & 0xff), UInt8(header >> 16)] + piece
        } while !rest.isEmpty
        return frame
    }

    @Test(arguments: Encoding.allCases)
    func `a Zstandard section inflates to what was compressed, also from several frames`(encoding: Encoding) throws {
        let half = Self.contents.count / 2
        for stream in [
            Self.zstandardFrame(Self.contents),
            Self.zstandardFrame(Array(Self.contents[..<half])) + Self.zstandardFrame(Array(Self.contents[half...])),
        ] {
            let (object, section) = try compressed(encoding, type: 2, stream: stream)
            #expect(section.compression == .zstd)
            #expect(try whole(object, section) == Self.contents)
            #expect(try streamed(object, section) == Self.contents)
        }
    }

    @Test func `damage in a Zstandard section is an error, whole and as a stream`() throws {
        let frame = Self.zstandardFrame(Self.contents)
        let damage: [(Int, [UInt8], String)] = [
            (Self.contents.count + 1, frame, "they inflate to \(Self.contents.count) bytes"),
            (Self.contents.count - 1, frame, "they inflate to more than"),
            (Self.contents.count, Array(frame.dropLast(10)), "they end early"),
            (Self.contents.count, Self.contents, "Unknown frame descriptor"),
            (Self.contents.count, frame + [1, 2, 3, 4, 5], "Unknown frame descriptor"),
            (0, [], "they end early"),
        ]
        for (size, stream, message) in damage {
            let (object, section) = try compressed(type: 2, size: size, stream: stream)
            for read in [whole, streamed] {
                let error = #expect(throws: ObjectFileError.self) { try read(object, section) }
                #expect(error?.kind == .corrupt)
                #expect(error?.problem.contains(message) == true, "\(error?.problem ?? "")")
            }
        }
    }

    // MARK: GNU's old compression

    @Test(arguments: Encoding.allCases)
    func `a section of GNU's old kind inflates`(encoding: Encoding) throws {
        var builder = ELFBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        var header = ByteWriter(.bigEndian)
        header.bytes = Array("ZLIB".utf8)
        header.put(UInt64(Self.contents.count))
        builder.sections = [
            .init(name: ".zdebug_info", type: 1, bytes: header.bytes + Self.stored),
            // The name alone compresses nothing.
            .init(name: ".zdebug_str", type: 1, bytes: Array("ZLIX12345678".utf8)),
        ]
        let file = try object(builder.build())
        let section = try #require(file.section(named: ".zdebug_info"))
        #expect(section.compression == .zlib && section.size == UInt64(Self.contents.count))
        #expect(try whole(file, section) == Self.contents)
        let plain = try #require(file.section(named: ".zdebug_str"))
        #expect(try whole(file, plain) == Array("ZLIX12345678".utf8))
    }

    @Test func `a section too short for its compression header is refused`() throws {
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: [1, 0, 0, 0])]
        let file = try object(builder.build())
        let section = try #require(file.section(named: ".debug_info"))
        let error = #expect(throws: ObjectFileError.self) { try whole(file, section) }
        #expect(error?.problem.contains("no compression header") == true)
    }

    /// The Go linker still writes `__zdebug_…`, with the size big-endian as ever.
    @Test func `a Mach-O section of GNU's old kind inflates`() throws {
        var header = ByteWriter(.bigEndian)
        header.bytes = Array("ZLIB".utf8)
        header.put(UInt64(Self.contents.count))
        var builder = MachOBuilder()
        let bytes = header.bytes + Self.stored
        builder.segments = [
            (
                "__DWARF", 0x3000,
                [.init(name: "__zdebug_info", segment: "__DWARF", address: 0x3000, size: UInt64(bytes.count), bytes: bytes)]
            )
        ]
        let file = try object(builder.build())
        let section = try #require(file.section(named: "__zdebug_info"))
        #expect(section.compression == .zlib && section.size == UInt64(Self.contents.count))
        #expect(try whole(file, section) == Self.contents)
    }

    /// Sections of a real file that `objcopy` compressed inflate to the bytes that it stores
    /// uncompressed.
    @Test(
        .enabled(if: TestPaths.isReadable("/usr/bin/objcopy"), "objcopy (package binutils) is not installed"),
        arguments: [("/usr/bin/objcopy", "zlib"), ("/usr/bin/objcopy", "zlib-gnu"), ("/usr/bin/llvm-objcopy-19", "zstd")])
    func `sections that objcopy compressed inflate to the plain ones`(tool: String, method: String) throws {
        let path = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
        try withTemporaryFolder { folder throws in
            #expect(try run(tool, ["--compress-debug-sections=" + method, path, folder + "/packed"]).status == 0)
            let plain = try ObjectFiles.open(path: path)
            let packed = try ObjectFiles.open(path: folder + "/packed")
            var count = 0
            for section in packed.description.sections where section.compression != nil {
                let name = section.name.hasPrefix(".z") ? "." + section.name.dropFirst(2) : section.name
                let expected = try #require(plain.section(named: name))
                #expect(expected.compression == nil && section.size == expected.size)
                #expect(try whole(packed, section) == whole(plain, expected), "\(section.name)")
                count += 1
            }
            #expect(count >= 4)
        }
    }
}
