import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

/// The functions' ranges in `.eh_frame` against those that `llvm-dwarfdump --eh-frame` lists.
struct ExceptionFramesTests {
    static let dwarfdump = "/usr/bin/llvm-dwarfdump-19"

    static let files: [String] = {
        let system = ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11"]
        let folders = [TestPaths.fixture("binaries"), TestPaths.corpus.map { $0 + "/objects" }].compactMap { $0 }
        return (system.filter(TestPaths.isReadable) + folders.flatMap { (try? filesBelow($0)) ?? [] }).filter { path in
            // Universal files: llvm-dwarfdump lists all slices in one.
            guard let objects = try? ObjectFiles.openAll(path: path), objects.count == 1 else { return false }
            return ExceptionFrames(objects[0]) != nil
        }
    }()

    /// `0000 0024 cie=… pc=00026590...0002659b`
    private func expected(_ path: String) throws -> [Range<LinkAddress>] {
        // It lists `.debug_frame` first, where a file has one.
        try run(Self.dwarfdump, ["--eh-frame", path]).lines.drop { $0 != ".eh_frame contents:" }.compactMap { line in
            guard let field = line.split(separator: " ").first(where: { $0.hasPrefix("pc=") }) else { return nil }
            let numbers = field.dropFirst(3).split(separator: ".").map { UInt64($0, radix: 16) }
            guard numbers.count == 2, let low = numbers[0], let high = numbers[1], low < high else { return nil }
            return LinkAddress(low)..<LinkAddress(high)
        }
    }

    private func check(_ frames: ExceptionFrames, _ expected: [Range<LinkAddress>]) throws {
        var wrong: [String] = []
        for (index, range) in expected.enumerated() {
            // Both ends, the middle, and the addresses just outside, where no other function is.
            let middle = LinkAddress(range.lowerBound.value + (range.upperBound.value - range.lowerBound.value) / 2)
            for address in [range.lowerBound, middle, LinkAddress(range.upperBound.value - 1)]
            where frames.range(containing: address) != range {
                wrong.append("\(address): \(String(describing: frames.range(containing: address))), expected \(range)")
            }
            let next = index + 1 < expected.count ? expected[index + 1].lowerBound : nil
            if let next, range.upperBound < next, let gap = frames.range(containing: range.upperBound) {
                wrong.append("\(range.upperBound): \(gap), expected none")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(expected.count): \(wrong.prefix(4))")
    }

    @Test(.enabled(if: TestPaths.isReadable(dwarfdump), "llvm-dwarfdump-19 (package llvm-19) is not installed"), arguments: files)
    func `every function has the range that llvm-dwarfdump gives`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        try check(try #require(ExceptionFrames(object)), expected(path).sorted { $0.lowerBound < $1.lowerBound })
    }

    /// The same lookups without the table: its version byte is replaced by an unknown one.
    @Test(.enabled(if: TestPaths.isReadable(dwarfdump), "llvm-dwarfdump-19 (package llvm-19) is not installed"), arguments: files)
    func `the walk through the section gives what the table gives`(path: String) throws {
        let original = try ObjectFiles.open(path: path)
        guard let table = original.section(named: ".eh_frame_hdr") else { return }
        var bytes = try readFile(path)
        bytes[table.fileRange.lowerBound] = 0xee
        try check(try #require(ExceptionFrames(object(bytes))), expected(path).sorted { $0.lowerBound < $1.lowerBound })
    }

    /// `00037d40 000000000000001c 000000e4 FDE cie=00037c60 pc=000000000003c04f..000000000003c059`,
    /// after `00037c60 0000000000000014 00000000 CIE "zRS" cf=1 df=-8 ra=16`.
    @Test(
        .enabled(if: TestPaths.isReadable("/usr/bin/readelf"), "readelf (package binutils) is not installed"),
        arguments: ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11"].filter(TestPaths.isReadable))
    func `signal frames are those that readelf lists with an S`(path: String) throws {
        let lines = try run("sh", ["-c", "readelf -wF \"$1\" | grep -E ' (CIE|FDE) '", "sh", path]).lines
        let frames = try #require(ExceptionFrames(ObjectFiles.open(path: path)))
        var signal: Set<Substring> = []
        var (all, marked) = (0, 0)
        for line in lines {
            let fields = line.split(separator: " ")
            if fields.contains("CIE") {
                if fields.contains(where: { $0.hasPrefix("\"") && $0.contains("S") }) {
                    signal.insert(fields[0])
                } else {
                    signal.remove(fields[0])
                }
                continue
            }
            guard let cie = fields.first(where: { $0.hasPrefix("cie=") })?.dropFirst(4),
                let start = fields.first(where: { $0.hasPrefix("pc=") })?.dropFirst(3).prefix(while: \.isHexDigit),
                let address = UInt64(start, radix: 16)
            else { continue }
            let expected = signal.contains(cie)
            all += 1
            if expected { marked += 1 }
            guard frames.isSignalFrame(at: LinkAddress(address)) != expected else { continue }
            // An empty function describes nothing; the next one begins there.
            if frames.range(containing: LinkAddress(address))?.lowerBound == LinkAddress(address) { Issue.record("\(line)") }
        }
        #expect(all > 1000 && (marked > 0 || path.contains("python")))
        #expect(frames.isSignalFrame(at: LinkAddress(.max)) == nil)
    }

    /// CIE "zR" with one encoding, one FDE; hand-written after the Linux Standard Base, Core,
    /// section 10.6.1.
    private func section(_ encoding: Encoding, pointer: UInt8, start: (inout ByteWriter) -> Void, size: (inout ByteWriter) -> Void)
        -> [UInt8]
    {
        var common = ByteWriter(encoding.order)
        common.put(UInt32(0))
        common.bytes += [1] + Array("zR\0".utf8) + [1, 0x78, 16, 1, pointer]
        while common.bytes.count % 4 != 0 { common.bytes.append(0) }
        var frame = ByteWriter(encoding.order)
        frame.put(UInt32(common.bytes.count + 8))  // back from here to the common information
        start(&frame)
        size(&frame)
        frame.bytes.append(0)
        while frame.bytes.count % 4 != 0 { frame.bytes.append(0) }
        var all = ByteWriter(encoding.order)
        all.put(UInt32(common.bytes.count))
        all.bytes += common.bytes
        all.put(UInt32(frame.bytes.count))
        all.bytes += frame.bytes
        all.put(UInt32(0))
        return all.bytes
    }

    private func range(_ encoding: Encoding, at address: UInt64, _ section: [UInt8]) throws -> Range<LinkAddress>? {
        var builder = ELFBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        builder.sections = [.init(name: ".eh_frame", type: 1, flags: 2, address: 0x4000, bytes: section)]
        return try ExceptionFrames(object(builder.build()))?.range(containing: LinkAddress(address))
    }

    @Test(arguments: Encoding.allCases)
    func `addresses are read in every encoding that compilers use`(encoding: Encoding) throws {
        let expected = LinkAddress(0x3000)..<LinkAddress(0x3040)
        // The frame's address field is 4 + 16 + 4 + 4 bytes after the start of the section
        // (common information: 4 + 9 bytes, filled up to 16).
        let field = 0x4000 + 4 + 16 + 4 + 4
        let distance = 0x3000 - field
        let forms: [(UInt8, (inout ByteWriter) -> Void, (inout ByteWriter) -> Void)] = [
            (0x00, { $0.putWord(0x3000, wide: encoding.is64Bit) }, { $0.putWord(0x40, wide: encoding.is64Bit) }),
            (0x02, { $0.put(UInt16(0x3000)) }, { $0.put(UInt16(0x40)) }),
            (0x03, { $0.put(UInt32(0x3000)) }, { $0.put(UInt32(0x40)) }),
            (0x04, { $0.put(UInt64(0x3000)) }, { $0.put(UInt64(0x40)) }),
            (
                0x10, { $0.putWord(UInt64(bitPattern: Int64(distance)), wide: encoding.is64Bit) },
                { $0.putWord(0x40, wide: encoding.is64Bit) }
            ),
            (0x1a, { $0.put(Int16(distance)) }, { $0.put(Int16(0x40)) }),
            (0x1b, { $0.put(Int32(distance)) }, { $0.put(Int32(0x40)) }),
            (0x1c, { $0.put(Int64(distance)) }, { $0.put(Int64(0x40)) }),
            // ULEB128 (DWARF 5, figure 46): 0x3000 = 0b1100000_0000000.
            (0x01, { $0.bytes += [0x80, 0x60] }, { $0.bytes += [0x40] }),
        ]
        for (pointer, start, size) in forms {
            let bytes = section(encoding, pointer: pointer, start: start, size: size)
            #expect(try range(encoding, at: 0x3000, bytes) == expected, "encoding \(pointer)")
            #expect(try range(encoding, at: 0x303f, bytes) == expected, "encoding \(pointer)")
            #expect(try range(encoding, at: 0x3040, bytes) == nil, "encoding \(pointer)")
            #expect(try range(encoding, at: 0x2fff, bytes) == nil, "encoding \(pointer)")
        }
    }

    @Test func `an address that stands elsewhere is not guessed`() throws {
        // DW_EH_PE_indirect | pcrel | sdata4; DW_EH_PE_textrel; DW_EH_PE_omit.
        for pointer: UInt8 in [0x9b, 0x23, 0xff] {
            let bytes = section(.little64, pointer: pointer, start: { $0.put(UInt32(0x3000)) }, size: { $0.put(UInt32(0x40)) })
            #expect(try range(.little64, at: 0x3000, bytes) == nil)
        }
    }

    @Test func `a relocatable file and a debug companion have none`() throws {
        var builder = ELFReaderTests.library(.little64)
        builder.sections.append(.init(name: ".eh_frame", type: 8, flags: 2, address: 0x4000, size: 0x100))
        #expect(try ExceptionFrames(object(builder.build())) == nil)
        builder.type = 1  // ET_REL
        builder.sections[builder.sections.count - 1] = .init(name: ".eh_frame", type: 1, flags: 2, bytes: [UInt8](repeating: 0, count: 16))
        #expect(try ExceptionFrames(object(builder.build())) == nil)
    }
}
