import BinaryPrimitives
import CCairn
import TestSupport
import Testing

struct SHA256Tests {
    /// NIST's examples (FIPS 180-4's test vectors, and CAVP's for one million letters).
    @Test(arguments: [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `the digest is NIST's`(text: String, count: Int, digest: String) {
        var hasher = SHA256()
        for _ in 0..<count { hasher.update(Array(text.utf8)) }
        #expect(hexadecimal(hasher.finish()) == digest)
    }

    /// Each length up to three blocks, in pieces of each size up to a block and a byte, beside
    /// coreutils.
    @Test func `pieces of any size make the digest of the whole`() throws {
        let bytes = (0..<192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        try withTemporaryFolder { folder in
            let paths = (0...bytes.count).map { "\(folder)/\($0)" }
            for (count, path) in paths.enumerated() { try writeFile(path, Array(bytes.prefix(count))) }
            let lines = try run("sha256sum", paths).lines
            try #require(lines.count == paths.count)
            for (count, line) in lines.enumerated() {
                for size in 1...65 {
                    var hasher = SHA256()
                    for start in stride(from: 0, to: count, by: size) { hasher.update(Array(bytes[start..<min(start + size, count)])) }
                    #expect(line.hasPrefix(hexadecimal(hasher.finish()) + " "), "\(count) bytes in pieces of \(size)")
                }
            }
        }
    }

    @Test func `a digest can be asked for between pieces`() {
        var hasher = SHA256()
        hasher.update(Array("ab".utf8))
        _ = hasher.finish()
        hasher.update(Array("c".utf8))
        #expect(hexadecimal(hasher.finish()) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `the processor's instructions give what plain arithmetic gives`() {
        var numbers = SplitMix64(seed: 256)
        let bytes = (0..<64 * 50).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        var fast = (0..<8).map { _ in UInt32(truncatingIfNeeded: numbers.next()) }
        var plain = fast
        unsafe cairn_sha256_compress(&fast, bytes, 50)
        unsafe cairn_sha256_compress_portable(&plain, bytes, 50)
        #expect(fast == plain)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
