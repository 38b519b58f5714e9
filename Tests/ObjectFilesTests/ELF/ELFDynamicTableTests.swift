import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

/// ELF files without section headers, against the same files with them.
struct ELFDynamicTableTests {
    private static let source = """
        static int secret(int n) { return n * 3; }
        int first(int n) { return secret(n) + 1; }
        int second(int n) { return first(n) + 2; }
        int counter = 7;
        """

    /// Name, address, size and kind of every symbol, sorted: numbers of sections are not in both.
    private static func symbols(_ path: String) throws -> [String] {
        let object = try ObjectFiles.open(path: path)
        return try elements { try object.forEachSymbol($0) }.map { symbol in
            "\(symbol.name.text(in: object)) \(symbol.address) \(symbol.size) \(symbol.kind)"
        }.sorted()
    }

    @Test(arguments: [
        "gcc -shared -fPIC -Wl,--hash-style=gnu", "gcc -shared -fPIC -Wl,--hash-style=sysv",
        "gcc -pie -fPIE -rdynamic -Wl,--hash-style=both -DMAIN",
    ])
    func `a hash table counts the dynamic symbols`(compiler: String) throws {
        try withTemporaryFolder { folder in
            let script = """
                printf '%s\\n' '\(Self.source)' '#ifdef MAIN' 'int main(void) { return second(1); }' '#endif' > a.c
                \(compiler) -O1 -fno-inline a.c -o whole && strip whole && llvm-objcopy-19 --strip-sections whole bare
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let (whole, bare) = (try Self.symbols(folder + "/whole"), try Self.symbols(folder + "/bare"))
            // `_end` is where memory ends: one byte after the last segment.
            #expect(bare == whole.filter { !$0.hasPrefix("_end ") })
            #expect(bare.contains { $0.hasPrefix("second ") })
            let object = try ObjectFiles.open(path: folder + "/bare")
            #expect(object.identity == (try ObjectFiles.open(path: folder + "/whole").identity))
            #expect(object.description.notes == ["the file has no section headers: only its dynamic symbols are found"])
            // The code is bounded by the segment that is executed.
            let digits = try #require(bare.first { $0.hasPrefix("second ") }?.split(separator: " ")[1].dropFirst(2))
            let start = LinkAddress(try #require(UInt64(digits, radix: 16)))
            #expect(object.section(containing: start)?.isExecutable == true)
            #expect(ExceptionFrames(object)?.range(containing: start)?.lowerBound == start)
        }
    }

    /// Lays the file out as in memory: each segment at its address, without the unmapped parts; the
    /// linker has written absolute addresses into the dynamic table.
    private func memory(of path: String, loadedAt bias: UInt64) throws -> [UInt8] {
        let object = try ObjectFiles.open(path: path)
        let ends = object.description.segments.compactMap { $0.address.advanced(by: $0.size)?.value }
        var image = [UInt8](repeating: 0, count: Int((ends.max() ?? 0) + 0xfff) & ~0xfff)
        for segment in object.description.segments {
            image.replaceSubrange(
                Int(segment.address.value)..<Int(segment.address.value) + segment.fileRange.count,
                with: object.file.bytes(in: segment.fileRange))
        }
        // PT_DYNAMIC by `readelf -lW`: the tags 4 to 6 and GNU's are pointers.
        let row = try #require(
            try run("readelf", ["-lW", path]).output.split(separator: "\n").first { $0.split(separator: " ").first == "DYNAMIC" })
        let fields = row.split(separator: " ").compactMap { UInt64($0.dropFirst(2), radix: 16) }
        for entry in stride(from: Int(fields[1]), to: Int(fields[1] + fields[4]), by: 16) {
            func word(_ at: Int) -> UInt64 { image[at..<at + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            guard [4, 5, 6, 0x6fff_fef5].contains(word(entry)) else { continue }
            let value = word(entry + 8) + bias
            for byte in 0..<8 { image[entry + 8 + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
        }
        return image
    }

    @Test(arguments: [0, 0x7f31_2340_0000] as [UInt64])
    func `an image from memory is read by its addresses`(bias: UInt64) throws {
        try withTemporaryFolder { folder in
            let script = "printf '%s\\n' '\(Self.source)' > a.c && gcc -shared -fPIC -O1 -fno-inline a.c -o whole && strip whole"
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            try writeFile(folder + "/dump", try memory(of: folder + "/whole", loadedAt: bias))
            #expect(try Self.symbols(folder + "/dump") == Self.symbols(folder + "/whole").filter { !$0.hasPrefix("_end ") })
            #expect(try ObjectFiles.open(path: folder + "/dump").identity == ObjectFiles.open(path: folder + "/whole").identity)
        }
    }

    private func opened(_ bytes: [UInt8]) throws -> ObjectFile { try object(bytes) }

    @Test func `any byte of the tables may be any other`() throws {
        try withTemporaryFolder { folder in
            let script =
                "printf '%s\\n' '\(Self.source)' > a.c && gcc -shared -fPIC -O1 -nostdlib a.c -o whole && llvm-objcopy-19 --strip-sections whole bare"
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let bytes = try ObjectFiles.open(path: folder + "/bare").file.bytes(in: 0..<1 << 20)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<4000 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let values: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
                    damaged[Int.random(in: 16..<damaged.count, using: &random)] = values.randomElement(using: &random) ?? 0
                }
                guard let object = try? opened(damaged) else { continue }
                var count = 0
                try? object.forEachSymbol { symbol in
                    _ = symbol.name.text(in: object)
                    count += 1
                    return true
                }
                // No more than there are bytes for.
                #expect(count <= damaged.count / 24)
            }
        }
    }
}
