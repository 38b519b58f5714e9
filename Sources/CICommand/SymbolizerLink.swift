internal import BinaryPrimitives
internal import CommandSupport

/// cairn under the name of llvm-symbolizer, by which the sanitizers' runtimes know how to talk with
/// it: a link in a folder of its own.
struct SymbolizerLink {
    let path: String
    private let folder: String

    /// - Returns: `nil` where there is no cairn beside this program, or no folder can be made.
    init?() {
        guard let cairn = Neighbours().find("cairn") else { return nil }
        let parent = environmentVariable("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        guard let folder = Directory.makeTemporary(in: parent) else { return nil }
        self.folder = folder
        path = Path.join(folder, "llvm-symbolizer")
        do throws(FileError) { try SymbolicLink.replace(path, target: cairn) } catch {
            remove()
            return nil
        }
    }

    func remove() {
        FileUse.remove(path)
        Directory.removeEmpty(folder)
    }
}
