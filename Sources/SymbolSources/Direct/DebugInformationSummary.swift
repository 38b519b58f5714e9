internal import DWARF
package import ObjectFiles

/// Kind of debug information in an object, for display to users.
package struct DebugInformationSummary: Sendable {
    /// The DWARF versions of its units, ascending. Empty if it has no units, or their headers are damaged.
    package let versions: [Int]

    package init(_ object: ObjectFile) { versions = DWARFReader(object)?.versions() ?? [] }
}
