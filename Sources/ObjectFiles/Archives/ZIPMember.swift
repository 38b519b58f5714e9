internal import BinaryPrimitives
internal import Decompression

/// A member of a ZIP file, and how its bytes are read.
struct ZIPMember: Sendable {
    let file: MappedFile
    let entry: ZIPDirectory.Entry

    var isStored: Bool { entry.method == 0 }

    /// The members that the archive is opened for.
    static func members(_ file: MappedFile, for purpose: FileArchive.Purpose, _ limits: Limits) throws(ObjectFileError) -> [(
        FileArchive.Member, FileArchive.Location
    )] {
        try ZIPDirectory.read(file, limits: limits).filter { MemberName.isWanted($0.name, for: purpose) }.map { entry in
            let member = FileArchive.Member(name: entry.name, size: Int(clamping: entry.size), isPacked: entry.method != 0)
            return (member, problem(entry, limits).map { .refused($0) } ?? .zip(ZIPMember(file: file, entry: entry)))
        }
    }

    /// Why it cannot be read, as far as the directory shows.
    private static func problem(_ entry: ZIPDirectory.Entry, _ limits: Limits) -> String? {
        if entry.flags & 1 != 0 { return "it is encrypted, expected a ZIP file without a password" }
        if entry.overlaps { return "it shares bytes with another part of the ZIP file, as only damaged or malicious files do" }
        switch entry.method {
        case 0:
            guard entry.size == entry.packedSize else {
                return "it is stored as it is, in \(entry.packedSize) bytes, and declares \(entry.size)"
            }
        case 8:
            let (maxSize, overflow) = entry.packedSize.multipliedReportingOverflow(by: UInt64(limits.inflationRatio))
            guard entry.size <= UInt64(limits.archiveMember), overflow || entry.size <= maxSize else {
                return
                    "\(entry.packedSize) compressed bytes declare \(entry.size) inflated ones, expected at most \(limits.inflationRatio) times as many, and \(limits.archiveMember)"
            }
        default: return "it is packed with \(name(ofMethod: entry.method)), expected stored or deflated bytes"
        }
        return nil
    }

    /// APPNOTE.TXT, section 4.4.5.
    private static func name(ofMethod method: UInt16) -> String {
        switch method {
        case 1: "Shrink"
        case 2...5: "Reduce"
        case 6: "Implode"
        case 9: "Deflate64"
        case 12: "bzip2"
        case 14: "LZMA"
        case 20, 93: "Zstandard"
        case 95: "xz"
        case 99: "AES encryption"
        default: "method \(method)"
        }
    }

    /// Range of its bytes in the file: after the local header, whose copies of the name and the
    /// extra fields may be longer than the directory's (zipalign pads them).
    func range(path: String) throws(ObjectFileError) -> Range<Int> {
        func damaged(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: path, "the ZIP file is damaged: \(problem)") }
        guard let start = Int(exactly: entry.header), start <= file.size - 30 else {
            throw damaged("the member's header should be at byte \(entry.header), the file has \(file.size)")
        }
        let header = file.bytes(in: start..<start + 30 + entry.rawName.count)
        guard let local = try? LocalHeader(header) else { throw damaged("no member's header at byte \(start)") }
        guard local.method == entry.method, local.nameLength == entry.rawName.count, header.dropFirst(30).elementsEqual(entry.rawName)
        else {
            throw damaged("the member's header at byte \(start) is another member's")
        }
        let begin = start + 30 + local.nameLength + local.extraLength
        guard let count = Int(exactly: entry.packedSize), begin <= file.size, count <= file.size - begin else {
            throw damaged("the member's \(entry.packedSize) bytes from byte \(begin) are outside of the file, which is cut short")
        }
        return begin..<begin + count
    }

    /// Local header in front of a member's bytes (section 4.3.7). Its sizes may be zero, and are
    /// then repeated after the bytes; the directory always has them.
    private struct LocalHeader {
        var method: UInt16
        var nameLength: Int
        var extraLength: Int

        init(_ bytes: [UInt8]) throws(ReadError) {
            var rest = bytes.span.rawBytes
            guard try rest.read(UInt32.self) == 0x0403_4b50 else { throw ReadError(.outOfBytes(needed: 4), bytesLeft: rest.byteCount) }
            try rest.skip(4)
            method = try rest.read(UInt16.self)
            try rest.skip(16)
            nameLength = Int(try rest.read(UInt16.self))
            extraLength = Int(try rest.read(UInt16.self))
        }
    }

    /// Compressed bytes from which on ISA-L is worth being opened (`ObjectFile.inflate`).
    private static let worthOpening = 64 << 10

    /// Its bytes.
    /// - Parameter first: unpack so many, and leave the others zero; `nil` for all, whose checksum
    ///   is then compared.
    /// - Throws: `ObjectFileError` if they are damaged, or there is no memory for them.
    func inflate(path: String, first: Int? = nil, _ limits: Limits) throws(ObjectFileError) -> MappedFile {
        let range = try range(path: path)
        let size = Int(clamping: entry.size)
        var failure: DecodingFailure?
        let inflated: MappedFile
        do throws(FileError) {
            inflated = try unsafe MappedFile(count: size, name: path, inMemory: limits.memberInMemory) { buffer in
                do throws(DecodingFailure) {
                    try unsafe fill(
                        UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(size, first ?? size)]), from: range, isWhole: first == nil)
                } catch { failure = error }
            }
        } catch {
            throw ObjectFileError(.unsupported, path: path, "it could not be inflated to \(size) bytes: \(error.problem)")
        }
        switch failure {
        case .damaged(let reason)?: throw ObjectFileError(.corrupt, path: path, "its compressed bytes are damaged: \(reason)")
        case .outOfMemory?: throw ObjectFileError(.unsupported, path: path, "it could not be inflated: not enough memory")
        case nil: break
        }
        if first == nil {
            let sum = inflated.withBytes { $0.checksum }
            guard sum == entry.checksum else {
                let both = "the checksum in the ZIP file is \(String(entry.checksum, radix: 16)), its bytes have \(String(sum, radix: 16))"
                throw ObjectFileError(.corrupt, path: path, "it is damaged, its CRC-32 differs: \(both)")
            }
        }
        return inflated
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: Range<Int>, isWhole: Bool) throws(DecodingFailure) {
        var packed: CompressedBytes
        if range.count >= Self.worthOpening, let library = ISALLibrary.shared {
            packed = CompressedBytes(file: file, range, ISALDecoder(library, isRaw: true))
        } else {
            packed = CompressedBytes(file: file, range, try ZlibDecoder(.none))
        }
        let count = unsafe try packed.read(into: buffer)
        guard count == buffer.count else { throw .damaged("they inflate to \(count) bytes, the size in the ZIP file is \(entry.size)") }
        guard isWhole, !packed.isAtEnd else { return }
        // Their end is only seen when one more byte is requested.
        var stream = DecodedBytes(packed, limit: 1)
        guard try stream.read(1).isEmpty else { throw .damaged("they inflate to more than the \(entry.size) bytes in the ZIP file") }
    }
}
