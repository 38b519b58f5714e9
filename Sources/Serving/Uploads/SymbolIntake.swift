internal import BinaryPrimitives
internal import CrashReports
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Takes symbol files that somebody sends into the store of uploads, whichever protocol brought them.
///
/// A file is kept by its own identity. Names and identities that a client gives beside it decide nothing.
struct SymbolIntake {
    /// Files of one upload.
    struct Kept {
        var arrivals: [SymbolStore.Arrival] = []
        /// Files without an identity, by their paths in the archive.
        var skipped: [String] = []

        var hasDifferent: Bool { arrivals.contains { $0.outcome == .differs } }
        var hasNew: Bool { arrivals.contains { $0.outcome == .added } }
    }

    let root: String
    var maxBytes: Int { limits.uploadedFile }
    private let service: Service
    private let limits: Limits

    static let expected =
        "expected an ELF, Mach-O, Breakpad or GSYM file with a build ID or UUID, or a ZIP or tar archive of such files"
    static let differs = "the store has another file with the same build ID or UUID, and keeps it"

    init(_ service: Service) throws(Refusal) {
        guard let root = service.settings.uploadStore else { throw Refusal("this server takes no uploads", status: 404) }
        self.root = root
        self.service = service
        limits = service.limits
    }

    /// - Parameters:
    ///   - name: the file's name, without a directory (`plainName`).
    ///   - mayUse: decides whether the members of an archive are kept, by their paths.
    func keep(
        _ body: MappedFile, name: String, mayUse: ([String]) throws(Refusal) -> Void = { _ throws(Refusal) in }
    ) throws(Refusal) -> Kept {
        guard body.size <= limits.uploadedFile else {
            throw Refusal("please limit the size of a symbol file to <= \(limits.uploadedFile) bytes", status: 413)
        }
        var kept = Kept()
        var isFull = false
        let folder = try makeFolder()
        let path: String
        do throws(FileError) { path = try write(body, name, to: folder) } catch { throw Refusal(storing: error) }
        defer { OpenArchives.shared.close(path) }
        let isArchive = OpenArchives.isArchive(path)
        let paths = isArchive ? SymbolTree.files(below: path) : [path]
        let prefix = path + MemberPath.separator
        if isArchive { try mayUse(paths.map { String($0.dropFirst(prefix.count)) }) }
        do throws(FileError) {
            for path in paths where !isFull {
                let files = (try? SymbolFileReader.openAll(path: path)) ?? []
                let added = files.isEmpty ? [] : try SymbolStore(root: root).addNew(path, files, from: folder)
                if added.isEmpty { kept.skipped.append(isArchive ? String(path.dropFirst(prefix.count)) : name) }
                kept.arrivals += added
                isFull = kept.arrivals.count > limits.uploadedImages
            }
        } catch { throw Refusal(storing: error) }
        // Files that were stored can be used, even if the upload failed after them.
        if kept.hasNew { service.symbolicator.provider.refreshMissing() }
        guard !isFull else {
            throw Refusal("please limit the symbol files of an archive to <= \(limits.uploadedImages)", status: 413)
        }
        return kept
    }

    private func makeFolder() throws(Refusal) -> WorkFolder {
        do throws(FileError) { return try WorkFolder(in: root) } catch { throw Refusal(storing: error) }
    }

    /// - Returns: `nil` for a text that is no file's name, but a path or nothing.
    static func plainName(_ name: String) -> String? {
        let isPlain = !name.isEmpty && name.utf8.count <= 200 && name == PlainText.line(name) && !name.contains("/") && !name.hasPrefix(".")
        return isPlain ? name : nil
    }

    /// Writes what was sent, without what it is compressed in.
    private func write(_ body: MappedFile, _ name: String, to folder: borrowing WorkFolder) throws(FileError) -> String {
        guard OpenArchives.isCompressed(body.bytes(in: 0..<512)) else { return try folder.write(name, body.pieces()) }
        let ending = [".gz", ".xz", ".zst"].first { name.hasSuffix($0) && name.utf8.count > $0.utf8.count } ?? ""
        let plain = name.hasSuffix(".tgz") ? name.dropLast(4) + ".tar" : name.dropLast(ending.utf8.count)
        return try Self.write(unpacked: body, atMost: limits.uploadedFile, String(plain), to: folder, limits)
    }

    /// Writes the unpacked bytes of a compressed file.
    static func write(
        unpacked body: MappedFile, atMost maxBytes: Int, _ name: String, to folder: borrowing WorkFolder, _ limits: Limits
    ) throws(FileError) -> String {
        var limits = limits
        limits.expandedLog = maxBytes
        var bytes = LogBytes(MappedFile(body, 0..<body.size, path: name), limits: limits)
        var count = 0
        return try folder.write(name) { () throws(FileError) in
            let part = try bytes.next() ?? []
            count += part.count
            guard count <= maxBytes else { throw .tooLarge(name) }
            return part
        }
    }
}
