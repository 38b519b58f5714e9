internal import BinaryPrimitives

/// How pointers are stored in a mapping of a shared cache: `dyld_cache_slide_info` to `dyld_cache_slide_info5` of Apple's dyld
/// (`include/mach-o/dyld_cache_format.h`).
///
/// When the cache is mapped at another address, dyld moves all pointers. They are chained: some bits of each give the distance to the
/// next, and others the key of a signature.
enum PointerEncoding: Sendable, Equatable {
    /// The address. Version 1, and where nothing is moved.
    case address
    /// Version 2: bits of the chain, and what is added to the others.
    case chained(chain: UInt64, base: UInt64)
    /// Version 4, of 32 bits: the same; small numbers are no pointers.
    case short(chain: UInt64, base: UInt64)
    /// Version 3, of arm64e: 51 bits, of which the upper 8 are the pointer's upper 8; or, in signed ones, 32 bits from the base on.
    case signed(base: UInt64)
    /// Version 5, of arm64e since iOS 17.4 and macOS 14.4: 34 bits from the base on.
    case offset(base: UInt64)

    /// - Parameter bytes: the slide information of the mapping, from its first byte on.
    init(_ bytes: RawSpan) {
        func long(_ offset: Int) -> UInt64? { try? bytes.value(UInt64.self, at: offset, .littleEndian) }
        switch (try? bytes.value(UInt32.self, at: 0, .littleEndian), long(16), long(24), long(32)) {
        case (2, _, let chain?, let base?): self = .chained(chain: chain, base: base)
        case (4, _, let chain?, let base?): self = .short(chain: chain, base: base)
        case (3, let base?, _, _): self = .signed(base: base)
        case (5, let base?, _, _): self = .offset(base: base)
        default: self = .address
        }
    }

    /// The address that a stored pointer is; `nil` for none.
    func address(_ stored: UInt64) -> UInt64? {
        guard stored != 0 else { return nil }
        let isSigned = stored >> 63 == 1
        switch self {
        case .address: return stored
        case .chained(let chain, let base): return stored & ~chain == 0 ? nil : (stored & ~chain) &+ base
        case .short(let chain, let base):
            let value = stored & ~chain & 0xffff_ffff
            return value & 0xffff_8000 == 0 || value & 0x3fff_8000 == 0x3fff_8000 ? nil : value &+ base
        case .signed(let base): return isSigned ? base &+ (stored & 0xffff_ffff) : stored & 0x7ff_ffff_ffff
        case .offset(let base): return base &+ (stored & 0x3_ffff_ffff)
        }
    }
}
