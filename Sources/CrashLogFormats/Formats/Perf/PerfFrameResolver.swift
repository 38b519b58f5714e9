internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the images and addresses of the frames of one process's samples, sample by sample.
struct PerfFrameResolver {
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

    /// Sets the images and locations of the frames of one stack.
    /// - Parameter rows: one for each frame.
    mutating func assign(_ frames: inout [Frame], _ rows: [PerfRow]) {
        // From the outermost inwards: an inlined call's row does not name a file, and is in the
        // file of the frame that contains it.
        for index in frames.indices.reversed() {
            if frames[index].isInlined, index + 1 < frames.count {
                frames[index].address = frames[index + 1].address
                frames[index].image = frames[index + 1].image
                frames[index].imageLocation = frames[index + 1].imageLocation
            } else {
                locate(&frames[index], rows[index])
            }
        }
    }

    private mutating func locate(_ frame: inout Frame, _ row: PerfRow) {
        if row.isKernel { return locateInKernel(&frame, row) }
        guard row.isOfFile, let path = row.object else { return }
        frame.image = image(path)
        switch meaning {
        case .runtimeAddress:
            guard !maps.hasWhole(path) else { return }
            if let offset = row.fileOffset {
                frame.imageLocation = .fileOffset(offset)
            } else if let mapping = maps.mapping(of: path, at: row.address) {
                frame.imageLocation = .fileOffset(row.address - mapping.start.value &+ mapping.fileOffset)
            } else {
                frame.imageLocation = PerfFrameResolver.symbol(row)
            }
        case .fileOffset:
            // The printed number is not an address in memory; the mapping gives that back.
            frame.address = maps.mapping(of: path, atFileOffset: row.address).flatMap { $0.start.advanced(by: row.address - $0.fileOffset) }
            if frame.address == nil || !maps.hasWhole(path) { frame.imageLocation = .fileOffset(row.address) }
        case .unknown:
            frame.imageLocation = PerfFrameResolver.symbol(row)
        }
    }

    /// `[kernel.kallsyms]` is the kernel, and any other name in brackets one of its modules.
    private mutating func locateInKernel(_ frame: inout Frame, _ row: PerfRow) {
        guard let object = row.object, object.hasPrefix("["), object.hasSuffix("]"), let location = PerfFrameResolver.symbol(row) else {
            return
        }
        let name = object.dropFirst().dropLast()
        frame.image = image(name.hasPrefix("kernel.") || name.hasPrefix("guest.kernel.") ? "vmlinux" : name + ".ko")
        frame.imageLocation = location
    }

    private static func symbol(_ row: PerfRow) -> ImageLocation? {
        guard let name = row.name, let offset = row.offset else { return nil }
        return .symbol(SymbolLocation(name: name, offset: offset))
    }

    private mutating func image(_ path: String) -> Int? {
        if let index = byPath[path] { return index }
        guard !table.isFull else { return nil }
        byPath[path] = table.images.count
        table.add(BinaryImage(name: Path.foreignName(of: path), path: path.utf8.first == UInt8(ascii: "/") ? path : nil))
        return table.images.count - 1
    }
}

/// The mappings of one process, and what the addresses in its stacks mean.
///
/// perf has printed two things in the address column of a stack: up to Linux 6.3 where the
/// instruction is in its file (`map__map_ip`: the address less the mapping's start, and the
/// mapping's file offset), since 6.4 the address itself ("perf script: Add new output field
/// 'dsoff'", 2023). The output does not say which. One run prints one kind, so any row of it can
/// show it.
struct PerfMaps {
    enum AddressKind {
        case runtimeAddress
        case fileOffset
        /// It follows neither from the mappings nor from the addresses themselves.
        case unknown
    }

    private var mappings: [MemoryMapRow] = []
    private var map = MemoryMap()
    private var ids: [String: ImageID] = [:]
    /// The files whose first mapping is known: perf records those of code alone unless an option
    /// says otherwise (`--data`, or stacks by DWARF).
    private var whole: Set<String> = []

    mutating func add(_ mapping: PerfMapping) {
        guard mappings.count < Limits.standard.images, mapping.row.path.hasPrefix("/"), !mapping.row.path.hasPrefix("//") else { return }
        mappings.append(mapping.row)
        if mapping.row.fileOffset == 0, !mapping.row.permissions.contains("x") { whole.insert(mapping.row.path) }
        if let id = mapping.id { ids[mapping.row.path] = id }
    }

    /// The images in the order of their first mappings. One whose first mapping is not among them
    /// has no base: code need not lie in memory as it is in the file (LLVM's linker puts a page
    /// between its segments), so its base does not follow from a mapping of code.
    func images() -> [BinaryImage] {
        var map = MemoryMap()
        for mapping in mappings where whole.contains(mapping.path) { map.add(mapping) }
        var images = map.all
        var known = whole
        for mapping in mappings where known.insert(mapping.path).inserted {
            images.append(BinaryImage(name: Path.foreignName(of: mapping.path), path: mapping.path))
        }
        for index in images.indices { images[index].id = images[index].path.flatMap { ids[$0] } }
        return images
    }

    func hasWhole(_ path: String) -> Bool { whole.contains(path) }

    /// The mapping of a file that an address is in.
    func mapping(of path: String, at address: UInt64) -> MemoryMapRow? {
        mappings.last { $0.path == path && $0.start.value <= address && address < $0.end.value }
    }

    /// The mapping of code that a position in a file is in.
    func mapping(of path: String, atFileOffset offset: UInt64) -> MemoryMapRow? {
        mappings.last { row in
            row.path == path && row.permissions.contains("x") && row.fileOffset <= offset
                && offset - row.fileOffset < row.end.value - row.start.value
        }
    }

    /// Kind of the addresses in these rows.
    func meaning(of rows: some Sequence<PerfRow>) -> AddressKind {
        var isOffset = false
        for row in rows where row.isOfFile && !row.isKernel {
            guard let path = row.object else { continue }
            // `+dsoff` came with the change. No file's code is a gigabyte after its beginning;
            // programs and libraries in memory are, but for those that are not
            // position-independent.
            if row.fileOffset != nil || row.address >= 1 << 30 || mapping(of: path, at: row.address) != nil { return .runtimeAddress }
            // A library is never loaded so low.
            if mapping(of: path, atFileOffset: row.address) != nil || path.hasSuffix(".so") || path.contains(".so.") { isOffset = true }
        }
        return isOffset ? .fileOffset : .unknown
    }
}
