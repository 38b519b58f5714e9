/// The order in which a file stores the bytes of its integers (ELF's `EI_DATA`, Mach-O's magic).
@usableFromInline package enum ByteOrder: Sendable, Hashable {
    case littleEndian
    case bigEndian

    /// Whether integers must be swapped on the machine that runs this code.
    @inlinable package var isForeign: Bool {
        #if _endian(little)
            self == .bigEndian
        #else
            self == .littleEndian
        #endif
    }
}
