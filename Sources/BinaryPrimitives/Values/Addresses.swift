/// An address in one of the four address spaces that a symbolicator meets.
///
/// Code that mixes the spaces does not compile: a value moves from one to another only through the
/// named functions below, each of which requires the missing base address.
public protocol AddressValue: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself, in bytes from the space's own zero.
    var value: UInt64 { get }
    /// - Parameter value: the address in bytes.
    init(_ value: UInt64)
}

extension AddressValue {
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// `0x` and at least one lower-case hexadecimal digit.
    public var description: String { "0x" + String(value, radix: 16) }

    /// This address moved up by `bytes`; `nil` where that leaves the 64-bit space.
    @inlinable package func advanced(by bytes: UInt64) -> Self? {
        let (sum, overflow) = value.addingReportingOverflow(bytes)
        return overflow ? nil : Self(sum)
    }

    /// The distance in bytes from `lower` up to this address; `nil` if `lower` is above it.
    @inlinable package func distance(from lower: Self) -> UInt64? {
        value >= lower.value ? value - lower.value : nil
    }
}

/// An address in the memory of the process that crashed, as the log printed it.
public struct RuntimeAddress: AddressValue {
    public let value: UInt64
    /// - Parameter value: the address in the process, in bytes.
    @inlinable public init(_ value: UInt64) { self.value = value }
}

/// A distance in bytes from the base of an image: from its first mapped byte, wherever it was
/// loaded.
public struct ImageOffset: AddressValue {
    public let value: UInt64
    /// - Parameter value: bytes from the image's load address.
    @inlinable public init(_ value: UInt64) { self.value = value }
}

/// An address as the linker wrote it into the file: ELF's `p_vaddr` and `st_value`, Mach-O's
/// `vmaddr` and `n_value`, and every address in DWARF.
public struct LinkAddress: AddressValue {
    public let value: UInt64
    /// - Parameter value: the address in the file's own address space, in bytes.
    @inlinable public init(_ value: UInt64) { self.value = value }
}

extension LinkAddress {
    /// The address as a 32-bit MIPS file has it, if it is sign-extended: 64-bit kernels and GNU's tools write `0xffffffff80001000` for
    /// `0x80001000`.
    package func withoutSignExtension(_ architecture: Architecture) -> LinkAddress {
        architecture == .mips && value >> 31 == 0x1_ffff_ffff ? LinkAddress(value & 0xffff_ffff) : self
    }
}

/// A position in a file, in bytes from its first byte (of the whole file, also inside a universal
/// file).
public struct FileOffset: AddressValue {
    public let value: UInt64
    /// - Parameter value: bytes from the beginning of the file.
    @inlinable public init(_ value: UInt64) { self.value = value }
}

extension RuntimeAddress {
    /// Offset of this address in an image that was loaded at `base`; `nil` below the base.
    @inlinable package func offset(fromImageLoadedAt base: RuntimeAddress) -> ImageOffset? {
        distance(from: base).map(ImageOffset.init)
    }
}

extension ImageOffset {
    /// The address in memory of an image that was loaded at `base`; `nil` where the sum leaves the
    /// 64-bit space.
    @inlinable package func runtimeAddress(imageLoadedAt base: RuntimeAddress) -> RuntimeAddress? {
        base.advanced(by: value)
    }

    /// The address in the file whose first mapped byte is written as `base` (ELF: the lowest
    /// `PT_LOAD` address; Mach-O: the `vmaddr` of `__TEXT`); `nil` where the sum leaves the 64-bit
    /// space.
    @inlinable package func linkAddress(imageBase base: LinkAddress) -> LinkAddress? {
        base.advanced(by: value)
    }
}

extension LinkAddress {
    /// The distance from the image's first mapped byte; `nil` below it.
    @inlinable package func offset(fromImageBase base: LinkAddress) -> ImageOffset? {
        distance(from: base).map(ImageOffset.init)
    }
}
