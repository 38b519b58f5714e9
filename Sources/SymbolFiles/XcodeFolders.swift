internal import BinaryPrimitives

/// Xcode's symbols below `~/Library/Developer/Xcode`, or in a copy of that folder:
///
///     Archives/DATE/NAME.xcarchive/dSYMs/*.dSYM                   what was archived and uploaded
///     DerivedData/PROJECT-HASH/Build/Products/CONFIGURATION/      what was built: *.dSYM, NAME.app/NAME, NAME.framework/NAME, NAME
///     iOS DeviceSupport/VERSION (BUILD)/Symbols/PATH              the system of each device that was connected
///     watchOS DeviceSupport, tvOS DeviceSupport, …                the same
///
/// The folders hold every build that was ever made, so that a file counts only by its identity.
package struct XcodeFolders: DebugFileLocator {
    package let root: String

    /// - Parameter root: the folder `Xcode`.
    package init(root: String) { self.root = root }

    /// This user's; `nil` if there is none, as on all machines but a Mac with Xcode.
    package static func standard() -> XcodeFolders? {
        guard let home = environmentVariable("HOME"), !home.isEmpty else { return nil }
        let root = Path.join(home, "Library/Developer/Xcode")
        return PathKind(path: root) == .directory ? XcodeFolders(root: root) : nil
    }

    package var location: String { "Xcode's archives, derived data and device support in \(root)" }

    /// The folders are searched.
    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        guard request.id?.uuid != nil else { return [] }
        return (deviceSupport(request) + archives() + products(request))
            .filter { PathKind(path: $0) == .file }
            .map { SymbolFileCandidate(path: $0, origin: .store("xcode", root: root)) }
    }

    /// The image at its own path in each system; also below the volumes that iOS 16 and macOS 13
    /// keep apart (`System/Cryptexes/OS`), which reports leave out.
    private func deviceSupport(_ request: ImageRequest) -> [String] {
        guard let path = request.path, path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return [] }
        return systems().flatMap { [$0 + path, $0 + "/System/Cryptexes/OS" + path] }
    }

    /// Copies of devices' systems, which Xcode made: each is a system's `/`.
    func systems() -> [String] {
        folders(in: root).filter { $0.hasSuffix(" DeviceSupport") }.flatMap { folders(in: $0) }.map { Path.join($0, "Symbols") }
    }

    private func archives() -> [String] {
        folders(in: Path.join(root, "Archives")).flatMap { folders(in: $0) }.filter { $0.hasSuffix(".xcarchive") }
            .flatMap { bundles(in: Path.join($0, "dSYMs")) }
    }

    private func products(_ request: ImageRequest) -> [String] {
        let configurations = folders(in: Path.join(root, "DerivedData"))
            .flatMap { folders(in: Path.join($0, "Build/Products")) }
        return configurations.flatMap { folder in
            bundles(in: folder)
                + [
                    request.name, "\(request.name).app/\(request.name)", "\(request.name).app/Contents/MacOS/\(request.name)",
                    "\(request.name).framework/\(request.name)",
                ].map { Path.join(folder, $0) }
        }
    }

    private func bundles(in folder: String) -> [String] {
        folders(in: folder).filter { DSYMBundle.isNamed($0) }.flatMap { DSYMBundle.members(of: $0) }
    }

    private func folders(in folder: String) -> [String] {
        Directory.entries(in: folder, limit: 100_000)
            .filter { ($0.kind ?? PathKind(path: Path.join(folder, $0.name))) == .directory }
            .map { Path.join(folder, $0.name) }
    }
}
