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

    @Test func `an empty section inflates to nothing`() throws {
        let (object, section) = try compressed(size: 0, stream: zlibStored([]))
        #expect(try whole(object, section) == [])
        #expect(try streamed(object, section) == [])
    }

    static let damage: [(String, Int?, [UInt8], String)] = {
        let stream = stored
        var checksum = stream
        checksum[stream.count - 1] ^= 1
        return [
            ("shorter", contents.count + 1, stream, "they inflate to \(contents.count) bytes"),
            ("longer", contents.count - 1, stream, "they inflate to more than"),
            ("longer by a window", 1 << 20, stream, "they inflate to more than"),
            ("cut", nil, Array(stream.dropLast(10)), "they end early"),
            ("no zlib", nil, contents, "incorrect header check"),
            ("checksum", nil, checksum, "incorrect data check"),
            ("nothing", 0, [], "they end early"),
        ]
    }()

    @Test(arguments: damage)
    func `damage is an error, whole and as a stream`(name: String, size: Int?, stream: [UInt8], words: String) throws {
        let (object, section) = try compressed(size: size, stream: stream)
        let first = #expect(throws: ObjectFileError.self) { try whole(object, section) }
        #expect(first?.kind == .corrupt)
        #expect(first?.problem.contains(words) == true, "\(first?.problem ?? "")")
        let second = #expect(throws: ObjectFileError.self) { try streamed(object, section) }
        #expect(second?.problem.contains(words) == true, "\(second?.problem ?? "")")
    }

    @Test func `a size that no deflate stream can reach is refused before memory is taken`() throws {
        let (object, section) = try compressed(size: 1 << 40, stream: [0x78, 1, 3, 0, 0, 0, 0, 1])
        let error = #expect(throws: ObjectFileError.self) { try whole(object, section) }
        #expect(error?.problem.contains("declares 1099511627776 inflated ones") == true)
    }

    @Test(arguments: [(2, "Zstandard"), (77, "unknown method, number 77")] as [(UInt32, String)])
    func `another method is refused by name`(type: UInt32, words: String) throws {
        let (object, section) = try compressed(type: type)
        #expect(section.compression == .unsupported(type))
        let error = #expect(throws: ObjectFileError.self) { try whole(object, section) }
        #expect(error?.kind == .unsupported)
        #expect(error?.problem.contains(words) == true)
    }

    @Test func `a section too short for its compression header is refused`() throws {
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: [1, 0, 0, 0])]
        let file = try object(builder.build())
        let section = try #require(file.section(named: ".debug_info"))
        let error = #expect(throws: ObjectFileError.self) { try whole(file, section) }
        #expect(error?.problem.contains("no compression header") == true)
    }

    /// What `objcopy` compresses, of a real file, comes back as `objcopy` stores it plain.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/objcopy"), "objcopy (package binutils) is not installed"))
    func `sections that objcopy compressed inflate to the plain ones`() throws {
        let path = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
        try withTemporaryFolder { folder throws in
            #expect(try run("/usr/bin/objcopy", ["--compress-debug-sections=zlib", path, folder + "/zlib"]).status == 0)
            let plain = try ObjectFiles.open(path: path)
            let zlib = try ObjectFiles.open(path: folder + "/zlib")
            var count = 0
            for section in zlib.description.sections where section.compression != nil {
                let expected = try #require(plain.section(named: section.name))
                #expect(expected.compression == nil && section.size == expected.size)
                #expect(try whole(zlib, section) == whole(plain, expected), "\(section.name)")
                count += 1
            }
            #expect(count >= 4)
        }
    }
}
