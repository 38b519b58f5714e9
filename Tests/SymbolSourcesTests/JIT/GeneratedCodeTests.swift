import BinaryPrimitives
import SymbolSources
import TestSupport
import Testing

/// Files in which a process wrote down the functions that it compiled: made as Linux' documents
/// (`tools/perf/Documentation`, `jit-interface.txt` and `jitdump-specification.txt`) have them.
struct GeneratedCodeTests {
    private func file(_ bytes: [UInt8], _ name: String = "perf-77.map") throws -> GeneratedCodeFile {
        try #require(GeneratedCodeFile(try MappedFile(bytes: bytes.span.rawBytes, name: name)))
    }

    /// Name, start, file and line at an address; `nil` where none is found.
    private func found(_ file: GeneratedCodeFile, _ address: UInt64) -> String? {
        guard case .found(let frames) = GeneratedCodeSource(file).frames(at: [ImageOffset(address)])[0], let frame = frames.first else {
            return nil
        }
        let location = frame.location.map { " \($0.file):\($0.line)" } ?? ""
        return "\(frame.name) \(String(frame.entry?.value ?? 0, radix: 16))\(location)"
    }

    // MARK: perf-PID.map

    @Test func `a map's rows name the addresses from their start to their end`() throws {
        let map = try file(Array("7f00 20 JS:*add /srv/a.js:3:1\n0x7f40 0x10 py::g:/srv/g.py\r\n".utf8))
        #expect(map.process == 77)
        #expect(found(map, 0x7f00) == "JS:*add /srv/a.js:3:1 7f00" && found(map, 0x7f1f) == "JS:*add /srv/a.js:3:1 7f00")
        #expect(found(map, 0x7f20) == nil && found(map, 0x7eff) == nil)
        #expect(found(map, 0x7f4f) == "py::g:/srv/g.py 7f40")
    }

    /// The memory of `old` was used again: a part of it is `new`, and what is beside that is nothing.
    @Test func `code that was written later replaces all that it overlaps`() throws {
        let map = try file(Array("1000 100 old\n1040 20 new\n1100 10 next\n1000 10 newest\n".utf8))
        #expect(found(map, 0x1050) == "new 1040" && found(map, 0x1000) == "newest 1000")
        #expect(found(map, 0x1080) == nil && found(map, 0x1020) == nil)
        #expect(found(map, 0x1100) == "next 1100")
    }

    @Test func `a row that is damaged is passed over`() throws {
        let map = try file(Array("1000 10 a\nzz 10 b\n2000 b\nffffffffffffffff 10 c\n3000 0 d\n4000 10 e".utf8))
        #expect(found(map, 0x1000) == "a 1000" && found(map, 0x4000) == "e 4000")
        #expect(found(map, 0x2000) == nil && found(map, 0x3000) == nil && found(map, .max) == nil)
    }

    @Test(arguments: ["", "\n", "hello world\n", "1000 10\n", "1000  10 a\n", "MODULE Linux x86_64 1 a\n"])
    func `another text is no map`(text: String) throws {
        #expect(GeneratedCodeFile(try MappedFile(bytes: Array(text.utf8).span.rawBytes, name: "perf-1.map")) == nil)
    }

    /// `nm -S` prints the same numbers.
    @Test func `a text of another name is no map`() throws {
        let bytes = Array("0000000000001139 0000000000000022 T main\n".utf8)
        #expect(GeneratedCodeFile(try MappedFile(bytes: bytes.span.rawBytes, name: "symbols.txt")) == nil)
    }

    // MARK: jit-PID.dump

    private struct Dump {
        var writer: ByteWriter

        init(_ order: ByteOrder) {
            writer = ByteWriter(order)
            writer.put(UInt32(0x4a69_5444))
            writer.put(UInt32(1))
            writer.put(UInt32(40))
            writer.put(UInt32(62))
            writer.put(UInt32(0))
            writer.put(UInt32(4711))
            writer.put(UInt64(5))
            writer.put(UInt64(0))
        }

        private mutating func add(_ type: UInt32, _ body: (inout ByteWriter) -> Void) {
            var content = ByteWriter(writer.order)
            body(&content)
            writer.put(type)
            writer.put(UInt32(content.count + 16))
            writer.put(UInt64(9))
            writer.bytes += content.bytes
        }

        mutating func load(_ address: UInt64, _ size: Int, _ name: String) {
            add(0) { content in
                content.put(UInt32(4711))
                content.put(UInt32(4711))
                for word in [address, address, UInt64(size), 1] { content.put(word) }
                content.put(text: name)
                content.bytes += [UInt8](repeating: 0x90, count: size)
            }
        }

        mutating func move(_ old: UInt64, _ new: UInt64, _ size: UInt64) {
            add(1) { content in
                content.put(UInt32(4711))
                content.put(UInt32(4711))
                for word in [new, old, new, size, 1] { content.put(word) }
            }
        }

        mutating func lines(_ address: UInt64, _ rows: [(UInt64, Int32, String)]) {
            add(2) { content in
                content.put(address)
                content.put(UInt64(rows.count))
                for (row, line, file) in rows {
                    content.put(row)
                    content.put(line)
                    content.put(UInt32(0))
                    if file == "\u{ff}" { content.bytes += [0xff, 0] } else { content.put(text: file) }
                }
            }
        }
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
    func `a dump has names, files and lines`(order: ByteOrder) throws {
        var dump = Dump(order)
        dump.lines(0x5000, [(0x5000, 3, "/srv/a.c"), (0x5008, 4, "\u{ff}"), (0x5010, 9, "/srv/b.h")])
        dump.load(0x5000, 0x20, "add")
        dump.load(0x6000, 0x10, "plain")
        let code = try file(dump.writer.bytes, "x")
        #expect(code.process == 4711 && code.machine == .x86_64)
        #expect(found(code, 0x5007) == "add 5000 /srv/a.c:3" && found(code, 0x5008) == "add 5000 /srv/a.c:4")
        #expect(found(code, 0x501f) == "add 5000 /srv/b.h:9" && found(code, 0x5020) == nil)
        #expect(found(code, 0x6000) == "plain 6000")
    }

    @Test func `code that was moved keeps its lines`() throws {
        var dump = Dump(.littleEndian)
        dump.lines(0x5000, [(0x5000, 3, "a.c"), (0x5008, 4, "a.c")])
        dump.load(0x5000, 0x10, "add")
        dump.move(0x5000, 0x7000, 0x10)
        let code = try file(dump.writer.bytes)
        #expect(found(code, 0x7009) == "add 7000 a.c:4" && found(code, 0x7000) == "add 7000 a.c:3")
        #expect(found(code, 0x5000) == nil)
    }

    /// LLVM and V8 write the addresses of rows 64 bytes too large, the size of an ELF header, in all records of a file.
    @Test func `rows that count from perf's ELF header are 64 bytes before it`() throws {
        var dump = Dump(.littleEndian)
        dump.lines(0x5000, [(0x5040, 3, "a.c"), (0x5048, 4, "a.c")])
        dump.load(0x5000, 0x10, "add")
        dump.lines(0x6000, [(0x6044, 7, "a.c")])
        dump.load(0x6000, 0x10, "sub")
        let code = try file(dump.writer.bytes)
        #expect(found(code, 0x5007) == "add 5000 a.c:3" && found(code, 0x5008) == "add 5000 a.c:4")
        #expect(found(code, 0x6003) == "sub 6000" && found(code, 0x6004) == "sub 6000 a.c:7")
    }

    /// Node 20 writes other bytes where files should be, and rows that are anywhere.
    @Test func `a function whose rows are not credible has no line`() throws {
        var dump = Dump(.littleEndian)
        dump.lines(0x5000, [(0x5000, 3, "e\u{1}x"), (0x5008, 4, "a.c")])
        dump.load(0x5000, 0x10, "names")
        dump.lines(0x6000, [(0x6000, 3, "a.c"), (0x9000_0000, 4, "a.c")])
        dump.load(0x6000, 0x10, "rows")
        let code = try file(dump.writer.bytes)
        #expect(found(code, 0x5000) == "names 5000" && found(code, 0x6000) == "rows 6000")
    }

    @Test func `a dump that is cut short has what is whole`() throws {
        var dump = Dump(.littleEndian)
        dump.load(0x5000, 0x10, "first")
        dump.load(0x6000, 0x10, "second")
        let code = try file(Array(dump.writer.bytes.dropLast(4)))
        #expect(found(code, 0x5000) == "first 5000" && found(code, 0x6000) == nil)
    }
}
