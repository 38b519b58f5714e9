/// Where split units are looked for.
public struct SplitPlaces: Sendable {
    /// The package (`.dwp`); `nil` for the one beside the linked file.
    public var package: String?
    /// Files of split units are looked for beside the linked file too, to which builds copy them, and not only where the compiler wrote them.
    public var besideProgram: Bool

    public init(package: String? = nil, besideProgram: Bool = true) {
        self.package = package
        self.besideProgram = besideProgram
    }
}
