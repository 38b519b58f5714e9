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
        guard let magic = try? bytes.take(UInt32.self), let layout = MachOLayout(magic: magic) else { return nil }
        self.layout = layout
        let type = try bytes.takeUInt32(layout)
        let subtype = try bytes.takeUInt32(layout)
        architecture = Architecture(machOType: type, subtype: subtype)
        fileType = try bytes.takeUInt32(layout)
        commandCount = Int(try bytes.takeUInt32(layout))
        commandSize = Int(try bytes.takeUInt32(layout))
    }
}

/// Reads a Mach-O object's header and load commands into an `ObjectFile`. Only they and the function starts are touched.
enum MachOReader {
    /// - Parameter slice: the bytes of the object: the whole file, or one slice of a universal file. All file offsets in the object count from its start.
    /// - Returns: `nil` if the bytes do not begin with a Mach-O magic number.
    static func open(_ file: MappedFile, _ slice: Range<Int>, _ limits: Limits = .standard) throws(ObjectFileError) -> ObjectFile? {
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: file.path, problem) }
        let start = file.bytes(in: slice.lowerBound..<slice.lowerBound + min(32, slice.count))
        let read: MachOHeader?
        do throws(ReadError) { read = try MachOHeader(start.span.rawBytes) } catch { throw corrupt("the Mach-O header: \(error)") }
        guard let header = read else { return nil }
        guard header.commandCount <= limits.loadCommands else {
            throw corrupt("\(header.commandCount) load commands are declared, expected at most \(limits.loadCommands)")
        }
        let left = max(0, slice.count - header.layout.headerSize)
        guard header.commandSize <= left else {
            throw corrupt("\(header.commandSize) bytes of load commands are declared, \(left) are left: the file is cut short")
        }
        guard header.fileType != MachOFileType.fileset else {
            let problem =
                "a kernel cache (MH_FILESET), which is not supported. Use the kernel and its extensions as separate files, from Apple's kernel debug kit or from “ipsw kernel extract”"
            throw ObjectFileError(.unsupported, path: file.path, problem)
        }
        var image = MachOImage(file: file, slice: slice, header: header)
        let first = slice.lowerBound + header.layout.headerSize
        let commands = file.bytes(in: first..<first + header.commandSize)
        var rest = commands.span.rawBytes
        for index in 0..<header.commandCount {
            do throws(ReadError) {
                var ahead = rest
                let command = try ahead.takeUInt32(header.layout)
                let size = Int(try ahead.takeUInt32(header.layout))
                // `cmd` and `cmdsize` themselves take eight bytes; a smaller size would go on for ever.
                guard size >= 8 else { throw ReadError(.outOfBytes(needed: 8), bytesLeft: size) }
                var body = try rest.take(bytes: size)
                try body.skip(8)
                try image.read(command, body)
            } catch {
                throw corrupt("load command \(index): \(error)")
            }
        }
        return image.object(limits)
    }
}
