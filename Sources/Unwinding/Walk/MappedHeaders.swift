package import BinaryPrimitives
package import ObjectFiles

/// The header and the program headers of an ELF file, where they are in memory (gABI, chapters 4 and 5).
package struct MappedHeaders {
    package struct Segment {
        package var type: UInt64
        package var offset: UInt64
        package var address: UInt64
        package var fileSize: UInt64
        package var memorySize: UInt64
        package var isExecutable: Bool
    }

    private let memory: Memory
    package let segments: [Segment]

    package static let load: UInt64 = 1
    package static let dynamic: UInt64 = 2
    package static let note: UInt64 = 4
    /// The table of program headers itself.
    package static let table: UInt64 = 6

    /// Program headers that are read; programs have about twelve.
    private static let maxSegments: UInt64 = 256

    /// - Parameter base: address of the file's first byte.
    package init?(_ memory: Memory, at base: UInt64) {
        guard let table = Table(memory, at: base) else { return nil }
        self.init(
            memory, tableAt: base &+ table.offset, entrySize: table.entrySize, count: table.count, isWide: table.isWide)
    }

    /// Bytes from the file's first one to the end of its program headers; 0 where no ELF header is.
    static func byteCount(_ memory: Memory, at base: UInt64) -> UInt64 {
        guard let table = Table(memory, at: base) else { return 0 }
        let header: UInt64 = table.isWide ? 64 : 52
        // Headers elsewhere in the file are not before its code.
        return table.offset < 4096 ? max(header, table.offset + table.entrySize * table.count) : header
    }

    /// The table of program headers, as the file's header has it.
    private struct Table {
        /// From the file's first byte.
        let offset: UInt64
        let entrySize: UInt64
        let count: UInt64
        let isWide: Bool

        init?(_ memory: Memory, at base: UInt64) {
            let magic: UInt64 = memory.byteOrder == .littleEndian ? 0x464c_457f : 0x7f45_4c46
            guard memory.read(base, size: 4) == magic, let fileClass = memory.read(base &+ 4, size: 1) else { return nil }
            isWide = fileClass == 2
            guard let headers = memory.read(base &+ (isWide ? 32 : 28), size: isWide ? 8 : 4),
                let size = memory.read(base &+ (isWide ? 54 : 42), size: 2), let count = memory.read(base &+ (isWide ? 56 : 44), size: 2)
            else { return nil }
            (offset, entrySize, self.count) = (headers, size, count)
        }
    }

    /// - Parameter tableAt: address of the first program header.
    package init(_ memory: Memory, tableAt address: UInt64, entrySize: UInt64, count: UInt64, isWide: Bool) {
        self.memory = memory
        let word = isWide ? 8 : 4
        segments = (0..<min(count, Self.maxSegments)).compactMap { index in
            let header = address &+ index &* entrySize
            func read(_ wide: UInt64, _ narrow: UInt64, size: Int) -> UInt64? {
                memory.read(header &+ (isWide ? wide : narrow), size: size)
            }
            guard let type = read(0, 0, size: 4), let flags = read(4, 24, size: 4), let offset = read(8, 4, size: word),
                let address = read(16, 8, size: word), let fileSize = read(32, 16, size: word), let memorySize = read(40, 20, size: word)
            else { return nil }
            return Segment(
                type: type, offset: offset, address: address, fileSize: fileSize, memorySize: memorySize, isExecutable: flags & 1 == 1)
        }
    }

    /// The segments that are loaded.
    package var loaded: LoadSegments {
        LoadSegments(
            segments.filter { $0.type == Self.load }.map {
                LoadSegments.Segment(address: $0.address, offset: $0.offset, size: $0.memorySize, isExecutable: $0.isExecutable)
            })
    }

    /// Returns the build ID in the notes of the file.
    package func buildID(bias: UInt64) -> ImageID? {
        for segment in segments where segment.type == Self.note {
            if let found = buildID(inNotesAt: bias &+ segment.address, size: min(segment.fileSize, 1 << 16)) { return found }
        }
        return nil
    }

    private func buildID(inNotesAt start: UInt64, size: UInt64) -> ImageID? {
        var position: UInt64 = 0
        while position &+ 12 <= size {
            let note = start &+ position
            guard let nameSize = memory.read(note, size: 4), let contentSize = memory.read(note &+ 4, size: 4),
                let type = memory.read(note &+ 8, size: 4)
            else { return nil }
            let content = 12 &+ (nameSize &+ 3) & ~3
            // NT_GNU_BUILD_ID of “GNU”.
            let gnu: UInt64 = memory.byteOrder == .littleEndian ? 0x0055_4e47 : 0x474e_5500
            if type == 3, nameSize == 4, memory.read(note &+ 12, size: 4) == gnu, contentSize <= 64 {
                let bytes = (0..<contentSize).compactMap {
                    memory.read(note &+ content &+ $0, size: 1).map { UInt8(truncatingIfNeeded: $0) }
                }
                return bytes.count == Int(contentSize) ? ImageID(buildID: bytes) : nil
            }
            position &+= content &+ (contentSize &+ 3) & ~3
        }
        return nil
    }
}
