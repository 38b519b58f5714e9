internal import BinaryPrimitives

/// State of a tree's files when they were last read, kept for the next run: one text file for each
/// tree, below the cache folder. It is never required: a cache file that cannot be read or written
/// is ignored, and every file that it names is opened and checked again before it is used.
///
/// Version 2, lines that end with a line feed:
///
///     cairn seen files 2
///     ROOT                                    the tree's absolute path
///     SIZE MODIFIED IDENTITIES PATH           one for each file, in the order of the walk
///
/// SIZE: bytes; MODIFIED: nanoseconds since 1970; IDENTITIES: `-` for a file without, else
/// identities in hexadecimal, with `+` in front where the file has debug information, and commas
/// between; a Windows image's timestamp and size follow its identity after a slash; PATH: as the walk built it, from the tree's path as the user gave it. A path with a
/// line feed in it is left out.
///
/// An archive of which members had to be unpacked has a file of its own: ROOT is its path, and each
/// line has the archive's SIZE and MODIFIED and a member's PATH, `ARCHIVE!/MEMBER`. A line for the
/// archive itself comes first and says that the others are all its members.
struct TreeCache: Sendable {
    struct File: Hashable, Sendable {
        var stamp: FileStamp
        /// Empty for a file that holds no symbols, or none with an identity.
        var images: [Image]
    }

    struct Image: Hashable, Sendable {
        var id: ImageID
        var hasDebugInformation: Bool
        /// Windows only: timestamp and size.
        var code: String?
    }

    private static let title = "cairn seen files 2"
    /// Those of two million files, with long paths.
    private static let maxBytes = 1 << 29
    private let root: String
    private let path: String

    /// - Parameter folder: the cache folder.
    /// - Returns: `nil` where the tree has no absolute path, or one with a line feed.
    init?(root: String, folder: String) {
        guard let absolute = Path.resolved(root), !absolute.utf8.contains(10) else { return nil }
        self.root = absolute
        // Two paths to one tree (a link) list its files by different paths.
        // The path inside distinguishes two trees of one hash.
        path = Path.join(Path.join(folder, "trees"), String(HashTable.hash((absolute + "\n" + root).utf8), radix: 16) + ".txt")
    }

    func read() -> [String: File] {
        guard let file = try? MappedFile(path: path) else { return [:] }
        guard let bytes = try? file.allBytes(limit: Self.maxBytes) else { return [:] }
        var lines = Lines(bytes)
        guard lines.next() == Self.title, lines.next() == root else { return [:] }
        var files: [String: File] = [:]
        while let line = lines.next() {
            // Truncated: the rest is ignored.
            guard let (path, file) = Self.file(line) else { return files }
            files[path] = file
        }
        return files
    }

    /// The files by their paths, of which nothing is in memory but where their lines are.
    func known() -> Known { (try? MappedFile(path: path)).map { Known($0, root: root) } ?? Known() }

    struct Known: Sendable {
        private var file: MappedFile?
        private var lines = HashTable()
        private(set) var count = 0

        init() {}

        fileprivate init(_ file: MappedFile, root: String) {
            let head = Array("\(TreeCache.title)\n\(root)\n".utf8)
            guard file.size <= TreeCache.maxBytes, file.bytes(in: 0..<head.count) == head else { return }
            var entries: [(hash: UInt64, number: UInt32)] = []
            var (start, position, spaces, hash) = (head.count, head.count, 0, HashTable.hash([]))
            while position < file.size {
                let bytes = file.bytes(in: position..<min(position + 1 << 20, file.size))
                if bytes.isEmpty { break }
                for byte in bytes {
                    position += 1
                    if byte == 10 {
                        if spaces == 3, let number = UInt32(exactly: start) { entries.append((hash, number)) }
                        (start, spaces, hash) = (position, 0, HashTable.hash([]))
                    } else if spaces == 3 {
                        hash = HashTable.hash(hash, byte)
                    } else if byte == 0x20 {
                        spaces += 1
                    }
                }
            }
            (self.file, lines, count) = (file, HashTable(entries), entries.count)
        }

        /// - Returns: `nil` for a path that was not there.
        func file(at path: String) -> File? {
            guard let file else { return nil }
            for start in lines.numbers(of: HashTable.hash(path.utf8)) {
                // Three numbers and the identities of the slices come first.
                let line = file.bytes(in: Int(start)..<min(Int(start) + path.utf8.count + 4096, file.size)).prefix { $0 != 10 }
                guard let found = TreeCache.file(String(decoding: line, as: UTF8.self)), found.path == path else { continue }
                return found.file
            }
            return nil
        }
    }

    private static func file(_ line: String) -> (path: String, file: File)? {
        let fields = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let size = UInt64(fields[0]), let modified = Int64(fields[1]) else { return nil }
        var images: [Image] = []
        for text in fields[2].split(separator: ",") where text != "-" {
            let isDebug = text.hasPrefix("+")
            let parts = (isDebug ? text.dropFirst() : text).split(separator: "/", maxSplits: 1)
            guard let first = parts.first, let id = ImageID(text: first) else { return nil }
            images.append(Image(id: id, hasDebugInformation: isDebug, code: parts.count == 2 ? String(parts[1]) : nil))
        }
        return (String(fields[3]), File(stamp: FileStamp(size: size, modified: modified), images: images))
    }

    func write(_ files: [String: File], order: [String]) {
        guard var writing = writing() else { return }
        for path in order { if let file = files[path] { writing.add(path, file) } }
        writing.finish()
    }

    /// Begins a new file, which takes the place of the one before when it is finished.
    /// - Returns: `nil` where none can be written.
    func writing() -> Writing? {
        let folder = Path.directory(of: path)
        for missing in [Path.directory(of: Path.directory(of: folder)), Path.directory(of: folder), folder] {
            try? FileReplacement.makeDirectory(missing)
        }
        FileReplacement.removeAbandoned(in: folder)
        return try? Writing(path: path, root: root)
    }

    struct Writing: ~Copyable {
        private var file: FileReplacement
        private var text: [UInt8]
        private var hasFailed = false

        fileprivate init(path: String, root: String) throws(FileError) {
            file = try FileReplacement(path: path)
            text = Array("\(TreeCache.title)\n\(root)\n".utf8)
        }

        mutating func add(_ path: String, _ state: File) {
            guard !path.utf8.contains(10) else { return }
            let identities = state.images.map { ($0.hasDebugInformation ? "+" : "") + $0.id.hexadecimal + ($0.code.map { "/" + $0 } ?? "") }
                .joined(separator: ",")
            text += "\(state.stamp.size) \(state.stamp.modified) \(identities.isEmpty ? "-" : identities) \(path)\n".utf8
            if text.count >= 1 << 20 { flush() }
        }

        private mutating func flush() {
            do throws(FileError) { try file.append(text) } catch { hasFailed = true }
            text.removeAll(keepingCapacity: true)
        }

        mutating func finish() {
            flush()
            if !hasFailed { try? file.finish() }
        }
    }

    private struct Lines {
        private let text: [UInt8]
        private var position = 0

        init(_ text: [UInt8]) { self.text = text }

        /// The next whole line, without its end; `nil` at the end, or where the last has none.
        mutating func next() -> String? {
            guard let end = text[position...].firstIndex(of: 10) else { return nil }
            defer { position = end + 1 }
            return String(decoding: text[position..<end], as: UTF8.self)
        }
    }
}
