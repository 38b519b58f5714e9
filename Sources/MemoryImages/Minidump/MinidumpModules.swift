internal import BinaryPrimitives
internal import Unwinding

/// Reads the images: the program and its libraries, and those that were unloaded.
extension MinidumpParser {
    private static let moduleSize = 108

    mutating func readModules(_ bytes: RawSpan) -> [MappedImage] {
        var images: [MappedImage] = []
        forEachEntry(.modules, size: Self.moduleSize, maxCount: limits.images, bytes, "modules") { parser, entry in
            let path = parser.string(bytes, at: parser.word(entry, 20)) ?? ""
            parser.moduleNames.append(path)
            guard let range = parser.range(entry) else { return }
            var module = MappedImage.Module(range)
            module.version = parser.version(entry)
            if parser.system.kind == .windows { module.codeIdentifier = parser.codeIdentifier(entry, timestamp: 16, size: 8) }
            parser.readCodeView(bytes.clamped(to: parser.range(parser.location(entry, at: 76))), &module)
            var image = MappedImage(path: path, parts: [.init(range, fileOffset: 0, isExecutable: false)])
            image.module = module
            images.append(image)
        }
        guard !images.isEmpty else { return mappedFiles }
        // The first is the program (Breakpad, `minidump_file_writer`; Windows' loader).
        programBase = images.first?.base
        images.sort { $0.base < $1.base }
        if system.kind == .linux, system.processorCount == nil { extend(&images) }
        addParts(&images)
        return images
    }

    /// LLDB writes the size of an image's first segment only. Its dumps are the only ones without a number of
    /// processors. The memory up to the next image may be this one's code.
    private func extend(_ images: inout [MappedImage]) {
        for index in images.indices {
            guard var module = images[index].module else { continue }
            let end = index + 1 < images.count ? images[index + 1].base : .max
            let room = end - min(end, module.range.lowerBound)
            module.range = module.range.lowerBound..<module.range.lowerBound + max(UInt64(module.range.count), min(room, Self.maxCodeSize))
            images[index].module = module
            images[index].parts = [.init(module.range, fileOffset: 0, isExecutable: false)]
        }
    }

    private static let maxCodeSize: UInt64 = 256 << 20

    /// Files that Linux had mapped, used if there is no list of modules.
    private var mappedFiles: [MappedImage] {
        let files = (regions ?? []).compactMap { region in
            region.path.flatMap { $0.hasPrefix("/") ? (region.range, region.fileOffset, $0) : nil }
        }
        let images = CoreFiles.images(files, executable: (regions ?? []).filter(\.isExecutable).map(\.range))
        return Array(images.filter(\.isCodeKnown).prefix(limits.images))
    }

    mutating func readUnloaded(_ bytes: RawSpan) -> [UnloadedImage] {
        guard let found = stream(.unloadedModules, "unloaded modules"), case let list = bytes.clamped(to: found) else { return [] }
        let (header, size) = (Int(word(list, 0)), Int(word(list, 4)))
        guard header >= 12, size >= 24 else { return [] }
        var images: [UnloadedImage] = []
        forEachEntry(
            of: list.clamped(to: header..<max(header, list.byteCount)), count: UInt64(word(list, 8)), size: size, maxCount: limits.images,
            "unloaded modules"
        ) { parser, entry in
            guard let range = parser.range(entry) else { return }
            images.append(
                UnloadedImage(
                    path: parser.string(bytes, at: parser.word(entry, 20)) ?? "", range: range,
                    codeIdentifier: parser.codeIdentifier(entry, timestamp: 16, size: 8)))
        }
        return images
    }

    /// Both kinds of entries begin with the first address and the size.
    private func range(_ entry: RawSpan) -> Range<UInt64>? {
        let start = address(entry, 0)
        let (end, overflow) = start.addingReportingOverflow(UInt64(word(entry, 8)))
        return overflow ? nil : start..<end
    }

    /// `4BA9B29C180000`: eight digits of the timestamp, then the size (Microsoft, "SymSrv").
    private func codeIdentifier(_ entry: RawSpan, timestamp: Int, size: Int) -> String? {
        let (time, bytes) = (word(entry, timestamp), word(entry, size))
        guard time != 0 || bytes != 0 else { return nil }
        let digits = String(time, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits + String(bytes, radix: 16)
    }

    /// Returns the version in `VS_FIXEDFILEINFO`: four numbers.
    private func version(_ entry: RawSpan) -> String? {
        guard word(entry, 24) == 0xfeef_04bd else { return nil }
        let (high, low) = (word(entry, 32), word(entry, 36))
        return high == 0 && low == 0 ? nil : "\(high >> 16).\(high & 0xffff).\(low >> 16).\(low & 0xffff)"
    }

    // MARK: CodeView

    private mutating func readCodeView(_ record: RawSpan, _ module: inout MappedImage.Module) {
        switch word(record, 0) {
        case 0x5344_5352:
            // `RSDS`: GUID, age, path of the PDB file.
            guard let guid = try? record.slice(at: 4, count: 16).text.copied(), record.byteCount >= 24 else { return }
            module.debugFile = utf8(record.clamped(to: 24..<record.byteCount))
            identify(&module, guid, age: word(record, 20))
        case 0x3031_424e:
            // `NB10`, of Visual C++ 6: offset, timestamp, age, path.
            guard record.byteCount >= 16 else { return }
            module.debugFile = utf8(record.clamped(to: 16..<record.byteCount))
            let digits = String(word(record, 8), radix: 16, uppercase: true)
            let time = String(repeating: "0", count: 8 - digits.count) + digits
            module.debugIdentifier = time + String(word(record, 12), radix: 16)
        case 0x4270_454c:
            // `BpEL`, Breakpad's own: the build ID of an ELF file.
            guard record.byteCount > 4 else { return }
            module.identity = ImageID(buildID: record.clamped(to: 4..<min(record.byteCount, 68)).text.copied())
            module.debugIdentifier = module.identity.map(BreakpadID.elf)
        default: break
        }
    }

    /// Sets the identity. A GUID's first three parts are numbers in the order of the dump. Breakpad copies a
    /// build ID or a UUID into it, on Apple's systems so that the printed numbers are the UUID.
    private func identify(_ module: inout MappedImage.Module, _ guid: [UInt8], age: UInt32) {
        let printed = order == .littleEndian ? BreakpadID.printed(guid) : guid
        guard let id = ImageID(bytes: printed) else { return }
        switch system.kind {
        case .linux, .android, .solaris: module.identity = ImageID(buildID: guid)
        default: module.identity = id
        }
        module.debugIdentifier = id.hexadecimal.uppercased() + String(age, radix: 16)
    }

    // MARK: Parts

    /// Sets which parts of each image may be executed, if the dump has the permissions of memory.
    ///
    /// - Parameter images: ascending; if two overlap, the first has parts until the second begins.
    private func addParts(_ images: inout [MappedImage]) {
        guard let regions else { return }
        var next = 0
        for index in images.indices {
            guard var module = images[index].module else { continue }
            let end = index + 1 < images.count ? min(module.range.upperBound, images[index + 1].base) : module.range.upperBound
            while next < regions.count, regions[next].range.upperBound <= module.range.lowerBound { next += 1 }
            var parts: [MappedImage.Part] = []
            var hasOffsets = true
            while next < regions.count, regions[next].range.lowerBound < end {
                let region = regions[next]
                hasOffsets = hasOffsets && (region.path != nil || !region.isExecutable)
                let range = region.range.clamped(to: module.range.lowerBound..<max(module.range.lowerBound, end))
                let skipped = range.lowerBound &- region.range.lowerBound
                parts.append(.init(range, fileOffset: region.fileOffset &+ skipped, isExecutable: region.isExecutable))
                // A region that continues after this image may belong to the next one too.
                guard region.range.upperBound <= end else { break }
                next += 1
            }
            guard !parts.isEmpty else { continue }
            module.isCodeKnown = true
            module.hasFileOffsets = hasOffsets
            images[index].module = module
            images[index].parts = parts
        }
    }
}
