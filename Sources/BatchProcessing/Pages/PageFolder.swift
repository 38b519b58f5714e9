internal import BinaryPrimitives

/// Directory that pages are written to; it becomes visible when it is complete.
final class PageFolder {
    /// It says whose the folder is; without it no folder with something in it is written to.
    static let mark = "cairn-report.txt"
    static let index = "index.html"
    static let folders = ["groups", "reports"]

    private var folder: FolderReplacement

    /// - Throws: `PageError` where the folder holds something else than an earlier report, or
    ///   cannot be made.
    init(path: String) throws(PageError) {
        try Self.check(path)
        do throws(FileError) {
            folder = try FolderReplacement(path: path)
            for name in Self.folders { try folder.makeFolder(name) }
        } catch { throw PageError(description: error.description) }
        try write(
            Array(
                "Pages of cairn batch: open index.html.\nThe next report replaces the whole directory. Do not put your own files into it.\n"
                    .utf8),
            to: Self.mark)
    }

    func write(_ bytes: [UInt8], to name: String) throws(PageError) {
        do throws(FileError) { try folder.write(bytes, to: name) } catch { throw PageError(description: error.description) }
    }

    func finish() throws(PageError) {
        do throws(FileError) { try folder.finish() } catch { throw PageError(description: error.description) }
    }

    /// Rejects a path that exists and is neither an empty directory nor an earlier report.
    static func check(_ path: String) throws(PageError) {
        guard let kind = PathKind(path: path) else { return }
        guard kind == .directory else {
            throw PageError(description: "\(path): not a directory. Choose a new or empty directory")
        }
        var foreign: String?
        do throws(FileError) {
            let names = try Directory.names(in: path)
            foreign = names.first
            if names.contains(mark) {
                foreign = nil
                for name in names where foreign == nil { if try !isOurs(name, in: path) { foreign = name } }
            }
        } catch { throw PageError(description: error.description) }
        if let foreign {
            throw PageError(
                description:
                    "\(path): not a cairn report (it has \(PageText.short(foreign, 100))); refusing to overwrite. Choose an empty or new directory"
            )
        }
    }

    private static func isOurs(_ name: String, in path: String) throws(FileError) -> Bool {
        if name == mark || name == index { return true }
        guard folders.contains(name), SymbolicLink.entryKind(at: Path.join(path, name)) == .directory else { return false }
        return try Directory.names(in: Path.join(path, name)).allSatisfy { isPage($0) }
    }

    /// Pages are called by identifiers and numbers, and so are the reports in JSON.
    private static func isPage(_ name: String) -> Bool {
        (name.hasSuffix(".html") || name.hasSuffix(".json"))
            && name.dropLast(5).utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }
}

/// Why there are no pages: one sentence.
package struct PageError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
}
