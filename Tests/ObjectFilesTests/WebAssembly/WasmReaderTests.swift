import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Our reader of WebAssembly against LLVM's tools, over modules of `Fixtures/binaries/WebAssembly`, and over bytes by hand
/// (WebAssembly Core Specification, "Binary Format").
struct WasmReaderTests {
    private static let folder = TestPaths.fixture("binaries/WebAssembly/out")
    private static let modules = ["debug.wasm", "optimized.wasm"]
    private static let hasTools = TestPaths.isReadable("/usr/bin/llvm-objdump-19") && TestPaths.isReadable("/usr/bin/llvm-dwarfdump-19")
    private static let missing = "llvm-objdump-19 and llvm-dwarfdump-19 (package llvm-19) are not installed"

    private func open(_ name: String) throws -> ObjectFile { try ObjectFiles.open(path: Self.folder + "/" + name) }

    private func symbols(_ object: ObjectFile, around window: SymbolWindow = .everywhere) throws -> [(
        name: String, start: UInt64, size: UInt64
    )] {
        var found: [(name: String, start: UInt64, size: UInt64)] = []
        try object.forEachSymbol(around: window) { symbol in
            found.append((symbol.name.text(in: object), symbol.address.value, symbol.size))
            return true
        }
        return found
    }

    /// `  8 CODE            00006122 000001cf TEXT`: number, name, size, position in the file.
    @Test(.enabled(if: hasTools, "\(missing)"), arguments: modules + ["stripped.wasm", "crane.o"])
    func `sections are those that llvm-objdump lists`(name: String) throws {
        let object = try open(name)
        let rows = try run("llvm-objdump-19", ["-h", object.path]).requireSuccess().lines
            .map { $0.split(separator: " ") }.filter { $0.count >= 4 && $0[0].allSatisfy(\.isNumber) }
        #expect(object.description.sections.map(\.name) == rows.map { String($0[1]) })
        for (section, row) in zip(object.description.sections, rows) {
            let (size, position) = (try #require(Int(row[2], radix: 16)), try #require(Int(row[3], radix: 16)))
            // We leave out a custom section's name and its length, and the number of functions, of one byte, before the code.
            let skipped = section.name == "CODE" ? 1 : section.name.first.map { !$0.isUppercase } == true ? section.name.utf8.count + 1 : 0
            #expect(section.fileRange.count == size - (section.name == "CODE" ? 1 : 0), "\(section.name)")
            // objdump has no positions of an object file's sections.
            if name != "crane.o" { #expect(section.fileRange.lowerBound == position + skipped, "\(section.name)") }
        }
    }

    /// `DW_AT_low_pc (0x0000001f)`, `DW_AT_high_pc (0x000000c1)`: a function's first byte, and its length or end.
    @Test(.enabled(if: hasTools, "\(missing)"), arguments: modules)
    func `functions begin and end where the debug information has them`(name: String) throws {
        let object = try open(name)
        let found = try symbols(object)
        #expect(found.map(\.name) == ["weigh", "answer", "ask", "lift"])
        for symbol in found {
            let lines = try run("llvm-dwarfdump-19", ["--name=\(symbol.name)", object.path]).requireSuccess().lines
            let entry = lines.drop { !$0.contains("DW_TAG_subprogram") }
            func value(_ attribute: String) -> UInt64? {
                entry.first { $0.contains(attribute) }?.split(separator: "x").last.flatMap { UInt64($0.dropLast(), radix: 16) }
            }
            let (low, high) = (try #require(value("DW_AT_low_pc")), try #require(value("DW_AT_high_pc")))
            #expect(
                (symbol.start, symbol.size) == (low, high < low ? high : high - low) || (symbol.start, symbol.size) == (low, high),
                "\(symbol)")
        }
    }

    /// `wasm-ld --build-id=sha1` writes `build_id`, the length 20 and the checksum.
    @Test func `the identity is the build ID`() throws {
        let (debug, optimized) = (try open("debug.wasm"), try open("optimized.wasm"))
        for object in [debug, optimized] {
            let bytes = object.file.bytes(in: 0..<object.file.size)
            let mark = Array("build_id".utf8) + [20]
            let start = try #require((0..<bytes.count - mark.count).first { Array(bytes[$0..<$0 + mark.count]) == mark })
            #expect(object.identity?.bytes == Array(bytes[start + mark.count..<start + mark.count + 20]))
        }
        #expect(debug.identity != optimized.identity)
    }

    @Test func `a stripped module has its exports, and names its debug file`() throws {
        let object = try open("stripped.wasm")
        #expect(object.identity == nil && object.description.externalDebugFile == "optimized.wasm")
        #expect(!object.hasFullSymbolTable && !object.hasDebugInformation)
        #expect(try symbols(object).map(\.name) == ["answer", "lift"])
    }

    /// Rows of Node's log: function 1 at 0x7b, 2 at 0x89, 3 at 0xae, 4 at 0xd9. The Code section begins at 0x5c by llvm-objdump.
    @Test func `positions of a log are in the functions that it counts`() throws {
        for name in ["optimized.wasm", "stripped.wasm"] {
            let object = try open(name)
            let start = try #require(object.section(named: "CODE")).fileRange.lowerBound - 1
            let addresses = [0x7b, 0x89, 0xae, 0xd9].map { LinkAddress(UInt64($0 - start)) }
            #expect(object.numberedFunctions(at: addresses)?.map { $0?.number } == [1, 2, 3, 4])
            #expect(object.numberedFunctions(at: [LinkAddress(0), LinkAddress(1 << 20)]) == [nil, nil])
        }
    }

    @Test func `a window of addresses has the same symbols`() throws {
        let object = try open("debug.wasm")
        let all = try symbols(object)
        for symbol in all {
            for address in [symbol.start, symbol.start + symbol.size - 1] {
                let near = try symbols(object, around: SymbolWindow(SortedAddresses([address])))
                #expect(near.contains { $0 == symbol }, "\(symbol.name) at \(address)")
            }
        }
    }

    // MARK: Bytes by hand

    static let header: [UInt8] = Array("\0asm".utf8) + [1, 0, 0, 0]

    static func section(_ id: UInt8, _ contents: [UInt8]) -> [UInt8] { [id, UInt8(contents.count)] + contents }

    /// One function of a body of three bytes: no locals, `unreachable`, `end`.
    static let module = header + section(1, [1, 0x60, 0, 0]) + section(3, [1, 0]) + section(10, [1, 3, 0, 0, 0x0b])

    private func opened(_ bytes: [UInt8]) throws -> [ObjectFile] {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.wasm", bytes)
            return try ObjectFiles.openAll(path: folder + "/a.wasm")
        }
    }

    /// The Component Model's preamble has version 13 and layer 1; section 1 is a module, section 4 a component.
    @Test func `a component gives the modules in it`() throws {
        let preamble = Array("\0asm".utf8) + [13, 0, 1, 0]
        let inner = preamble + Self.section(1, Self.module)
        let objects = try opened(preamble + Self.section(1, Self.module) + Self.section(4, inner) + Self.section(0, [1, 0x61]))
        #expect(objects.map { $0.path.split(separator: "/").last } == ["a.wasm(module 0)", "a.wasm(module 1)"])
        // The code is 24 bytes from the module's first: 8 of the header, 6 and 4 of two sections, 2 of its own head, after the preamble
        // of 8 and the section's head of 2.
        let code = try #require(objects[0].section(named: "CODE"))
        #expect(code.fileRange == 8 + 2 + 8 + 6 + 4 + 2 + 1..<8 + 2 + Self.module.count)
    }

    @Test func `every kind of import is counted`() throws {
        let name: [UInt8] = [1, 0x6d, 1, 0x6e]
        let imports: [[UInt8]] = [
            name + [0, 0], name + [1, 0x70, 0, 1], name + [1, 0x63, 0, 1, 1, 2], name + [2, 3, 1, 2], name + [3, 0x7f, 0],
            name + [4, 0, 0],
            name + [0, 0],
        ]
        let section = Self.section(2, [UInt8(imports.count)] + imports.joined())
        let objects = try opened(
            Self.header + Self.section(1, [1, 0x60, 0, 0]) + section + Self.section(3, [1, 0]) + Self.section(10, [1, 3, 0, 0, 0x0b]))
        // Two functions are imported; the body begins after the count and its own size.
        #expect(objects.first?.numberedFunctions(at: [LinkAddress(2)])?.map { $0?.number } == [2])
    }

    @Test func `damaged modules end in a reason or in what could be read`() throws {
        let file = try Array(readFile(Self.folder + "/optimized.wasm"))
        for length in stride(from: 0, to: file.count, by: 7) {
            guard let object = try? opened(Array(file.prefix(length))).first else { continue }
            _ = try? symbols(object)
        }
        let odd: [(bytes: [UInt8], problem: String)] = [
            (Array("\0asm".utf8) + [1, 0], "a WebAssembly file of 6 bytes, expected at least 8: it is cut short"),
            (Array("\0asm".utf8) + [2, 0, 0, 0], "WebAssembly of version 2 and layer 0, expected version 1 or a component"),
            (Array("\0asm".utf8) + [13, 0, 1, 0], "a WebAssembly component without modules in it"),
        ]
        for (bytes, problem) in odd {
            let error = #expect(throws: ObjectFileError.self) { try opened(bytes) }
            #expect(error?.problem == problem)
        }
        // Counts and sizes that the file does not have.
        let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0x0f]
        for contents in [[1] + huge, [2, 3, 0, 0, 0x0b]] {
            let object = try #require(try opened(Self.header + Self.section(10, contents)).first)
            #expect(throws: ObjectFileError.self) { try symbols(object) }
        }
        #expect(try symbols(#require(opened(Self.header + Self.section(10, huge)).first)).isEmpty)
        let object = try #require(try opened(Self.header + [10] + huge).first)
        #expect(object.description.notes.count == 1)
    }
}
