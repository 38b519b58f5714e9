package import BinaryPrimitives

/// Sections without a container, one after the other, which a fuzzer can make longer and shorter:
/// the byte `B` for big-endian byte order or any other for little-endian, then for each name, in
/// their order, a length of four bytes (least significant first) and as many bytes.
package struct SectionFrames {
    package private(set) var byteOrder = ByteOrder.littleEndian
    /// Range of each section in the input, as far as there was input.
    package private(set) var sections: [(name: String, range: Range<Int>)] = []
    /// Range of the bytes after the sections.
    package private(set) var rest = 0..<0

    /// The names of the sections of debug information that results are made of:
    /// `DWARFSections.Name`, in its order.
    package static let answering = [
        ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr",
        ".debug_ranges",
        ".debug_rnglists", ".debug_aranges", ".debug_cu_index", ".debug_sup", ".gnu_debugaltlink", ".debug_types",
    ]

    package init(_ input: RawSpan, names: [String]) {
        var cursor = input
        if (try? cursor.read(UInt8.self)) == UInt8(ascii: "B") { byteOrder = .bigEndian }
        for name in names {
            guard let length = try? cursor.read(UInt32.self) else { break }
            let position = input.byteCount - cursor.byteCount
            let size = min(Int(length), cursor.byteCount)
            sections.append((name, position..<position + size))
            try? cursor.skip(size)
        }
        rest = input.byteCount - cursor.byteCount..<input.byteCount
    }

    /// The rest as addresses of eight bytes, least significant first.
    package func addresses(in input: RawSpan, limit: Int) -> [UInt64] {
        var cursor = input.clamped(to: rest)
        var addresses: [UInt64] = []
        while addresses.count < limit, let address = try? cursor.read(UInt64.self) { addresses.append(address) }
        return addresses
    }
}
