internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages

/// The values that the kernel passed to a program when it started it (Linux, `include/uapi/linux/auxvec.h`; `getauxval(3)`).
struct AuxiliaryVector {
    private let image: MemoryImage

    init(_ image: MemoryImage) { self.image = image }

    private enum Kind { case address, number, bits, text }

    private static let entries: [(type: UInt64, name: String, kind: Kind)] = [
        (3, "AT_PHDR", .address), (4, "AT_PHENT", .number), (5, "AT_PHNUM", .number), (6, "AT_PAGESZ", .number), (7, "AT_BASE", .address),
        (8, "AT_FLAGS", .bits), (9, "AT_ENTRY", .address), (11, "AT_UID", .number), (12, "AT_EUID", .number), (13, "AT_GID", .number),
        (14, "AT_EGID", .number), (15, "AT_PLATFORM", .text), (16, "AT_HWCAP", .bits), (17, "AT_CLKTCK", .number),
        (23, "AT_SECURE", .number), (24, "AT_BASE_PLATFORM", .text), (25, "AT_RANDOM", .address), (26, "AT_HWCAP2", .bits),
        (29, "AT_HWCAP3", .bits), (30, "AT_HWCAP4", .bits), (31, "AT_EXECFN", .text), (33, "AT_SYSINFO_EHDR", .address),
        (51, "AT_MINSIGSTKSZ", .number),
    ]

    /// The names, by the numbers of their types, and the values: addresses and bits in hexadecimal digits; of a text that was saved
    /// the text itself.
    var values: [(name: String, value: String)] {
        Self.entries.compactMap { entry in
            guard let value = image.process.auxiliaryVector[entry.type] else { return nil }
            switch entry.kind {
            case .number: return (entry.name, String(value))
            case .bits: return (entry.name, "0x" + String(value, radix: 16))
            case .address: return (entry.name, RuntimeAddress(value).description)
            // The environment, beside these texts, is not read.
            case .text:
                let text = image.text(at: value)
                return (entry.name, text.isEmpty ? RuntimeAddress(value).description : text)
            }
        }
    }
}
