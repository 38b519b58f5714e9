internal import BinaryPrimitives
internal import CLibelf

/// The function descriptors of 64-bit POWER's first ABI (big-endian): a function's symbol names a
/// descriptor in `.opd`, whose first word is the address of the code (64-bit PowerPC ELF ABI
/// supplement 1.9, section 3.2.5).
struct ELFDescriptors {
    static let sectionName = ".opd"

    let section: Section
    private let contents: SectionContents
    private let order: ByteOrder

    /// - Returns: `nil` if the file has no descriptors, as in every other ABI, or they are in the
    ///   file that it is the debug companion of.
    init?(_ object: ObjectFile, machine: Int32) {
        guard machine == EM_PPC64, let section = object.section(named: Self.sectionName), !section.fileRange.isEmpty,
            let contents = try? object.contents(of: section)
        else { return nil }
        self.section = section
        self.contents = contents
        order = object.description.byteOrder
    }

    /// The address of the code of the function whose descriptor is at `address`; `nil` if none is
    /// there.
    func code(ofDescriptorAt address: UInt64) -> UInt64? {
        guard let offset = LinkAddress(address).distance(from: section.address), offset % 8 == 0 else { return nil }
        return contents.withBytes { bytes in
            guard var field = try? bytes.slice(at: offset, count: 8) else { return nil }
            return try? field.read(UInt64.self, order)
        }
    }
}
