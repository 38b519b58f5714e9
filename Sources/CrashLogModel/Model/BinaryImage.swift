public import BinaryPrimitives

/// An executable or library that was loaded in the process, as the log lists it.
public struct BinaryImage: Sendable, Hashable {
    /// The file's name without its folder.
    public var name: String
    /// The file's path when it was loaded, if the log has it.
    public var path: String?
    /// The architecture of the slice that was loaded, if the log has it.
    public var architecture: Architecture?
    /// Build ID or UUID; `nil` if the log does not give it.
    public var id: ImageID?
    /// Address at which its first byte was mapped.
    public var base: RuntimeAddress?
    /// Address at which its section `.text` was mapped, if the log gives that and no base: GDB's
    /// `info sharedlibrary`.
    package var textAddress: RuntimeAddress?
    /// The number of bytes from `base` on that belong to it; `nil` if the log does not give the
    /// size.
    public var size: UInt64?
    /// On Windows, the name of the PDB file that the linker wrote beside it.
    package var debugFile: String?
    /// Its GUID and age, as symbol servers name the folder: `F4F8DFCD5A5FB5A7CE64717E9E6AE3891`.
    package var debugIdentifier: String?
    /// On Windows, timestamp and size of the image, as symbol servers name it: `4BA9B29C180000`.
    package var codeIdentifier: String?
    /// The log leaves out the ending of the file's name, and does not keep its capital letters: Windows' debuggers and
    /// Wine's.
    package var isNamedWithoutEnding = false
    /// Offset of the image in the file at `path`, in bytes, if that file is an archive and the log
    /// does not name the image in it: a library inside an APK.
    package var startInFile: UInt64?
    /// The log marks this entry as no real image (an `.ips` image of source `A`): nothing is looked
    /// up in it.
    package var isPlaceholder: Bool

    /// Creates an image from the known facts.
    public init(
        name: String, path: String? = nil, id: ImageID? = nil, base: RuntimeAddress? = nil, size: UInt64? = nil,
        architecture: Architecture? = nil
    ) {
        self.name = name
        self.path = path
        self.id = id
        self.base = base
        self.size = size
        self.architecture = architecture
        isPlaceholder = false
    }

    /// An image by the file that a row names: as the loader has it, with a path, or as the program
    /// was started (`./a`, `build/a`, `a`).
    package init(file: String, id: ImageID? = nil) {
        self.init(name: Path.foreignName(of: file), path: file.utf8.contains(UInt8(ascii: "/")) ? file : nil, id: id)
    }

    /// Whether `address` is in the image, as far as the log shows.
    package func contains(_ address: RuntimeAddress) -> Bool {
        guard let base, let distance = address.distance(from: base) else { return false }
        return size.map { distance < $0 } ?? false
    }
}
