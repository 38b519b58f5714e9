import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Kernel caches (`MH_FILESET`, `LC_FILESET_ENTRY` in `mach-o/loader.h`), whose entries are objects
/// of their own.
struct FilesetTests {
    /// Sixteen bytes of code and a function in their middle, from an address on.
    private static func image(_ encoding: Encoding = .little64, at address: UInt64, uuid: UInt8, _ names: [String]) -> MachOBuilder {
        var builder = MachOBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        builder.uuid = [UInt8](repeating: uuid, count: 16)
        let code = MachOBuilder.Section(
            name: "__text", segment: "__TEXT", address: address + 0x800, size: 16, flags: 0x8000_0400,
            bytes: [UInt8](repeating: uuid, count: 16))
        builder.segments = [("__TEXT", address, [code])]
        builder.symbols = names.enumerated().map {
            .init(name: $0.element, type: 0x0f, section: 1, value: address + 0x800 + 8 * UInt64($0.offset))
        }
        builder.functionStarts = [0x80, 0x10, 8, 0]  // 0x800, then 8 more
        return builder
    }

    private static func cache(_ encoding: Encoding = .little64) -> FilesetBuilder {
        var builder = FilesetBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        builder.images = [
            ("com.apple.kernel", image(encoding, at: 0x10000, uuid: 0xaa, ["_panic", "_start"])),
            ("com.example.driver.tank", image(encoding, at: 0x40000, uuid: 0xbb, ["_fill", "_open"])),
        ]
        return builder
    }

    private func mapped(_ bytes: [UInt8]) throws -> MappedFile { try MappedFile(bytes: bytes.span.rawBytes, name: "cache") }

    /// Each entry, or why it cannot be opened.
    private func each(_ bytes: [UInt8]) throws -> [Result<ObjectFile, ObjectFileError>] {
        try withTemporaryFolder { folder throws in
            try writeFile(folder + "/cache", bytes)
            return try ObjectFiles.openEach(path: folder + "/cache")
        }
    }

    private func problems(_ results: [Result<ObjectFile, ObjectFileError>]) -> [String?] {
        results.map { if case .failure(let error) = $0 { error.problem } else { nil } }
    }

    private func symbols(_ object: ObjectFile) throws -> [String] {
        try elements { try object.forEachSymbol($0) }.map { "\($0.name.text(in: object)) \($0.address)" }
    }

    @Test(arguments: Encoding.allCases)
    func `each entry has its own identity, sections, symbols and function starts`(encoding: Encoding) throws {
        let objects = try ObjectFiles.openAll(mapped(Self.cache(encoding).build()))
        #expect(objects.map(\.description.entryName) == ["com.apple.kernel", "com.example.driver.tank"])
        #expect(objects.map(\.path) == ["cache(com.apple.kernel)", "cache(com.example.driver.tank)"])
        #expect(objects.map { $0.identity?.bytes ?? [] } == [0xaa, 0xbb].map { [UInt8](repeating: $0, count: 16) })
        #expect(objects.map(\.baseAddress.value) == [0x10000, 0x40000])
        #expect(try symbols(objects[0]) == ["_panic 0x10800", "_start 0x10808"])
        #expect(try symbols(objects[1]) == ["_fill 0x40800", "_open 0x40808"])
        #expect(objects[0].description.functionStarts.map(\.value) == [0x10800, 0x10808])
        #expect(objects[1].description.functionStarts.map(\.value) == [0x40800, 0x40808])
        for (object, byte) in zip(objects, [0xaa, 0xbb] as [UInt8]) {
            let text = try #require(object.section(named: "__text"))
            #expect(try object.contents(of: text).withBytes(array) == [UInt8](repeating: byte, count: 16))
            #expect(object.description.notes == [])
        }
    }

    @Test func `debug information of an entry is its own`() throws {
        var builder = Self.cache()
        let information = MachOBuilder.Section(name: "__debug_info", segment: "__DWARF", address: 0, size: 3, bytes: [7, 8, 9])
        builder.images[1].image.segments.append(("__DWARF", 0, [information]))
        let objects = try ObjectFiles.openAll(mapped(builder.build()))
        #expect(objects.map(\.hasDebugInformation) == [false, true])
        #expect(try objects[1].contents(of: #require(objects[1].section(named: "__debug_info"))).withBytes(array) == [7, 8, 9])
    }

    @Test func `a kernel cache in a universal file counts from its slice`() throws {
        let bytes = MachOBuilder.universal([MachOReaderTests.program().build(), Self.cache().build()])
        let objects = try ObjectFiles.openAll(mapped(bytes))
        #expect(objects.map(\.description.entryName) == [nil, "com.apple.kernel", "com.example.driver.tank"])
        #expect(try symbols(objects[2]) == ["_fill 0x40800", "_open 0x40808"])
    }

    @Test func `an entry is chosen by identity, or by name as a library's member is, and never by architecture`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/cache"
            try writeFile(path, Self.cache().build())
            let identity = try #require(ImageID(bytes: [UInt8](repeating: 0xbb, count: 16)))
            #expect(try ObjectFiles.open(path: path, choosing: .identity(identity)).description.entryName == "com.example.driver.tank")
            let named = try ObjectFiles.open(member: "com.apple.kernel", ofArchive: path)
            #expect(named.map(\.object.baseAddress.value) == [0x10000])
            #expect(try ObjectFiles.open(member: "com.apple", ofArchive: path).isEmpty)
            let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.open(path: path, choosing: .architecture(.arm64)) }
            #expect(
                error?.problem.hasPrefix("2 objects for the architecture arm64, expected one; it holds com.apple.kernel arm64 AAAA")
                    == true,
                "\(String(describing: error))")
        }
    }

    /// The fixture was put together from two images that lld linked; llvm-nm reads kernel caches by
    /// their entries, too.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/llvm-nm-19"), "llvm-nm-19 (package llvm-19) is not installed"))
    func `linked images have the symbols that llvm-nm gives their entries`() throws {
        let path = TestPaths.fixture("hostile/macho/kernel-cache")
        var expected: [String: [String]] = [:]
        var name = ""
        for line in try run("/usr/bin/llvm-nm-19", [path]).lines {
            let columns = line.split(separator: " ")
            if line.hasPrefix("Symbols for ") {
                name = String(line.dropFirst("Symbols for ".count).prefix { $0 != ":" })
            } else if columns.count == 3 {
                expected[name, default: []].append("\(columns[2]) 0x\(columns[0])")
            }
        }
        let objects = try ObjectFiles.openAll(path: path)
        #expect(objects.count == 2 && expected.count == 2)
        for object in objects {
            #expect(try symbols(object).sorted() == expected[object.description.entryName ?? ""]?.sorted())
            #expect(object.description.notes == [])
            // Both functions are in the list of function starts, which the linker made.
            let functions = try #require(object.section(named: "__text"))
            #expect(object.description.functionStarts.first == functions.address && object.description.functionStarts.count == 2)
        }
        // As llvm-objdump prints them of the images before they were put together.
        #expect(
            objects.map { $0.identity?.uuid } == ["4C4C44AE-5555-3144-A184-56D59686CAF7", "4C4C445D-5555-3144-A169-B1178D46EDD8"])
    }
}

/// Damaged and made kernel caches: the entries beside a bad one are there, and no entry costs more
/// than its bytes.
extension FilesetTests {
    @Test func `bad entries are refused in words, and the others are there`() throws {
        var builder = Self.cache()
        let size = builder.build().count
        builder.otherEntries = [("itself", 0), ("end", UInt64(size)), ("far", .max), ("elsewhere", 40), ("", UInt64(builder.positions[0]))]
        #expect(builder.build().count == size)
        let results = try each(builder.build())
        #expect(
            problems(results) == [
                nil, nil, "the entry at byte 0 is a kernel cache itself (MH_FILESET)",
                "the entry should be at byte \(size), the kernel cache ends at byte \(size): it is cut short",
                "the entry should be at byte \(UInt64.max), the kernel cache ends at byte \(size): it is cut short",
                "no Mach-O header at byte 40 of the kernel cache, where the entry should be", nil,
            ])
        // Without a name, by its number.
        #expect(try results[6].get().description.entryName == "entry 6")
    }

    @Test(arguments: [0, 7, 4000, .max] as [UInt32])
    func `a name outside of its command is none`(offset: UInt32) throws {
        var builder = Self.cache()
        builder.nameOffset = offset
        #expect(try each(builder.build()).map { try $0.get().description.entryName } == ["entry 0", "entry 1"])
    }

    @Test func `an identifier that looks like a path is no path`() throws {
        var builder = Self.cache()
        builder.images[0].name = "../a/b"
        let object = try ObjectFiles.openAll(mapped(builder.build()))[0]
        #expect(object.path == "cache(..:a:b)" && object.description.entryName == "../a/b")
    }

    /// For every end of the file, the complete entries are read, and nothing outside of the file.
    @Test func `a kernel cache that is cut short has the entries before the cut`() throws {
        let builder = Self.cache()
        let whole = builder.build()
        let positions = builder.positions
        for count in Set(stride(from: 0, to: whole.count, by: 61)).union(positions.flatMap { [$0 - 1, $0, $0 + 1, $0 + 31] }) {
            let file = try mapped(Array(whole.prefix(count)))
            guard let objects = try? ObjectFiles.openAll(file) else { continue }
            #expect(objects.count <= positions.filter { $0 < count }.count)
            for object in objects {
                #expect(object.description.sections.allSatisfy { $0.fileRange.upperBound <= count })
                _ = try? symbols(object)
            }
        }
        let results = try each(Array(whole.prefix(positions[1])))
        #expect(try results[0].get().identity == ImageID(bytes: [UInt8](repeating: 0xaa, count: 16)))
        #expect(
            problems(results)[1]
                == "the entry should be at byte \(positions[1]), the kernel cache ends at byte \(positions[1]): it is cut short")
    }

    /// One header under many names: each costs its bytes, and all together have no more than the
    /// file.
    @Test func `entries that overlap are read until they have more bytes than the file`() throws {
        var builder = FilesetBuilder()
        builder.images = [("one", Self.image(at: 0x10000, uuid: 0xaa, []))]
        builder.images[0].image.functionStarts = nil
        builder.otherEntries = [(name: String, offset: UInt64)](repeating: ("x", 0), count: 200)
        let position = UInt64(builder.positions[0])
        builder.otherEntries = [(name: String, offset: UInt64)](repeating: ("x", position), count: 200)
        let bytes = builder.build()
        // The header, a segment with a section, and the UUID; 32 bytes of each entry's command and
        // its name.
        let own = 32 + (72 + 80) + 24
        let entries = 201 * 40
        let expected = (bytes.count - 32 - entries) / own
        #expect(expected < 201)
        let results = try each(bytes)
        #expect(results.count == 201)
        #expect(results.filter { (try? $0.get()) != nil }.count == expected)
        #expect(
            problems(results).last
                == "the entries up to this one have more bytes of load commands than the kernel cache has: they overlap")
    }

    /// Thousands of entries could share a symbol table of a megabyte.
    @Test func `a symbol table that is another entry's too is not read again`() throws {
        var builder = Self.cache()
        let size = builder.build().count
        for index in builder.images.indices {
            builder.images[index].image.symbols = []
            // The whole file but a page, twice.
            builder.images[index].image.otherCommands = [(0x2, [0, UInt32(size - 0x1000) / 16, 0, 0])]
        }
        let objects = try ObjectFiles.openAll(mapped(builder.build()))
        _ = try symbols(objects[0])
        let error = #expect(throws: ObjectFileError.self) { try symbols(objects[1]) }
        #expect(error?.problem == "the symbol table is another entry's as well, so it is not used")
    }

    /// Each byte of function starts becomes an address of eight bytes.
    @Test func `function starts that are another entry's too are not decoded again`() throws {
        var builder = Self.cache()
        let size = builder.build().count
        // The whole file but a page, twice.
        for index in builder.images.indices {
            builder.images[index].image.functionStarts = nil
            builder.images[index].image.otherCommands = [(0x26, [0, UInt32(size - 0x1000)])]
        }
        let objects = try ObjectFiles.openAll(mapped(builder.build()))
        #expect(objects[1].description.functionStarts == [])
        #expect(objects[1].description.notes == ["the function starts are another entry's as well, so they are not used"])
        #expect(!objects[0].description.notes.contains(objects[1].description.notes[0]))
    }

    @Test func `a kernel cache without entries is refused`() throws {
        let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.openAll(mapped(FilesetBuilder().build())) }
        #expect(error?.problem == "a kernel cache (MH_FILESET) without entries")
    }

    @Test func `a kernel cache in a static library is refused`() throws {
        let cache = Self.cache().build()
        var library = Array("!<arch>\n".utf8)
        library += Array("cache/          0           0     0     644     ".utf8)
        let size = String(cache.count)
        library += Array((size + String(repeating: " ", count: 10 - size.count) + "`\n").utf8) + cache
        let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.open(member: "cache", of: mapped(library)) }
        #expect(error?.problem == "a kernel cache (MH_FILESET) in another file")
    }

    @Test(arguments: ["one-image-as-all-entries", "bad-entries"])
    func `made files end soon`(name: String) throws {
        let path = TestPaths.fixture("hostile/macho/" + name)
        for result in try ObjectFiles.openEach(path: path) {
            guard let object = try? result.get() else { continue }
            _ = object.identity
        }
        let bytes = TestPaths.bytes(of: path).count
        let opened = try ObjectFiles.openEach(path: path).filter { (try? $0.get()) != nil }.count
        // 56 bytes are the header and the one command of the image that all entries are; the
        // entries' commands have 40 each.
        #expect(opened == (name == "bad-entries" ? 0 : min(4096, (bytes - 32 - 40 * 4096) / 56)))
    }
}
