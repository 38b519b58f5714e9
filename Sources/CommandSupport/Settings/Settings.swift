internal import BinaryPrimitives
internal import Console

/// Settings that a project and its user have written down so that no command has to repeat them:
/// the keys of `.cairn.json`. A key that a file does not have is `nil`.
package struct Settings {
    /// Files, dSYM bundles and folders, as `--symbols` takes them.
    package var symbols: [String]?
    /// Folders, as `--source-root` takes them.
    package var sourceRoots: [String]?
    /// As `--path-map` takes them.
    package var pathMap: [String: String]?
    /// Names of images that are the user's own code.
    package var ownCode: [String]?
    /// Whether debuginfod servers are queried, as with `--debuginfod`; and which, if they are
    /// named.
    package var debuginfod: Debuginfod?
    /// Seconds, as `--time-budget` takes them.
    package var timeBudget: Double?

    package enum Debuginfod: Equatable {
        case no
        /// The servers of `DEBUGINFOD_URLS`.
        case yes
        case servers([String])
    }

    /// Key by key the nearest file's: the project's before the user's.
    func completed(by other: Settings) -> Settings {
        Settings(
            symbols: symbols ?? other.symbols, sourceRoots: sourceRoots ?? other.sourceRoots, pathMap: pathMap ?? other.pathMap,
            ownCode: ownCode ?? other.ownCode, debuginfod: debuginfod ?? other.debuginfod, timeBudget: timeBudget ?? other.timeBudget)
    }
}

/// The settings of this run, and what is wrong with the files that they were read from, one line
/// each.
package struct ActiveSettings {
    package private(set) var settings = Settings()
    private(set) var problems: [String] = []

    /// Read once, and reported once.
    package static let current = ActiveSettings(paths: SettingsFiles.paths())

    /// - Parameter paths: the nearest first.
    init(paths: [String]) {
        for path in paths {
            let file = SettingsReader(path: path)
            settings = settings.completed(by: file.settings)
            problems += file.problems
            for remark in file.remarks { printDiagnostic(remark, as: .warning) }
        }
        for problem in problems { printDiagnostic(problem) }
    }
}

/// Paths of the files with settings.
enum SettingsFiles {
    /// The nearest `.cairn.json` from the working directory upwards, then the user's own file:
    /// `cairn/config.json` in `XDG_CONFIG_HOME`, or in `~/.config`. Only those that are there.
    static func paths(environment: (String) -> String? = environmentVariable, workingDirectory: String? = Directory.working) -> [String] {
        var paths: [String] = []
        var folder = workingDirectory
        while let current = folder {
            let path = Path.join(current, ".cairn.json")
            if PathKind(path: path) != nil {
                paths.append(path)
                break
            }
            folder = current == "/" ? nil : Path.directory(of: current)
        }
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let own = (value("XDG_CONFIG_HOME") ?? value("HOME").map { Path.join($0, ".config") }).map { Path.join($0, "cairn/config.json") }
        if let own, PathKind(path: own) != nil { paths.append(own) }
        return paths
    }
}
