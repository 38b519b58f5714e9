/// The order in which a file stores the bytes of its integers (ELF's `EI_DATA`, Mach-O's magic).
public enum ByteOrder: Sendable, Hashable {
    case littleEndian
    case bigEndian

    /// Whether integers must be swapped on the machine that runs this code.
    @inlinable public var isForeign: Bool {
        #if _endian(little)
            self == .bigEndian
        #else
            self == .littleEndian
        #endif
    }
}
