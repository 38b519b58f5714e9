package import BinaryPrimitives
package import ObjectFiles

/// The files of folders and archives, one after another, in the order of their paths. It keeps only
/// the folders on the way and the current archive, however many files there are.
package struct LogTree: Sendable {
    /// A file that may be a log, or an archive's member.
    package struct File: Sendable {
        package var path: String
        /// Stamp of the file, or of the outermost archive.
        package var stamp: FileStamp
        /// `nil` for a file of its own.
        package var member: Member?
    }

    package struct Member: Sendable {
        package var archive: FileArchive
        /// Index into the archive's members.
        package var number: Int
    }

    /// Folders and archives that could not be read, and why.
    package private(set) var problems: [BatchProblem] = []
    /// Archives all of whose members were returned.
    package private(set) var finishedArchives: [(path: String, stamp: FileStamp)] = []
    /// Files and archives that were returned or passed over.
    package private(set) var files = 0

    private enum Waiting {
        case path(String, depth: Int)
        case member(String, Member, FileStamp, depth: Int)
        case archiveEnd(String, FileStamp)
    }
    /// Entries that are still to be visited; the next one is at the end.
    private var waiting: [Waiting]
    private let opensArchives: Bool

    /// Folders in folders; deeper ones are loops of links, or nobody's logs.
    private static let depth = 64
    /// Archives in archives.
    private static let archiveDepth = 2
    /// Entries of one folder.
    private static let entries = 4_000_000

    /// - Parameters:
    ///   - paths: files and folders.
    ///   - opensArchives: return their members; else they are files as others.
    package init(_ paths: [String], opensArchives: Bool = true) {
        waiting = paths.reversed().map { .path($0, depth: 0) }
        self.opensArchives = opensArchives
    }

    /// - Parameters:
    ///   - isExcluded: Whether a file is not a log: the store itself, a report's pages.
    ///   - isKnown: Whether all logs of an archive are known.
    /// - Returns: `nil` at the end.
    package mutating func next(
        except isExcluded: (String) -> Bool = { _ in false }, isKnown: (String, FileStamp) -> Bool = { _, _ in false }
    )
        -> File?
    {
        while let item = waiting.popLast() {
            switch item {
            case .path(let path, let depth):
                guard !isExcluded(path) else { continue }
                if let file = visit(at: path, depth, isKnown) { return file }
            case .member(let path, let member, let stamp, let depth):
                if depth < Self.archiveDepth, Self.isArchive(path), open(member, path, stamp, depth) { continue }
                return File(path: path, stamp: stamp, member: member)
            case .archiveEnd(let path, let stamp): finishedArchives.append((path, stamp))
            }
        }
        return nil
    }

    /// How many files a walk of these paths returns; an archive is one.
    package static func count(_ paths: [String], except isExcluded: (String) -> Bool) -> Int {
        var tree = LogTree(paths, opensArchives: false)
        while tree.next(except: isExcluded) != nil {}
        return tree.files
    }

    /// Drops the problems and archives that were reported, so that they are not kept longer than
    /// needed.
    package mutating func removeReported() {
        problems.removeAll()
        finishedArchives.removeAll()
    }

    private mutating func visit(at path: String, _ depth: Int, _ isKnown: (String, FileStamp) -> Bool) -> File? {
        switch PathKind(path: path) {
        case .file:
            guard let stamp = FileStamp(path: path) else { return nil }
            files += 1
            guard opensArchives, Self.isArchive(path) else { return File(path: path, stamp: stamp) }
            if isKnown(path, stamp) { return nil }
            return open(path, stamp) ? nil : File(path: path, stamp: stamp)
        case .directory:
            guard depth < Self.depth else {
                problems.append(BatchProblem(path: path, problem: "it is \(depth) directories deep, and is skipped"))
                return nil
            }
            open(folder: path, depth)
        case .other: break
        case nil:
            // A link that leads nowhere inside a folder is no log; what the user named is missed.
            if depth == 0 { problems.append(BatchProblem(path: path, problem: "no such file or directory")) }
        }
        return nil
    }

    /// Hidden files and folders are tools' own (`.git`). Links to folders are not followed: what
    /// they lead to is in the tree itself, or was not meant.
    private mutating func open(folder path: String, _ depth: Int) {
        let entries = Directory.entries(in: path, limit: Self.entries)
        if entries.isEmpty {
            do throws(FileError) { _ = try Directory.names(in: path) } catch {
                problems.append(BatchProblem(path: error.path, problem: error.problem))
            }
        }
        for entry in entries.reversed() where !entry.name.hasPrefix(".") {
            let inner = Path.join(path, entry.name)
            if entry.kind == nil, PathKind(path: inner) == .directory { continue }
            if entry.kind == .other { continue }
            waiting.append(.path(inner, depth: depth + 1))
        }
    }

    // MARK: Archives

    /// By its name; what it is its first bytes say. (A JAR or an APK is a ZIP file too, and holds a
    /// program.)
    private static func isArchive(_ path: String) -> Bool {
        [".zip", ".tar", ".tgz", ".txz", ".tzst", ".gz", ".xz", ".zst"].contains {
            path.utf8.count > $0.utf8.count && path.lowercased().hasSuffix($0)
        }
    }

    /// - Returns: whether it is an archive, or a damaged one; else it may be a log of that name.
    private mutating func open(_ path: String, _ stamp: FileStamp) -> Bool {
        do throws(FileError) {
            let file = try MappedFile(path: path)
            do throws(ObjectFileError) {
                guard let archive = try FileArchive.open(file, for: .logs) else { return false }
                waiting.append(.archiveEnd(path, stamp))
                add(archive, path, stamp, depth: 1)
            } catch { problems.append(BatchProblem(path: path, problem: error.problem)) }
            return true
        } catch { return false }
    }

    private mutating func open(_ member: Member, _ path: String, _ stamp: FileStamp, _ depth: Int) -> Bool {
        do throws(ObjectFileError) {
            guard let archive = try FileArchive.open(try member.archive.contents(of: member.number), for: .logs) else { return false }
            add(archive, path, stamp, depth: depth + 1)
        } catch { problems.append(BatchProblem(path: path, problem: error.problem)) }
        return true
    }

    private mutating func add(_ archive: FileArchive, _ path: String, _ stamp: FileStamp, depth: Int) {
        let order = archive.members.indices.sorted { archive.members[$0].name > archive.members[$1].name }
        for number in order {
            let member = Member(archive: archive, number: number)
            waiting.append(.member(path + "!/" + archive.members[number].name, member, stamp, depth: depth))
        }
    }
}
