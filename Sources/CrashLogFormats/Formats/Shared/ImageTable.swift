internal import BinaryPrimitives
internal import CrashLogModel

/// A report's images while it is read, and which of them a frame is in.
struct ImageTable {
    private(set) var images: [BinaryImage] = []
    /// The images by their numbers in the log's own list, in which other entries may be.
    private(set) var listed: [Int?] = []
    private let limit: Int
    /// The first image at each base.
    private var byBase: [UInt64: Int] = [:]

    private var withoutBase: [BinaryImage: Int] = [:]

    init(_ images: [BinaryImage] = [], limit: Int = Limits.standard.images) {
        self.limit = limit
        for image in images { add(image) }
    }

    var isFull: Bool { images.count >= limit }

    /// Adds an image of the log's list; beyond `Limits.images` nothing is added.
    mutating func add(_ image: BinaryImage) {
        guard !isFull else { return }
        if let base = image.base, !image.isPlaceholder, byBase[base.value] == nil { byBase[base.value] = images.count }
        images.append(image)
    }

    /// Adds an entry of the log's list: an image, or something else.
    mutating func list(_ image: BinaryImage?) {
        let number = images.count
        if let image { add(image) }
        listed.append(images.count > number ? number : nil)
    }

    /// The image that begins at `base`; where the log's frames bring their images along, the first
    /// to name it adds it.
    /// - Parameter make: the image, without its base.
    /// - Returns: `nil` beyond `Limits.images`.
    mutating func index(ofImageAt base: RuntimeAddress, make: () -> BinaryImage) -> Int? {
        if let index = byBase[base.value] { return index }
        guard !isFull else { return nil }
        var image = make()
        image.base = base
        add(image)
        return images.count - 1
    }

    /// The image of that name and identity whose base the log does not have; the first frame that
    /// names it adds it.
    /// - Returns: `nil` beyond `Limits.images`.
    mutating func index(ofImageNamed name: String, id: ImageID?) -> Int? {
        let image = BinaryImage(name: name, id: id)
        if let index = withoutBase[image] { return index }
        guard !isFull else { return nil }
        withoutBase[image] = images.count
        images.append(image)
        return images.count - 1
    }

    /// Gives every frame its image. A frame that names its image's base by itself (`0x1000 + 20`)
    /// brings the image along where the log lists none there.
    mutating func assign(to report: inout CrashReport) {
        let sorted = SortedImages(images)
        func assign(_ frame: inout Frame, _ table: inout ImageTable) {
            guard frame.image == nil, let address = frame.address else { return }
            if let index = sorted.index(containing: address) {
                frame.image = index
            } else if let offset = frame.imageOffset, let name = frame.imageName, offset.value <= address.value {
                let base = address.value - offset.value
                if let index = table.byBase[base] {
                    frame.image = index
                    table.images[index].id = table.images[index].id ?? frame.imageID
                } else if !table.isFull, name != "???" {
                    let image = BinaryImage(name: name, id: frame.imageID, base: RuntimeAddress(base))
                    frame.image = table.images.count
                    table.add(image)
                }
            }
        }
        for thread in report.threads.indices {
            for frame in report.threads[thread].frames.indices { assign(&report.threads[thread].frames[frame], &self) }
        }
        for thread in report.additionalBacktraces.indices {
            for frame in report.additionalBacktraces[thread].frames.indices {
                assign(&report.additionalBacktraces[thread].frames[frame], &self)
            }
        }
        if let count = report.exceptionBacktrace?.frames.count {
            for frame in 0..<count {
                guard var changed = report.exceptionBacktrace?.frames[frame] else { continue }
                assign(&changed, &self)
                report.exceptionBacktrace?.frames[frame] = changed
            }
        }
        report.images = images
    }
}

/// Images in the order of their addresses, to find the one that an address is in.
struct SortedImages {
    private let entries: [(base: UInt64, size: UInt64, index: Int)]

    init(_ images: [BinaryImage]) {
        self.init(
            ranges: images.enumerated().compactMap { index, image in
                guard let base = image.base, let size = image.size, !image.isPlaceholder else { return nil }
                return (base.value, size, index)
            })
    }

    /// - Parameter ranges: the start address of each image, its size in bytes, and its index.
    init(ranges: [(base: UInt64, size: UInt64, index: Int)]) { entries = ranges.sorted { $0.base < $1.base } }

    /// Whether one image begins inside another.
    var overlap: Bool {
        for (entry, next) in zip(entries, entries.dropFirst()) where next.base - entry.base < entry.size { return true }
        return false
    }

    /// The image that `address` is in: of several, the one that begins last.
    func index(containing address: RuntimeAddress) -> Int? {
        let low = entries.partitionPoint { $0.base > address.value }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return address.value - entry.base < entry.size ? entry.index : nil
    }
}
