internal import BinaryPrimitives
internal import Unwinding

/// Groups the ranges of `NT_FILE` into images.
///
/// A file may be mapped twice: as a library that is loaded twice, and to be read. The program headers in memory say which
/// ranges are one image; without them, a range from the file's beginning begins another image, unless it follows
/// one of those closely, as in small files of lld and mold.
struct CoreFiles {
    typealias Range = (range: Swift.Range<UInt64>, offset: UInt64, path: String)

    private(set) var images: [MappedImage] = []
    /// Disagreements, one sentence each.
    private(set) var notes: [String] = []

    private let files: [Range]
    private let parts: [MappedImage.Part]
    private var isGrouped: [Bool]

    /// Ranges after a file's headers that are compared with them; images have four to twelve.
    private static let maxCompared = 256
    private static let maxNotes = 8
    /// Distance of segments: the largest page of Linux' linkers.
    private static let maxGap: UInt64 = 2 << 20

    /// - Parameters:
    ///   - executable: ranges of memory that may be executed.
    ///   - memory: the saved memory; `nil` if nothing of the files was saved.
    init(_ files: [Range], executable: [Swift.Range<UInt64>], memory: Memory?) {
        let executable = executable.sorted { $0.lowerBound < $1.lowerBound }
        self.files = files.sorted { $0.range.lowerBound < $1.range.lowerBound }
        parts = self.files.map {
            MappedImage.Part($0.range, fileOffset: $0.offset, isExecutable: Self.isExecutable($0.range.lowerBound, executable))
        }
        isGrouped = [Bool](repeating: false, count: files.count)
        // The last image whose ranges the headers do not say.
        var open: Int?
        for index in self.files.indices where !isGrouped[index] {
            if let memory, addImage(from: index, memory) {
                open = nil
            } else if let last = open, belongs(index, to: images[last]) {
                images[last].parts.append(parts[index])
            } else {
                open = images.count
                images.append(MappedImage(path: self.files[index].path, parts: [parts[index]]))
            }
        }
    }

    /// Adds the image whose headers are at the beginning of a range.
    private mutating func addImage(from index: Int, _ memory: Memory) -> Bool {
        guard files[index].offset == 0, let headers = MappedHeaders(memory, at: files[index].range.lowerBound) else { return false }
        let segments = headers.loaded
        let near = files.indices[index...].prefix(Self.maxCompared).filter { !isGrouped[$0] && files[$0].path == files[index].path }
        guard let bias = segments.bias(of: near.map { parts[$0] }, with: parts[index]) else {
            if headers.segments.contains(where: { $0.type == MappedHeaders.load }), notes.count < Self.maxNotes {
                notes.append("\(files[index].path): its program headers in memory do not fit its mappings, which were used")
            }
            return false
        }
        let own = near.filter { segments.holds(parts[$0], bias: bias) }
        var image = MappedImage(path: files[index].path, parts: own.map { parts[$0] })
        image.bias = bias
        images.append(image)
        for index in own { isGrouped[index] = true }
        return true
    }

    private func belongs(_ index: Int, to image: MappedImage) -> Bool {
        guard let last = image.parts.last, image.path == files[index].path else { return false }
        if files[index].offset > 0 { return true }
        return last.fileOffset == 0
            && files[index].range.lowerBound - min(files[index].range.lowerBound, last.range.upperBound) < Self.maxGap
    }

    private static func isExecutable(_ address: UInt64, _ ranges: [Swift.Range<UInt64>]) -> Bool {
        let low = ranges.partitionPoint { $0.lowerBound > address }
        return low > 0 && ranges[low - 1].contains(address)
    }
}
