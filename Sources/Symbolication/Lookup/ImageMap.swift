internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolSources

/// Finds the image of a frame's address: one of the log's, or, for a log that lists none, one of the given
/// files at its link address.
struct ImageMap {
    /// An address as an image and a position in it.
    struct Position: Hashable {
        /// Index into the report's images, or, counted on from them, into `unslid`.
        var image: Int
        /// The raw address as a position in the image.
        var location: ImageLocation

        var offset: ImageOffset? {
            guard case .offset(let offset) = location else { return nil }
            return offset
        }
    }

    /// Given files that serve as images.
    private(set) var unslid: [UnslidImage] = []
    /// Images that are memory without a file; only where the process's own code is given, which may be in it.
    private var fileless: Set<Int> = []
    /// The given files that a name without an image may mean, by that name: whether a function is
    /// called so in them, or only the file itself.
    private var named: [String: [(file: Int, hasFunction: Bool)]] = [:]
    /// Decisions that the user should know, one sentence each.
    private(set) var notes: [String] = []
    private let images: [BinaryImage]
    /// Images with base and size in the order of their bases, for addresses whose frames name no
    /// image.
    private let ordered: [(base: RuntimeAddress, image: Int)]

    /// - Parameters:
    ///   - lookups: the addresses that will be looked up.
    ///   - listsBases: whether the log itself gives the images' load addresses, so that no address is a link
    ///     address.
    ///   - isMoved: whether a given file's image is not at its link address.
    ///   - generated: the code that the process compiled while it ran; called only where an address is in no file.
    ///   - given: called only where the report lists no images.
    init(
        report: CrashReport, lookups: [RuntimeAddress], listsBases: Bool? = nil, isMoved: (UnslidImage) -> Bool = { _ in false },
        generated: () -> [UnslidImage] = { [] }, given: () -> [UnslidImage]
    ) {
        images = report.images
        ordered = report.images.indices
            .compactMap { index in report.images[index].base.map { ($0, index) } }
            .sorted { $0.0 < $1.0 }
        if report.stacks.contains(where: { $0.frames.contains(where: mayBeGenerated) }) { addGenerated(generated()) }
        // Images without a base hold no address.
        let listsBases = listsBases ?? report.images.contains { $0.base != nil || $0.textAddress != nil }
        let names = Set(report.stacks.flatMap(\.frames).compactMap { $0.image == nil ? $0.symbolLocation?.name : nil })
        guard !listsBases || !names.isEmpty else { return }
        let given = given()
        if !listsBases { choose(among: given.filter { !isMoved($0) }, for: lookups, architecture: report.architecture) }
        if !names.isEmpty { find(names, in: given, architecture: report.architecture) }
    }

    /// Returns the image and position of a frame's raw address; `nil` if it is in no image.
    /// - Parameters:
    ///   - lookup: the address to look up, which decides: a return address may be one past the
    ///     image's last byte.
    func position(of frame: Frame, lookup: RuntimeAddress?) -> Position? {
        if let image = frame.image, images.indices.contains(image) {
            if fileless.contains(image), let address = frame.address, let lookup, let position = unslidPosition(address, lookup) {
                return position
            }
            if let location = frame.imageLocation { return Position(image: image, location: location) }
            guard let address = frame.address else { return nil }
            guard let base = images[image].base else {
                // Both are addresses of one process, less than half of the address space apart.
                let distance = images[image].textAddress.map { Int64(bitPattern: address.value &- $0.value) }
                return distance.map { Position(image: image, location: .textOffset($0)) }
            }
            return address.offset(fromImageLoadedAt: base).map { Position(image: image, location: .offset($0)) }
        }
        if let address = frame.address, let lookup {
            if let image = image(containing: lookup), let base = images[image].base,
                let offset = address.offset(fromImageLoadedAt: base)
            {
                return Position(image: image, location: .offset(offset))
            }
            if frame.symbolLocation == nil, let position = unslidPosition(address, lookup) { return position }
        }
        guard let symbol = frame.symbolLocation, let files = named[symbol.name], files.count == 1 else { return nil }
        // A name that a function of the file has refers to the function, also if the file has the same name.
        let isFile = symbol.size == nil && !files[0].hasFunction
        return Position(image: images.count + files[0].file, location: isFile ? .offset(ImageOffset(symbol.offset)) : .symbol(symbol))
    }

    private func unslidPosition(_ address: RuntimeAddress, _ lookup: RuntimeAddress) -> Position? {
        for (index, file) in unslid.enumerated() where file.covers(lookup) {
            guard let offset = file.linkAddress(address).offset(fromImageBase: file.base) else { continue }
            return Position(image: images.count + index, location: .offset(offset))
        }
        return nil
    }

    /// Whether a frame's address is in no image, or in one whose name may be that of memory without a file.
    private func mayBeGenerated(_ frame: Frame) -> Bool {
        guard let address = frame.address else { return false }
        guard let image = frame.image, images.indices.contains(image) else { return self.image(containing: address) == nil }
        return images[image].isPlaceholder || images[image].name.utf8.first.map { "[</".utf8.contains($0) } ?? true
    }

    private mutating func addGenerated(_ files: [UnslidImage]) {
        guard !files.isEmpty else { return }
        unslid += files
        fileless = Set(images.indices.filter { FilelessImage.isFileless(images[$0]) })
    }

    /// The given files that have a function of the frame's name, where there are several.
    func rivals(for frame: Frame) -> [String] {
        guard frame.image == nil, let files = frame.symbolLocation.flatMap({ named[$0.name] }), files.count > 1 else { return [] }
        return files.map { unslid[$0.file].path }
    }

    /// Which given files have functions of these names: a log that names a function and not its
    /// image means one of them.
    private mutating func find(_ names: Set<String>, in given: [UnslidImage], architecture: Architecture?) {
        let names = names.sorted()
        for file in given where architecture?.family == file.architecture?.family || architecture == nil || file.architecture == nil {
            guard let source = file.symbols.source else { continue }
            let located = source.locate(names.map { .symbol(SymbolLocation(name: $0, offset: 0)) })
            let found = zip(names, located).compactMap { name, result -> (name: String, hasFunction: Bool)? in
                if case .found = result { return (name, true) }
                // `program+0x1136` may mean the file itself.
                return name == file.name ? (name, false) : nil
            }
            guard !found.isEmpty else { continue }
            var index = unslid.count
            if let known = unslid.firstIndex(where: { $0.path == file.path && $0.architecture == file.architecture }) {
                index = known
            } else {
                unslid.append(file)
            }
            for (name, hasFunction) in found { named[name, default: []].append((index, hasFunction)) }
        }
    }

    private func image(containing address: RuntimeAddress) -> Int? {
        let low = ordered.partitionPoint { $0.base > address }
        // The nearest base below is the image, unless its end is before the address; then one that
        // is around both may be.
        return ordered[..<low].reversed().prefix(8).first { images[$0.image].contains(address) }?.image
    }

    /// Chooses one slice of a universal file: the one of the report's architecture, else the only one whose
    /// code holds any of the addresses. An ambiguous choice is not made.
    private mutating func choose(among given: [UnslidImage], for lookups: [RuntimeAddress], architecture: Architecture?) {
        var paths: [String] = []
        for image in given where !paths.contains(image.path) { paths.append(image.path) }
        for path in paths {
            var slices = given.filter { $0.path == path }
            if let architecture, slices.count > 1 {
                let exact = slices.filter { $0.architecture == architecture }
                slices = exact.isEmpty ? slices.filter { $0.architecture?.family == architecture.family } : exact
            }
            let covering = slices.filter { slice in lookups.contains { slice.covers($0) } }
            if covering.count == 1 {
                unslid.append(covering[0])
            } else if covering.count > 1 {
                let names = covering.compactMap(\.architecture?.name).joined(separator: " and ")
                notes.append("\(path) has \(names), and the log's addresses fit both. Choose one: --arch")
            }
        }
    }
}

extension Frame {
    /// The function and offset that the log gives instead of an address.
    var symbolLocation: SymbolLocation? {
        guard case .symbol(let location)? = imageLocation else { return nil }
        return location
    }
}
