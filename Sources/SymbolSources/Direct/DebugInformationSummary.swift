internal import DWARF
package import ObjectFiles

/// Kind of debug information in an object, for display to users.
package struct DebugInformationSummary: Sendable {
    /// The DWARF versions of its units, ascending. Empty where there is none, or its unit headers
    /// are damaged.
    package let versions: [Int]

    package init(_ object: ObjectFile) { versions = DWARFReader(object)?.versions() ?? [] }
}
