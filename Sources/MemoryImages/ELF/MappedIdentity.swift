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
        guard let first = file.parts.first(where: { $0.fileOffset == 0 }), let headers = MappedHeaders(memory, at: first.range.lowerBound),
            let bias = file.bias ?? headers.loaded.bias(of: [first])
        else { return nil }
        return headers.buildID(bias: bias)
    }
}

extension MemoryImage {
    /// Whether an object file and the image begin with the same bytes, as far as the image's first page was
    /// saved: headers and notes, which the linker has written and nothing changes.
    /// - Returns: `nil` if nothing of it was saved.
    package func holdsBeginning(of object: ObjectFile, at file: MappedImage) -> Bool? {
        guard let first = file.parts.first, first.fileOffset == 0, memory.holds(file.base) else { return nil }
        let (changed, unchanged) = object.changedBeginning
        let count = min(object.file.size, unchanged, first.range.count)
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
            [entry, headers].allSatisfy({ address in file.parts.contains { $0.range.contains(address) } }), let bias = file.bias(of: object)
        else { return false }
        let (isWide, order) = (object.description.addressSize == 8, object.description.byteOrder)
        return object.file.withBytes { bytes in
            guard let table = try? bytes.unsigned(size: isWide ? 8 : 4, at: isWide ? 32 : 28, order),
                let known = try? bytes.unsigned(size: 2, at: isWide ? 56 : 44, order)
            else { return false }
            return object.description.entryPoint.map { $0 &+ bias == entry } ?? false && known == count && headers &- file.base == table
        }
    }
}
