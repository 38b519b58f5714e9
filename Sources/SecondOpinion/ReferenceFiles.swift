package import ObjectFiles

/// The files beside an object that hold a part of its debug information: those that the reader
/// which is put to the test has found, so that both read the same.
package struct ReferenceFiles: Sendable {
    /// By the offset in `.debug_info` of a skeleton unit's header: the `.dwo` file or the package
    /// that holds its split unit.
    package var splitUnits: [Int: ObjectFile]
    /// What dwz moved out of several files.
    package var supplementary: ObjectFile?

    package init(splitUnits: [Int: ObjectFile] = [:], supplementary: ObjectFile? = nil) {
        self.splitUnits = splitUnits
        self.supplementary = supplementary
    }
}
