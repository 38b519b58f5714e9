internal import BinaryPrimitives

/// `mach_header` and `mach_header_64` (`mach-o/loader.h`).
struct MachOHeader {
    let layout: MachOLayout
    let architecture: Architecture
    let fileType: UInt32
    let commandCount: Int
    /// Bytes of all load commands.
    let commandSize: Int

    /// - Returns: `nil` if the bytes do not begin with a Mach-O magic number.
    /// - Throws: `ReadError` if they do, and end in the header.
    init?(_ bytes: RawSpan) throws(ReadError) {
        var bytes = bytes
        guard let magic = try? bytes.read(UInt32.self), let layout = MachOLayout(magic: magic) else { return nil }
        self.layout = layout
        let type = try bytes.readUInt32(layout)
        let subtype = try bytes.readUInt32(layout)
        architecture = Architecture(machOType: type, subtype: subtype)
        fileType = try bytes.readUInt32(layout)
        commandCount = Int(try bytes.readUInt32(layout))
        commandSize = Int(try bytes.readUInt32(layout))
    }
}

/// A Mach-O header and the load commands after it.
struct MachOCommands {
    let file: MappedFile
    /// Range that file offsets count in: the whole file, or one slice of a universal file.
    let slice: Range<Int>
    /// Offset of the header in the file: the slice's first byte, except for an entry of a kernel
    /// cache.
    let start: Int
    let header: MachOHeader

    /// - Returns: `nil` if no Mach-O magic number is there.
    /// - Throws: `ObjectFileError` if the header or the commands do not fit into the slice, or
    ///   there are too many.
    init?(_ file: MappedFile, _ slice: Range<Int>, at start: Int, _ limits: Limits) throws(ObjectFileError) {
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: file.path, problem) }
        let left = max(0, slice.upperBound - start)
        let bytes = file.bytes(in: start..<start + min(32, left))
        let read: MachOHeader?
        do throws(ReadError) { read = try MachOHeader(bytes.span.rawBytes) } catch { throw corrupt("the Mach-O header: \(error)") }
        guard let header = read else { return nil }
        guard header.commandCount <= limits.loadCommands else {
            throw corrupt("\(header.commandCount) load commands are declared, expected at most \(limits.loadCommands)")
        }
        let space = max(0, left - header.layout.headerSize)
        guard header.commandSize <= space else {
            throw corrupt("\(header.commandSize) bytes of load commands are declared, \(space) are left: the file is cut short")
        }
        self.file = file
        self.slice = slice
        self.start = start
        self.header = header
    }

    /// Bytes of the header and the commands.
    var size: Int { header.layout.headerSize + header.commandSize }

    /// Gives each command to `body`, in the file's order, without its first two fields: `cmd` and
    /// `cmdsize`.
    /// - Throws: `ObjectFileError` if a command ends early, or `body` says so.
    func forEach(_ body: (UInt32, RawSpan) throws(ReadError) -> Void) throws(ObjectFileError) {
        let first = start + header.layout.headerSize
        let commands = file.bytes(in: first..<first + header.commandSize)
        var rest = commands.span.rawBytes
        for index in 0..<header.commandCount {
            do throws(ReadError) {
                var ahead = rest
                let command = try ahead.readUInt32(header.layout)
                let size = Int(try ahead.readUInt32(header.layout))
                // `cmd` and `cmdsize` themselves have eight bytes; a smaller size would loop for
                // ever.
                guard size >= 8 else { throw ReadError(.outOfBytes(needed: 8), bytesLeft: size) }
                var fields = try rest.read(bytes: size)
                try fields.skip(8)
                try body(command, fields)
            } catch {
                throw ObjectFileError(.corrupt, path: file.path, "load command \(index): \(error)")
            }
        }
    }
}
