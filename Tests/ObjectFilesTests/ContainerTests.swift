import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Universal files, dSYM bundles, and which of their objects is meant.
struct ContainerTests {
    private static func slice(_ cpu: (UInt32, UInt32), uuid: UInt8) -> [UInt8] {
        var builder = MachOReaderTests.program()
        builder.cpu = cpu
        builder.uuid = [UInt8](repeating: uuid, count: 16)
        return builder.build()
    }

    private static let x86 = slice((0x0100_0007, 3), uuid: 0xaa)
    private static let arm64 = slice((0x0100_000c, 0), uuid: 0xbb)
    private static let arm64e = slice((0x0100_000c, 0x8000_0002), uuid: 0xcc)

    /// A folder with these files (their paths without it), for as long as `body` runs.
    private func withFiles<Result>(_ files: [String: [UInt8]], _ body: (String) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder throws in
            for (path, bytes) in files {
                let directory = path.split(separator: "/").dropLast().joined(separator: "/")
                try makeFolders(folder + "/" + directory)
                try writeFile(folder + "/" + path, bytes)
            }
            return try body(folder)
        }
    }

    private func identity(_ byte: UInt8) throws -> ImageID { try #require(ImageID(bytes: [UInt8](repeating: byte, count: 16))) }

    @Test(arguments: [false, true])
    func `a universal file has all its slices, with file offsets from the file's start`(wide: Bool) throws {
        let bytes = MachOBuilder.universal([Self.x86, Self.arm64], wide: wide)
        let objects = try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: "test"))
        #expect(objects.map(\.architecture) == [.x86_64, .arm64])
        for object in objects {
            let text = try #require(object.section(named: "__text"))
            #expect(
                try object.contents(of: text).withBytes(array)
                    == [UInt8](repeating: 1, count: 16))
            #expect(try elements { try object.forEachSymbol($0) }.contains { $0.name.text(in: object) == "_global" })
            #expect(object.description.functionStarts.count == 3)
        }
        #expect(objects[1].slice.lowerBound > objects[0].slice.upperBound - 1)
    }

    @Test func `the slice is chosen by identity, else by architecture, never by order`() throws {
        try withFiles(["fat": MachOBuilder.universal([Self.x86, Self.arm64e])]) { folder throws in
            let path = folder + "/fat"
            func open(_ choice: SliceChoice) throws -> String? {
                try ObjectFiles.open(path: path, choosing: choice).identity?.hexadecimal.prefix(2).description
            }
            #expect(try open(.identity(identity(0xcc))) == "cc")
            #expect(try open(.identity(identity(0xaa))) == "aa")
            #expect(try open(.architecture(.x86_64)) == "aa")
            #expect(try open(.architecture(.arm64e)) == "cc")
            // The same family serves where the exact architecture is missing.
            #expect(try open(.architecture(.arm64)) == "cc")
            #expect(try open(.architecture(.x86_64h)) == "aa")
            let list = "it holds x86_64 AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA, arm64e CCCCCCCC-CCCC-CCCC-CCCC-CCCCCCCCCCCC"
            let refusals: [(SliceChoice, String)] = [
                (.identity(try identity(0xdd)), "no object with the UUID DDDDDDDD-DDDD-DDDD-DDDD-DDDDDDDDDDDD; "),
                (.architecture(.i386), "no object for the architecture i386; "), (.only, "2 objects, expected one; "),
            ]
            for (choice, problem) in refusals {
                let error = #expect(throws: ObjectFileError.self) { try open(choice) }
                #expect(error?.kind == .noSuchSlice)
                #expect(error?.problem == problem + list)
            }
        }
    }

    @Test func `the exact architecture is preferred to its family`() throws {
        try withFiles(["fat": MachOBuilder.universal([Self.arm64e, Self.arm64])]) { folder throws in
            #expect(try ObjectFiles.open(path: folder + "/fat", choosing: .architecture(.arm64)).architecture == .arm64)
        }
    }

    @Test func `a dSYM bundle has all its members`() throws {
        let files = [
            "App.dSYM/Contents/Resources/DWARF/App": Self.arm64,
            "App.dSYM/Contents/Resources/DWARF/Kit": MachOBuilder.universal([Self.x86, Self.arm64e]),
            "App.dSYM/Contents/Resources/DWARF/._App": [0, 5, 22, 7], "App.dSYM/Contents/Info.plist": [],
        ]
        try withFiles(files) { folder throws in
            for path in [folder + "/App.dSYM", folder + "/App.dSYM/"] {
                #expect(try ObjectFiles.openAll(path: path).map(\.architecture) == [.arm64, .x86_64, .arm64e])
                #expect(try ObjectFiles.open(path: path, choosing: .identity(identity(0xcc))).path.hasSuffix("DWARF/Kit"))
            }
            let inner = folder + "/App.dSYM/Contents/Resources/DWARF/App"
            #expect(try ObjectFiles.open(path: inner).architecture == .arm64)
        }
    }

    @Test func `a damaged member does not hide the others, and is not passed over in silence`() throws {
        let files = ["App.dSYM/Contents/Resources/DWARF/A": Array(Self.x86.prefix(100)), "App.dSYM/Contents/Resources/DWARF/B": Self.arm64]
        try withFiles(files) { folder throws in
            let path = folder + "/App.dSYM"
            #expect(try ObjectFiles.open(path: path, choosing: .identity(identity(0xbb))).architecture == .arm64)
            #expect(try ObjectFiles.openAll(path: path).count == 1)
            let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.open(path: path) }
            #expect(error?.problem.contains("2 objects, expected one; it holds one that cannot be read (") == true)
        }
    }

    /// The first bytes as the formats' documents have them.
    @Test(
        arguments: [
            ([0x42, 0x43, 0xc0, 0xde, 0x35, 0x14], "LLVM bitcode"), ([0xde, 0xc0, 0x17, 0x0b, 0, 0, 0, 0], "LLVM bitcode"),
            (Array("Microsoft C/C++ MSF 7.00\r\n\u{1a}DS\0\0\0".utf8), "a PDB file"),
            (Array("dyld_v1  arm64e\0".utf8), "a shared cache of Apple's systems (dyld)"), (Array("MDMP".utf8), "a minidump"),
            (
                [0x30, 0x83, 1, 0, 0, 0x16, 4] + Array("IM4P".utf8) + [0x16, 4, 0x6b, 0x72, 0x6e, 0x6c],
                "an image in Apple's firmware container (IM4P)"
            ),
            // e_lfanew, at byte 60, is 64.
            (Array("MZ".utf8) + [UInt8](repeating: 0, count: 58) + [64, 0, 0, 0] + Array("PE\0\0".utf8), "the PE headers cannot be read"),
            // AMD64, two sections, no time, a symbol table at 0x80 of five symbols, no optional
            // header.
            (
                [0x64, 0x86, 2, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0],
                "90 bytes of symbols should be at byte 128, the file ends at byte 20"
            ),
            (
                [0, 0, 0xff, 0xff, 0, 0, 0x64, 0x86] + [UInt8](repeating: 0, count: 48),
                "an import or an object of link-time code generation"
            ),
            ([0x01, 0xf7, 0, 4], "an XCOFF file of AIX"),
            // A header of 32 bytes, of the file type 12 (`MH_FILESET`), without commands.
            ([0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, 0, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 19), "a kernel cache (MH_FILESET)"),
        ] as [([UInt8], String)])
    func `a file of another kind is called what it is`(bytes: [UInt8], what: String) throws {
        let error = #expect(throws: ObjectFileError.self) { try object(bytes) }
        #expect(error?.problem.hasPrefix(what) == true, "\(String(describing: error))")
    }

    /// As much as one byte less is another file, or none that is known.
    @Test func `what begins like another kind of file and ends is refused as well`() throws {
        let whole = Array("MZ".utf8) + [UInt8](repeating: 0, count: 58) + [64, 0, 0, 0] + Array("PE\0\0".utf8)
        for count in 0..<whole.count {
            let error = #expect(throws: ObjectFileError.self) { try object(Array(whole.prefix(count))) }
            #expect(error?.kind == .unknownFormat)
        }
    }

    @Test func `what is no object file is refused in words`() throws {
        let files: [String: [UInt8]] = [
            "empty": [], "text": Array("hello\n".utf8), "lib.a": Array("!<arch>\nfoo".utf8),
            "Main.class": [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 65, 0],
            "Empty.dSYM/Contents/Resources/DWARF/.DS_Store": [1], "Bare.dSYM/Contents/Info.plist": [], "folder/file": [],
            "libs": MachOBuilder.universal([Array("!<arch>\n".utf8)]), "cut": Array(MachOBuilder.universal([Self.x86]).prefix(200)),
        ]
        let expected: [(String, ObjectFileError.Kind, String)] = [
            ("empty", .unknownFormat, "an empty file, expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"),
            ("text", .unknownFormat, "not an object file, expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"),
            ("lib.a", .unknownFormat, "a static library (ar archive), expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"),
            ("Main.class", .unknownFormat, "not an object file, expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"),
            ("Empty.dSYM", .unknownFormat, "the dSYM bundle's Contents/Resources/DWARF holds no file"),
            ("Bare.dSYM", .unknownFormat, "the dSYM bundle has no Contents/Resources/DWARF, expected a dSYM bundle or an object file"),
            ("folder", .unknownFormat, "a directory without Contents/Resources/DWARF, expected a dSYM bundle or an object file"),
            ("nothing", .unreadable, "no such file or directory"),
            ("libs", .unsupported, "slice 0 of the universal file is a static library (ar archive)"),
            ("cut", .corrupt, "slice 0 of the universal file is outside of the file, which is cut short"),
        ]
        try withFiles(files) { folder throws in
            for (name, kind, problem) in expected {
                let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.open(path: folder + "/" + name) }
                #expect(error?.kind == kind, "\(name)")
                #expect(error?.problem == problem)
            }
        }
    }
}
