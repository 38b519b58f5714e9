package import ArgumentParser
internal import BinaryPrimitives
package import Reporting
internal import TestReports

/// Options for the locations of failures: the repository, and the user's own code in it. They are
/// the same in all commands that report failures.
package struct RepositoryOptions: ParsableArguments {
    @Option(
        name: .of(.repository),
        help: ArgumentHelp(
            "Repository root for reported paths (default: nearest parent with .git, else the first --source-root, else the current directory).",
            valueName: "dir"))
    package var repository: String?

    @Option(
        name: .of(.ownCode),
        help: ArgumentHelp(
            "Treat this source directory or image as your code. Repeatable; adds to ownCode in .cairn.json.",
            valueName: "path"))
    package var ownCode: [String] = []

    @Option(
        name: .of(.notOwnCode),
        help: ArgumentHelp("Do not treat this source directory or image as your code. The longer one wins.", valueName: "path"))
    package var notOwnCode: [String] = []

    package init() {}

    package init(_ scan: inout ArgumentScan) {
        repository = scan.value(.repository)
        ownCode = scan.values(.ownCode)
        notOwnCode = scan.values(.notOwnCode)
        scan.check(self)
    }

    package func validate() throws {
        guard let repository, PathKind(path: repository) != .directory else { return }
        throw ValidationError("--repository \(repository): no such directory: expected the root of a repository")
    }

    /// The repository's root; outside of one the folder itself.
    /// - Parameter folder: a folder with the sources; `nil`: the working directory.
    package func root(around folder: String? = nil) -> String {
        let start = folder ?? Directory.working
        return repository ?? RepositoryPaths.nearestRoot(from: start) ?? start ?? "/"
    }

    /// With what the settings add.
    package var rule: OwnCodeRule {
        OwnCodeRule(own: ownCode + (ActiveSettings.current.settings.ownCode ?? []), notOwn: notOwnCode)
    }
}
