internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
internal import SymbolSources

/// A report whose images without a base got one from the functions that its rows name.
struct NeighbourBases {
    private(set) var report: CrashReport
    /// One sentence for each base.
    private(set) var notes: [String] = []
    /// The given files that became images, by the image's index.
    private(set) var paths: [Int: String] = [:]

    /// - Parameters:
    ///   - symbols: of an image of the report, by its index.
    ///   - given: called only where rows name functions and no image with a base.
    init(_ report: CrashReport, symbols: (Int) -> ImageSymbols, given: () -> [UnslidImage]) {
        self.report = report
        let frames = report.stacks.flatMap(\.frames)
        guard frames.contains(where: { Self.isWanted($0, report.images) }) else { return }
        let named = frames.filter { Self.row($0) != nil && Self.mayLie($0, report.images) }
        guard !named.isEmpty else { return }
        // Each frame is visited once, regardless of the number of images.
        let images = NamedImages(report.images)
        var own: [Int: [NamedNeighbours.Row]] = [:]
        var loose: [Frame] = []
        for frame in named {
            if let index = images.image(of: frame) {
                if let row = Self.row(frame) { own[index, default: []].append(row) }
            } else if frame.image == nil {
                loose.append(frame)
            }
        }
        locateFrames(own, images, symbols)
        guard !loose.isEmpty else { return }
        let files = given()
        // A file that has code where the log has addresses is where it was linked.
        let moved = files.filter { file in !loose.contains { $0.address.map { file.covers($0) } ?? false } }
        guard !moved.isEmpty else { return }
        let looseByName = Dictionary(grouping: loose, by: \.imageName)
        for case let (name?, frames) in looseByName.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) where !images.has(name) {
            let request = ImageRequest(name: name)
            addImage(moved.filter { request.isNamedLike(fileAt: $0.path) }, by: frames, name: name)
        }
        guard moved.count == files.count, !report.images.contains(where: { $0.base != nil || $0.textAddress != nil }) else { return }
        for file in files { addImage([file], by: looseByName[nil] ?? [], name: nil) }
    }

    private static func row(_ frame: Frame) -> NamedNeighbours.Row? {
        guard let address = frame.address, !frame.isInlined else { return nil }
        let isReturnAddress = frame.kind == .returnAddress
        if case .symbol(let symbol)? = frame.imageLocation {
            return NamedNeighbours.Row(address: address, isReturnAddress: isReturnAddress, name: symbol.name, offset: symbol.offset)
        }
        guard let printed = frame.printed, let name = printed.name else { return nil }
        return NamedNeighbours.Row(address: address, isReturnAddress: isReturnAddress, name: name, offset: printed.offset)
    }

    /// Whether the frame is in no image that has a base.
    private static func mayLie(_ frame: Frame, _ images: [BinaryImage]) -> Bool {
        guard let image = frame.image, images.indices.contains(image) else { return true }
        return images[image].base == nil && images[image].textAddress == nil && !images[image].isPlaceholder
    }

    /// Whether the log does not give the frame's image, or gives no more than its address, and has no line for
    /// it.
    private static func isWanted(_ frame: Frame, _ images: [BinaryImage]) -> Bool {
        guard let address = frame.address, mayLie(frame, images), frame.printed?.location == nil else { return false }
        return frame.imageLocation == nil || frame.imageLocation == .linkAddress(LinkAddress(address.value))
    }

    /// The images of a report by their names.
    private struct NamedImages {
        let images: [BinaryImage]
        /// `nil`: several have the name.
        private let numbers: [String: Int?]

        init(_ images: [BinaryImage]) {
            self.images = images
            numbers = Dictionary(images.indices.map { (images[$0].name, $0 as Int?) }) { _, _ in nil }
        }

        func has(_ name: String) -> Bool { numbers[name] != nil }

        /// The image that a frame is in, or whose name its row has; not if several have it.
        func image(of frame: Frame) -> Int? {
            if let image = frame.image { return images.indices.contains(image) ? image : nil }
            guard let name = frame.imageName, let number = numbers[name] ?? nil, images[number].base == nil else { return nil }
            return number
        }
    }

    /// - Parameter rows: rows of each image, by its index.
    private mutating func locateFrames(_ rows: [Int: [NamedNeighbours.Row]], _ images: NamedImages, _ symbols: (Int) -> ImageSymbols) {
        var biases: [Int: UInt64] = [:]
        for (index, rows) in rows.sorted(by: { $0.key < $1.key }) {
            guard let found = symbols(index).source.flatMap({ NamedNeighbours(rows).finding(in: $0) }), found.bias > 0 else { continue }
            biases[index] = found.bias
            note(images.images[index].name, found)
        }
        guard !biases.isEmpty else { return }
        report.changeStacks { stack in
            for position in stack.frames.indices {
                let frame = stack.frames[position]
                guard let address = frame.address, Self.isWanted(frame, images.images), let index = images.image(of: frame),
                    let bias = biases[index], address.value >= bias
                else { continue }
                stack.frames[position].image = index
                stack.frames[position].imageLocation = .linkAddress(LinkAddress(address.value - bias))
            }
        }
    }

    /// Makes an image of a given file that the log does not list, and gives it the frames whose rows have its
    /// name; or, without a name, those that are in its code.
    /// - Parameter files: candidates for the image: the slices of a universal file.
    private mutating func addImage(_ files: [UnslidImage], by frames: [Frame], name: String?) {
        let found = files.compactMap { file in
            file.symbols.source.flatMap { NamedNeighbours(frames.compactMap(Self.row)).finding(in: $0) }.map { (file: file, finding: $0) }
        }
        guard found.count == 1, let (file, finding) = found.first, finding.bias > 0, let base = file.base.value.addingChecked(finding.bias)
        else { return }
        let index = report.images.count
        var image = BinaryImage(name: name ?? file.name, path: name == nil ? file.path : nil)
        image.architecture = file.architecture
        image.base = RuntimeAddress(base)
        // The log gives no identifier; the functions have shown that the file is the image.
        let images = report.images
        report.changeStacks { stack in
            for position in stack.frames.indices {
                let frame = stack.frames[position]
                guard let address = frame.address, frame.image == nil, frame.imageName == name, Self.isWanted(frame, images),
                    address.value >= finding.bias
                else { continue }
                let lookup = frame.addressInCode?.value ?? address.value
                guard name != nil || file.covers(RuntimeAddress(lookup &- finding.bias)) else { continue }
                stack.frames[position].image = index
                stack.frames[position].imageLocation = .linkAddress(LinkAddress(address.value - finding.bias))
            }
        }
        report.images.append(image)
        paths[index] = file.path
        note(image.name, finding)
    }

    private mutating func note(_ name: String, _ found: NamedNeighbours.Finding) {
        let functions =
            found.functions == 1 ? "1 function, with its offset, that the log names" : "\(found.functions) functions that the log names"
        notes.append("the load bias of \(name) is \(RuntimeAddress(found.bias)): calculated from \(functions) and its symbol file has")
    }
}

extension UInt64 {
    fileprivate func addingChecked(_ other: UInt64) -> UInt64? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }
}
