internal import LibC

/// A folder for unfinished files, inside the folder of the finished ones: from there a file gets
/// its name in one step (`FileReplacement.linkIfNew`).
///
/// It is locked (`flock(2)`) while its process lives, so that what a killed one has left can be
/// removed (`removeAbandoned(in:)`), and what another one uses is not.
package struct WorkFolder: ~Copyable {
    package let path: String
    private let descriptor: Int32

    /// - Parameter parent: is made if it is missing.
    package init(in parent: String) throws(FileError) {
        try FileReplacement.makeDirectories(parent)
        while true {
            var template = Array(Path.join(parent, FileReplacement.prefix + "XXXXXX").utf8CString)
            guard unsafe mkdtemp(&template) != nil else { throw FileError(path: parent, errorNumber: errno) }
            let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            // Another process removed the folder as abandoned before it was locked.
            guard descriptor >= 0 else { continue }
            _ = flock(descriptor, LOCK_EX)
            guard PathKind(path: path) == .directory else {
                close(descriptor)
                continue
            }
            (self.path, self.descriptor) = (path, descriptor)
            return
        }
    }

    deinit {
        FolderReplacement.remove(path)
        close(descriptor)
    }

    /// Writes a file of it, durably.
    /// - Parameters:
    ///   - name: that no file of it has.
    ///   - next: gives the next bytes, none at the end.
    /// - Returns: its path.
    package func write(_ name: String, _ next: () throws(FileError) -> [UInt8]) throws(FileError) -> String {
        let file = Path.join(path, name)
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(path: file, errorNumber: errno) }
        defer { close(descriptor) }
        while true {
            let bytes = try next()
            if bytes.isEmpty { break }
            try FileDescriptor.write(bytes, to: descriptor, path: file)
        }
        guard fsync(descriptor) == 0 else { throw FileError(path: file, errorNumber: errno) }
        return file
    }

    /// Removes what processes that were killed have left.
    package static func removeAbandoned(in parent: String) {
        for entry in Directory.entries(in: parent, limit: 100_000)
        where FileReplacement.isUnfinished(entry.name) && entry.name.utf8.count == FileReplacement.prefix.utf8.count + 6
            && entry.kind == .directory
        {
            let path = Path.join(parent, entry.name)
            let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { FolderReplacement.remove(path) }
            close(descriptor)
        }
    }
}

extension FileError {
    /// There is no room for it: the disk is full, or the user's quota is used up (`EDQUOT`).
    package var isDiskFull: Bool { [ENOSPC, EDQUOT].contains(errorNumber) }
}

extension MappedFile {
    /// Gives the file's bytes piece by piece, none at the end.
    package func pieces() -> () throws(FileError) -> [UInt8] {
        var position = 0
        return { () throws(FileError) in
            guard position < self.size else { return [] }
            let part = self.bytes(in: position..<min(position + 1 << 20, self.size))
            // It was cut while it was read.
            guard !part.isEmpty else { throw FileError(path: self.path, errorNumber: EIO) }
            position += part.count
            return part
        }
    }

    /// Whether another file has the same bytes.
    package func hasSameBytes(as other: MappedFile) -> Bool {
        guard size == other.size else { return false }
        return stride(from: 0, to: size, by: 1 << 20).allSatisfy { start in
            let range = start..<min(start + 1 << 20, size)
            return bytes(in: range) == other.bytes(in: range)
        }
    }
}
