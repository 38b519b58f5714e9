internal import BinaryPrimitives

/// The calls that Go's compiler inlined (`FUNCDATA_InlTree`): each function has a table of them,
/// and a program that gives for each address the index of the innermost.
///
/// Two fields of a call are read: its name, and an instruction of the function at the position of
/// the call (`parentPc`), whose own index leads to the next call. That is how the runtime walks
/// them (`runtime/symtabinl.go`, before Go 1.21 `runtime/traceback.go`).
struct GoInlineTrees: Sendable {
    /// Base address of the tables' 32-bit offsets (`go:func.*`, before Go 1.20 `go.func.*`); zero
    /// before Go 1.18, whose records have addresses.
    private let start: UInt64
    /// Sections that may hold tables: those of data that are not written to. By address.
    private let sections: [(address: UInt64, contents: SectionContents)]
    private let layout: Layout
    private let order: ByteOrder

    /// One call (`inlinedCall`), in bytes.
    private struct Layout {
        let size: UInt64
        let name: Int
        let parent: Int

        /// Before Go 1.20 the index of the parent, the kind of function, a file and a line are
        /// before the name; then the kind alone does.
        init(_ version: GoTableHeader.Version) {
            size = version >= .go120 ? 16 : 20
            name = version >= .go120 ? 4 : 12
            parent = name + 4
        }
    }

    init(start: UInt64, _ sections: [(address: UInt64, contents: SectionContents)], _ header: GoTableHeader) {
        self.start = start
        self.sections = sections
        layout = Layout(header.version)
        order = header.byteOrder
    }

    /// - Returns: `nil` where nothing says where the tables begin, and before Go 1.16, whose tables
    ///   look like those of 1.8, which have none.
    init?(_ object: ObjectFile, _ module: GoModuleData?, _ header: GoTableHeader) {
        guard header.version >= .go116, let start = header.version >= .go118 ? module?.inlineTrees : 0 else { return nil }
        let sections = object.description.sections.filter {
            $0.isLoaded && !$0.isExecutable && !$0.fileRange.isEmpty && object.isStoredAsIs($0)
        }
        self.init(start: start, sections.map { ($0.address.value, .stored(object.file, $0.fileRange)) }.sorted { $0.0 < $1.0 }, header)
    }

    /// A call of a table: its name's offset, and the distance from the function's entry of an
    /// instruction at the position of the call.
    /// - Parameters:
    ///   - offset: offset of the table, as the function's record has it.
    ///   - index: the call's in the table.
    func call(_ index: Int32, at offset: UInt64) -> (name: UInt64, parent: UInt64)? {
        guard index >= 0 else { return nil }
        let (table, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, let section = sections.last(where: { $0.address <= table }) else { return nil }
        return section.contents.withBytes { bytes in
            guard let rest = try? bytes.from(table - section.address),
                let call = try? rest.slice(at: UInt64(index) * layout.size, count: layout.size),
                let name = try? call.value(UInt32.self, at: layout.name, order),
                let parent = try? call.value(Int32.self, at: layout.parent, order), parent >= 0
            else { return nil }
            return (UInt64(name), UInt64(parent))
        }
    }
}
