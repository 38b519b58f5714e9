internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension CrashReport {
    /// Finds the addresses of images that the log lists without a base, or does not list at all,
    /// from other parts of the log: rows that print an address and its offset in its image, rows
    /// that count from a Mach header, and memory maps beside the trace. Each base that was found in
    /// this way is recorded in `notes`.
    ///
    /// A base that something else in the log contradicts is not used.
    /// - Parameter maps: the maps of the process, as far as is known; the first that fits is used.
    mutating func recoverBases(maps: [MapExcerpt] = []) {
        guard obstacle == nil else { return }
        RecoveredBases.countFromHeaders(in: &self)
        RecoveredBases.compareRows(of: &self)
        for map in maps where RecoveredBases.assignImages(to: &self, from: map) { break }
    }

    /// Whether the frame has an address whose location in an image the log has not given.
    fileprivate func isOpen(_ frame: Frame) -> Bool {
        guard let address = frame.address else { return false }
        guard let image = frame.image, images.indices.contains(image) else { return true }
        guard images[image].base == nil, images[image].textAddress == nil, !images[image].isPlaceholder else { return false }
        return frame.imageLocation == nil || frame.imageLocation == .linkAddress(LinkAddress(address.value))
    }
}

/// The ways in which a log gives a base indirectly, each with its proof.
enum RecoveredBases {
    /// Images begin at a page's boundary, and no system has smaller pages.
    private static let page: UInt64 = 4096

    // MARK: Mach headers

    /// A stripped Mach-O image has one symbol below its code, its own header, which is the image's
    /// first byte (`ld` defines it: `<mach-o/ldsyms.h>`). So a row of a symbolizer that uses the
    /// nearest symbol of any kind gives the base: in
    /// `App 0x000000010a99bb43 _mh_execute_header + 47939` it is 0x10a99bb43 − 47939 = 0x10a990000.
    static func countFromHeaders(in report: inout CrashReport) {
        var found: [String: UInt64] = [:]
        var images = report.images
        report.changeStacks { stack in
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                guard let symbol = frame.printed, let name = symbol.name, isHeader(name), let offset = symbol.offset,
                    let address = frame.address,
                    address.value >= offset, (address.value - offset) % page == 0, frame.imageLocation == nil
                else { continue }
                let base = RuntimeAddress(address.value - offset)
                if let image = frame.image {
                    guard images.indices.contains(image), images[image].base == nil else { continue }
                    images[image].base = base
                    stack.frames[index].imageLocation = .offset(ImageOffset(offset))
                    found[images[image].name] = base.value
                } else if let own = frame.imageName, own != "???", !own.isEmpty {
                    let known = images.firstIndex { $0.name == own && $0.base == base }
                    guard known != nil || images.count < Limits.standard.images else { continue }
                    if known == nil {
                        var image = BinaryImage(name: own)
                        image.base = base
                        images.append(image)
                    }
                    stack.frames[index].image = known ?? images.count - 1
                    stack.frames[index].imageLocation = .offset(ImageOffset(offset))
                    found[own] = base.value
                }
            }
        }
        report.images = images
        for (name, base) in found.sorted(by: { $0.key < $1.key }) {
            report.notes.append("\(name) was loaded at \(RuntimeAddress(base)): the log counts from its Mach header.")
        }
    }

    /// `_mh_execute_header`, as the compiler spells it and as the symbol table does, bare and in
    /// angle brackets.
    private static func isHeader(_ name: String) -> Bool {
        var name = name[...]
        if name.hasPrefix("<"), name.hasSuffix(">") { name = name.dropFirst().dropLast() }
        while name.hasPrefix("_") { name = name.dropFirst() }
        return ["mh_execute_header", "mh_dylib_header", "mh_bundle_header"].contains { $0 == name }
    }

    // MARK: Rows that give both

    /// Evidence of rows about one image that has no base.
    private struct Evidence {
        /// Address less offset into the image.
        var bases: Set<UInt64> = []
        /// Address less address as linked: the load bias, which is the base in every file that is
        /// linked at 0.
        var biases: Set<UInt64> = []
        var rows = 0
    }

    /// A row that prints an address and an offset into its image gives the image's base for the
    /// rows that do not: `libc.so.6(+0x29d90)[0x7f9a41c29d90]` shows that libc.so.6 is at
    /// 0x7f9a41c29d90 − 0x29d90 = 0x7f9a41c00000. Rows that contradict each other (several
    /// processes wrote them) give no base.
    static func compareRows(of report: inout CrashReport) {
        let evidence = gather(report)
        var wanted: Set<Int> = []
        let images = report.images
        report.changeStacks { stack in
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                guard let address = frame.address, frame.imageLocation == nil else { continue }
                guard let image = frame.image else {
                    stack.frames[index].image = frame.imageName.flatMap { image(named: $0, holding: address, in: images) }
                    continue
                }
                guard let own = evidence[image], images.indices.contains(image), images[image].base == nil else { continue }
                if own.bases.isEmpty, own.biases.count == 1, let bias = own.biases.first, bias <= address.value {
                    stack.frames[index].imageLocation = .linkAddress(LinkAddress(address.value - bias))
                }
                wanted.insert(image)
            }
        }
        var reported: [String] = []
        for (image, own) in evidence.sorted(by: { $0.key < $1.key }) {
            let values = own.bases.union(own.biases)
            let name = report.images[image].name
            guard values.count == 1, let base = values.first else {
                // A base that no row needs is not missed.
                guard wanted.contains(image) else { continue }
                let list = values.sorted().prefix(4).map { RuntimeAddress($0).description }.joined(separator: ", ")
                report.notes.append("The rows of \(name) contradict each other about where it was loaded: \(list).")
                continue
            }
            // A program that was loaded at its link address has a bias of 0, and a base that its
            // rows do not give. Nor is a bias the base of a Mach-O program, which is linked at 4
            // GiB; sanitizers, which print such rows, name the architecture on Apple's systems and
            // nowhere else.
            guard base > 0, base % page == 0, own.biases.isEmpty || report.images[image].architecture == nil else { continue }
            report.images[image].base = RuntimeAddress(base)
            reported.append("\(name) at \(RuntimeAddress(base))")
        }
        guard !reported.isEmpty else { return }
        let more = reported.count > 8 ? " and \(reported.count - 8) more" : ""
        report.notes.append(
            "Load addresses were calculated from rows with an address and an offset: \(reported.prefix(8).joined(separator: ", "))\(more).")
    }

    private static func gather(_ report: CrashReport) -> [Int: Evidence] {
        var evidence: [Int: Evidence] = [:]
        for frame in report.stacks.lazy.flatMap(\.frames) {
            guard let address = frame.address, let image = frame.image, report.images.indices.contains(image),
                report.images[image].base == nil, !report.images[image].isPlaceholder
            else { continue }
            switch frame.imageLocation {
            case .offset(let offset)? where offset.value <= address.value:
                evidence[image, default: Evidence()].bases.insert(address.value - offset.value)
            // A format writes the address itself if its row has no offset.
            case .linkAddress(let link)? where link.value < address.value:
                evidence[image, default: Evidence()].biases.insert(bias(frame, address, link))
            default: continue
            }
            evidence[image]?.rows += 1
        }
        return evidence
    }

    /// Chromium prints the address as it is. After the file's name it prints the location of the
    /// byte before, since it calls `google::Symbolize` for that byte. There the difference is one
    /// more than a page's boundary.
    private static func bias(_ frame: Frame, _ address: RuntimeAddress, _ link: LinkAddress) -> UInt64 {
        let difference = address.value - link.value
        return frame.kind == .exact && difference % page == 1 ? difference - 1 : difference
    }

    /// The image that a row names without an offset: the only one of that name, if nothing else is
    /// between its base and the address.
    private static func image(named name: String, holding address: RuntimeAddress, in images: [BinaryImage]) -> Int? {
        let named = images.indices.filter { images[$0].name == name && images[$0].base != nil && !images[$0].isPlaceholder }
        guard named.count == 1, let base = images[named[0]].base, let distance = address.distance(from: base) else { return nil }
        // The log lists its size, and the address is past that.
        guard images[named[0]].size.map({ distance < $0 }) ?? (distance < 1 << 31) else { return nil }
        let isNearest = images.allSatisfy { other in other.base.map { $0 <= base || $0 > address } ?? true }
        return isNearest ? named[0] : nil
    }

    // MARK: Memory maps

    /// Assigns the images of a memory map to the open frames.
    /// - Returns: whether the map holds any of them and contradicts none; otherwise it belongs to
    ///   another process.
    static func assignImages(to report: inout CrashReport, from map: MapExcerpt) -> Bool {
        let known = map.images.all
        let bases = Dictionary(known.compactMap { image in image.path.map { ($0, image) } }) { first, _ in first }
        var changed = report
        var images = report.images
        var indices: [String: Int] = [:]
        var contradiction: String?
        var count = 0
        changed.changeStacks { stack in
            for index in stack.frames.indices where contradiction == nil {
                let frame = stack.frames[index]
                guard let address = frame.address, let row = map.row(containing: lookup(frame, address)) else { continue }
                // An address that is executed, or returned to, is in code, unless the program
                // jumped to an invalid address.
                if frame.kind == .returnAddress, row.permissions.count == 4, !row.permissions.contains("x") {
                    contradiction = "\(address) is not in code there"
                    continue
                }
                guard row.path.hasPrefix("/") || row.path == "[vdso]" else { continue }
                let base = bases[row.path]?.base
                if let base, let own = ownBase(frame, address), own != base.value {
                    contradiction = "by its rows \(Path.foreignName(of: row.path)) has another address"
                    continue
                }
                guard report.isOpen(frame), let image = imageIndex(of: row.path, frame, bases[row.path], &images, &indices) else {
                    continue
                }
                count += 1
                stack.frames[index].image = image
                if case .symbol? = frame.imageLocation { continue }
                stack.frames[index].imageLocation =
                    base == nil ? .fileOffset(address.value - row.start.value &+ row.fileOffset) : nil
            }
        }
        if let contradiction {
            report.notes.append("A memory map in the log is not used, because it is another process's: \(contradiction).")
            return false
        }
        guard count > 0 else { return false }
        report = changed
        report.images = images
        let names = indices.values.sorted().prefix(8).map { index in
            report.images[index].name + (report.images[index].base.map { " at \($0)" } ?? "")
        }
        report.notes.append("Load addresses are from the memory map in the log: \(names.joined(separator: ", ")).")
        return true
    }

    /// The base, or the load bias, that a row itself gives.
    private static func ownBase(_ frame: Frame, _ address: RuntimeAddress) -> UInt64? {
        switch frame.imageLocation {
        case .linkAddress(let link)? where link.value < address.value: bias(frame, address, link)
        case .offset(let offset)? where offset.value <= address.value: address.value - offset.value
        default: nil
        }
    }

    /// A return address may be one past the mapping's last byte.
    private static func lookup(_ frame: Frame, _ address: RuntimeAddress) -> RuntimeAddress { frame.addressInCode ?? address }

    /// The report's image of a mapped file: the one that the frame has already, else the map's own.
    private static func imageIndex(
        of path: String, _ frame: Frame, _ mapped: BinaryImage?, _ images: inout [BinaryImage], _ indices: inout [String: Int]
    ) -> Int? {
        if let known = indices[path] { return known }
        let name = Path.foreignName(of: path)
        let existing = images.firstIndex { ($0.path == path || ($0.path == nil && $0.name == name)) && $0.base == nil }
        guard existing != nil || images.count < Limits.standard.images else { return nil }
        var image = existing.map { images[$0] } ?? BinaryImage(name: name, path: path)
        image.path = path
        image.base = mapped?.base
        image.size = mapped?.size
        if let existing { images[existing] = image } else { images.append(image) }
        indices[path] = existing ?? images.count - 1
        return indices[path]
    }
}
