internal import BinaryPrimitives
internal import ObjectFiles

/// Whether a file is the requested one.
struct ArrivalCheck {
    /// Why it is not; `nil` if it is.
    var problem: String?
    /// The build ID of the file that holds what `dwz` moved out of this one (`.gnu_debugaltlink`).
    var supplementary: ImageID?

    init(path: String, id: ImageID) {
        let objects: [ObjectFile]
        do throws(ObjectFileError) { objects = try ObjectFiles.openAll(path: path) } catch {
            problem = "not an object file"
            return
        }
        guard let object = objects.first(where: { $0.identity == id }) else {
            problem = objects.first?.identity.map { "its build ID is \($0.hexadecimal)" } ?? "it has no build ID"
            return
        }
        supplementary = Self.supplementary(of: object)
    }

    /// `.gnu_debugaltlink`: a path, a zero byte, and the build ID (GDB's manual, "MiniDebugInfo"
    /// and dwz(1)).
    private static func supplementary(of object: ObjectFile) -> ImageID? {
        guard let section = object.section(named: ".gnu_debugaltlink"), section.size <= 1 << 13,
            let contents = try? object.contents(of: section)
        else { return nil }
        return contents.withBytes { bytes in
            guard let length = bytes.lengthOfCString() else { return nil }
            return ImageID(bytes: (min(length + 1, bytes.byteCount)..<bytes.byteCount).map { bytes.byte(at: $0) })
        }
    }
}
