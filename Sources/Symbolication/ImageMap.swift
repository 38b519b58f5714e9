internal import BinaryPrimitives
internal import CrashReports

/// Which image a frame's address lies in: one of the log's, or, for a log that lists none, one of the given files at its link address.
struct ImageMap {
    /// Where an address lies.
    struct Position: Hashable {
        /// Index into the report's images, or, counted on from them, into `unslid`.
        var image: Int
        /// The raw address as an offset into the image.
        var offset: ImageOffset
    }

    /// Given files that serve as images.
    private(set) var unslid: [UnslidImage] = []
    /// What had to be decided, one sentence each.
    private(set) var notes: [String] = []
    private let images: [BinaryImage]
    /// Images with base and size in the order of their bases, for addresses whose frames name no image.
    private let ordered: [(base: RuntimeAddress, image: Int)]

    /// - Parameters:
    ///   - lookups: the addresses that will be looked up.
    ///   - given: asked for only where the report lists no images.
    init(report: CrashReport, lookups: [RuntimeAddress], given: () -> [UnslidImage]) {
        images = report.images
        ordered = report.images.indices
            .compactMap { index in report.images[index].base.map { ($0, index) } }
            .sorted { $0.0 < $1.0 }
        guard report.images.isEmpty else { return }
        choose(among: given(), for: lookups, architecture: report.architecture)
    }

    /// Where a frame's raw address lies; `nil` in no image.
    /// - Parameters:
    ///   - lookup: the address to look up, which decides: a return address may be one past the image's last byte.
    func position(of frame: Frame, lookup: RuntimeAddress?) -> Position? {
        if let image = frame.image, images.indices.contains(image) {
            if let offset = frame.imageOffset { return Position(image: image, offset: offset) }
            guard let base = images[image].base, let offset = frame.address?.offset(fromImageLoadedAt: base) else { return nil }
            return Position(image: image, offset: offset)
        }
        guard let address = frame.address, let lookup else { return nil }
        if let image = image(containing: lookup), let base = images[image].base,
            let offset = address.offset(fromImageLoadedAt: base)
        {
            return Position(image: image, offset: offset)
        }
        for (index, file) in unslid.enumerated() where file.covers(lookup) {
            guard let offset = LinkAddress(address.value).offset(fromImageBase: file.base) else { continue }
            return Position(image: images.count + index, offset: offset)
        }
        return nil
    }

    private func image(containing address: RuntimeAddress) -> Int? {
        var low = 0
        var high = ordered.count
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle].base <= address { low = middle + 1 } else { high = middle }
        }
        // The nearest base below is the image, unless its end is before the address; then one that lies around both may be.
        return ordered[..<low].reversed().prefix(8).first { images[$0.image].contains(address) }?.image
    }

    /// Of a universal file one slice only: that of the report's architecture, else the only one whose code holds any of the addresses. Never by luck.
    private mutating func choose(among given: [UnslidImage], for lookups: [RuntimeAddress], architecture: Architecture?) {
        var paths: [String] = []
        for image in given where !paths.contains(image.path) { paths.append(image.path) }
        for path in paths {
            var slices = given.filter { $0.path == path }
            if let architecture, slices.count > 1 {
                let exact = slices.filter { $0.architecture == architecture }
                slices = exact.isEmpty ? slices.filter { $0.architecture.family == architecture.family } : exact
            }
            let covering = slices.filter { slice in lookups.contains { slice.covers($0) } }
            if covering.count == 1 {
                unslid.append(covering[0])
            } else if covering.count > 1 {
                let names = covering.map(\.architecture.name).joined(separator: " and ")
                notes.append("\(path) holds \(names), and the log's addresses fit both, so the architecture must be named")
            }
        }
    }
}
