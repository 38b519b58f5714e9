package import BinaryPrimitives
package import ObjectFiles
package import Unwinding

/// A file that is mapped, as a whole or in parts.
package struct MappedImage: Sendable {
    package typealias Part = FileMapping

    /// Path in the process.
    package var path: String
    /// Ascending.
    package var parts: [Part]
    /// Difference of an address in memory from the one in the file, modulo 2⁶⁴, by the program headers in memory or by the
    /// dynamic linker's list; `nil` where neither was saved.
    package var bias: UInt64?
    /// Description in a minidump, which has an image's first byte and its size.
    package var module: Module?

    package init(path: String, parts: [Part]) {
        self.path = path
        self.parts = parts
    }

    /// The first byte's address.
    package var base: UInt64 { module?.range.lowerBound ?? parts.first?.range.lowerBound ?? 0 }

    /// Returns the bias of the image if a file is mapped in it.
    /// - Returns: `nil` if no segment of the file has the bytes of a part, as in a debug file, which has no code.
    package func bias(of object: ObjectFile) -> UInt64? {
        if object.description.isMappedBySections { return base &- object.baseAddress.value }
        let segments = LoadSegments(object)
        if let bias, parts.contains(where: { segments.holds($0, bias: bias) }) { return bias }
        return segments.bias(of: parts)
    }

    /// Whether it is known which parts may be executed.
    package var isCodeKnown: Bool { module?.isCodeKnown ?? parts.contains(where: \.isExecutable) }

    /// The identity that the dump has.
    package var identity: ImageID? { module?.identity }

    /// An image as a minidump describes it.
    package struct Module: Sendable, Hashable {
        package var range: Range<UInt64>
        package var isCodeKnown = false
        /// Whether the parts have their offsets in the file.
        var hasFileOffsets = false
        /// For ELF the build ID, or the 16 bytes that Breakpad keeps of it; for Mach-O the UUID; for Windows
        /// the GUID of the PDB file, as it is printed.
        package var identity: ImageID?
        /// GUID and age as in the first line of a Breakpad file and in the folders of its stores:
        /// `F4F8DFCD5A5FB5A7CE64717E9E6AE3890`.
        package var debugIdentifier: String?
        /// As the linker wrote it: `C:\\build\\app.pdb`.
        package var debugFile: String?
        /// Timestamp and size, as Microsoft's symbol servers name a file: `4BA9B29C180000`.
        package var codeIdentifier: String?
        /// `6.1.7600.16559`.
        package var version: String?

        package init(_ range: Range<UInt64>) { self.range = range }
    }
}

/// A library that was unloaded before the dump was written.
package struct UnloadedImage: Sendable, Hashable {
    package var path: String
    package var range: Range<UInt64>
    package var codeIdentifier: String?
}
