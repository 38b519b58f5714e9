internal import BinaryPrimitives

/// The headers of a PE image (Microsoft, "PE Format"): all numbers are little-endian.
///
///     0        "MZ"; byte 60 has the offset of what follows
///     offset   "PE\0\0"
///     + 4      COFF header, 20 bytes: machine, sections, timestamp, symbol table, flags
///     + 24     optional header: image base, size of the image, data directories
///     then     section headers, 40 bytes each
struct PEHeaders {
    let coff: COFFHeader
    let isWide: Bool
    let imageBase: UInt64
    let imageSize: UInt32
    let headersSize: UInt32
    /// Offset in the file of the first section header.
    let sectionsOffset: Int
    /// Addresses from the image's first byte, and sizes.
    private let directories: [(address: UInt32, size: UInt32)]

    enum Directory: Int { case exports = 0, exceptions = 3, debug = 6 }

    /// Windows reads 16 directories at most (`IMAGE_NUMBEROF_DIRECTORY_ENTRIES`).
    private static let maxDirectories = 16

    /// - Returns: `nil` if the file does not begin as a PE image does.
    init?(_ file: MappedFile) throws(ObjectFileError) {
        guard let start = Self.start(file) else { return nil }
        do throws(ReadError) {
            self = try file.withBytes { bytes throws(ReadError) in try PEHeaders(bytes, at: start) }
        } catch {
            throw ObjectFileError(.corrupt, path: file.path, "the PE headers cannot be read: \(error)")
        }
    }

    /// The offset of `PE\0\0`.
    private static func start(_ file: MappedFile) -> Int? {
        let head = file.bytes(in: 0..<min(64, file.size))
        guard head.starts(with: "MZ".utf8), let offset = try? head.span.rawBytes.value(UInt32.self, at: 60, .littleEndian),
            Int(offset) <= file.size - 4, file.bytes(in: Int(offset)..<Int(offset) + 4) == Array("PE\0\0".utf8)
        else { return nil }
        return Int(offset)
    }

    private init(_ bytes: RawSpan, at start: Int) throws(ReadError) {
        func half(_ offset: Int) throws(ReadError) -> UInt16 { try bytes.value(UInt16.self, at: start + offset, .littleEndian) }
        func word(_ offset: Int) throws(ReadError) -> UInt32 { try bytes.value(UInt32.self, at: start + offset, .littleEndian) }
        coff = try COFFHeader(bytes, at: start + 4)
        let optional = 4 + COFFHeader.standardSize
        let size = coff.optionalHeaderSize
        sectionsOffset = start + optional + size
        // IMAGE_NT_OPTIONAL_HDR64_MAGIC; PE32 has 0x10b.
        isWide = try half(optional) == 0x20b
        imageBase = isWide ? try bytes.value(UInt64.self, at: start + optional + 24, .littleEndian) : UInt64(try word(optional + 28))
        imageSize = try word(optional + 56)
        headersSize = try word(optional + 60)
        let table = optional + (isWide ? 112 : 96)
        let count = min(Int(try word(table - 4)), Self.maxDirectories, (optional + size - table) / 8)
        var directories: [(address: UInt32, size: UInt32)] = []
        for index in 0..<max(0, count) { directories.append((try word(table + 8 * index), try word(table + 8 * index + 4))) }
        self.directories = directories
    }

    /// - Returns: `nil` if the image has none.
    func directory(_ directory: Directory) -> (address: UInt64, size: Int)? {
        guard directories.indices.contains(directory.rawValue), case let found = directories[directory.rawValue], found.size > 0 else {
            return nil
        }
        return (imageBase &+ UInt64(found.address), Int(found.size))
    }

    /// IMAGE_FILE_DLL.
    var isLibrary: Bool { coff.flags & 0x2000 != 0 }
}
