internal import BinaryPrimitives
internal import CrashLogModel

/// Where the frames of one process's samples lie, while its samples are gone through.
struct PerfPlaces {
    private let maps: PerfMaps
    private let meaning: PerfMaps.AddressKind
    private(set) var table = ImageTable()
    private var byPath: [String: Int] = [:]

    init(_ maps: PerfMaps, _ meaning: PerfMaps.AddressKind) {
        self.maps = maps
        self.meaning = meaning
        for image in maps.images() {
            if let path = image.path, byPath[path] == nil { byPath[path] = table.images.count }
            table.add(image)
        }
    }

    /// Gives the frames of one stack their images and places.
    /// - Parameter rows: one for each frame.
    mutating func assign(_ frames: inout [Frame], _ rows: [PerfRow]) {
        // From the outermost inwards: an inlined call's row names no file, and is where the frame
        // does that it is in.
        for index in frames.indices.reversed() {
            if frames[index].isInlined, index + 1 < frames.count {
                frames[index].address = frames[index + 1].address
                frames[index].image = frames[index + 1].image
                frames[index].imagePlace = frames[index + 1].imagePlace
            } else {
                place(&frames[index], rows[index])
            }
        }
    }

    private mutating func place(_ frame: inout Frame, _ row: PerfRow) {
        if row.isKernel { return placeInKernel(&frame, row) }
        guard row.isOfFile, let path = row.object else { return }
        frame.image = image(path)
        switch meaning {
        case .runtimeAddress:
            guard !maps.hasWhole(path) else { return }
            if let offset = row.fileOffset {
                frame.imagePlace = .fileOffset(offset)
            } else if let mapping = maps.mapping(of: path, at: row.address) {
                frame.imagePlace = .fileOffset(row.address - mapping.start.value &+ mapping.fileOffset)
            } else {
                frame.imagePlace = PerfPlaces.symbol(row)
            }
        case .fileOffset:
            // What is printed is no address in memory; the mapping gives that back.
            frame.address = maps.mapping(of: path, atFileOffset: row.address).flatMap { $0.start.advanced(by: row.address - $0.fileOffset) }
            if frame.address == nil || !maps.hasWhole(path) { frame.imagePlace = .fileOffset(row.address) }
        case .unknown:
            frame.imagePlace = PerfPlaces.symbol(row)
        }
    }

    /// `[kernel.kallsyms]` is the kernel, and any other name in brackets one of its modules.
    private mutating func placeInKernel(_ frame: inout Frame, _ row: PerfRow) {
        guard let object = row.object, object.hasPrefix("["), object.hasSuffix("]"), let place = PerfPlaces.symbol(row) else { return }
        let name = object.dropFirst().dropLast()
        frame.image = image(name.hasPrefix("kernel.") || name.hasPrefix("guest.kernel.") ? "vmlinux" : name + ".ko")
        frame.imagePlace = place
    }

    private static func symbol(_ row: PerfRow) -> ImagePlace? {
        guard let name = row.name, let offset = row.offset else { return nil }
        return .symbol(SymbolPlace(name: name, offset: offset))
    }

    private mutating func image(_ path: String) -> Int? {
        if let index = byPath[path] { return index }
        guard !table.isFull else { return nil }
        byPath[path] = table.images.count
        table.add(BinaryImage(name: Path.foreignName(of: path), path: path.utf8.first == UInt8(ascii: "/") ? path : nil))
        return table.images.count - 1
    }
}
