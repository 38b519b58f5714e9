internal import DWARF
public import ObjectFiles

/// What kind of debug information an object holds, for people who ask.
public struct DebugInformationSummary: Sendable {
    /// The DWARF versions of its units, ascending. Empty where there is none, or its unit headers are damaged.
    public let versions: [Int]

    public init(_ object: ObjectFile) { versions = DWARFReader(object)?.versions() ?? [] }
}
