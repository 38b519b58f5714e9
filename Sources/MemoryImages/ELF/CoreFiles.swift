internal import BinaryPrimitives

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
