internal import BinaryPrimitives
internal import LibC
internal import Synchronization

/// Keeps downloads below a size: the files that were used least recently are removed.
package final class DownloadSpace: Sendable {
    /// The directories whose files count.
    private let folders: [String]
    /// Bytes that the files may have.
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        /// Bytes of all files; `nil` before they were counted.
        var used: Int?
        var isCounting = false
    }

    /// A directory entry takes so much of a disk, an empty file too.
    private static let minimum = 4096
    /// Files that are counted at a time.
    private static let maxFiles = 2_000_000
    /// Part of the limit that is kept when files are removed, in percent, so that not each download removes one.
    private static let keptPart = 80
    /// Files that were used within this time stay: somebody is about to open them.
    private static let useTime = 60

    package init(folders: [String], limit: Int) { (self.folders, self.limit) = (folders, limit) }

    /// Notes a file that has come.
    func add(_ size: Int) {
        let mustCount = state.withLock { state in
            if let used = state.used { state.used = used + max(size, Self.minimum) }
            guard !state.isCounting, state.used.map({ $0 > limit }) ?? true else { return false }
            state.isCounting = true
            return true
        }
        guard mustCount, !Parallel.start({ [self] in count() }) else { return }
        state.withLock { $0.isCounting = false }
    }

    /// Counts the files, and removes some if they are too many.
    private func count() {
        let used = Self.removeOldest(in: folders, above: limit, downTo: limit / 100 * Self.keptPart)
        state.withLock { state in (state.used, state.isCounting) = (used, false) }
    }

    /// Removes files so that another one has room on the disk.
    /// - Returns: whether some were removed.
    func makeRoom(for size: Int) -> Bool {
        let before = Self.removeOldest(in: folders, above: .max, downTo: .max)
        let after = Self.removeOldest(in: folders, above: 0, downTo: max(0, before - 2 * size))
        state.withLock { $0.used = after }
        return after < before
    }

    /// - Parameters:
    ///   - limit: nothing is removed up to this size.
    ///   - target: the size that is left otherwise.
    /// - Returns: bytes of the files that are left.
    static func removeOldest(in folders: [String], above limit: Int, downTo target: Int) -> Int {
        var files: [(path: String, size: Int, lastUse: Int)] = []
        var waiting = folders
        var emptied: [String] = []
        while let folder = waiting.popLast(), files.count < maxFiles {
            for entry in Directory.entries(in: folder, limit: maxFiles) {
                let path = Path.join(folder, entry.name)
                var information = stat()
                guard unsafe lstat(path, &information) == 0 else { continue }
                switch information.st_mode & S_IFMT {
                // Identities, and hashes of servers: whatever else is in the directory is somebody's own.
                case S_IFDIR:
                    if !folders.contains(folder) || entry.name.utf8.allSatisfy({ hexadecimalValue($0) != nil }) { waiting.append(path) }
                case S_IFREG where !folders.contains(folder):
                    #if canImport(Darwin)
                        let lastUse = max(information.st_atimespec.tv_sec, information.st_mtimespec.tv_sec)
                    #else
                        let lastUse = max(information.st_atim.tv_sec, information.st_mtim.tv_sec)
                    #endif
                    files.append((path, max(Int(information.st_size), minimum), Int(lastUse)))
                default: break
                }
            }
        }
        var used = files.reduce(0) { $0 + $1.size }
        guard used > limit else { return used }
        files.sort { $0.lastUse < $1.lastUse }
        let latest = Int(time(nil)) - useTime
        for file in files where used > target && file.lastUse < latest {
            guard unsafe unlink(file.path) == 0 else { continue }
            used -= file.size
            emptied.append(Path.directory(of: file.path))
        }
        // The directories of a path on a server, as far as nothing else is in them.
        for folder in Set(emptied) {
            var folder = folder
            while folders.allSatisfy({ folder.utf8.count > $0.utf8.count }), unsafe rmdir(folder) == 0 {
                folder = Path.directory(of: folder)
            }
        }
        return used
    }
}
