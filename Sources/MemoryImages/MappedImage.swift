package import BinaryPrimitives

/// A file that is mapped, as a whole or in parts.
package struct MappedImage: Sendable {
    package struct Part: Sendable, Hashable {
        package var range: Range<UInt64>
        /// Offset in the file of the part's first byte.
        package var fileOffset: UInt64
        package var isExecutable: Bool

        package init(_ range: Range<UInt64>, fileOffset: UInt64, isExecutable: Bool) {
            self.range = range
            self.fileOffset = fileOffset
            self.isExecutable = isExecutable
        }
    }

    /// Path in the process.
    package var path: String
    /// Ascending.
    package var parts: [Part]
    /// Description in a minidump, which has an image's first byte and its size.
    package var module: Module?

    package init(path: String, parts: [Part]) {
        self.path = path
        self.parts = parts
    }

    /// The first byte's address.
    package var base: UInt64 { module?.range.lowerBound ?? parts.first?.range.lowerBound ?? 0 }

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

/// Groups the ranges of `NT_FILE` into images.
enum CoreFiles {
    /// - Parameter executable: ranges of memory that may be executed.
    static func images(_ files: [(range: Range<UInt64>, offset: UInt64, path: String)], executable: [Range<UInt64>]) -> [MappedImage] {
        let executable = executable.sorted { $0.lowerBound < $1.lowerBound }
        var images: [MappedImage] = []
        for file in files.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let part = MappedImage.Part(
                file.range, fileOffset: file.offset, isExecutable: isExecutable(file.range.lowerBound, executable))
            // A file may be mapped twice: its beginning begins another image.
            if let last = images.last, last.path == file.path, file.offset > last.parts.last?.fileOffset ?? 0 || file.offset > 0 {
                images[images.count - 1].parts.append(part)
            } else {
                images.append(MappedImage(path: file.path, parts: [part]))
            }
        }
        return images
    }

    private static func isExecutable(_ address: UInt64, _ ranges: [Range<UInt64>]) -> Bool {
        let low = ranges.partitionPoint { $0.lowerBound > address }
        return low > 0 && ranges[low - 1].contains(address)
    }
}
