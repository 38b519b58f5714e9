package import BinaryPrimitives
internal import Unwinding

/// Reads minidumps of Windows, Linux, Android, macOS and iOS, in either byte order.
package enum MinidumpReader {
    /// - Throws: `MinidumpError` if the file is not a minidump, or its processor is not known. Damaged parts
    ///   are left out, with a note.
    package static func read(_ file: MappedFile, limits: Limits = .standard) throws(MinidumpError) -> MemoryImage {
        try file.withBytes { (bytes: RawSpan) throws(MinidumpError) -> MemoryImage in
            var parser = MinidumpParser(try MinidumpDirectory(bytes), file, limits)
            return try parser.read(bytes)
        }
    }
}

/// Reads a minidump, and holds the parts that were read.
private struct MinidumpParser {
    typealias Location = MinidumpDirectory.Location

    let directory: MinidumpDirectory
    let file: MappedFile
    let limits: Limits
    var processor = Processor.x86_64
    var system = MemoryImage.OperatingSystem()
    var process = MemoryImage.Process()
    var threads: [MemoryImage.Thread] = []
    var segments: [Memory.Segment] = []
    /// Regions with their permissions, of images or not; `nil` if the dump does not have them.
    var regions: [MinidumpRegion]?
    /// In the order of the dump.
    var moduleNames: [String] = []
    var programBase: UInt64?
    var notes: [String] = []
    /// Number of entries that are declared but missing, or beyond a limit, by their kind.
    private var unread: [String: UInt64] = [:]
    /// Number of annotations that may still be read: many images may share a list.
    var annotationsLeft = 16_384
    /// Number of bytes of strings that may still be read: many entries may share a long one.
    private var stringBytes: Int

    var order: ByteOrder { directory.order }

    init(_ directory: MinidumpDirectory, _ file: MappedFile, _ limits: Limits) {
        self.directory = directory
        self.file = file
        self.limits = limits
        stringBytes = file.size + 1 << 16
    }

    mutating func read(_ bytes: RawSpan) throws(MinidumpError) -> MemoryImage {
        processor = try readSystem(bytes)
        readProcess(bytes)
        readThreads(bytes)
        let exceptions = readExceptions(bytes)
        let crashed = crashedThread(bytes, exceptions)
        readMemory(bytes)
        regions = readRegions(bytes)
        let executable = executableSegments()
        var image = MemoryImage(processor, Memory(segments + executable, order))
        image.threads = threads
        image.crashedThread = crashed
        image.exceptions = exceptions
        image.assertion = readAssertion(bytes)
        image.files = readModules(bytes)
        image.programBase = programBase
        image.unloaded = readUnloaded(bytes)
        image.process = process
        image.operatingSystem = system
        image.time = directory.time == 0 ? nil : UInt64(directory.time)
        readAnnotations(bytes, &image)
        image.guards = (regions ?? []).filter(\.isGuard).map(\.range)
        if directory.missing > 0 { notes.append("streams of the minidump that are not read: \(directory.missing)") }
        if threads.isEmpty { notes.append("the minidump has no thread's registers") }
        image.notes = notes + unread.sorted { $0.key < $1.key }.map { "\($0.key) of the minidump that are not read: \($0.value)" }
        return image
    }

    // MARK: The machine, its system and the process

    /// - Returns: the processor.
    mutating func readSystem(_ bytes: RawSpan) throws(MinidumpError) -> Processor {
        guard let found = stream(.system, "facts about the system"), case let stream = bytes.clamped(to: found),
            let number = try? stream.value(UInt16.self, at: 0, order)
        else { throw .processor(nil) }
        guard let processor = Self.processors[number] else { throw .processor(number) }
        let count = (try? stream.value(UInt8.self, at: 6, order)).map { Int($0) }
        system.processorCount = count == 0 ? nil : count
        let (major, minor, build) = (word(stream, 8), word(stream, 12), word(stream, 16))
        // LLDB's writer leaves these fields uninitialized.
        if major > 0 || minor > 0 || build > 0, major < 1000, minor < 1000 { system.version = "\(major).\(minor).\(build)" }
        let platform = word(stream, 20)
        (system.kind, system.name) = Self.platforms[platform] ?? (.other, nil)
        system.build = string(bytes, at: word(stream, 24))
        // `Linux 4.4.0-38-generic #57-Ubuntu SMP … x86_64`
        if system.version == nil, system.kind == .linux || system.kind == .android, let tokens = system.build?.split(separator: " "),
            tokens.count > 1
        {
            system.version = String(tokens[1])
        }
        return processor
    }

    private static let processors: [UInt16: Processor] = [
        0: .i386, 1: .mips, 3: .powerPC, 5: .arm, 9: .x86_64, 10: .i386, 12: .arm64, 0x8002: .powerPC64, 0x8003: .arm64, 0x8004: .mips64,
        0x8005: .riscv32, 0x8006: .riscv64, 0x8007: .loongArch64,
    ]

    private static let platforms: [UInt32: (MemoryImage.OperatingSystem.Kind, String)] = [
        0: (.windows, "Windows 3.1"), 1: (.windows, "Windows 95/98/Me"), 2: (.windows, "Windows NT"), 3: (.windows, "Windows CE"),
        0x8000: (.other, "Unix"), 0x8101: (.macOS, "macOS"), 0x8102: (.iOS, "iOS"), 0x8201: (.linux, "Linux"),
        0x8202: (.solaris, "Solaris"), 0x8203: (.android, "Android"), 0x8204: (.other, "PlayStation 3"),
        0x8205: (.other, "Native Client"), 0x8206: (.fuchsia, "Fuchsia"),
    ]

    mutating func readProcess(_ bytes: RawSpan) {
        if let found = stream(.process, "facts about the process"), case let stream = bytes.clamped(to: found) {
            let flags = word(stream, 4)
            if flags & 1 != 0, stream.byteCount >= 12 { process.id = UInt64(word(stream, 8)) }
            if flags & 2 != 0, stream.byteCount >= 16 { process.started = UInt64(word(stream, 12)) }
        }
        readLinux(bytes)
    }

    /// Reads files of `/proc` and `/etc` that dumps of Linux contain unchanged.
    private mutating func readLinux(_ bytes: RawSpan) {
        if let found = stream(.linuxStatus, "lines of /proc/self/status"), case let status = bytes.clamped(to: found) {
            var rest = status.prefix(1 << 16).text
            while let line = rest.readLine() {
                var value = line
                if value.consume("Name:") { process.name = value.trimmed().text }
                if value.consume("Tgid:"), process.id == nil {
                    value = value.trimmed()
                    process.id = value.readDecimal()
                }
            }
        }
        if let found = stream(.linuxCommandLine, "bytes of /proc/self/cmdline"), case let line = bytes.clamped(to: found) {
            let arguments = line.prefix(limits.nameLength).string().split(separator: "\0")
            if !arguments.isEmpty { process.arguments = arguments.joined(separator: " ") }
        }
        if let found = stream(.linuxRelease, "lines of the distribution"), case let release = bytes.clamped(to: found) {
            var rest = release.prefix(1 << 16).text
            while let line = rest.readLine() {
                var value = line
                guard value.consume("DISTRIB_DESCRIPTION=") || value.consume("PRETTY_NAME=") else { continue }
                system.distribution = system.distribution ?? value.trimmed().text.filter { $0 != "\"" }
            }
        }
        if let found = stream(.linuxAuxiliaryVector, "bytes of the auxiliary vector"), case var vector = bytes.clamped(to: found) {
            let size = processor.registerSize
            while let type = try? vector.readUnsigned(size: size, order), let value = try? vector.readUnsigned(size: size, order),
                type != 0,
                process.auxiliaryVector.count < 256
            {
                process.auxiliaryVector[type] = value
            }
        }
    }

    // MARK: The threads, and why they were stopped

    private var context: MinidumpContext { MinidumpContext(processor: processor, order: order) }

    /// The thread that wrote the dump, and the one that requested it (Breakpad).
    private func breakpad(_ bytes: RawSpan) -> (writer: UInt64?, requester: UInt64?) {
        guard let location = location(.breakpad), let stream = try? bytes.slice(at: location.offset, count: 12) else { return (nil, nil) }
        let valid = word(stream, 0)
        return (valid & 1 != 0 ? UInt64(word(stream, 4)) : nil, valid & 2 != 0 ? UInt64(word(stream, 8)) : nil)
    }

    mutating func readThreads(_ bytes: RawSpan) {
        let (writer, requester) = breakpad(bytes)
        let stopped = Set(exceptionLocations.map { UInt64(word(bytes.clamped(to: range($0)), 0)) })
        var names: [UInt64: String] = [:]
        forEachEntry(.threadNames, size: 12, maxCount: limits.threads, bytes, "threads' names") { parser, entry in
            let offset = parser.wide(entry, 4)
            names[UInt64(parser.word(entry, 0))] = UInt32(exactly: offset).flatMap { parser.string(bytes, at: $0) }
        }
        var withoutRegisters = 0
        forEachEntry(.threads, size: 48, maxCount: limits.threads, bytes, "threads") { parser, entry in
            let id = UInt64(parser.word(entry, 0))
            // The writer's stack belongs to the function that writes the dump.
            guard id != writer || id == requester || stopped.contains(id) else { return }
            // Some writers store the stack nowhere else.
            parser.addMemory(parser.address(entry, 24), parser.location(entry, at: 32))
            let context = bytes.clamped(to: parser.range(parser.location(entry, at: 40)))
            let registers = parser.context.registers(context)
            if registers == nil, !stopped.contains(id) { withoutRegisters += 1 }
            // The exception may have the registers.
            guard registers != nil || stopped.contains(id) else { return }
            var thread = MemoryImage.Thread(id: id, registers: registers ?? Registers(parser.processor, programCounter: 0, stackPointer: 0))
            thread.name = names[id]
            parser.threads.append(thread)
        }
        if withoutRegisters > 0 { notes.append("threads of the minidump without registers: \(withoutRegisters)") }
    }

    private var exceptionLocations: [Location] {
        directory.all(.exception).prefix(limits.threads).filter { range($0).count >= 40 }
    }

    /// Reads the exceptions. A thread with an exception gets the registers of its context, which are those at
    /// the crash: the thread's own are those at the time of the dump.
    mutating func readExceptions(_ bytes: RawSpan) -> [MemoryImage.Exception] {
        var exceptions: [MemoryImage.Exception] = []
        var indices: [UInt64: Int] = [:]
        for (index, thread) in threads.enumerated() { indices[thread.id] = indices[thread.id] ?? index }
        for location in exceptionLocations {
            let stream = bytes.clamped(to: range(location))
            let id = UInt64(word(stream, 0))
            let count = min(Int(word(stream, 32)), 15)
            let exception = MemoryImage.Exception(
                thread: id, code: word(stream, 8), flags: word(stream, 12), address: address(stream, 24),
                parameters: (0..<count).map { wide(stream, 40 + 8 * $0) },
                hasSignalCode: !directory.all(.crashpad).isEmpty)
            exceptions.append(exception)
            guard let index = indices[id] else { continue }
            if let registers = context.registers(bytes.clamped(to: range(self.location(stream, at: 160)))) {
                threads[index].registers = registers
            } else if threads[index].registers.programCounter == 0, threads[index].registers.stackPointer == 0 {
                notes.append("the registers of the thread that crashed are not in the minidump")
            }
            threads[index].signal = signal(exception)
        }
        let missing = directory.all(.exception).filter { $0.size > 0 }.count - exceptions.count
        if missing > 0 { notes.append("the minidump's exception is cut short") }
        return exceptions
    }

    /// On Linux an exception is a signal; Breakpad's own, for a dump on request, is no signal.
    private func signal(_ exception: MemoryImage.Exception) -> MemoryImage.Signal? {
        guard system.kind == .linux || system.kind == .android, (1...64).contains(exception.code) else { return nil }
        var signal = MemoryImage.Signal(number: Int(exception.code))
        signal.code = exception.signalCode
        // SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV have one, unless a process sent them.
        if [4, 5, 7, 8, 11].contains(exception.code), !signal.isSent { signal.address = exception.address }
        return signal
    }

    /// The thread that crashed, else the one that a dump was requested for.
    mutating func crashedThread(_ bytes: RawSpan, _ exceptions: [MemoryImage.Exception]) -> Int? {
        let id = exceptions.first?.thread ?? breakpad(bytes).requester
        guard let id else { return nil }
        if let index = threads.firstIndex(where: { $0.id == id }) { return index }
        if exceptions.first != nil { notes.append("the thread that crashed, \(id), is not in the minidump") }
        return nil
    }

    // MARK: The saved memory, and the permissions of memory that was not saved

    mutating func readMemory(_ bytes: RawSpan) {
        let maxCount = limits.sections
        forEachEntry(.memory, size: 16, maxCount: maxCount, bytes, "ranges of memory") { parser, entry in
            parser.addMemory(parser.address(entry, 0), parser.location(entry, at: 8))
        }
        guard let found = stream(.memory64, "ranges of memory"), case let list = bytes.clamped(to: found) else { return }
        // All bytes follow each other in the file.
        var offset = wide(list, 8)
        var cut = false
        forEachEntry(
            of: list.clamped(to: 16..<max(16, list.byteCount)), count: wide(list, 0), size: 16, maxCount: maxCount, "ranges of memory"
        ) {
            parser, entry in
            let size = parser.wide(entry, 8)
            cut = !parser.addMemory(parser.address(entry, 0), Location(offset: offset, size: size)) || cut
            offset = offset.addingReportingOverflow(size).overflow ? .max : offset &+ size
        }
        if cut { notes.append("the minidump's memory is cut short") }
    }

    /// - Returns: whether the file has all of it.
    @discardableResult
    mutating func addMemory(_ address: UInt64, _ location: Location) -> Bool {
        let size = UInt64(file.size)
        guard location.size > 0, location.offset < size else { return location.size == 0 }
        let count = min(location.size, size - location.offset)
        let start = Int(location.offset)
        segments.append(Memory.Segment(address: address, .file(file, start..<start + Int(count))))
        return count == location.size
    }

    /// - Returns: `nil` if the dump does not have them.
    mutating func readRegions(_ bytes: RawSpan) -> [MinidumpRegion]? {
        var regions: [MinidumpRegion] = []
        if let found = stream(.memoryInformation, "facts about memory"), case let list = bytes.clamped(to: found) {
            // The header has its own size, and the size of an entry.
            let (header, size) = (Int(word(list, 0)), Int(word(list, 4)))
            guard header >= 16, size >= 48 else { return nil }
            forEachEntry(
                of: list.clamped(to: header..<max(header, list.byteCount)), count: wide(list, 8), size: size, maxCount: limits.sections,
                "facts about memory"
            ) { parser, entry in
                let start = parser.address(entry, 0)
                let (end, overflow) = start.addingReportingOverflow(parser.wide(entry, 24))
                let (state, protection) = (parser.word(entry, 32), parser.word(entry, 36))
                // MEM_COMMIT; PAGE_EXECUTE, …_READ, …_READWRITE, …_WRITECOPY; PAGE_GUARD.
                guard !overflow, start < end, state & 0x1000 != 0 else { return }
                regions.append(
                    MinidumpRegion(range: start..<end, isExecutable: protection & 0xf0 != 0, isGuard: protection & 0x100 != 0))
            }
        } else if let found = stream(.linuxMaps, "lines of /proc/self/maps"), case let maps = bytes.clamped(to: found) {
            var rest = maps.text
            while let line = rest.readLine(), regions.count < limits.sections {
                if let region = Self.region(line) { regions.append(region) }
            }
        }
        return regions.isEmpty ? nil : regions.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// `00400000-00417000 r-xp 00000000 fc:02 23856536        /usr/bin/driver`
    private static func region(_ line: Span<UInt8>) -> MinidumpRegion? {
        var rest = line
        guard let start = rest.readHexadecimal(), rest.consume("-"), let end = rest.readHexadecimal(), start < end else { return nil }
        rest.skipBlanks()
        let flags = rest.readToken()
        rest.skipBlanks()
        guard flags.count >= 4, let offset = rest.readHexadecimal() else { return nil }
        // Device and inode.
        for _ in 0..<2 {
            rest.skipBlanks()
            _ = rest.readToken()
        }
        let path = rest.trimmed()
        return MinidumpRegion(
            range: start..<end, isExecutable: flags[2] == UInt8(ascii: "x"), path: path.isEmpty ? nil : path.upTo(4096).text,
            fileOffset: offset)
    }

    /// Returns executable memory that belongs to no image: code that was compiled at run time. Ranges that
    /// were not saved become segments, saved ones are marked.
    mutating func executableSegments() -> [Memory.Segment] {
        // Linux makes all memory executable for programs that have an executable stack (`READ_IMPLIES_EXEC`):
        // then permissions mean nothing.
        let isAll = (regions ?? []).contains { $0.isExecutable && ($0.path == "[heap]" || $0.path == "[stack]") }
        let executable = (regions ?? []).filter { $0.isExecutable && (!isAll || $0.path?.hasPrefix("/") == true) }
        guard !executable.isEmpty else { return [] }
        segments.sort { $0.address < $1.address }
        var added: [Memory.Segment] = []
        var next = 0
        for region in executable {
            var start = region.range.lowerBound
            while next < segments.count, segments[next].address < region.range.upperBound {
                let (address, size) = (segments[next].address, segments[next].size)
                if address >= region.range.lowerBound { segments[next].isExecutable = true }
                if address > start { added.append(Memory.Segment(address: start, .bytes([]), size: address - start, isExecutable: true)) }
                start = max(start, address.addingReportingOverflow(size).overflow ? .max : address + size)
                next += 1
            }
            if start < region.range.upperBound {
                added.append(Memory.Segment(address: start, .bytes([]), size: region.range.upperBound - start, isExecutable: true))
            }
        }
        return added
    }

    // MARK: The images: the program and its libraries, and those that were unloaded

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
        let grouped = CoreFiles(files, executable: (regions ?? []).filter(\.isExecutable).map(\.range), memory: nil)
        return Array(grouped.images.filter(\.isCodeKnown).prefix(limits.images))
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

    private func codeIdentifier(_ entry: RawSpan, timestamp: Int, size: Int) -> String? {
        let (time, bytes) = (word(entry, timestamp), word(entry, size))
        guard time != 0 || bytes != 0 else { return nil }
        return CodeIdentifier.text(timestamp: time, size: bytes)
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

    // MARK: Messages of the program, its libraries and the C library about the crash

    typealias Annotation = MemoryImage.Annotation

    /// Breakpad's record of an assertion of Windows' C library: expression, function and file of
    /// 128 UTF-16 units each, line, kind.
    mutating func readAssertion(_ bytes: RawSpan) -> MemoryImage.Assertion? {
        guard let location = location(.assertion), let stream = try? bytes.slice(at: location.offset, count: 776) else { return nil }
        var texts: [String?] = []
        for index in 0..<3 { texts.append(utf16(stream.clamped(to: index * 256..<(index + 1) * 256))) }
        let line = word(stream, 768)
        return MemoryImage.Assertion(
            kind: .init(rawValue: word(stream, 772)) ?? .unknown, expression: texts[0], function: texts[1], file: texts[2],
            line: line == 0 ? nil : line)
    }

    mutating func readAnnotations(_ bytes: RawSpan, _ image: inout MemoryImage) {
        readMacCrashInformation(bytes, &image)
        guard let found = stream(.crashpad, "annotations of Crashpad"), case let stream = bytes.clamped(to: found) else { return }
        addDictionary(location(stream, at: 36), nil, bytes, &image)
        forEachLocatedEntry(location(stream, at: 44), size: 12, bytes) { parser, link in
            let name = parser.moduleNames.indices.contains(Int(parser.word(link, 0))) ? parser.moduleNames[Int(parser.word(link, 0))] : ""
            let module = bytes.clamped(to: parser.range(parser.location(link, at: 4)))
            guard module.byteCount >= 28 else { return }
            parser.forEachLocatedEntry(parser.location(module, at: 4), size: 4, bytes) { parser, entry in
                parser.add(name, "", parser.crashpadString(bytes, at: parser.word(entry, 0)), &image)
            }
            parser.addDictionary(parser.location(module, at: 12), name, bytes, &image)
            parser.forEachLocatedEntry(parser.location(module, at: 20), size: 12, bytes) { parser, entry in
                // 1 is a string; other types are the program's own.
                guard (try? entry.value(UInt16.self, at: 4, parser.order)) == 1 else { return }
                let key = parser.crashpadString(bytes, at: parser.word(entry, 0)) ?? ""
                parser.add(name, key, parser.crashpadString(bytes, at: parser.word(entry, 8)), &image)
            }
        }
        // The bits that no address has (arm64).
        let mask = wide(stream, 56)
        if processor == .arm64, stream.byteCount >= 64, mask >> 55 & 1 == 1 { image.codeMask = mask }
    }

    /// Calls `body` with the entries that follow their count, at a location of the file.
    private mutating func forEachLocatedEntry(
        _ location: Location, size: Int, _ bytes: RawSpan, _ body: (inout MinidumpParser, RawSpan) -> Void
    ) {
        let list = bytes.clamped(to: range(location))
        guard list.byteCount >= 4 else { return }
        let count = UInt64(word(list, 0))
        let maxCount = annotationsLeft
        annotationsLeft -= min(Int(count), (list.byteCount - 4) / size, maxCount)
        forEachEntry(
            of: list.clamped(to: 4..<list.byteCount), count: count, size: size, maxCount: maxCount, "annotations of Crashpad", body)
    }

    /// Reads a dictionary: the locations of names and of values.
    private mutating func addDictionary(_ location: Location, _ owner: String?, _ bytes: RawSpan, _ image: inout MemoryImage) {
        forEachLocatedEntry(location, size: 8, bytes) { parser, entry in
            let key = parser.crashpadString(bytes, at: parser.word(entry, 0)) ?? ""
            parser.add(owner, key, parser.crashpadString(bytes, at: parser.word(entry, 4)), &image)
        }
    }

    private func add(_ owner: String?, _ name: String, _ value: String?, _ image: inout MemoryImage) {
        guard let value else { return }
        image.annotations.append(Annotation(image: owner, name: name, value: value))
    }

    /// Reads the messages that libraries of Apple's systems leave in `__DATA,__crash_info`, as Mozilla writes
    /// them: up to 20 records, which have strings one after another: path, message, signature, backtrace, a
    /// second message.
    private mutating func readMacCrashInformation(_ bytes: RawSpan, _ image: inout MemoryImage) {
        guard let found = stream(.macCrashInformation, "messages of macOS' libraries"), case let stream = bytes.clamped(to: found) else {
            return
        }
        let start = Int(word(stream, 8))
        for index in 0..<min(Int(word(stream, 4)), 20) {
            let record = bytes.clamped(to: range(location(stream, at: 12 + 8 * index)))
            guard start > 0, start < record.byteCount else { continue }
            var rest = record.clamped(to: start..<record.byteCount)
            var texts: [String] = []
            while texts.count < 5, let text = try? rest.readCString() { texts.append(utf8(text) ?? "") }
            for (name, text) in zip(["message", "signature", "backtrace", "message2"], texts.dropFirst()) where !text.isEmpty {
                add(texts[0], name, text, &image)
            }
        }
    }

    // MARK: Reading

    /// Returns the range of the first stream of a type that is not empty, as far as the file has it.
    mutating func stream(_ type: MinidumpDirectory.Stream, _ name: String) -> Range<Int>? {
        guard let location = location(type) else { return nil }
        let found = range(location)
        if UInt64(found.count) < location.size { notes.append("the minidump's \(name) are cut short") }
        return found.isEmpty ? nil : found
    }

    func location(_ type: MinidumpDirectory.Stream) -> Location? { directory.all(type).first { $0.size > 0 } }

    /// Returns a range of the file, cut to its size.
    func range(_ location: Location) -> Range<Int> {
        let start = min(location.offset, UInt64(file.size))
        return Int(start)..<Int(start + min(location.size, UInt64(file.size) - start))
    }

    /// Reads a location: its size, then its offset.
    func location(_ entry: RawSpan, at offset: Int) -> Location {
        Location(offset: UInt64(word(entry, offset + 4)), size: UInt64(word(entry, offset)))
    }

    /// Reads a number of an entry; zero if the entry ends before it.
    func word(_ entry: RawSpan, _ offset: Int) -> UInt32 { (try? entry.value(UInt32.self, at: offset, order)) ?? 0 }

    func wide(_ entry: RawSpan, _ offset: Int) -> UInt64 { (try? entry.value(UInt64.self, at: offset, order)) ?? 0 }

    /// Reads an address, which writers for 32-bit processors extend by its sign.
    func address(_ entry: RawSpan, _ offset: Int) -> UInt64 {
        let address = wide(entry, offset)
        return processor.registerSize == 4 ? address & 0xffff_ffff : address
    }

    /// Calls `body` with the entries of a list, which follow its count; some writers put four bytes between.
    ///
    /// - Parameter maxCount: maximum number of entries; further ones are left out.
    mutating func forEachEntry(
        _ type: MinidumpDirectory.Stream, size: Int, maxCount: Int, _ bytes: RawSpan, _ name: String,
        _ body: (inout MinidumpParser, RawSpan) -> Void
    ) {
        guard let found = stream(type, name), case let list = bytes.clamped(to: found), let declared = location(type)?.size else { return }
        let count = UInt64(word(list, 0))
        let start = declared == 8 + count * UInt64(size) ? 8 : 4
        forEachEntry(of: list.clamped(to: start..<max(start, list.byteCount)), count: count, size: size, maxCount: maxCount, name, body)
    }

    mutating func forEachEntry(
        of list: RawSpan, count: UInt64, size: Int, maxCount: Int, _ name: String, _ body: (inout MinidumpParser, RawSpan) -> Void
    ) {
        let known = min(Int(clamping: count), list.byteCount / max(1, size), maxCount)
        for index in 0..<known { body(&self, list.clamped(to: index * size..<(index + 1) * size)) }
        if UInt64(known) < count { unread[name, default: 0] &+= count - UInt64(known) }
    }

    // MARK: Strings

    /// Reads a string of UTF-16 that begins with its length in bytes; `nil` for none, or an empty one.
    mutating func string(_ bytes: RawSpan, at offset: UInt32) -> String? { utf16(bytes.clamped(to: counted(bytes, at: offset))) }

    /// Returns the range of a string that begins with its number of bytes.
    private func counted(_ bytes: RawSpan, at offset: UInt32) -> Range<Int> {
        guard offset > 0, Int(offset) + 4 <= bytes.byteCount else { return 0..<0 }
        return range(Location(offset: UInt64(offset) + 4, size: UInt64(word(bytes, Int(offset)))))
    }

    /// Reads UTF-16 up to a zero.
    mutating func utf16(_ text: RawSpan) -> String? {
        var rest = text.prefix(min(limits.nameLength, stringBytes))
        stringBytes -= rest.byteCount
        var units: [UInt16] = []
        while rest.byteCount >= 2, let unit = try? rest.read(UInt16.self, order), unit != 0 { units.append(unit) }
        return units.isEmpty ? nil : String(decoding: units, as: UTF16.self)
    }

    /// Reads a string of UTF-8 that begins with its length in bytes (Crashpad).
    mutating func crashpadString(_ bytes: RawSpan, at offset: UInt32) -> String? { utf8(bytes.clamped(to: counted(bytes, at: offset))) }

    /// Reads UTF-8 up to a zero.
    mutating func utf8(_ text: RawSpan) -> String? {
        let text = text.prefix(min(limits.nameLength, stringBytes))
        let found = text.prefix(text.lengthOfCString() ?? text.byteCount)
        stringBytes -= found.byteCount
        return found.byteCount == 0 ? nil : found.string()
    }
}

/// A range of a process's memory, and its permissions.
private struct MinidumpRegion {
    var range: Range<UInt64>
    var isExecutable: Bool
    var isGuard = false
    /// Path in `/proc/self/maps`.
    var path: String?
    var fileOffset: UInt64 = 0
}

/// Why a file cannot be read as a minidump.
package enum MinidumpError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not begin like a minidump.
    case notAMinidump
    /// The header or the directory of streams is not in the file.
    case cut
    /// The processor, by the dump's number, is not known; `nil` if the dump does not say it.
    case processor(UInt16?)

    package var description: String {
        switch self {
        case .notAMinidump: "the file is not a minidump"
        case .cut: "the minidump ends before its directory"
        case .processor(let number?): "stacks of the minidump's processor \(number) cannot be unwound"
        case .processor(nil): "the minidump does not say which processor it is from"
        }
    }
}
