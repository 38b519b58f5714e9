package import ObjectFiles

/// The files other than an object that hold a part of its debug information: those that the reader under test
/// has found, so that both readers use the same.
package struct ReferenceFiles: Sendable {
    /// The `.dwo` file or the package with a split unit, by the offset in `.debug_info` of the header of its
    /// skeleton unit.
    package var splitUnits: [Int: ObjectFile]
    /// File with the debug information that dwz moved out of several files.
    package var supplementary: ObjectFile?

    package init(splitUnits: [Int: ObjectFile] = [:], supplementary: ObjectFile? = nil) {
        self.splitUnits = splitUnits
        self.supplementary = supplementary
    }
}
