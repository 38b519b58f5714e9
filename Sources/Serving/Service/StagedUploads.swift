internal import BinaryPrimitives

/// Parts of uploads that come in several requests, in a folder of the store that no search reads. They are removed when they are a day old.
struct StagedUploads {
    private static let lifetime: Int64 = 86_400 * 1_000_000_000
    /// Parts at a time: more are refused.
    private static let maxParts = 20_000

    let folder: String

    init(store: String) { folder = Path.join(store, FileReplacement.prefix + "uploads") }

    /// Path of a part.
    /// - Parameter name: letters, digits, `-` and `_`.
    /// - Returns: `nil` for another name, which could be a path.
    private func path(_ name: String) -> String? {
        let isName = (1...100).contains(name.utf8.count) && name.utf8.allSatisfy { isIdentifier($0) || $0 == UInt8(ascii: "-") }
        return isName ? Path.join(folder, name) : nil
    }

    /// The bytes of a part; `nil` if it did not come, or has ended.
    func open(_ name: String) -> MappedFile? {
        guard let path = path(name), let stamp = FileStamp(path: path), !Self.isOver(stamp) else { return nil }
        return try? MappedFile(path: path)
    }

    func has(_ name: String) -> Bool { path(name).flatMap { FileStamp(path: $0) }.map { !Self.isOver($0) } ?? false }

    /// Makes a part without bytes, which come later.
    func begin(_ name: String) throws(Refusal) {
        guard let path = path(name) else { return }
        do throws(FileError) {
            try FileReplacement.makeDirectories(folder)
            try FileReplacement.write([], to: path)
        } catch { throw Refusal(storing: error) }
    }

    /// Keeps a part, in place of one of that name.
    func keep(_ file: MappedFile, as name: String) throws(Refusal) {
        guard let path = path(name) else { throw Refusal("\(PlainText.line(name, limit: 100)): not a name of a part") }
        guard Directory.entries(in: folder, limit: Self.maxParts).count < Self.maxParts else {
            throw Refusal("too many uploads are under way: please try again later", status: 503)
        }
        do throws(FileError) {
            try FileReplacement.makeDirectories(folder)
            var replacement = try FileReplacement(path: path)
            let next = file.pieces()
            while true {
                let part = try next()
                if part.isEmpty { break }
                try replacement.append(part)
            }
            try replacement.finish()
        } catch { throw Refusal(storing: error) }
    }

    func remove(_ name: String) { if let path = path(name) { FileUse.remove(path) } }

    private static func isOver(_ stamp: FileStamp) -> Bool { stamp.modified + lifetime <= WallClock.nanoseconds }

    /// Removes parts whose upload was not ended.
    func sweep() {
        FileReplacement.removeAbandoned(in: folder)
        for entry in Directory.entries(in: folder, limit: Self.maxParts) {
            let path = Path.join(folder, entry.name)
            if let stamp = FileStamp(path: path), Self.isOver(stamp) { FileUse.remove(path) }
        }
    }
}

extension Refusal {
    /// Why a file could not be kept in the store, without a path of this machine.
    init(storing error: FileError) {
        if error.isDiskFull {
            self.init("the disk of the symbol store is full: nothing was added", status: 507)
        } else if error == .tooLarge(error.path) {
            self.init("the file is too large when it is decompressed", status: 413)
        } else {
            self.init("the symbol store cannot be written: \(error.problem)", status: 500)
        }
    }
}
