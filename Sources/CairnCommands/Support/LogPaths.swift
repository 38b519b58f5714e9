internal import BinaryPrimitives
internal import Console

/// The logs that paths of the command line mean.
///
/// A path is a log, except for the bundle in which Xcode's organizer keeps the reports of one
/// crash, `NAME.xccrashpoint`: it means the logs inside, `Filters/Filter_VERSION…/Logs/*.crash`.
/// Beside a `Logs` folder may be `LocallySymbolicated`, the same reports symbolicated by Xcode: of
/// those that are in both, `Logs` has the original.
struct LogPaths {
    /// Folders inside folders, and entries of one folder, that are looked at. Xcode nests four deep
    /// and keeps some dozen reports of each crash.
    private static let depth = 8
    private static let entries = 100_000

    /// The logs in the order in which they were named, those of a bundle in the order of their
    /// paths.
    private(set) var logs: [String] = []
    /// Bundles without a log.
    private(set) var empty: [String] = []

    /// The files that the paths lead to: no output may be one of them.
    var files: Set<FileIdentity> { Set(logs.lazy.filter { $0 != "-" }.compactMap { FileIdentity(path: $0) }) }

    init(_ paths: [String]) {
        for path in paths {
            guard Self.isBundle(path) else {
                logs.append(path)
                continue
            }
            var trimmed = path
            while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
            var originals: [String] = []
            var answered: [String] = []
            Self.collect(in: trimmed, depth: Self.depth, &originals, &answered)
            let names = Set(originals.map { Path.name(of: $0) })
            let found = (originals + answered.filter { !names.contains(Path.name(of: $0)) })
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            if found.isEmpty { empty.append(path) }
            logs += found
        }
    }

    private static func isBundle(_ path: String) -> Bool {
        Path.name(of: path).hasSuffix(".xccrashpoint") && PathKind(path: path) == .directory
    }

    private static func collect(in folder: String, depth: Int, _ originals: inout [String], _ answered: inout [String]) {
        guard depth > 0 else { return }
        let name = Path.name(of: folder)
        for entry in Directory.entries(in: folder, limit: Self.entries) where !entry.name.hasPrefix(".") {
            let path = Path.join(folder, entry.name)
            switch entry.kind ?? PathKind(path: path) {
            case .directory: collect(in: path, depth: depth - 1, &originals, &answered)
            case .file where name == "Logs": originals.append(path)
            case .file where name == "LocallySymbolicated": answered.append(path)
            case .file, .other, nil: break
            }
        }
    }
}

/// The logs of a command line. Without any, standard input is the log, if it is not a terminal.
enum LogArguments {
    /// - Parameter command: for the error, `cairn explain`.
    /// - Returns: at least one log. On a terminal without one the process ends: that is wrong
    ///   usage, and not a log that somebody would type.
    static func logs(_ given: [String], of command: String) -> [String] {
        guard given.isEmpty else { return given }
        guard FileDescriptor.isTerminal(0) else { return ["-"] }
        printUsageError("no log given. Name a file, or pipe a log into it", of: command)
        endProcess(.usage)
    }

    /// The name of a log in messages.
    static func shown(_ path: String) -> String { path == "-" ? "standard input" : path }
}
