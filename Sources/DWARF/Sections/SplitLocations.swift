/// Directories and files in which split units are looked for.
package struct SplitLocations: Sendable {
    /// The package (`.dwp`); `nil` for the one beside the linked file.
    package var package: String?
    /// Files of split units are looked for beside the linked file too, to which builds copy them,
    /// and not only where the compiler wrote them.
    package var besideProgram: Bool

    package init(package: String? = nil, besideProgram: Bool = true) {
        self.package = package
        self.besideProgram = besideProgram
    }
}
