internal import BinaryPrimitives
internal import Decompression
internal import Synchronization

/// The section `.gnu_debugdata`, "MiniDebugInfo": an ELF file, packed by XZ, whose symbol table
/// names the functions that `strip` took out of the program's own table and `.dynsym` does not name
/// (GDB manual, section 18.5). Fedora and its kin put it into every program; other symbols and the
/// lines are not there.
enum MiniDebugInformation {
    /// The file in the section.
    /// - Returns: `nil` if the object has no such section.
    /// - Throws: `ObjectFileError` if it cannot be unpacked, or the unpacked bytes are not an ELF file.
    static func open(in object: ObjectFile) throws(ObjectFileError) -> ObjectFile? {
        guard let section = object.section(named: ".gnu_debugdata"), !section.fileRange.isEmpty else { return nil }
        func damaged(_ problem: String) -> ObjectFileError {
            ObjectFileError(.corrupt, path: object.path, "the debug data in section .gnu_debugdata are damaged: \(problem)")
        }
        let file: MappedFile
        do throws(DecodingFailure) {
            let bytes = try unpack(object.file, section.fileRange, object.limits)
            file = try map(bytes, name: object.path + "(.gnu_debugdata)")
        } catch {
            switch error {
            case .damaged(let reason): throw damaged(reason)
            case .outOfMemory:
                throw ObjectFileError(.unsupported, path: object.path, "section .gnu_debugdata could not be unpacked: not enough memory")
            }
        }
        guard let inner = try ELFReader.open(file) else { throw damaged("no ELF file is packed in it") }
        return inner
    }

    private static func unpack(_ file: MappedFile, _ range: Range<Int>, _ limits: Limits) throws(DecodingFailure) -> [UInt8] {
        var packed = CompressedBytes(file: file, range, try XZDecoder(memory: limits.unpackingMemory))
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { unsafe window.deallocate() }
        var bytes: [UInt8] = []
        while !packed.isAtEnd {
            let count = unsafe try packed.read(into: window)
            guard count <= limits.miniDebugInformation - bytes.count else {
                throw .damaged("they unpack to more than \(limits.miniDebugInformation) bytes")
            }
            unsafe bytes.append(contentsOf: window[..<count])
        }
        return bytes
    }

    private static func map(_ bytes: [UInt8], name: String) throws(DecodingFailure) -> MappedFile {
        do throws(FileError) { return try MappedFile(bytes: bytes.span.rawBytes, name: name) } catch { throw .outOfMemory }
    }
}

extension ObjectFile {
    /// The ELF file packed in `.gnu_debugdata` (MiniDebugInfo), which names functions of this one
    /// that its own table does not: unpacked at the first call.
    /// - Returns: `nil` if there is none.
    /// - Throws: `ObjectFileError` if it cannot be unpacked.
    package func miniDebugInformation() throws(ObjectFileError) -> ObjectFile? {
        try packed.withLock { known in
            if let known { return known }
            let result: Result<ObjectFile?, ObjectFileError>
            do throws(ObjectFileError) { result = .success(try MiniDebugInformation.open(in: self)) } catch { result = .failure(error) }
            known = result
            return result
        }.get()
    }
}
