package import BinaryPrimitives

/// The header of a file of a shared cache: `dyld_cache_header` of Apple's dyld (`include/mach-o/dyld_cache_format.h`).
///
/// The header grows with each version of the systems. The mappings follow it, so that `mappingOffset` is its size and shows which
/// fields it has:
///
///     0x58 uuid            iOS 4
///     0x88 imagesText      iOS 10, macOS 10.12
///     0x138 mappingsWithSlide  iOS 14, macOS 11: each mapping has slide information
///     0xd8 platform        iOS 12, macOS 10.14
///     0x188 subcaches      iOS 15, macOS 12: files .1, .2 and so on
///     0x1c0 images         the same; the fields at 0x18 are zero since then
///     0x1c8 cacheSubType   iOS 16, macOS 13: entries of subcaches have the endings of the files' names
///     0x1d0 objcOpts       the same: what was libobjc's section `__objc_opt_ro`
///
/// All numbers are little-endian.
package struct SharedCacheHeader: Sendable {
    /// A table in the file.
    struct Table: Sendable {
        var offset: UInt64
        var count: Int
    }

    /// `magic` without `dyld_v1` and the spaces after it: `arm64e`.
    package let architectureName: String
    /// The header's size in bytes.
    package let size: Int
    let mappings: Table
    /// `dyld_cache_image_info`, 32 bytes each.
    let images: Table
    /// `dyld_cache_image_text_info`, 32 bytes each; empty in caches that are older.
    let imagesText: Table
    /// `dyld_subcache_entry`; empty where the cache is one file.
    let subcaches: Table
    /// `dyld_cache_mapping_and_slide_info`, 56 bytes each; empty in caches that are older.
    let mappingsWithSlide: Table
    /// Slide information of the second mapping, in caches that are older.
    let slideInformation: UInt64
    /// Distance from the cache's first byte to `objc_optimization` (`common/DyldSharedCache.h`); 0 where there is none.
    let objcOptimization: UInt64
    /// Whether entries of subcaches have the endings of the files' names.
    let namesSubcaches: Bool
    /// `dyld_cache_local_symbols_info`; empty where there is none.
    let localSymbols: (offset: UInt64, size: UInt64)
    /// Whether entries of local symbols have addresses of 64 bits, from the cache's first, instead of offsets of 32.
    let hasWideLocalSymbols: Bool
    /// `nil` before iOS 4, and where all bytes are zero.
    package let id: ImageID?
    /// UUID of the file `.symbols`; `nil` where the cache has none.
    let symbolsID: ImageID?
    /// `platform`, a number of `mach-o/loader.h`; `nil` in caches that are older.
    package let platformNumber: UInt32?
    /// `osVersion`: xxxx.yy.zz in the nibbles of a number; zero where it is not known.
    let systemVersion: UInt32

    static let magic = Array("dyld_v1".utf8)
    private static let maxSize = 0x1000

    /// - Returns: `nil` if the file does not begin as a shared cache does.
    init?(_ file: MappedFile) throws(ObjectFileError) {
        let bytes = file.bytes(in: 0..<min(file.size, Self.maxSize))
        guard bytes.count >= 16, bytes.starts(with: Self.magic) else { return nil }
        let name = bytes[Self.magic.count..<16].prefix { $0 != 0 }.drop { $0 == 0x20 }
        architectureName = String(decoding: name, as: UTF8.self)
        let span = bytes.span.rawBytes
        let problem = "the header of the shared cache is cut short"
        do throws(ReadError) {
            let size = Int(try span.value(UInt32.self, at: 0x10, .littleEndian))
            self.size = size
            // A field is there if the header reaches to its end.
            func word(_ offset: Int) throws(ReadError) -> UInt32 {
                offset + 4 <= size ? try span.value(UInt32.self, at: offset, .littleEndian) : 0
            }
            func long(_ offset: Int) throws(ReadError) -> UInt64 {
                offset + 8 <= size ? try span.value(UInt64.self, at: offset, .littleEndian) : 0
            }
            func id(_ offset: Int) -> ImageID? {
                offset + 16 <= min(size, bytes.count) ? ImageID(bytes: Array(bytes[offset..<offset + 16])) : nil
            }
            mappings = Table(offset: UInt64(size), count: Int(try word(0x14)))
            let isMoved = size >= 0x1c8
            let images = Table(offset: UInt64(try word(isMoved ? 0x1c0 : 0x18)), count: Int(try word(isMoved ? 0x1c4 : 0x1c)))
            self.images = images
            imagesText = Table(offset: try long(0x88), count: Int(clamping: try long(0x90)))
            subcaches = isMoved ? Table(offset: UInt64(try word(0x188)), count: Int(try word(0x18c))) : Table(offset: 0, count: 0)
            namesSubcaches = size > 0x1c8
            mappingsWithSlide = Table(offset: UInt64(try word(0x138)), count: Int(try word(0x13c)))
            slideInformation = try long(0x38)
            objcOptimization = try long(0x1d0)
            localSymbols = (try long(0x48), try long(0x50))
            hasWideLocalSymbols = size >= 0x190
            self.id = id(0x58)
            symbolsID = isMoved ? id(0x190) : nil
            platformNumber = size >= 0xdc ? try word(0xd8) : nil
            systemVersion = try word(0x16c)
        } catch {
            throw ObjectFileError(.corrupt, path: file.path, problem)
        }
    }

    /// The architecture that the magic names: `armv7`, `arm64e`, `x86_64h`.
    package var architecture: Architecture { Architecture(architectureName) }

    /// `15.0`, or `nil` where the header does not have it.
    package var systemVersionText: String? { systemVersion == 0 ? nil : MachOImage.version(systemVersion) }

    package var platform: String? { platformNumber.flatMap { $0 == 0 ? nil : MachOImage.platformName($0) } }
}
