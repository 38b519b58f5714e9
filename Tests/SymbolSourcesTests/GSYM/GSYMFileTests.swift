import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// The layout byte by byte, in both byte orders and with all sizes of addresses; and what damaged
/// files do.
struct GSYMFileTests {
    /// Two functions at 0x1100 (0x20 bytes, with lines and a call that was inlined, or `depth` of
    /// them in one another) and 0x1130 (no size), linked at `base`.
    private func bytes(
        _ order: ByteOrder = .littleEndian, offsetSize: Int = 2, base: UInt64 = 0x1000, version: UInt16 = 1, first: UInt64 = 0x1100,
        depth: Int = 1
    ) -> [UInt8] {
        let texts = ["", "main", "helper", "inlined", "/src", "a.c", "b.c"]
        let offsets = texts.indices.map { index in UInt32(texts[..<index].reduce(0) { $0 + $1.utf8.count + 1 }) }
        func offset(_ text: String) -> UInt32 { texts.firstIndex(of: text).map { offsets[$0] } ?? 0 }

        var lines = ByteWriter(order)
        lines.putSLEB128(-1)
        lines.putSLEB128(3)
        lines.putULEB128(10)
        // 4 + (0 - -1) + 0 * 5: line 10 at 0x1100. Then file 2, and 4 + (2 - -1) + 8 * 5: line 12
        // at 0x1108. Then line 212 at 0x1118.
        lines.bytes += [5, 1, 2, 47, 3]
        lines.putSLEB128(200)
        lines.bytes += [2, 16, 0]

        // main, and in it at 0x1108, 16 bytes, a call in line 11 of file 1.
        var calls = ByteWriter(order)
        calls.bytes += [1, 0, 0x20, 1]
        calls.put(offset("main"))
        calls.bytes += [0, 0]
        for level in 1...depth {
            calls.bytes += [1, level == 1 ? 8 : 0, 16, level < depth ? 1 : 0]
            calls.put(offset("inlined"))
            calls.bytes += [1, 11]
        }
        calls.bytes += [UInt8](repeating: 0, count: depth)

        var infos = ByteWriter(order)
        infos.put(UInt32(0x20))
        infos.put(offset("main"))
        // A record of an unknown kind is passed over.
        infos.put(UInt32(77))
        infos.put(UInt32(3))
        infos.bytes += [1, 2, 3]
        for (kind, record) in [(UInt32(1), lines.bytes), (2, calls.bytes), (0, [])] {
            infos.put(kind)
            infos.put(UInt32(record.count))
            infos.bytes += record
        }
        while infos.count % 4 != 0 { infos.bytes.append(0) }
        let second = infos.count
        infos.put(UInt32(0))
        infos.put(offset("helper"))
        infos.put(UInt64(0))

        var file = ByteWriter(order)
        file.put(UInt32(0x4753_594d))
        file.put(version)
        file.bytes += [UInt8(offsetSize), 4]
        file.put(base)
        file.put(UInt32(2))
        let infoOffset = file.count
        file.put(UInt64(0))
        file.bytes += [0xde, 0xad, 0xbe, 0xef] + [UInt8](repeating: 0, count: 16)
        while file.count % offsetSize != 0 { file.bytes.append(0) }
        for address in [first, first + 0x30] { file.put(address - base, size: offsetSize) }
        while file.count % 4 != 0 { file.bytes.append(0) }
        let offsetTable = file.count
        file.put(UInt64(0))
        file.put(UInt32(3))
        for (folder, name) in [("", ""), ("/src", "a.c"), ("/src", "b.c")] {
            file.put(offset(folder))
            file.put(offset(name))
        }
        file.patch(UInt32(file.count), at: infoOffset)
        for text in texts { file.put(text: text) }
        file.patch(UInt32(texts.reduce(0) { $0 + $1.utf8.count + 1 }), at: infoOffset + 4)
        while file.count % 4 != 0 { file.bytes.append(0) }
        file.patch(UInt32(file.count), at: offsetTable)
        file.patch(UInt32(file.count + second), at: offsetTable + 4)
        return file.bytes + infos.bytes
    }

    private func open(_ bytes: [UInt8]) throws -> GSYMFile? { try GSYMFile(MappedFile(bytes: bytes.span.rawBytes, name: "made.gsym")) }

    private func frameTexts(_ source: GSYMSource, at offset: UInt64) -> [String] {
        GSYMPeer.frames(source.frames(at: [ImageOffset(offset)])[0], at: ImageOffset(offset)).map(\.description)
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian], [1, 2, 4, 8])
    func `functions, lines and calls are read in both byte orders and with addresses of any size`(order: ByteOrder, size: Int) throws {
        // Offsets of one byte reach as far as 0xff.
        let base: UInt64 = size == 1 ? 0x10c0 : 0x1000
        let file = try #require(try open(bytes(order, offsetSize: size, base: base)))
        #expect(file.identity?.hexadecimal == "deadbeef" && file.count == 2 && file.hasDebugInformation)
        #expect(file.imageBase == .known(LinkAddress(base)))
        let source = GSYMSource(file)
        #expect(frameTexts(source, at: 0x1100 - base) == ["main +0 /src/a.c:10"])
        #expect(frameTexts(source, at: 0x1107 - base) == ["main +7 /src/a.c:10"])
        #expect(frameTexts(source, at: 0x1108 - base) == ["inlined inlined /src/b.c:12", "main +8 /src/a.c:11"])
        #expect(frameTexts(source, at: 0x1117 - base) == ["inlined inlined /src/b.c:12", "main +23 /src/a.c:11"])
        #expect(frameTexts(source, at: 0x1118 - base) == ["main +24 /src/b.c:212"])
        #expect(
            source.frames(at: [ImageOffset(0x1120 - base), ImageOffset(0x10ff - base), ImageOffset(0x1130 - base)]) == [
                .unresolved(.betweenSymbols), .unresolved(.noSymbol), .unresolved(.unboundedSymbol),
            ])
        #expect(source.offset(of: LinkAddress(0x1108)) == ImageOffset(0x1108 - base))
    }

    /// `Limits.inlineDepth`.
    @Test func `calls that are nested too deeply are no answer`() throws {
        let maxDepth = Limits.standard.inlineDepth
        let whole = frameTexts(GSYMSource(try #require(try open(bytes(depth: maxDepth)))), at: 0x108)
        #expect(whole.count == maxDepth + 1 && whole.last == "main +8 /src/a.c:11")
        let source = GSYMSource(try #require(try open(bytes(depth: maxDepth + 1))))
        #expect(source.frames(at: [ImageOffset(0x108)]) == [.unresolved(.corrupt("made.gsym: entries are nested deeper than \(maxDepth)"))])
        #expect(frameTexts(source, at: 0x118) == ["main +24 /src/b.c:212"])
    }

    /// A base address at which a function begins is nobody's headers: it may be the first
    /// function's.
    @Test func `an image's base is not guessed`() throws {
        let low = try #require(try open(bytes(base: 0x1100)))
        #expect(low.imageBase == .assumed(LinkAddress(0)))
        guard case .found(let frames) = GSYMSource(low).frames(at: [ImageOffset(0x1100)])[0] else { Issue.record("no answer"); return }
        #expect(frames[0].name == "main" && frames[0].note?.contains("0 is assumed") == true)

        let high = try #require(try open(bytes(base: 0x1_0000_3f00, first: 0x1_0000_3f00)))
        #expect(high.imageBase == .unknown)
        let source = GSYMSource(high)
        #expect(source.frames(at: [ImageOffset(0x3f00)]) == [.unresolved(.unknownImageBase)])
        // As linked, or with the binary at hand, it resolves addresses.
        guard case .found = source.frames(at: [LinkAddress(0x1_0000_3f00)])[0] else { Issue.record("no answer"); return }
        #expect(
            frameTexts(GSYMSource(high, base: LinkAddress(0x1_0000_0000)), at: 0x3f08) == [
                "inlined inlined /src/b.c:12", "main +8 /src/a.c:11",
            ])
    }

    @Test func `other files and other versions are told apart`() throws {
        #expect(try open([]) == nil)
        #expect(try open(Array("MYSG".utf8.dropLast())) == nil)
        #expect(try open(Array("\u{7f}ELF".utf8)) == nil)
        let newer = #expect(throws: ObjectFileError.self) { _ = try open(bytes(version: 2)) }
        #expect(newer?.kind == .unsupported && newer?.problem == "GSYM of version 2: expected version 1")
        let odd = #expect(throws: ObjectFileError.self) { _ = try open(Array(bytes()[..<6]) + [3] + Array(bytes()[7...])) }
        #expect(odd?.kind == .corrupt)
    }

    /// Cut anywhere, with any one byte changed: a result, a reason, or a refusal, and nothing
    /// worse.
    @Test func `damaged files do no harm`() throws {
        for order in [ByteOrder.littleEndian, .bigEndian] {
            let whole = bytes(order)
            var readable = 0
            for length in 0..<whole.count { readable += try ask(Array(whole[..<length])) }
            for position in whole.indices {
                for value in [UInt8(0), 1, 0x7f, 0x80, 0xff] {
                    var changed = whole
                    changed[position] = value
                    readable += try ask(changed)
                }
            }
            #expect(readable > 100)
        }
    }

    private func ask(_ bytes: [UInt8]) throws -> Int {
        do {
            guard let file = try open(bytes) else { return 0 }
            let addresses = [0, 0x1100, 0x1108, 0x1117, 0x1120, 0x1130, UInt64.max].map { LinkAddress($0) }
            return GSYMSource(file).frames(at: addresses).contains { if case .found = $0 { true } else { false } } ? 1 : 0
        } catch is ObjectFileError {
            return 0
        }
    }
}
