package import ArgumentParser
internal import BinaryPrimitives
package import Reporting
internal import TestReports

/// The options that say where failures are told: in which repository, and in whose code. The same wherever failures are told.
package struct FailurePlaces: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The repository that places of failures are told from; without it the nearest folder upwards with .git, else the working directory (or the first --source-root, in its place).",
            valueName: "folder"))
    package var repository: String?

    @Option(
        help: ArgumentHelp(
            "What is the user's own code: a folder of sources, from the repository's root on, or an image's name. May be repeated; ownCode in .cairn.json adds more.",
            valueName: "path"))
    package var ownCode: [String] = []

    @Option(help: ArgumentHelp("What is not the user's own code, in the same way. The longer one wins.", valueName: "path"))
    package var notOwnCode: [String] = []

    package init() {}

    package func validate() throws {
        guard let repository, PathKind(path: repository) != .directory else { return }
        throw ValidationError("--repository \(repository): it is no folder: expected the root of a repository")
    }

    /// The repository's root; outside of one the folder itself.
    /// - Parameter folder: where the sources are known to lie; `nil`: the working directory.
    package func root(around folder: String? = nil) -> String {
        let start = folder ?? Directory.working
        return repository ?? RepositoryPaths.nearestRoot(from: start) ?? start ?? "/"
    }

    /// With what the settings add.
    package var rule: OwnCodeRule {
        OwnCodeRule(own: ownCode + (SettingsInForce.current.settings.ownCode ?? []), notOwn: notOwnCode)
    }
}
