internal import BinaryPrimitives
internal import Reporting
package import SymbolFiles
internal import Synchronization

/// Finds the file of the repository that a recorded path means. A compiler recorded the path,
/// perhaps on another machine and below another folder.
///
/// Only files that exist are reported, and only where a single one can be meant: a line on the
/// wrong file misleads more than none.
package struct RepositoryPaths: Sendable {
    package enum Result: Sendable, Hashable {
        /// The path from the root on.
        case inside(String)
        /// There is none, for this reason.
        case outside(String)
        /// There may be one, but which is uncertain, for this reason.
        case undecided(String)
    }

    /// The repository's root, absolute and without links.
    package let root: String
    private let givenRoot: String
    private let workingDirectory: String?
    private let map: PathMap
    private let files: RepositoryFiles
    private let known = Known()

    /// Bytes of a path (Linux' PATH_MAX).
    private static let pathLimit = 4096

    /// - Parameters:
    ///   - root: the repository's root.
    ///   - workingDirectory: what relative paths may count from, beside the root.
    ///   - map: beginnings of paths and what they are now, tried first; new ones may be relative to
    ///     the root.
    package init(root: String, workingDirectory: String? = Directory.working, map: PathMap = PathMap()) {
        let absolute = root.hasPrefix("/") ? root : Path.join(Directory.working ?? "/", root)
        givenRoot = Path.normalised(absolute)
        self.root = Path.resolved(absolute) ?? givenRoot
        self.workingDirectory = workingDirectory.flatMap { Path.resolved($0) }
        self.map = map
        files = RepositoryFiles(root: self.root)
    }

    /// The nearest folder, upwards, with a `.git` in it (a folder; in worktrees and submodules a
    /// file).
    package static func nearestRoot(from folder: String? = Directory.working) -> String? {
        var folder = folder.flatMap { Path.resolved($0) }
        while let current = folder {
            if PathKind(path: Path.join(current, ".git")) != nil { return current }
            folder = current == "/" ? nil : Path.directory(of: current)
        }
        return nil
    }

    /// The file that a recorded path means.
    package func find(_ recorded: String) -> Result { located(recorded) ?? similar(to: recorded) }

    /// The file at the path, once what build systems put in front is gone; `nil` where nothing is
    /// there.
    func located(_ recorded: String) -> Result? { known.result(.located, recorded) { direct(recorded) } }

    /// The file whose path ends as this one does.
    func similar(to recorded: String) -> Result {
        known.result(.similar, recorded) { byTail(plain(recorded)) } ?? .outside("not a path")
    }

    /// The one file of that name, for tools that print no more of a path: Swift Testing's
    /// `at FooTests.swift:12:5`.
    package func find(named name: String) -> Result {
        switch files.paths(named: name) {
        case .tooMany(let count): return .undecided("the repository has more than \(count) files, so that “\(name)” was not searched for")
        case .some(let paths):
            if paths.count > 1 { return .undecided(Self.several(paths, "have the name \(name)")) }
            return paths.first.map { .inside($0) } ?? .outside("no file of the repository has the name \(name)")
        }
    }

    private static func several(_ paths: [String], _ what: String) -> String {
        "\(paths.count) files of the repository \(what): " + paths.prefix(3).joined(separator: ", ") + (paths.count > 3 ? ", …" : "")
    }

    private func plain(_ recorded: String) -> String {
        Path.normalised(CompileTimePrefix.removed(from: map.rewritten(recorded) ?? recorded))
    }

    private func direct(_ recorded: String) -> Result? {
        guard !recorded.isEmpty, recorded.utf8.count <= Self.pathLimit, !recorded.utf8.contains(where: { $0 < 0x20 }) else {
            return .outside("not a path")
        }
        // The user said where it is: nothing else is guessed.
        if let mapped = map.rewritten(recorded), !mapped.hasPrefix("/") {
            return file(at: Path.normalised(mapped)).map { .inside($0) }
                ?? .undecided("“\(mapped)”, its path by --path-map, does not exist")
        }
        let path = plain(recorded)
        if path.hasPrefix("/") { return insidePath(path) }
        let fromRoot = file(at: path)
        let fromWorking = workingDirectory.flatMap { $0 == root ? nil : insidePath(Path.normalised(Path.join($0, path))) }
        switch (fromRoot, fromWorking) {
        case (let first?, .inside(let second)?):
            return first == second ? .inside(first) : .undecided("the path is relative, and both \(first) and \(second) exist")
        case (let first?, _): return .inside(first)
        case (nil, .inside(let second)?): return .inside(second)
        case (nil, _): return nil
        }
    }

    /// The path below the root of the file at an absolute path, or a reason if another file is
    /// there; `nil` if there is no such file.
    private func insidePath(_ path: String) -> Result? {
        for root in Set([root, givenRoot]) {
            let start = root == "/" ? "/" : root + "/"
            if path.hasPrefix(start), let found = file(at: String(path.dropFirst(start.count))) { return .inside(found) }
        }
        guard let real = Path.resolved(path), PathKind(path: real) == .file else { return nil }
        let start = root == "/" ? "/" : root + "/"
        return real.hasPrefix(start) ? .inside(String(real.dropFirst(start.count))) : .outside("it is outside of the repository")
    }

    /// A path from the root on, if a file is there and in the repository: links and `..` may lead
    /// out.
    private func file(at relative: String) -> String? {
        guard !relative.isEmpty, !relative.hasPrefix("/"), relative != "..", !relative.hasPrefix("../") else { return nil }
        let path = Path.join(root, relative)
        guard PathKind(path: path) == .file, let real = Path.resolved(path), real.hasPrefix(root == "/" ? "/" : root + "/") else {
            return nil
        }
        return relative
    }

    /// Folders that so many projects have that a path with no other in common says nothing.
    private static let commonFolders: Set = [
        "src", "source", "sources", "lib", "libs", "include", "inc", "internal", "test", "tests", "spec", "main", "app", "core", "common",
        "util", "utils",
        "pkg", "cmd", "build", "debug", "release", "public", "private", "swift", "c", "cpp", "java", "kotlin", "rust", "go", "python",
        "examples", "bench",
    ]

    /// An option made a compiler write another beginning (`-file-prefix-map`, `-ffile-prefix-map`,
    /// `--remap-path-prefix`), or the build ran elsewhere: the file whose path has the most last
    /// components in common.
    private func byTail(_ path: String) -> Result {
        guard path.utf8.count <= Self.pathLimit else { return .outside("not a path") }
        let wanted = path.split(separator: "/").filter { $0 != ".." }.map(String.init)
        guard let name = wanted.last else { return .outside("not a file") }
        let paths: [String]
        switch files.paths(named: name) {
        case .tooMany(let count):
            return .undecided("it is not below the repository, and that has more than \(count) files, so that it was not searched")
        case .some(let found): paths = found
        }
        guard !paths.isEmpty else { return .outside("no file of the repository has the name \(name)") }
        let agreements = paths.map { candidate in
            zip(candidate.split(separator: "/").reversed(), wanted.reversed()).prefix { $0 == $1 }.count
        }
        let best = agreements.max() ?? 0
        let candidates = zip(paths, agreements).filter { $0.1 == best }.map(\.0)
        let tail = wanted.suffix(best)
        guard candidates.count == 1, let found = candidates.first else {
            return .undecided(Self.several(candidates, "end in “\(tail.joined(separator: "/"))”"))
        }
        // `../src/util.c` from a folder for the build: what is left counts from the root, to the
        // last component.
        let isFromRoot = path.hasPrefix("../") && best == wanted.count && found == tail.joined(separator: "/")
        let isDistinctive = tail.dropLast().contains { !Self.commonFolders.contains($0.lowercased()) }
        guard best >= 3 || (best == 2 && (isFromRoot || isDistinctive)) else {
            return .undecided(
                "only “\(tail.joined(separator: "/"))” agrees with \(found), as it may in any project. Map it with: --path-map OLD=NEW")
        }
        return .inside(found)
    }

    /// Results so far: the frames of a run name the same files again and again.
    private final class Known: Sendable {
        enum Search: Hashable { case located, similar }

        private struct Key: Hashable {
            let search: Search
            let path: String
        }

        private let results = Mutex<[Key: Result?]>([:])
        private static let limit = 65_536

        func result(_ search: Search, _ path: String, _ find: () -> Result?) -> Result? {
            guard path.utf8.count <= RepositoryPaths.pathLimit else { return find() }
            let key = Key(search: search, path: path)
            if let known = results.withLock({ $0[key] }) { return known }
            let result = find()
            results.withLock { if $0.count < Self.limit { $0.updateValue(result, forKey: key) } }
            return result
        }
    }
}
