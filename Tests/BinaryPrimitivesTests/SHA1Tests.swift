import BinaryPrimitives
import Testing

struct SHA1Tests {
    /// The examples of FIPS 180-2, appendix A, and the digest of nothing (RFC 3174 has the first three).
    @Test(arguments: [
        ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        ("a", 1_000_000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"), ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ])
    func `the standard's examples have their digests, whatever the pieces`(text: String, count: Int, digest: String) {
        let bytes = Array(String(repeating: text, count: count).utf8)
        for size in [1, 7, 63, 64, 65, 4096, 1 << 20] where size > 1 || bytes.count < 1000 {
            var hash = SHA1()
            for start in stride(from: 0, to: bytes.count, by: size) { hash.update(Array(bytes[start..<min(start + size, bytes.count)])) }
            #expect(hash.finish() == digest)
        }
    }
}
