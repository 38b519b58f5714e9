internal import BinaryPrimitives
package import ObjectFiles

/// The files beside an object that the reader takes parts of its debug information from, for
/// callers that use another reader on the same data.
package struct CompanionFiles: Sendable {
    /// By the offset in `.debug_info` of a skeleton unit's header: the `.dwo` file or the package
    /// that holds its split unit.
    package private(set) var splitUnits: [Int: ObjectFile] = [:]
    /// The file with the entries that `dwz` moved out of several files (`.gnu_debugaltlink`, `.debug_sup`); `nil` if there is none or it is
    /// not found.
    package private(set) var supplementary: ObjectFile?

    init(_ sections: DWARFSections) {
        supplementary = sections.supplementary?.object
        guard let units = try? UnitTable(sections) else { return }
        let split = SplitUnits(of: sections)
        let buffer = ReadBuffer()
        for header in units.allHeaders() {
            // Most files have no skeletons, and none of their units is read whole.
            guard let head = try? units.unitHead(header), head.root.splitName != nil else { continue }
            let found = try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                try split.find(for: unit, bytes)
            }
            splitUnits[header.offset] = (found ?? nil)?.units.sections.object
        }
    }
}

extension DWARFReader {
    /// The files that results of this reader draw on beside the object itself.
    package func companionFiles() -> CompanionFiles { CompanionFiles(sections) }
}
