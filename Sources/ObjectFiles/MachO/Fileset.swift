internal import BinaryPrimitives

/// A kernel cache of macOS 11, iOS 15 and later (`MH_FILESET`): the kernel and its extensions, each
/// a Mach-O image of its own, in one file.
///
/// The file's own load commands have one `LC_FILESET_ENTRY` for each image (`fileset_entry_command`
/// in `mach-o/loader.h`):
///
///     cmd, cmdsize    32 bits each
///     vmaddr          64 bits    the address of the image's header
///     fileoff         64 bits    the header's offset in the file
///     entry_id        32 bits    where com.apple.kernel begins, from the first byte
///     reserved        32 bits
///
/// The image's segments, sections and tables are anywhere in the file, and the names of all images
/// are in one pool: their file offsets count from the beginning of the whole file, not of the
/// image.
enum Fileset {
    typealias Member = (name: String, object: Result<ObjectFile, ObjectFileError>)

    private struct Entry {
        var name: String
        /// From the slice's first byte.
        var offset: UInt64
    }

    /// The entries of the kernel cache in a slice of a file; `nil` if the slice is not a kernel
    /// cache.
    static func open(_ file: MappedFile, _ slice: Range<Int>) throws(ObjectFileError) -> [Member]? {
        let limits = Limits.standard
        guard let commands = try MachOCommands(file, slice, at: slice.lowerBound, limits), isFileset(commands) else { return nil }
        return try open(commands, limits)
    }

    static func isFileset(_ commands: MachOCommands) -> Bool { commands.header.fileType == MachOFileType.fileset }

    /// Every entry, in the order of the load commands, or why it cannot be opened; never empty.
    /// - Throws: `ObjectFileError` if the file's own load commands are damaged, or have no
    ///   entries or too many.
    static func open(_ commands: MachOCommands, _ limits: Limits) throws(ObjectFileError) -> [Member] {
        // Load commands, symbols and function starts are each image's own; only names are shared
        // (`OptimizerLinkedit.cpp` of dyld lays them out so). In a made file they could be one for
        // all: thousands of images from the bytes of one.
        var allowance = commands.slice.count - commands.size
        return try entries(of: commands, limits).map { entry in
            do throws(ObjectFileError) {
                return (entry.name, .success(try open(entry, in: commands, allowance: &allowance, limits)))
            } catch {
                return (entry.name, .failure(error))
            }
        }
    }

    private static func open(
        _ entry: Entry, in commands: MachOCommands, allowance: inout Int, _ limits: Limits
    ) throws(ObjectFileError) -> ObjectFile {
        let (file, slice) = (commands.file, commands.slice)
        // Written like a member of a static library. An identifier is not a path, even if it looks
        // like one.
        let name = String(entry.name.map { $0 == "/" ? ":" : $0 })
        let part = MappedFile(file, 0..<file.size, path: "\(file.path)(\(name))")
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: part.path, problem) }
        guard entry.offset < UInt64(slice.count) else {
            throw corrupt("the entry should be at byte \(entry.offset), the kernel cache ends at byte \(slice.count): it is cut short")
        }
        guard let own = try MachOCommands(part, slice, at: slice.lowerBound + Int(entry.offset), limits) else {
            throw corrupt("no Mach-O header at byte \(entry.offset) of the kernel cache, where the entry should be")
        }
        guard !isFileset(own) else {
            throw corrupt("the entry at byte \(entry.offset) is a kernel cache itself (MH_FILESET)")
        }
        guard own.size <= allowance else {
            throw corrupt("the entries up to this one have more bytes of load commands than the kernel cache has: they overlap")
        }
        allowance -= own.size
        return try MachOReader.object(own, entry: entry.name, allowance: &allowance, limits)
    }

    private static func entries(of commands: MachOCommands, _ limits: Limits) throws(ObjectFileError) -> [Entry] {
        let layout = commands.header.layout
        var entries: [Entry] = []
        var count = 0
        try commands.forEach { (command, body) throws(ReadError) in
            guard command == 0x8000_0035 else { return }  // LC_FILESET_ENTRY
            count += 1
            guard count <= limits.filesetEntries else { return }
            var fields = body
            try fields.skip(8)  // vmaddr: the entry's segments have it, too
            let offset = try fields.readUnsigned(size: 8, layout.byteOrder)
            let nameOffset = Int(try fields.readUInt32(layout))
            // The first eight bytes of the command are not in `body`.
            let text = nameOffset >= 8 ? body.clamped(to: min(nameOffset - 8, body.byteCount)..<body.byteCount) : body.clamped(to: 0..<0)
            let name = text.prefix(min(text.lengthOfCString() ?? text.byteCount, limits.nameLength)).string()
            entries.append(Entry(name: name.isEmpty ? "entry \(count - 1)" : name, offset: offset))
        }
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: commands.file.path, problem) }
        guard count > 0 else { throw corrupt("a kernel cache (MH_FILESET) without entries") }
        guard count <= limits.filesetEntries else {
            throw corrupt("a kernel cache (MH_FILESET) of \(count) entries, expected at most \(limits.filesetEntries)")
        }
        return entries
    }
}

extension ObjectFile {
    /// Whether it is an entry of a kernel cache, or an image of a shared cache: there are hundreds of one architecture, and
    /// nothing but their identity or an address shows which is meant.
    package var isFilesetEntry: Bool { description.entryName != nil }
}
