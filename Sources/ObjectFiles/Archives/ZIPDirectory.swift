internal import BinaryPrimitives
internal import CZlib

/// The central directory of a ZIP file (PKWARE's APPNOTE.TXT 6.3.10, section 4.3): the format of
/// APKs, app bundles, IPAs, JARs and CI's artefacts.
///
/// It is at the end and is found from there: after it comes the end record, which a comment may
/// follow. Between the members and it an APK has its signatures. Files and counts that do not fit
/// 32 and 16 bits are in ZIP64's records (section 4.3.14 on).
enum ZIPDirectory {
    struct Entry: Sendable {
        var name: String
        /// The name's bytes as they are in the file, which the local header repeats.
        var rawName: [UInt8]
        var flags: UInt16
        /// How it is packed: 0 stored, 8 deflate.
        var method: UInt16
        /// CRC-32 of its bytes.
        var checksum: UInt32
        var packedSize: UInt64
        var size: UInt64
        /// Offset of its local header in the file.
        var header: UInt64
        /// Another member claims some of its bytes.
        var overlaps = false
    }

    /// - Returns: the files in the order of the directory; folders are left out.
    /// - Throws: `ObjectFileError` where there is no directory, or it contradicts itself.
    static func read(_ file: MappedFile, limits: Limits = .standard) throws(ObjectFileError) -> [Entry] {
        func damaged(_ problem: String) -> ObjectFileError {
            ObjectFileError(.corrupt, path: file.path, "the ZIP file is damaged: \(problem)")
        }
        let end = try EndRecord(file)
        guard end.entries <= limits.archiveMembers else {
            throw damaged("it declares \(end.entries) members, expected at most \(limits.archiveMembers)")
        }
        // A member has 46 bytes or more.
        guard end.entries <= end.range.count / 46 else {
            throw damaged("\(end.entries) members do not fit a directory of \(end.range.count) bytes")
        }
        do throws(ReadError) {
            var entries = try file.withBytes { (bytes: RawSpan) throws(ReadError) -> [Entry] in
                var rest = bytes.clamped(to: end.range)
                var entries: [Entry] = []
                for _ in 0..<end.entries {
                    let entry = try readEntry(&rest, bias: end.bias)
                    if let entry, entry.rawName.last != UInt8(ascii: "/") { entries.append(entry) }
                }
                return entries
            }
            markOverlaps(&entries, before: UInt64(end.range.lowerBound))
            return entries
        } catch {
            throw damaged(
                "its directory ends early, or holds something else than members, at byte \(end.range.upperBound - error.bytesLeft)")
        }
    }

    /// A member of the directory (section 4.3.12).
    /// - Returns: `nil` where its numbers are impossible.
    private static func readEntry(_ rest: inout RawSpan, bias: UInt64) throws(ReadError) -> Entry? {
        guard try rest.read(UInt32.self) == 0x0201_4b50 else { throw ReadError(.outOfBytes(needed: 4), bytesLeft: rest.byteCount) }
        try rest.skip(4)
        let flags = try rest.read(UInt16.self)
        let method = try rest.read(UInt16.self)
        try rest.skip(4)
        let checksum = try rest.read(UInt32.self)
        var packedSize = UInt64(try rest.read(UInt32.self))
        var size = UInt64(try rest.read(UInt32.self))
        let nameLength = Int(try rest.read(UInt16.self))
        let extraLength = Int(try rest.read(UInt16.self))
        let commentLength = Int(try rest.read(UInt16.self))
        try rest.skip(8)
        var header = UInt64(try rest.read(UInt32.self))
        let rawName = try rest.read(bytes: nameLength)
        var extra = try rest.read(bytes: extraLength)
        try rest.skip(commentLength)
        var unicodeName: String?
        // Blocks of an identifier and a length; remaining bytes are padding (zipalign's).
        while extra.byteCount >= 4 {
            let identifier = try extra.read(UInt16.self)
            let length = Int(try extra.read(UInt16.self))
            guard length <= extra.byteCount else { break }
            var block = try extra.read(bytes: length)
            if identifier == 0x0001 {
                // ZIP64: those of the three that do not fit, in this order.
                if size == 0xffff_ffff { size = try block.read(UInt64.self) }
                if packedSize == 0xffff_ffff { packedSize = try block.read(UInt64.self) }
                if header == 0xffff_ffff { header = try block.read(UInt64.self) }
            } else if identifier == 0x7075, block.byteCount > 5 {
                // Info-ZIP's name in UTF-8, which is valid while its checksum matches the other
                // name (section 4.6.9).
                try block.skip(1)
                if try block.read(UInt32.self) == rawName.checksum { unicodeName = block.string() }
            }
        }
        let raw = (0..<rawName.byteCount).map { rawName.byte(at: $0) }
        let (start, overflow) = header.addingReportingOverflow(bias)
        guard !overflow, size <= UInt64(Int64.max), packedSize <= UInt64(Int64.max), start <= UInt64(Int64.max) else { return nil }
        return Entry(
            name: unicodeName ?? name(raw, isUnicode: flags & 1 << 11 != 0), rawName: raw, flags: flags, method: method, checksum: checksum,
            packedSize: packedSize, size: size, header: start)
    }

    /// A name is UTF-8 if the flag says so, else IBM's code page 437 (appendix D). Apple's tools
    /// and many others write UTF-8 and no flag: valid UTF-8 is read as UTF-8.
    private static func name(_ bytes: [UInt8], isUnicode: Bool) -> String {
        if isUnicode { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self) ?? CodePage437.text(bytes)
    }

    /// Members never share bytes. A directory whose entries do makes much of little ("A better zip
    /// bomb", Fifield 2019), or shows one reader what another does not see.
    private static func markOverlaps(_ entries: inout [Entry], before directory: UInt64) {
        let order = entries.indices.sorted { (entries[$0].header, $0) < (entries[$1].header, $1) }
        var furthest: (end: UInt64, index: Int)?
        for index in order {
            let entry = entries[index]
            // The local header has 30 bytes and the name, and perhaps more.
            let end = entry.header &+ 30 &+ UInt64(entry.rawName.count) &+ entry.packedSize
            if let before = furthest, entry.header < before.end {
                entries[index].overlaps = true
                entries[before.index].overlaps = true
            }
            if end > directory { entries[index].overlaps = true }
            if furthest.map({ end > $0.end }) ?? true { furthest = (end, index) }
        }
    }
}

/// The end record (section 4.3.16), with what ZIP64's says instead.
private struct EndRecord {
    var entries: Int
    /// Range of the directory's entries in the file.
    var range: Range<Int>
    /// Number of bytes that were put in front of the archive, as in a self-extracting file: added
    /// to each offset that the directory gives.
    var bias: UInt64

    /// The record has 22 bytes, its comment at most 65,535.
    private static let size = 22

    init(_ file: MappedFile) throws(ObjectFileError) {
        func error(_ kind: ObjectFileError.Kind, _ problem: String) -> ObjectFileError { ObjectFileError(kind, path: file.path, problem) }
        let tail = max(0, file.size - Self.size - 65_535)
        let bytes = file.bytes(in: tail..<file.size)
        let volume = error(.unsupported, "it is one volume of a ZIP file that was split, expected the whole file")
        guard let position = Self.find(bytes) else {
            // Volumes begin with a mark (section 8.5.4); the last has the directory.
            if file.bytes(in: 0..<4) == [0x50, 0x4b, 7, 8] { throw volume }
            throw error(.corrupt, "the ZIP file has no directory at its end: it is cut short")
        }
        guard let record = try? Record(bytes[(position + 4)...]) else { throw error(.corrupt, "the ZIP file's end record is cut short") }
        guard !record.isVolume else { throw volume }
        // End of the directory: the offset of this record, or of ZIP64's.
        var end = UInt64(tail + position)
        var (count, length, offset) = (UInt64(record.count), UInt64(record.length), UInt64(record.offset))
        if record.count == 0xffff || record.length == 0xffff_ffff || record.offset == 0xffff_ffff,
            let wide = (try? Self.zip64(file, before: Int(end))) ?? nil
        {
            (count, length, offset, end) = wide
        }
        guard let entries = Int(exactly: count), length <= end, offset <= end else {
            throw error(.corrupt, "the ZIP file is damaged: its directory of \(length) bytes does not fit before byte \(end)")
        }
        let start = end - length
        // If no directory begins at the declared offset, something was put in front of the file.
        let isInPlace = offset <= start && (length == 0 || Self.isEntry(file, at: Int(offset)))
        guard isInPlace || offset <= start && Self.isEntry(file, at: Int(start)) else {
            throw error(.corrupt, "the ZIP file is damaged: no directory at byte \(offset)")
        }
        let begin = isInPlace ? offset : start
        self.entries = entries
        range = Int(begin)..<Int(begin + length)
        bias = begin - offset
    }

    /// The record's fields after its signature.
    private struct Record {
        /// The file was split, and this is one part of it.
        var isVolume: Bool
        var count: UInt16
        var length: UInt32
        var offset: UInt32

        init(_ bytes: ArraySlice<UInt8>) throws(ReadError) {
            let copy = Array(bytes)
            var rest = copy.span.rawBytes
            let disk = try rest.read(UInt16.self)
            let directoryDisk = try rest.read(UInt16.self)
            let countHere = try rest.read(UInt16.self)
            count = try rest.read(UInt16.self)
            length = try rest.read(UInt32.self)
            offset = try rest.read(UInt32.self)
            // All ones: ZIP64's record has the value.
            isVolume = disk != 0 && disk != 0xffff || directoryDisk != 0 && directoryDisk != 0xffff || countHere != count
        }
    }

    private static func isEntry(_ file: MappedFile, at offset: Int) -> Bool { file.bytes(in: offset..<offset + 4) == [0x50, 0x4b, 1, 2] }

    /// The last record whose comment ends where the file does; else the last that could be one,
    /// because downloads have had bytes appended.
    private static func find(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= size else { return nil }
        var fallback: Int?
        for position in stride(from: bytes.count - size, through: 0, by: -1) {
            guard bytes[position] == 0x50, bytes[position + 1] == 0x4b, bytes[position + 2] == 5, bytes[position + 3] == 6 else { continue }
            let comment = Int(bytes[position + 20]) | Int(bytes[position + 21]) << 8
            let left = bytes.count - size - position
            if comment == left { return position }
            if comment < left, fallback == nil { fallback = position }
        }
        return fallback
    }

    /// ZIP64's end record (section 4.3.14), which its locator in front of the end record points to.
    private static func zip64(_ file: MappedFile, before end: Int) throws(ReadError) -> (UInt64, UInt64, UInt64, UInt64)? {
        guard end >= 20 else { return nil }
        let locatorBytes = file.bytes(in: end - 20..<end)
        var locator = locatorBytes.span.rawBytes
        guard try locator.read(UInt32.self) == 0x0706_4b50 else { return nil }
        try locator.skip(4)
        let offset = try locator.read(UInt64.self)
        // Directly in front of the locator where the offset does not lead to it: something was put
        // in front of the file.
        for position in [Int(exactly: offset) ?? -1, end - 20 - 56] where position >= 0 && position <= end - 20 - 56 {
            let recordBytes = file.bytes(in: position..<position + 56)
            var record = recordBytes.span.rawBytes
            guard try record.read(UInt32.self) == 0x0606_4b50 else { continue }
            try record.skip(28)
            let count = try record.read(UInt64.self)
            let length = try record.read(UInt64.self)
            return (count, length, try record.read(UInt64.self), UInt64(position))
        }
        return nil
    }
}

/// IBM's code page 437, in which MS-DOS and so ZIP files write names
/// (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP437.TXT).
private enum CodePage437 {
    private static let upperHalf = Array(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}"
            .unicodeScalars)

    static func text(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
        return String(text)
    }
}

extension RawSpan {
    /// ZIP's and gzip's CRC-32 (zlib's `crc32`).
    var checksum: UInt32 {
        unsafe withUnsafeBytes { bytes in
            var sum: uLong = 0
            var done = 0
            // zlib counts in 32 bits.
            while done < bytes.count {
                let count = min(bytes.count - done, 1 << 30)
                unsafe sum = crc32(sum, bytes.baseAddress.map { unsafe ($0 + done).assumingMemoryBound(to: Bytef.self) }, uInt(count))
                done += count
            }
            return UInt32(truncatingIfNeeded: sum)
        }
    }
}
