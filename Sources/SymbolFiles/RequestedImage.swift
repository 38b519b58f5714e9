package import BinaryPrimitives

/// An image as servers know it: its identities, and its names.
package struct RequestedImage: Sendable, Hashable {
    /// Build ID or UUID.
    package var id: ImageID?
    /// The file's name without its folder.
    package var name = ""
    /// Windows only: the name of the PDB file, and its GUID and age.
    package var debugFile: String?
    package var debugIdentifier: String?
    /// Windows only: timestamp and size of the image.
    package var codeIdentifier: String?

    init() {}

    package init(id: ImageID) { self.id = id }

    package init(_ request: ImageRequest) {
        (id, name, debugFile, debugIdentifier, codeIdentifier) = (
            request.id, request.name, request.debugFile, request.debugIdentifier, request.codeIdentifier
        )
    }

    /// An identity that an ELF file may have. Those of 16 bytes are UUIDs of Mach-O files, unless the image is called like a shared
    /// library of ELF: `--build-id=md5` and `--build-id=uuid` are rare.
    package var buildID: ImageID? {
        guard let id, id.uuid != nil, !name.isEmpty else { return id }
        return name.hasSuffix(".so") || name.contains(".so.") ? id : nil
    }

    /// Whether a file of these identities is this image's.
    package func matches(id other: ImageID?, debugIdentifier otherDebug: String?, codeIdentifier otherCode: String?) -> Bool {
        if let id, let other { return (id == other || id.matches(other)) && ages(debugIdentifier, otherDebug) }
        return codeIdentifier != nil && codeIdentifier == otherCode
    }

    /// Whether the ages of two links of a program are not different ones.
    private func ages(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return true }
        return first.lowercased() == second.lowercased()
    }
}

/// Which of an image's files is requested.
package enum RequestedFileKind: Sendable, Hashable {
    /// The file with debug information.
    case debuginfo
    /// The binary itself.
    case executable
    /// A source file, by its path in the debug information: from debuginfod servers alone.
    case source(String)

    package var word: String {
        switch self {
        case .debuginfo: "debuginfo"
        case .executable: "executable"
        case .source: "source"
        }
    }
}
