internal import BinaryPrimitives

/// Reads a Mach-O object's header and load commands into an `ObjectFile`. Only they and the
/// function starts are touched.
enum MachOReader {
    /// The object, or each entry of a kernel cache.
    /// - Parameter slice: the whole file, or one slice of a universal file. All file offsets in
    ///   it count from its start.
    /// - Returns: `nil` if the bytes do not begin with a Mach-O magic number.
    static func openEach(
        _ file: MappedFile, _ slice: Range<Int>, _ limits: Limits = .standard
    ) throws(ObjectFileError) -> [Result<ObjectFile, ObjectFileError>]? {
        guard let commands = try MachOCommands(file, slice, at: slice.lowerBound, limits) else { return nil }
        if Fileset.isFileset(commands) { return try Fileset.open(commands, limits).map(\.object) }
        return [.success(try object(commands, limits))]
    }

    /// As `openEach`, where only one object can be: a member of a static library.
    static func open(_ file: MappedFile, _ slice: Range<Int>, _ limits: Limits = .standard) throws(ObjectFileError) -> ObjectFile? {
        guard let commands = try MachOCommands(file, slice, at: slice.lowerBound, limits) else { return nil }
        return try object(commands, limits)
    }

    private static func object(_ commands: MachOCommands, _ limits: Limits) throws(ObjectFileError) -> ObjectFile {
        var allowance = Int.max
        return try object(commands, entry: nil, allowance: &allowance, limits)
    }

    /// - Parameters:
    ///   - entry: the identifier of an entry of a kernel cache.
    ///   - allowance: bytes that the symbol table and the function starts may have; lowered by
    ///     those that they do.
    static func object(
        _ commands: MachOCommands, entry: String?, allowance: inout Int, _ limits: Limits
    ) throws(ObjectFileError) -> ObjectFile {
        guard !Fileset.isFileset(commands) else {
            throw ObjectFileError(.unsupported, path: commands.file.path, "a kernel cache (MH_FILESET) in another file")
        }
        var image = MachOImage(commands, entry: entry)
        try commands.forEach { (command, body) throws(ReadError) in try image.read(command, body) }
        return image.object(allowance: &allowance, limits)
    }
}
