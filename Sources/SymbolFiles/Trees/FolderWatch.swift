internal import BinaryPrimitives
internal import LibC
internal import Synchronization

/// Tells which files come into a folder, at any depth, as far as the system says it (inotify(7), Linux).
///
/// The system watches single folders, a limited number of them. Those next to the root are watched: in the usual layouts new files begin
/// with a new folder there. What this does not see, the next walk finds.
final class FolderWatch: Sendable {
    /// Folders that are watched at most, of the system's `max_user_watches` (8,192 or more) that a user has for all programs.
    static let limit = 8192
    /// Files come in groups: so long after one, nothing is reported.
    private static let pause = Duration.milliseconds(300)
    /// While files go on coming, those that came are reported so often.
    private static let longestPause = Duration.seconds(2)

    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        /// Folders by the numbers of their watches.
        var folders: [Int32: String] = [:]
        /// Something was not seen: there are more folders than may be watched, or more files came than the system remembers.
        var isIncomplete = false
    }

    /// - Returns: `nil` where folders cannot be watched.
    init?() {
        #if os(Linux)
            descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
            guard descriptor >= 0 else { return nil }
        #else
            return nil
        #endif
    }

    deinit { close(descriptor) }

    /// Whether all files that came since the watch began were reported.
    var seesAll: Bool { state.withLock { !$0.isIncomplete } }

    /// Watches a folder and those below it, the nearest first, as far as the limit allows.
    func watch(below root: String) {
        // Other machines, and the layers below, change files without a report.
        if !FileSystem.isLocal(root) { state.withLock { $0.isIncomplete = true } }
        var waiting = [root]
        var next = 0
        while next < waiting.count {
            guard state.withLock({ $0.folders.count }) < Self.limit, watch(waiting[next]) else {
                return state.withLock { $0.isIncomplete = true }
            }
            // A folder has the kind in its entry but on odd file systems, whose folders are then not watched.
            for entry in Directory.entries(in: waiting[next], limit: 1_000_000) where entry.kind != .file {
                if entry.kind == .directory, waiting.count < Self.limit {
                    waiting.append(Path.join(waiting[next], entry.name))
                } else if entry.kind == .directory || entry.kind == nil {
                    state.withLock { $0.isIncomplete = true }
                }
            }
            next += 1
        }
    }

    private func watch(_ folder: String) -> Bool {
        #if os(Linux)
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) | UInt32(IN_ONLYDIR)
            let number = unsafe inotify_add_watch(descriptor, folder, mask)
            guard number >= 0 else { return false }
            state.withLock { $0.folders[number] = folder }
            return true
        #else
            return false
        #endif
    }

    /// Waits for files and folders that came, at most so long.
    /// - Returns: their paths; those of a file that is still being written come when it is closed.
    func arrivals(atMost duration: Duration) -> Set<String> {
        var paths: Set<String> = []
        guard FileDescriptor.wait(for: [descriptor], atMost: duration) == [true] else { return paths }
        let end = ContinuousClock.now + Self.longestPause
        repeat { read(&paths) } while FileDescriptor.wait(for: [descriptor], atMost: Self.pause) == [true] && .now < end
        return paths
    }

    private func read(_ paths: inout Set<String>) {
        #if os(Linux)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe LibC.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            // `struct inotify_event`: the watch, the mask, a cookie, and the length of the name that follows.
            func number(at position: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(buffer[position + $1]) << (8 * UInt32($1)) } }
            var position = 0
            while position + 16 <= count {
                let watch = Int32(bitPattern: number(at: position))
                let length = Int(number(at: position + 12))
                if number(at: position + 4) & UInt32(IN_Q_OVERFLOW) != 0 { state.withLock { $0.isIncomplete = true } }
                guard length <= count - position - 16 else { return }
                let name = String(decoding: buffer[position + 16..<position + 16 + length].prefix { $0 != 0 }, as: UTF8.self)
                position += 16 + length
                guard !name.isEmpty, !FileReplacement.isUnfinished(name), let folder = state.withLock({ $0.folders[watch] }) else {
                    continue
                }
                paths.insert(Path.join(folder, name))
            }
        #endif
    }
}

/// Files that came into a folder since it was read.
final class FolderAdditions: Sendable {
    private let watch: FolderWatch
    private let root: String
    private let limits: TreeNames.TreeLimits
    private let open: SymbolFileOpener
    private let state = Mutex(State())

    private struct State {
        var files: [String: TreeCache.File] = [:]
        var contents: TreeContents?
    }

    /// More files than that are read with the whole folder.
    private static let limit = 10_000

    /// - Returns: `nil` where folders cannot be watched.
    init?(root: String, limits: TreeNames.TreeLimits, open: @escaping SymbolFileOpener) {
        guard let watch = FolderWatch() else { return nil }
        (self.watch, self.root, self.limits, self.open) = (watch, root, limits, open)
        let isRunning = Parallel.start { [weak self] in
            while let self { self.add(self.watch.arrivals(atMost: .seconds(1))) }
        }
        guard isRunning else { return nil }
    }

    /// Begins to watch, before the folder is read: what comes meanwhile is in one of both.
    func begin() { watch.watch(below: root) }

    /// Whether nothing came but what is known here.
    var seesAll: Bool { watch.seesAll && state.withLock { $0.files.count < Self.limit } }

    var contents: TreeContents? { state.withLock(\.contents) }

    private func add(_ arrivals: Set<String>) {
        guard !arrivals.isEmpty else { return }
        var paths: Set<String> = []
        for path in arrivals {
            switch PathKind(path: path) {
            case .directory:
                watch.watch(below: path)
                let names = TreeNames(root: path, limits: limits)
                paths.formUnion(names.paths)
                paths.formUnion(names.archives)
            case .file where TreeNames.mayHoldSymbols(Path.name(of: path)): paths.insert(path)
            case .file, .other, nil: break
            }
        }
        var files = state.withLock(\.files)
        paths.formUnion(files.keys)
        let names = TreeNames(paths: paths.sorted().suffix(Self.limit), separatesArchives: true)
        let known = files
        var current: [String: TreeCache.File] = [:]
        let identities = TreeIdentities(names.paths, known: { known[$0] }) { [open] path, known in
            TreeIdentities.readFile(at: path, known: known, open)
        } keep: { path, file, _ in
            current[path] = file
        }
        files = current
        let before = state.withLock { state in
            defer { state = State(files: files, contents: TreeContents(names: names, identities: identities)) }
            return state.contents
        }
        withExtendedLifetime(before) {}
    }
}
