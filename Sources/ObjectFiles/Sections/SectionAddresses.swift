internal import BinaryPrimitives

/// Assigns addresses to the sections of a relocatable file of ELF or COFF: as assemblers write them,
/// all begin at address 0.
///
/// `.text` stays at 0, so that its addresses are the ones that every tool means; other code
/// follows, then data. Debug sections of one name (a type unit in a section group has a
/// `.debug_info` of its own) are placed one after the other, as a linker joins them.
enum SectionAddresses {
    /// - Parameters:
    ///   - sections: by number.
    ///   - alignments: in bytes, of each.
    /// - Returns: whether they got addresses. Addresses that the file itself gives are left.
    static func assign(to sections: inout [Section], alignments: [UInt64], addressSize: Int) -> Bool {
        let loaded = sections.indices.filter { sections[$0].isLoaded && sections[$0].size > 0 }
        guard !loaded.contains(where: { sections[$0].address.value != 0 }) else { return false }
        func rank(_ index: Int) -> Int { sections[index].name == ".text" ? 0 : sections[index].isExecutable ? 1 : 2 }
        let end: UInt64 = addressSize == 8 ? .max : UInt64(UInt32.max)
        var next: UInt64 = 0
        for index in loaded.sorted(by: { (rank($0), $0) < (rank($1), $1) }) {
            let alignment = alignments[index].nonzeroBitCount == 1 ? min(max(alignments[index], 16), 1 << 16) : 16
            let start = (next &+ alignment &- 1) & ~(alignment &- 1)
            let size = sections[index].size
            // A byte is left between them: the label at the end of one section is not the start of
            // the next.
            guard start >= next, start < end, size < end - start else {
                sections[index].problem = "section \(sections[index].name) of \(size) bytes does not fit the address space"
                sections[index].isLoaded = false
                continue
            }
            sections[index].address = LinkAddress(start)
            next = start + size + 1
        }
        joinDebugSections(&sections)
        return true
    }

    private static func joinDebugSections(_ sections: inout [Section]) {
        var ends: [String: UInt64] = [:]
        for index in sections.indices where !sections[index].isLoaded && sections[index].isDebug {
            let start = ends[sections[index].name] ?? 0
            let (end, overflow) = start.addingReportingOverflow(sections[index].size)
            sections[index].address = LinkAddress(start)
            ends[sections[index].name] = overflow ? start : end
        }
    }
}

extension Section {
    /// Whether relocations change debug information there.
    var isDebug: Bool { name.hasPrefix(".debug_") || name.hasPrefix(".zdebug_") }
}
