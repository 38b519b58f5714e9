internal import BinaryPrimitives
internal import CCairn
internal import LibC
package import SymbolFiles

/// The directories in which downloads are kept.
///
/// Of debuginfod servers it is that of elfutils' client, written in the same way as by that client
/// (0.188, as observed): `ID/debuginfo` and `ID/executable`, with mode 0400 for files and mode 0700 for
/// directories. An empty file records that no server had the file when it was made; the record is valid for the
/// seconds in the file `cache_miss_s`. The client removes files that were not used for a week, also those that cairn wrote.
///
/// Files of other servers are in a directory of cairn's, below one for each server, by their paths there, with the same records.
package struct DownloadCache: Sendable {
    /// That of elfutils' client.
    package let root: String
    /// For servers with other layouts.
    package let others: String

    /// - Parameter others: `nil`: `servers` below `root`.
    package init(root: String, others: String? = nil) {
        self.root = root
        self.others = others ?? Path.join(root, "servers")
    }

    /// State of a file that is known without a request.
    package enum Entry: Sendable, Hashable {
        /// The file is in the cache; its content was not checked.
        case file(path: String)
        /// No server had it when it was requested, this many seconds ago.
        case missing(secondsAgo: Int)
    }

    /// Ten minutes, by debuginfod-client-config(7).
    private static let missAge = 600

    /// Path of a file that a server has.
    /// - Parameters:
    ///   - path: on the server.
    ///   - layout: in which the path is.
    ///   - isOwn: the user named the server; else a request did, and shares nothing with others.
    ///   - account: whatever else decides what the server shows.
    package func path(of path: String, in layout: ServerLayout, on server: SymbolServer, isOwn: Bool, account: String = "") -> String {
        // `buildid/ID/debuginfo`. What needs a secret is not for everybody who reads that directory.
        if layout == .debuginfod, isOwn, !server.isPrivate, !path.contains("/source/") {
            return Path.join(root, path.split(separator: "/").dropFirst().joined(separator: "/"))
        }
        return Path.join(folder(of: server, account), path.split(separator: "/").map { PercentCoding.encoded($0) }.joined(separator: "/"))
    }

    /// The directory of a server's files. Whoever names the server with other secrets has another one.
    private func folder(of server: SymbolServer, _ account: String) -> String {
        var hash = SHA256()
        // Without its layouts, which are before the plus.
        hash.update(Array((server.text.drop { $0 != "+" } + "\n" + account).utf8))
        return Path.join(others, hash.finish().prefix(12).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    /// Whether a path is that of one file for all debuginfod servers.
    func isShared(_ path: String) -> Bool { path.hasPrefix(root + "/") && !path.hasPrefix(others + "/") }

    /// - Returns: `nil` if nothing is known, or the record has expired.
    package func entry(at path: String) -> Entry? {
        guard let status = Self.status(of: path), status.isFile else { return nil }
        guard status.size == 0 else {
            // By this time files are removed; file systems set it once a day.
            unsafe cairn_note_access(path)
            return .file(path: path)
        }
        let age = Int(time(nil)) - status.modified
        return age < rememberedMiss ? .missing(secondsAgo: max(0, age)) : nil
    }

    /// Notes that there is no such file. That it cannot be noted costs the next run a request and
    /// is no error.
    package func recordMiss(at path: String) {
        guard (try? makeFolder(for: path)) != nil else { return }
        if let status = Self.status(of: path), status.isFile, status.size == 0 { unsafe unlink(path) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor >= 0 { close(descriptor) }
    }

    /// How long a miss counts, in seconds.
    private var rememberedMiss: Int {
        guard let file = try? MappedFile(path: Path.join(root, "cache_miss_s")), file.size <= 64 else { return Self.missAge }
        let text = String(decoding: file.bytes(in: 0..<file.size).prefix { $0 > 0x20 }, as: UTF8.self)
        return Int(text) ?? Self.missAge
    }

    func makeFolder(for path: String) throws(FileError) { try makeRoot(Path.directory(of: path)) }

    /// The user's cache directory may not exist yet on a machine that builds.
    private func makeRoot(_ path: String) throws(FileError) {
        guard PathKind(path: path) != .directory else { return }
        let parent = Path.directory(of: path)
        if parent != path, parent != "." { try makeRoot(parent) }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(path: path, errorNumber: errno) }
    }

    /// Removes what downloads of this file left that were ended in their middle, a day ago or
    /// earlier.
    func removeLeftovers(of target: String) {
        let folder = Path.directory(of: target)
        for name in (try? Directory.names(in: folder)) ?? [] where name.hasPrefix(Path.name(of: target) + ".") {
            let path = Path.join(folder, name)
            if let status = Self.status(of: path), Int(time(nil)) - status.modified > 86_400 { unsafe unlink(path) }
        }
    }

    private static func status(of path: String) -> (isFile: Bool, size: Int, modified: Int)? {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else { return nil }
        #if canImport(Darwin)
            let modified = information.st_mtimespec.tv_sec
        #else
            let modified = information.st_mtim.tv_sec
        #endif
        return (information.st_mode & S_IFMT == S_IFREG, Int(information.st_size), Int(modified))
    }
}

/// A file that is being downloaded: written in the directory of its final path, under a temporary name.
struct IncomingFile: ~Copyable {
    let path: String
    private let target: String
    private let descriptor: Int32
    private var isDone = false
    private(set) var size = 0

    init(for target: String, in cache: DownloadCache) throws(FileError) {
        try cache.makeFolder(for: target)
        cache.removeLeftovers(of: target)
        var template = Array((target + ".XXXXXX").utf8CString)
        let descriptor = unsafe cairn_temporary_file(&template, 0o600)
        guard descriptor >= 0 else { throw FileError(path: target, errorNumber: errno) }
        self.target = target
        self.descriptor = descriptor
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(descriptor)
        if !isDone { unsafe unlink(path) }
    }

    mutating func append(_ bytes: [UInt8]) throws(FileError) {
        try FileDescriptor.write(bytes, to: descriptor, path: path)
        size += bytes.count
    }

    /// Makes the file durable, and renames it to its final path in one step: over nothing, a remembered miss,
    /// or a file that was found wrong.
    /// - Returns: its final path.
    mutating func finish() throws(FileError) -> String {
        guard fchmod(descriptor, 0o400) == 0, fsync(descriptor) == 0, unsafe rename(path, target) == 0 else {
            throw FileError(path: target, errorNumber: errno)
        }
        isDone = true
        return target
    }
}
