import BinaryPrimitives
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel
@testable import CrashReports

/// Logs that were compressed by the programs that people use for it.
struct LogCompressionTests {
    enum Tool: String, CaseIterable {
        case gzip = "gzip -c", bzip2 = "bzip2 -c", xz = "xz -c", zstd = "zstd -qc", lz4 = "lz4 -qc"
        case zlib = "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))'"
        case smallZlib = "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read(), 1))'"
        case middlingZlib = "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read(), 3))'"
        case bestZlib = "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read(), 9))'"
        case skippable = "{ printf '\\120\\052\\115\\030\\003\\000\\000\\000abc'; zstd -qc; }"

        func pack(_ bytes: [UInt8]) throws -> [UInt8] {
            try run("sh", ["-c", rawValue], input: bytes).requireSuccess().standardOutput
        }
    }

    /// 4,000 lines that differ: some 200 KB, so that it takes several blocks and parts.
    static let text = lines(4000)
    /// 800 KB: Zstandard has blocks of 128 KB.
    static let long = lines(20_000)

    private static func lines(_ count: Int) -> [UInt8] {
        Array((0..<count).map { "line \($0): \(UInt64($0) &* 0x9E37_79B9_7F4A_7C15)\n" }.joined().utf8)
    }

    private func read(_ bytes: [UInt8], limits: Limits = .standard) throws -> (text: [UInt8], problem: String?) {
        var log = LogBytes(bytes, path: "a.log", limits: limits)
        var text: [UInt8] = []
        while let part = try log.next() { text += part }
        return (text, log.problem?.description)
    }

    @Test(arguments: Tool.allCases) func `what was compressed comes back`(tool: Tool) throws {
        for text in [Self.text, Array("one line\n".utf8), []] {
            let found = try read(try tool.pack(text))
            #expect(found.text == text && found.problem == nil, "\(found.problem ?? "")")
        }
    }

    @Test(arguments: Tool.allCases) func `containers may follow one another, and zeros the last`(tool: Tool) throws {
        let (one, two) = (try tool.pack(Self.text), try tool.pack(Array("two\n".utf8)))
        let found = try read(one + two + one + [UInt8](repeating: 0, count: 512))
        #expect(found.text == Self.text + Array("two\n".utf8) + Self.text && found.problem == nil, "\(found.problem ?? "")")
    }

    /// The sizes of the parts in which a file comes change nothing.
    @Test(arguments: Tool.allCases) func `parts may be of any size`(tool: Tool) throws {
        let text = Array(Self.text.prefix(3000))
        let packed = try tool.pack(text) + (try tool.pack(text))
        let found = LogCompression(packed.span)
        let container = try #require(found)
        for size in [1, 2, 3, 7, 64, 1000] {
            var unpacker = try LogUnpacker(container, .standard)
            var found: [UInt8] = []
            for start in stride(from: 0, to: packed.count, by: size) {
                unpacker.feed(Array(packed[start..<min(packed.count, start + size)]))
                while true {
                    let part = unpacker.read()
                    if part.isEmpty { break }
                    found += part
                }
            }
            unpacker.end()
            found += unpacker.read()
            let (isDone, problem) = (unpacker.isDone, unpacker.problem)
            #expect(found == text + text && isDone && problem == nil, "parts of \(size)")
        }
    }

    /// The text before the cut is the beginning of the whole text.
    @Test(arguments: Tool.allCases) func `a container that ends early gives what was complete`(tool: Tool) throws {
        let packed = try tool.pack(Self.long)
        for twentieth in 1..<20 {
            let found = try read(Array(packed.prefix(packed.count * twentieth / 20)))
            #expect(Self.long.starts(with: found.text), "\(twentieth)")
            let rest =
                found.text.isEmpty ? "Nothing of the log could be read." : "Only the first \(found.text.count) bytes of the log were read."
            #expect(found.problem?.hasSuffix("data ends early. " + rest) == true, "\(twentieth): \(found.problem ?? "")")
        }
        // bzip2 has blocks of 900 KB, LZ4 of 4 MB; the others give what they have.
        let half = try read(Array(packed.prefix(packed.count / 2))).text.count
        if tool != .bzip2, tool != .lz4 { #expect(half > Self.long.count / 4, "\(half)") }
    }

    @Test(arguments: Tool.allCases) func `changed bytes are damage, never a trap`(tool: Tool) throws {
        let packed = try tool.pack(Self.text)
        for index in stride(from: 0, to: packed.count, by: max(1, packed.count / 400)) {
            var damaged = packed
            damaged[index] ^= 0x55
            let found = try read(damaged)
            // A changed beginning may be no container, a changed header may not matter.
            #expect(found.problem == nil || found.text.count <= Self.text.count || found.problem?.contains("damaged") == true)
            #expect(found.problem?.contains("\n") != true)
        }
    }

    @Test func `what was decoded before the damage is given out`() throws {
        var packed = try Tool.gzip.pack(Self.text)
        // The checksum: all of the text came.
        packed[packed.count - 8] ^= 1
        let found = try read(packed)
        #expect(found.text == Self.text)
        #expect(
            found.problem
                == "the gzip data is damaged (incorrect data check). Only the first \(Self.text.count) bytes of the log were read.")
    }

    @Test(arguments: Tool.allCases) func `what follows and is no container is said`(tool: Tool) throws {
        let packed = try tool.pack(Self.text)
        let found = try read(packed + Array("and more".utf8))
        #expect(found.text == Self.text)
        #expect(
            found.problem?.hasSuffix(" data ends at byte \(packed.count). What follows it was ignored.") == true, "\(found.problem ?? "")")
        // Few bytes more may become the beginning of another.
        #expect(try read(packed + packed.prefix(1)).problem != nil)
    }

    /// `Limits.expandedLog` of text is read with any ratio, and `Limits.logExpansion` times the
    /// bytes.
    @Test func `what expands too much ends`() throws {
        let zeros = [UInt8](repeating: 0x20, count: 1 << 20)
        let packed = try Tool.gzip.pack(zeros)
        var limits = Limits()
        (limits.expandedLog, limits.logExpansion) = (zeros.count, 1)
        #expect(try read(packed, limits: limits).problem == nil)
        limits.expandedLog = zeros.count - 1
        let found = try read(packed, limits: limits)
        #expect(found.text.count == zeros.count - 1)
        let rest = "Only the first \(zeros.count - 1) bytes of the log were read. To read all of it: gzip -dc a.log | cairn -"
        #expect(found.problem == "the gzip data expands to far more than its size. \(rest)")
        // By the ratio: the text is so many times the compressed bytes, rounded up.
        (limits.expandedLog, limits.logExpansion) = (0, (zeros.count + packed.count - 1) / packed.count + 100)
        limits.expandedLog = 1 << 18
        #expect(try read(packed, limits: limits).text.count >= 1 << 18)
        limits.logExpansion = 2
        #expect(try read(packed, limits: limits).problem != nil)
    }

    @Test(arguments: [
        "", "x", "x^", "x^2 + y^2 = z^2, and more text than a container's beginning has\n", "B", "BZh", "BZh9 is text\n", "(", "P*M",
        "x\u{1}",
    ]) func `texts that begin alike are texts`(text: String) throws {
        let bytes = Array(text.utf8)
        // `x` and 01 is zlib's header, and nothing follows.
        guard text != "x\u{1}" else { return #expect(try read(bytes).problem?.contains("ends early") == true) }
        let found = try read(bytes)
        #expect(found.text == bytes && found.problem == nil, "\(found.problem ?? "")")
    }

    /// UTF-16 in a container is UTF-16.
    @Test func `a compressed log has its own encoding`() throws {
        let text = "Stack: (\n    11076,\n    9668\n)\n"
        let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        var input = LogInput(try Tool.xz.pack(wide), path: "a")
        var found: [UInt8] = []
        while let part = try input.next() { found += part }
        #expect(String(decoding: found, as: UTF8.self) == "\u{FEFF}" + text)
        let encoding = input.encoding
        #expect(encoding == TextEncoding.utf16(.littleEndian))
    }

    /// A core of nothing but zeros shrinks to a thousandth.
    @Test(arguments: [Tool.gzip, .zstd, .xz, .lz4]) func `a core file expands to no more than its cap`(tool: Tool) throws {
        let header = Array("\u{7F}ELF\u{2}\u{1}\u{1}".utf8) + [UInt8](repeating: 0, count: 9) + [4, 0, 62, 0]
        let packed = try tool.pack(header + [UInt8](repeating: 0, count: 8 << 20))
        var limits = Limits()
        (limits.expandedLog, limits.logExpansion, limits.unpackedMemory) = (1 << 16, 1, 1 << 20)
        var log = LogBytes(packed, path: "a", limits: limits)
        let found = try #require(try log.memory())
        #expect(found.kind == .core && found.file.size == limits.unpackedMemory && found.file.bytes(in: 0..<20) == header)
        #expect(log.problem?.description.contains("expands to far more than its size") == true)
        // With the usual cap it is whole.
        var whole = LogBytes(packed, path: "a")
        #expect(try whole.memory()?.file.size == header.count + (8 << 20))
    }

    /// A core file is a core file in a container too, and a container in a container is one.
    @Test func `what is in a container and is no log is named`() throws {
        func problems(_ bytes: [UInt8]) throws -> [String] {
            var input = LogInput(bytes, path: "a.gz")
            var stream = LogStream()
            while let part = try input.next() { stream.feed(part.span) { _, _ in } }
            stream.finish { _, _ in }
            return input.problems(of: stream).map(\.description)
        }
        #expect(
            try problems(try Tool.gzip.pack(Array("MDMP....".utf8))) == [
                "this is a minidump, compressed with gzip, not a log. Decompress it first: gzip -dc a.gz > FILE && cairn FILE"
            ])
        #expect(
            try problems(try Tool.gzip.pack(try Tool.xz.pack(Self.text))).first
                == "this is compressed (xz), compressed with gzip, not a log. Decompress it first: gzip -dc a.gz > FILE && xz -dc FILE | cairn -"
        )
    }
}
