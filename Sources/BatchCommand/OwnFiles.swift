internal import BinaryPrimitives

/// The store's own files and the report's folder, which may lie among the logs.
struct OwnFiles: Sendable {
    private let paths: Set<String>
    private let names: Set<String>

    /// - Parameter report: the folder of an earlier report, if there is one.
    init(store: String, report: String? = nil) {
        let whole = Path.resolved(store) ?? store
        paths = Set(["", "-wal", "-shm", "-journal"].map { whole + $0 } + [report.flatMap { Path.resolved($0) }].compactMap { $0 })
        names = Set(paths.map { Path.name(of: $0) })
    }

    /// Only what has one of the names is worth the system calls that find where it is.
    func contain(_ path: String) -> Bool { names.contains(Path.name(of: path)) && paths.contains(Path.resolved(path) ?? path) }
}
