package import BinaryPrimitives
internal import Synchronization

/// A shared cache of Apple's systems (dyld): the libraries of the system, linked together, in one file or in several that belong
/// together.
///
///     dyld_shared_cache_arm64e                    the main file: lists of images and of the other files
///     dyld_shared_cache_arm64e.01, .02.dylddata   subcaches: parts of the images
///     dyld_shared_cache_arm64e.symbols            names of local functions
///
/// All files are mapped, one after the other, as one (`MappedFile`), so that an image whose parts are in several of them is read as
/// any other. An image is listed without being touched, and opened when it is wanted.
package final class SharedCache: Sendable {
    /// One of the cache's files.
    package struct File: Sendable {
        package var path: String
        /// Bytes; `nil` for a file that is not used.
        package var size: Int?
        /// Why the file is not used; `nil` for one that is.
        package var problem: String?
    }

    /// The main file's list of images.
    package let list: SharedCacheList
    /// The main file, the subcaches in their order, and `.symbols`.
    package let files: [File]
    /// All files that are there, as one.
    private let file: MappedFile
    private let addresses: AddressMap
    private let locals: SharedCacheLocals?
    private let limits: Limits
    /// Changes with the size and the time of the last change of each file that is used: a cache may be opened while it is copied.
    private let filesVersion: UInt64
    /// Image of each UUID, after the first request, where the list has none.
    private let byID = Mutex<[ImageID: Int]?>(nil)

    /// Address of the cache's first byte.
    package let baseAddress: UInt64
    /// Bytes from there to the end of its last mapping.
    package let size: UInt64

    /// Path of the main file.
    package var path: String { list.path }
    package var header: SharedCacheHeader { list.header }
    package var images: [SharedCacheList.Image] { list.images }
    package var architecture: Architecture { header.architecture }
    package var id: ImageID? { header.id }
    /// Whether names of local functions are there, in `.symbols` or in the main file.
    package var hasLocalSymbols: Bool { locals != nil }
    package var symbolsFile: File? { header.symbolsID == nil ? nil : files.last }

    /// Whether the file at a path begins as a shared cache, or a file of one, does.
    package static func isCache(_ path: String) -> Bool { FileDescriptor.head(of: path, count: 7) == SharedCacheHeader.magic }

    /// Whether a file of that name is the main file of a shared cache, as the systems call them.
    package static func isMainFile(named name: String) -> Bool {
        guard name.hasPrefix("dyld_shared_cache_") else { return false }
        let rest = name.dropFirst("dyld_shared_cache_".utf8.count)
        return !rest.isEmpty && (!rest.contains(".") || rest.hasSuffix(".development") && rest.filter { $0 == "." }.count == 1)
    }

    /// - Parameters:
    ///   - main: the main file.
    ///   - known: its images, where they were read before.
    ///   - open: opens a file beside it; `nil` if it is not there.
    /// - Returns: `nil` if the file does not begin as a shared cache does.
    /// - Throws: `ObjectFileError` if it is damaged, or a subcache.
    package init?(
        _ main: MappedFile, list known: SharedCacheList? = nil, limits: Limits = .standard,
        beside open: (_ path: String) throws(FileError) -> MappedFile?
    ) throws(ObjectFileError) {
        let read: SharedCacheList? = if let known { known } else { try SharedCacheList(main, limits: limits) }
        guard let list = read else { return nil }
        self.list = list
        self.limits = limits
        let header = list.header
        var found = [main]
        var files = [File(path: main.path, size: main.size)]
        var mappings = try Self.mappings(header, main, at: 0, limits)
        // Every file begins at a page of the joined one.
        var position = MappedFile.pageEnd(main.size)
        for entry in try Self.subcaches(header, main, limits) {
            let (subcache, record) = Self.open(entry.paths, id: entry.id, open)
            files.append(record)
            guard let (file, own) = subcache else { continue }
            mappings += (try? Self.mappings(own, file, at: position, limits)) ?? []
            found.append(file)
            position += MappedFile.pageEnd(file.size)
        }
        var chunk: (start: Int, header: SharedCacheHeader)? = (0, header)
        if let id = header.symbolsID {
            chunk = nil
            let (symbols, record) = Self.open(Self.paths(main.path, ".symbols"), id: id, open)
            files.append(record)
            if let (file, own) = symbols {
                found.append(file)
                chunk = (position, own)
            }
        }
        self.files = files
        filesVersion = found.reduce(0xcbf2_9ce4_8422_2325) { hash, file in
            // FNV-1a over integers of 64 bits.
            [UInt64(file.size), UInt64(bitPattern: file.modified)].reduce(hash) { ($0 ^ $1) &* 0x100_0000_01b3 }
        }
        if found.count == 1 {
            file = main
        } else {
            do throws(FileError) { file = try MappedFile(joining: found, path: main.path) } catch {
                throw ObjectFileError(
                    .unreadable, path: main.path,
                    "the \(found.count) files of the shared cache cannot be mapped: \(error.problem) (\(position >> 20) MB of addresses are needed; see ulimit -v)"
                )
            }
        }
        addresses = AddressMap(mappings)
        let base = mappings.map(\.address).min() ?? 0
        baseAddress = base
        size = mappings.map { $0.address &+ $0.size &- base }.max() ?? 0
        if let chunk { locals = SharedCacheLocals(chunk.header, file, from: chunk.start, limits) } else { locals = nil }
    }

    // MARK: Images

    /// Index of the image with that UUID.
    package func image(id: ImageID) -> Int? {
        if list.hasIDs { return list.image(id: id) }
        if let known = byID.withLock({ $0 }) { return known[id] }
        var made: [ImageID: Int] = [:]
        for index in images.indices { if let own = identity(of: index), made[own] == nil { made[own] = index } }
        byID.withLock { $0 = made }
        return made[id]
    }

    /// Index of the image whose code has that address.
    package func image(containing address: UInt64) -> Int? {
        let next = images.partitionPoint { $0.address > address }
        guard next > 0 else { return nil }
        let first = images[next - 1].address
        let index = images.partitionPoint { $0.address >= first }
        guard let size = images[index].size ?? (try? open(index)).flatMap({ $0.description.segments.first { $0.name == "__TEXT" }?.size }),
            address - first < size
        else { return nil }
        return index
    }

    /// UUID of an image: of the list, or of the image's load commands.
    package func identity(of index: Int) -> ImageID? {
        if let id = images[index].id { return id }
        guard let commands = try? commands(of: index) else { return nil }
        var id: ImageID?
        try? commands.forEach { (command, body) throws(ReadError) in
            guard command == 0x1b, body.byteCount >= 16 else { return }  // LC_UUID
            id = ImageID(bytes: (0..<16).map { body.byte(at: $0) })
        }
        return id
    }

    /// Reads an image: its load commands, its function starts, and where its names are.
    package func open(_ index: Int) throws(ObjectFileError) -> ObjectFile {
        let commands = try commands(of: index)
        var image = MachOImage(commands, entry: images[index].path, addresses: addresses)
        try commands.forEach { (command, body) throws(ReadError) in try image.read(command, body) }
        var allowance = Int.max
        var (description, symbols) = image.finished(allowance: &allowance)
        if let id = images[index].id, let own = description.identity, id != own {
            throw ObjectFileError(
                .corrupt, path: commands.file.path, "the UUID of the image is \(own), in the list of the shared cache it is \(id)")
        }
        description.isInSharedCache = true
        symbols.layout = commands.header.layout
        if symbols.problem != nil, let missing = missingFile {
            symbols.problem = "its symbol table is in no file that is there: \(missing)"
        }
        let own = locals?.symbols(of: images[index].address, from: baseAddress, like: symbols)
        if let file = symbolsFile, let problem = file.problem {
            description.missingNames = "\(file.path), which has the names of local functions, \(problem)"
        }
        let memory = SharedCacheMemory(file: file, addresses: addresses, width: description.addressSize)
        var identity: String?
        if let id, let own = description.identity { identity = "\(id.hexadecimal)-\(own.hexadecimal)-\(String(filesVersion, radix: 16))" }
        let reader = SharedCacheSymbols(
            own: symbols, locals: own, methods: own == nil ? methods(in: description, memory) : nil, memory: memory, identity: identity)
        return ObjectFile(file: commands.file, slice: 0..<file.size, description: description, symbolReader: reader, limits: limits)
    }

    private func methods(in description: ObjectFile.Description, _ memory: SharedCacheMemory) -> LazyValue<ObjCMethods>? {
        guard description.sections.contains(where: { $0.name.hasPrefix("__objc_") }) else { return nil }
        return LazyValue { [self] in ObjCMethods(description, memory, limits) { self.selectorBase(memory) } }
    }

    /// From where on lists of methods count selectors: `relativeMethodSelectorBaseAddressOffset` of the main file's `objc_optimization`,
    /// counted from the cache's first byte; before iOS 16, of `objc_opt_t`, libobjc's section `__objc_opt_ro`, counted from there.
    private func selectorBase(_ memory: SharedCacheMemory) -> UInt64? {
        if header.objcOptimization > 0 {
            return memory.number(UInt64.self, at: baseAddress &+ header.objcOptimization &+ 48).map { baseAddress &+ $0 }
        }
        guard let libobjc = list.image(path: "/usr/lib/libobjc.A.dylib").flatMap({ try? open($0) }),
            let start = libobjc.section(named: "__objc_opt_ro")?.address.value, let version = memory.number(UInt32.self, at: start),
            version >= 16
        else { return nil }
        return memory.number(UInt64.self, at: start &+ 40).map { start &+ $0 }
    }

    /// The first file with parts of images that is not used, and why.
    private var missingFile: String? {
        files.first { $0.problem != nil && $0.path != symbolsFile?.path }.map { "\($0.path) \($0.problem ?? "")" }
    }

    private func commands(of index: Int) throws(ObjectFileError) -> MachOCommands {
        let image = images[index]
        let path = list.memberPath(of: index)
        guard let range = addresses.range(from: image.address) else {
            let why = missingFile ?? "no mapping of the shared cache has its address"
            throw ObjectFileError(.unreadable, path: path, "the image is at 0x\(String(image.address, radix: 16)): \(why)")
        }
        let part = MappedFile(file, 0..<file.size, path: path)
        guard let commands = try MachOCommands(part, 0..<range.upperBound, at: range.lowerBound, limits) else {
            throw ObjectFileError(.corrupt, path: path, "no Mach-O header at 0x\(String(image.address, radix: 16)), where the image begins")
        }
        guard !Fileset.isFileset(commands) else {
            throw ObjectFileError(.unsupported, path: path, "a kernel cache (MH_FILESET) in a shared cache")
        }
        return commands
    }

    // MARK: Tables

    /// - Parameter position: of the file's first byte in the joined one.
    private static func mappings(
        _ header: SharedCacheHeader, _ file: MappedFile, at position: Int, _ limits: Limits
    ) throws(ObjectFileError) -> [AddressMap.Mapping] {
        let all = try SharedCacheList.read(header.mappings, of: "mappings", 32, max: limits.sharedCacheMappings, file) {
            (entry) throws(ReadError) in
            let address = try entry.read(UInt64.self, .littleEndian)
            let size = try entry.read(UInt64.self, .littleEndian)
            return (address: address, size: size, offset: try entry.read(UInt64.self, .littleEndian))
        }
        let encodings = (try? encodings(header, file, limits)) ?? [:]
        return all.enumerated().compactMap { number, mapping in
            guard mapping.offset < UInt64(file.size), mapping.size <= UInt64.max - mapping.address else { return nil }
            let isMoved = number == 1 && header.mappingsWithSlide.count == 0 && header.slideInformation > 0
            return AddressMap.Mapping(
                address: mapping.address, size: min(mapping.size, UInt64(file.size) - mapping.offset),
                position: position + Int(mapping.offset),
                encoding: encodings[mapping.address] ?? (isMoved ? encoding(header.slideInformation, file) : .address))
        }
    }

    /// How pointers are stored in the mappings that begin at these addresses.
    private static func encodings(
        _ header: SharedCacheHeader, _ file: MappedFile, _ limits: Limits
    ) throws(ObjectFileError) -> [UInt64: PointerEncoding] {
        let all = try SharedCacheList.read(header.mappingsWithSlide, of: "mappings", 56, max: limits.sharedCacheMappings, file) {
            (entry) throws(ReadError) in
            let address = try entry.read(UInt64.self, .littleEndian)
            try entry.skip(16)
            return (address: address, slide: try entry.read(UInt64.self, .littleEndian))
        }
        return Dictionary(all.filter { $0.slide > 0 }.map { ($0.address, encoding($0.slide, file)) }) { first, _ in first }
    }

    private static func encoding(_ offset: UInt64, _ file: MappedFile) -> PointerEncoding {
        guard offset < UInt64(file.size) else { return .address }
        let bytes = file.bytes(in: Int(offset)..<min(file.size, Int(offset) + 40))
        return PointerEncoding(bytes.span.rawBytes)
    }

    private static func subcaches(
        _ header: SharedCacheHeader, _ file: MappedFile, _ limits: Limits
    ) throws(ObjectFileError) -> [(paths: [String], id: ImageID?)] {
        // `uuid`, `cacheVMOffset` and, in the second version, `fileSuffix`.
        let size = header.namesSubcaches ? 56 : 24
        let entries = try SharedCacheList.read(header.subcaches, of: "subcaches", size, max: limits.sharedCacheFiles, file) {
            (entry) throws(ReadError) in
            let id = try entry.read(bytes: 16)
            try entry.skip(8)
            let suffix = header.namesSubcaches ? try entry.readName(width: 32) : nil
            return (suffix: suffix, id: ImageID(bytes: (0..<16).map { id.byte(at: $0) }))
        }
        return try entries.enumerated().map { (index, entry) throws(ObjectFileError) in
            let suffix = entry.suffix ?? ".\(index + 1)"
            guard suffix.hasPrefix("."), !suffix.contains("/") else {
                throw SharedCacheList.corrupt(file, "subcache \(index) has the file name ending \(suffix), expected one such as .01")
            }
            return (paths(file.path, suffix), entry.id)
        }
    }

    /// Paths of the file with that ending: those of a development cache have the ending `.development` last.
    private static func paths(_ main: String, _ suffix: String) -> [String] {
        let ending = ".development"
        return [main + suffix] + (main.hasSuffix(ending) ? [String(main.dropLast(ending.utf8.count)) + suffix] : [])
    }

    /// Opens a file of the cache.
    private static func open(
        _ paths: [String], id: ImageID?, _ open: (_ path: String) throws(FileError) -> MappedFile?
    ) -> (file: (MappedFile, SharedCacheHeader)?, record: File) {
        var record = File(path: paths[0], problem: "is missing")
        for path in paths {
            let file: MappedFile
            do throws(FileError) {
                guard let found = try open(path) else { continue }
                file = found
            } catch {
                if !error.isMissing { record = File(path: path, problem: "cannot be read: \(error.problem)") }
                continue
            }
            record = File(path: path, size: file.size)
            do throws(ObjectFileError) {
                guard let header = try SharedCacheHeader(file) else {
                    record.problem = "is not a file of a shared cache"
                    continue
                }
                if header.id == id { return ((file, header), record) }
                record.problem =
                    "is of another cache: its UUID is \(header.id.map(\.description) ?? "missing"), expected \(id.map(\.description) ?? "none")"
            } catch { record.problem = "is damaged: \(error.problem)" }
        }
        if record.problem != nil { record.size = nil }
        return (nil, record)
    }
}
