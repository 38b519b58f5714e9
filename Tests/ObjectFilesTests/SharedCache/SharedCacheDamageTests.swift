import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Damaged shared caches: each offset and count of the header leads outside of the file in turn.
@Suite(.enabled(if: SharedCacheLibraries.isPossible, "\(SharedCacheLibraries.absence)"))
struct SharedCacheDamageTests {
    private func mapped(_ bytes: [UInt8], _ name: String) throws(FileError) -> MappedFile {
        try MappedFile(bytes: bytes.span.rawBytes, name: name)
    }

    private func open(_ bytes: [UInt8], limits: Limits = .standard) throws -> SharedCache? {
        try SharedCache(try mapped(bytes, "cache"), limits: limits) { _ in nil }
    }

    private func problem(_ bytes: [UInt8], limits: Limits = .standard) -> String? {
        do { _ = try open(bytes, limits: limits) } catch { return "\(error)" }
        return nil
    }

    private static func file() throws -> [UInt8] {
        try SharedCacheLibraries(architecture: "arm64e").cache(.imagesText, "arm64e").files()[0].bytes
    }

    private func put(_ value: UInt32, at offset: Int, in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
        return bytes
    }

    @Test func `counts and offsets outside of the file are errors that name them`() throws {
        let bytes = try Self.file()
        #expect(problem(put(70_000, at: 0x90, in: bytes)) == "cache: 70000 images are declared, expected at most 65536")
        #expect(problem(put(2000, at: 0x14, in: bytes)) == "cache: 2000 mappings are declared, expected at most 1024")
        #expect(
            problem(put(0x7fff_ffff, at: 0x88, in: bytes))
                == "cache: 2 images should be at byte 2147483647, the file ends at byte \(bytes.count): it is cut short")
        #expect(problem(put(0x1000_0000, at: 0x10, in: bytes)) != nil)
        var few = Limits.standard
        few.sharedCacheImages = 1
        #expect(problem(bytes, limits: few) == "cache: 2 images are declared, expected at most 1")
    }

    @Test func `a header without images is a subcache, and says what to use`() throws {
        let files = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e").files()
        #expect(
            problem(files[1].bytes) == "cache: a file of a shared cache without its list of images. Use the main file, such as cache")
    }

    @Test func `a file that ends anywhere gives an error or fewer names, and never a trap`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.imagesText, "arm64e")
        let bytes = builder.files()[0].bytes
        // The first image's header has 32 bytes; `sizeofcmds` is its sixth number.
        let start = Int(builder.addresses[0] - builder.base)
        let commands = (0..<4).reduce(0) { $0 | Int(bytes[start + 20 + $1]) << (8 * $1) }
        let sizes = Array(stride(from: 0, to: bytes.count, by: 509))
        var opened: [Int] = []
        for size in sizes {
            guard let cache = try? open(Array(bytes.prefix(size))), let object = try? cache.open(0) else { continue }
            _ = try? elements { try object.forEachSymbol($0) }.map { $0.name.text(in: object) }
            _ = try? object.exports()
            opened.append(size)
        }
        #expect(opened == sizes.filter { $0 >= start + 32 + commands })
    }

    @Test func `each byte of the header may be anything`() throws {
        let bytes = try Self.file()
        for offset in 0x10..<0x260 {
            for value in [0, 0x7f, 0xff] as [UInt8] {
                var changed = bytes
                changed[offset] = value
                guard let cache = try? open(changed) else { continue }
                for index in cache.images.indices.prefix(4) { _ = try? cache.open(index).exports() }
                #expect(cache.images.count <= 65536)
            }
        }
    }
}
