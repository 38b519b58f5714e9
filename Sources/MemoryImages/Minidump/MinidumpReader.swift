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

/// Reads a minidump, and holds the parts that were read. Each group of streams is read by an extension.
struct MinidumpParser {
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
