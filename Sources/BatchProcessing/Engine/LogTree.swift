public import BinaryPrimitives

/// The files of folders, one after another, in the order of their paths. Nothing but the folders on the way is kept, however many files there are.
public struct LogTree: Sendable {
    /// A file that may be a log.
    public struct File: Sendable, Hashable {
        public var path: String
        public var stamp: FileStamp
    }

    /// Folders that could not be read, and why: a line each.
    public private(set) var problems: [String] = []
    /// Paths still to be looked at, the next at the end.
    private var waiting: [(path: String, depth: Int)]

    /// Folders in folders; deeper ones are loops of links, or nobody's logs.
    private static let depth = 64
    /// Entries of one folder.
    private static let entries = 4_000_000

    /// - Parameter paths: files and folders.
    public init(_ paths: [String]) { waiting = paths.reversed().map { ($0, 0) } }

    /// - Parameter isLeftOut: files that are none of the logs: the store itself, a report's pages.
    /// - Returns: `nil` at the end.
    public mutating func next(except isLeftOut: (String) -> Bool = { _ in false }) -> File? {
        while let (path, depth) = waiting.popLast() {
            guard !isLeftOut(path) else { continue }
            switch PathKind(path: path) {
            case .file:
                guard let stamp = FileStamp(path: path) else { continue }
                return File(path: path, stamp: stamp)
            case .directory:
                guard depth < Self.depth else {
                    problems.append("\(path): it lies \(depth) folders deep, and is left out")
                    continue
                }
                open(path, depth)
            case .other: continue
            case nil:
                // A link that leads nowhere inside a folder is no log; what the user named is missed.
                if depth == 0 { problems.append("\(path): nothing is there: expected a log, or a folder of logs") }
            }
        }
        return nil
    }

    /// Hidden files and folders are tools' own (`.git`). Links to folders are not followed: what they lead to is in the tree itself, or was not meant.
    private mutating func open(_ path: String, _ depth: Int) {
        let entries = Directory.entries(in: path, limit: Self.entries)
        if entries.isEmpty {
            do throws(FileError) { _ = try Directory.names(in: path) } catch { problems.append(error.description) }
        }
        for entry in entries.reversed() where !entry.name.hasPrefix(".") {
            let inner = Path.join(path, entry.name)
            if entry.kind == nil, PathKind(path: inner) == .directory { continue }
            if entry.kind == .other { continue }
            waiting.append((inner, depth + 1))
        }
    }
}
