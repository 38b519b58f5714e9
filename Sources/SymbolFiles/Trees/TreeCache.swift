internal import BinaryPrimitives

/// State of a tree's files when they were last read, kept for the next run: one text file for each
/// tree, below the cache folder. It is never required: a cache file that cannot be read or written
/// is ignored, and every file that it names is opened and checked again before it is used.
///
/// Version 1, lines that end with a line feed:
///
///     cairn seen files 1
///     ROOT                                    the tree's absolute path
///     SIZE MODIFIED IDENTITIES PATH           one for each file, in the order of the walk
///
/// SIZE: bytes; MODIFIED: nanoseconds since 1970; IDENTITIES: `-` for a file without, else
/// identities in hexadecimal, with `+` in front where the file has debug information, and commas
/// between; PATH: as the walk built it, from the tree's path as the user gave it. A path with a
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
    }

    private static let title = "cairn seen files 1"
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
        path = Path.join(Path.join(folder, "trees"), Self.hash(absolute + "\n" + root) + ".txt")
    }

    /// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the path inside
    /// distinguishes two trees of one hash.
    private static func hash(_ text: String) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(value, radix: 16)
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

    private static func file(_ line: String) -> (path: String, file: File)? {
        let fields = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let size = UInt64(fields[0]), let modified = Int64(fields[1]) else { return nil }
        var images: [Image] = []
        for text in fields[2].split(separator: ",") where text != "-" {
            let isDebug = text.hasPrefix("+")
            guard let id = ImageID(text: isDebug ? text.dropFirst() : text) else { return nil }
            images.append(Image(id: id, hasDebugInformation: isDebug))
        }
        return (String(fields[3]), File(stamp: FileStamp(size: size, modified: modified), images: images))
    }

    func write(_ files: [String: File], order: [String]) {
        var text = "\(Self.title)\n\(root)\n"
        for path in order where !path.utf8.contains(10) {
            guard let file = files[path] else { continue }
            let identities = file.images.map { ($0.hasDebugInformation ? "+" : "") + $0.id.hexadecimal }.joined(separator: ",")
            text += "\(file.stamp.size) \(file.stamp.modified) \(identities.isEmpty ? "-" : identities) \(path)\n"
        }
        let folder = Path.directory(of: path)
        for missing in [Path.directory(of: Path.directory(of: folder)), Path.directory(of: folder), folder] {
            try? FileReplacement.makeDirectory(missing)
        }
        FileReplacement.removeAbandoned(in: folder)
        try? FileReplacement.write(Array(text.utf8), to: path)
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
