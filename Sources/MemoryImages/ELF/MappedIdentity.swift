package import BinaryPrimitives
package import ObjectFiles
internal import Unwinding

extension MemoryImage {
    /// Returns the identity that the dump has of the image, else the build ID of a mapped ELF file, if its
    /// first pages are in memory: a core of Linux has the first page of each file (`coredump_filter`, bit 4),
    /// and the build ID is mostly on it.
    /// - Returns: `nil` if the file has no build ID, or it was not saved.
    package func identity(of file: MappedImage) -> ImageID? {
        if let identity = file.identity { return identity }
        guard let first = file.parts.first, first.fileOffset == 0 else { return nil }
        return MappedIdentity(memory: memory, base: first.range.lowerBound)?.buildID
    }
}

extension MemoryImage {
    /// Whether an object file and the image begin with the same bytes, as far as the image's first page was
    /// saved: headers and notes, which the linker has written and nothing changes.
    /// - Returns: `nil` if nothing of it was saved.
    package func holdsBeginning(of object: ObjectFile, at file: MappedImage) -> Bool? {
        guard let first = file.parts.first, first.fileOffset == 0, memory.holds(file.base) else { return nil }
        let isWide = object.description.addressSize == 8
        // `e_shoff` and the number of section headers: they differ in a copy that was stripped.
        let changed = isWide ? [40..<48, 60..<64] : [32..<36, 48..<52]
        let count = min(object.file.size, 4096, first.range.count)
        return object.file.withBytes { bytes in
            for position in 0..<count where !changed.contains(where: { $0.contains(position) }) {
                guard let byte = memory.read(file.base &+ UInt64(position), size: 1) else { return position < 64 ? nil : true }
                if byte != UInt64(bytes.byte(at: position)) { return false }
            }
            return true
        }
    }
}

extension MemoryImage {
    /// Whether an object file may be the program: it has the entry point that the kernel noted (`AT_ENTRY`),
    /// and as many program headers (`AT_PHNUM`) at the same address (`AT_PHDR`).
    package func isProgram(_ object: ObjectFile, at file: MappedImage) -> Bool {
        guard let entry = process.auxiliaryVector[9], let count = process.auxiliaryVector[5], let headers = process.auxiliaryVector[3],
            let part = file.parts.first(where: { $0.range.contains(entry) }), file.parts.contains(where: { $0.range.contains(headers) }),
            let bias = UnwindModule.bias(
                of: object, mappedAt: part.range.lowerBound, fileOffset: part.fileOffset, isExecutable: part.isExecutable)
        else { return false }
        let (isWide, order) = (object.description.addressSize == 8, object.description.byteOrder)
        return object.file.withBytes { bytes in
            guard let table = try? bytes.unsigned(size: isWide ? 8 : 4, at: isWide ? 32 : 28, order),
                let known = try? bytes.unsigned(size: 2, at: isWide ? 56 : 44, order)
            else { return false }
            return object.entryPoint.map { $0 &+ bias == entry } ?? false && known == count && headers &- file.base == table
        }
    }
}

extension ObjectFile {
    /// `e_entry` of an ELF file.
    var entryPoint: UInt64? {
        guard description.container == .elf else { return nil }
        return file.withBytes { try? $0.unsigned(size: description.addressSize, at: 24, description.byteOrder) }
    }
}

/// Reads the headers of an ELF file where it is mapped (gABI, chapters 4 and 5).
private struct MappedIdentity {
    let memory: Memory
    let base: UInt64
    private let isWide: Bool
    private let headers: UInt64
    private let headerSize: UInt64
    private let count: UInt64

    init?(memory: Memory, base: UInt64) {
        let magic: UInt64 = memory.byteOrder == .littleEndian ? 0x464c_457f : 0x7f45_4c46
        guard memory.read(base, size: 4) == magic, let fileClass = memory.read(base &+ 4, size: 1) else { return nil }
        let isWide = fileClass == 2
        guard let headers = memory.read(base &+ (isWide ? 32 : 28), size: isWide ? 8 : 4),
            let headerSize = memory.read(base &+ (isWide ? 54 : 42), size: 2), let count = memory.read(base &+ (isWide ? 56 : 44), size: 2)
        else { return nil }
        self.memory = memory
        self.base = base
        self.isWide = isWide
        self.headers = headers
        self.headerSize = headerSize
        self.count = count
    }

    private func segment(_ index: UInt64) -> (type: UInt64, offset: UInt64, address: UInt64, size: UInt64)? {
        let headerAddress = base &+ headers &+ index &* headerSize
        let word = isWide ? 8 : 4
        guard let type = memory.read(headerAddress, size: 4), let offset = memory.read(headerAddress &+ (isWide ? 8 : 4), size: word),
            let address = memory.read(headerAddress &+ (isWide ? 16 : 8), size: word),
            let size = memory.read(headerAddress &+ (isWide ? 32 : 16), size: word)
        else { return nil }
        return (type, offset, address, size)
    }

    var buildID: ImageID? {
        let segments = (0..<count).compactMap { segment($0) }
        // The file's first byte is at `base`; it is linked at its segment's address.
        guard let first = segments.first(where: { $0.type == 1 && $0.offset & ~0xfff == 0 }) else { return nil }
        let linked = first.address &- first.offset
        for note in segments where note.type == 4 {
            if let found = buildID(inNotesAt: base &+ note.address &- linked, size: min(note.size, 1 << 16)) { return found }
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
