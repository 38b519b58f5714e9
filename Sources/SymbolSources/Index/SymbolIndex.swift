package import BinaryPrimitives
package import DWARF
internal import ObjectFiles

/// A symbol index (`SymbolIndexLayout`): mapped, and searched in place.
///
/// Opening it checks the header and every table's offset and size. The content of the tables is checked
/// where it is read, so that a damaged file gives no result or another one, and never ends the
/// process; `verify()` compares the checksums.
package struct SymbolIndex: Sendable {
    package let file: MappedFile
    /// The build ID or UUID of the image.
    package let identity: ImageID?
    /// Distinguishes files with the same identifier.
    package let fingerprint: UInt64
    /// Base address, from which offsets count.
    package let baseAddress: LinkAddress

    /// Version of the layout (`SymbolIndexLayout`).
    let version: UInt32
    /// Whether it has discriminators.
    package var hasDiscriminators: Bool { version >= 3 }
    /// Byte range of each `SymbolIndexLayout.Table`; empty for tables that the version does not have.
    let tables: [Range<Int>]
    let codeStart: UInt64
    let bucketShift: UInt64
    let unitWidth: Int
    let pathWidth: Int

    /// Why a file is no index that can be used.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var path: String
        /// One sentence without a full stop.
        package var problem: String

        package var description: String { "\(path): \(problem)" }
    }

    /// Opens an index.
    /// - Throws: `Failure` if the file is not an index, has another version, or is damaged.
    package init(path: String) throws(Failure) {
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(path: path) } catch { throw Failure(path: path, problem: error.problem) }
        try self.init(file)
    }

    package init(_ file: MappedFile, limits: Limits = .standard) throws(Failure) {
        typealias Layout = SymbolIndexLayout
        func fail(_ problem: String) -> Failure { Failure(path: file.path, problem: problem) }
        var header = file.bytes(in: 0..<Layout.headerSize)
        guard header.starts(with: Layout.magic), header.count >= Layout.Field.tables else { throw fail("not a symbol index") }
        let version = header.span.rawBytes.word32(at: Layout.Field.version)
        guard (1...Layout.version).contains(version) else { throw fail("the index has version \(version): expected \(Layout.version)") }
        let present = Layout.tables(ofVersion: version)
        let headerSize = Layout.headerSize(ofVersion: version)
        guard header.count >= headerSize else { throw fail("the index has \(file.size) bytes: expected \(headerSize) of its header") }
        header.removeSubrange(headerSize...)
        let bytes = header.span.rawBytes
        let size = bytes.word64(at: Layout.Field.fileSize)
        guard size == UInt64(file.size) else { throw fail("the index has \(file.size) bytes: expected \(size)") }
        var zeroed = header
        for index in 0..<8 { zeroed[Layout.Field.checksum + index] = 0 }
        guard bytes.word64(at: Layout.Field.checksum) == Layout.checksum(of: zeroed.span.rawBytes) else {
            throw fail("the header's checksum differs")
        }
        let identitySize = Int(bytes.word32(at: Layout.Field.identitySize))
        guard Int(bytes.word32(at: Layout.Field.tableCount)) == present.count, identitySize <= Layout.identitySize,
            bytes.word32(at: Layout.Field.unitWidth) <= 32, bytes.word32(at: Layout.Field.pathWidth) <= 32,
            bytes.word32(at: Layout.Field.bucketShift) <= 32
        else { throw fail("the header is damaged") }
        let tables = try Layout.Table.allCases.map { table throws(Failure) in
            guard let number = present.firstIndex(of: table) else { return 0..<0 }
            let offset = bytes.word64(at: Layout.Field.tables + number * 16)
            let count = bytes.word64(at: Layout.Field.tables + number * 16 + 8)
            guard offset % 8 == 0, offset >= UInt64(headerSize), offset <= size, count <= size - offset,
                count % UInt64(table.entrySize) == 0
            else { throw fail("the table of \(table), \(count) bytes at \(offset), is outside of the file") }
            return Int(offset)..<Int(offset + count)
        }
        func count(_ table: Layout.Table) -> Int { tables[table.rawValue].count / table.entrySize }
        guard count(.blockOffsets) == count(.blockStarts) + 1, count(.symbolNames) == count(.symbolStarts),
            count(.nameOffsets) == count(.nameKeys), count(.checksums) == present.count - 1, count(.unitStarts) > 0,
            count(.pathOffsets) > 0, count(.buckets) > 0
        else { throw fail("its tables do not fit one another") }
        guard count(.segments) <= limits.mappedSegments else {
            throw fail("the index maps \(count(.segments)) segments: expected at most \(limits.mappedSegments)")
        }
        self.file = file
        self.tables = tables
        self.version = version
        identity = ImageID(bytes: Array(header[Layout.Field.identity..<Layout.Field.identity + identitySize]))
        fingerprint = bytes.word64(at: Layout.Field.fingerprint)
        baseAddress = LinkAddress(bytes.word64(at: Layout.Field.base))
        codeStart = bytes.word64(at: Layout.Field.codeStart)
        bucketShift = UInt64(bytes.word32(at: Layout.Field.bucketShift))
        unitWidth = Int(bytes.word32(at: Layout.Field.unitWidth))
        pathWidth = Int(bytes.word32(at: Layout.Field.pathWidth))
    }

    /// Compares each table's checksum.
    /// - Throws: `Failure` that names the first table that differs.
    package func verify() throws(Failure) {
        for (number, table) in SymbolIndexLayout.tables(ofVersion: version).dropLast().enumerated() {
            let (found, expected) = file.withBytes { bytes in
                (
                    SymbolIndexLayout.checksum(of: bytes.clamped(to: tables[table.rawValue])),
                    bytes.word64(at: tableOffset(.checksums) + number * 8)
                )
            }
            guard found == expected else { throw Failure(path: file.path, problem: "the checksum of the table of \(table) differs") }
            file.releasePages()
        }
    }

    /// Offset of a table in the file.
    func tableOffset(_ table: SymbolIndexLayout.Table) -> Int { tables[table.rawValue].lowerBound }

    func count(of table: SymbolIndexLayout.Table) -> Int { tables[table.rawValue].count / table.entrySize }

    /// Looks addresses up without allocating for each.
    /// - Parameters:
    ///   - addresses: in any order.
    ///   - count: number of addresses that are looked up now, with those of other threads; `nil`: these.
    ///   - body: receives each address's index in `addresses`, the kind of result, and the frames, innermost
    ///     inlined call first; no frames if the address is unresolved.
    package func forEachResult(
        at addresses: [LinkAddress], among count: Int? = nil, _ body: (Int, IndexResult, borrowing [IndexFrame]) -> Void
    ) {
        let blocks = isWorthMapping(.blocks, forReads: count ?? addresses.count) ? nil : CopiedBlocks(file)
        file.withBytes { bytes in
            let search = IndexSearch(self, blocks)
            var frames: [IndexFrame] = []
            frames.reserveCapacity(64)
            for (index, address) in addresses.enumerated() {
                frames.removeAll(keepingCapacity: true)
                let result = search.result(at: address.value, bytes, &frames)
                body(index, result, frames)
            }
        }
    }

    /// Whether a table is read through the mapping for a number of scattered reads: the first one in each 64 KB makes these resident (the
    /// kernel maps the pages around it), which takes as long as five copies with `pread(2)`. For few reads each is copied.
    private func isWorthMapping(_ table: SymbolIndexLayout.Table, forReads count: Int) -> Bool {
        count >= tables[table.rawValue].count / (64 << 10) * 5
    }

    /// The text of a name's key; empty for what is no key.
    /// - Parameter nameCount: number of names that are read, about.
    package func name(_ key: UInt32, amongNames nameCount: Int = 1) -> String {
        let position: UInt32? = file.withBytes { bytes in
            let keys = tableOffset(.nameKeys)
            let low = (0..<count(of: .nameKeys)).partitionPoint { bytes.word32(at: keys + $0 * 4) >= key }
            guard low < count(of: .nameKeys), bytes.word32(at: keys + low * 4) == key else { return nil }
            return bytes.word32(at: tableOffset(.nameOffsets) + low * 4)
        }
        guard let position else { return "" }
        let texts = tables[SymbolIndexLayout.Table.nameTexts.rawValue]
        if isWorthMapping(.nameTexts, forReads: nameCount) {
            return file.withBytes { $0.clamped(to: texts).cString(at: UInt64(position), limit: texts.count) ?? "" }
        }
        let start = FileOffset(UInt64(texts.lowerBound) + UInt64(position))
        return file.string(from: start, before: FileOffset(UInt64(texts.upperBound)), limit: texts.count) ?? ""
    }

    /// The functions that begin at an address if there are several, the preferred first; empty if fewer than
    /// two begin there.
    func functions(sharingCodeAt address: LinkAddress) -> [String] {
        let last = count(of: .sharedCode)
        guard last > 0 else { return [] }
        let keys: [UInt32] = file.withBytes { bytes in
            let table = tableOffset(.sharedCode)
            var low = (0..<last).partitionPoint { bytes.word64(at: table + $0 * 16) >= address.value }
            var keys: [UInt32] = []
            while low < last, keys.count < SharedCode.maxFunctions, bytes.word64(at: table + low * 16) == address.value {
                keys.append(bytes.word32(at: table + low * 16 + 8))
                low += 1
            }
            return keys
        }
        return keys.map { name($0) }
    }

    /// The path of a file's number; `nil` for what is no number.
    package func path(_ file: UInt32) -> String? {
        self.file.withBytes { bytes in
            let files = tables[SymbolIndexLayout.Table.unitFiles.rawValue]
            let bit = (Int(file) - 1) * pathWidth
            guard file > 0, bit + pathWidth <= files.count * 8 else { return nil }
            let number = Int(bytes.clamped(to: files).bits(at: bit, pathWidth))
            guard number + 1 < count(of: .pathOffsets) else { return nil }
            let start = Int(bytes.word32(at: tableOffset(.pathOffsets) + number * 4))
            let end = Int(bytes.word32(at: tableOffset(.pathOffsets) + number * 4 + 4))
            let texts = bytes.clamped(to: tables[SymbolIndexLayout.Table.pathTexts.rawValue])
            guard start <= end, end <= texts.byteCount else { return nil }
            return texts.clamped(to: start..<end).string()
        }
    }
}

extension SymbolIndexLayout.Table {
    /// The bytes of one entry; 1 where entries have no size.
    var entrySize: Int {
        switch self {
        case .segments, .symbolEntries, .sharedCode: 16
        case .symbolStarts, .checksums, .callGroups, .completeFunctions: 8
        case .buckets, .blockStarts, .blockOffsets, .unitStarts, .pathOffsets, .symbolNames, .nameKeys, .nameOffsets: 4
        case .blocks, .calls, .unitFiles, .pathTexts, .nameTexts: 1
        }
    }
}

/// One function at an address, as an index has it. The index gives the meaning of its numbers
/// (`name(_:)`, `path(_:)`), which may be kept by number.
package struct IndexFrame: Sendable, Hashable {
    /// A name's key; 0: the function is not known.
    package var name: UInt32
    /// A file's number; 0: the location is not known.
    package var file: UInt32
    /// Zero: the compiler attributes the code to no line.
    package var line: UInt32
    /// Zero: unknown.
    package var column: UInt32
    /// DWARF discriminator of the innermost frame: which block of the line the address is in (DWARF 5, section
    /// 6.2.2); zero: not given, or the index is of an older version (`SymbolIndex.hasDiscriminators`).
    package var discriminator: UInt32
    package var isInlined: Bool
    /// The function's entry; `nil` for inlined calls, and where it is not known.
    package var entry: LinkAddress?
}

/// The kind of result that an index has for an address, in addition to the frames.
package enum IndexResult: Sendable, Hashable {
    /// Debug information covers the address.
    case debugInformation
    /// Only the symbol table does: one frame without a location.
    case symbolTable
    case unresolved(Unresolved)
}

extension SymbolIndex: RecordedCallSites {
    /// Whether the index has calls: it was made of a file without code, which has entries of calls.
    var holdsCalls: Bool { count(of: .callGroups) > 0 || count(of: .completeFunctions) > 0 }

    package func entries(returningTo range: ClosedRange<LinkAddress>) -> [CallSiteEntries.Entry] {
        guard let first = range.lowerBound.offset(fromImageBase: baseAddress)?.value else { return [] }
        return file.withBytes { bytes in
            var found: [CallSiteEntries.Entry] = []
            // The last group that begins at or before the first address, and those after it.
            let next = entry(after: first, of: .callGroups, bytes)
            for group in max(0, next - 1)..<max(1, count(of: .callGroups)) {
                let goesOn = forEachEntry(ofGroup: group, bytes) { entry in
                    if range.contains(entry.returnAddress) { found.append(entry) }
                    return entry.returnAddress < range.upperBound
                }
                if !goesOn { break }
            }
            return found
        }
    }

    package func completeFunction(at address: LinkAddress) -> Range<LinkAddress>? {
        guard let offset = address.offset(fromImageBase: baseAddress)?.value else { return nil }
        return file.withBytes { bytes in
            let end = tableOffset(.completeFunctions) + entry(after: offset, of: .completeFunctions, bytes) * 8
            guard end > tableOffset(.completeFunctions), offset < UInt64(bytes.word32(at: end - 4)) else { return nil }
            let (first, last) = (UInt64(bytes.word32(at: end - 8)), UInt64(bytes.word32(at: end - 4)))
            guard let start = baseAddress.advanced(by: first), let end = baseAddress.advanced(by: last) else { return nil }
            return start..<end
        }
    }

    package func forEachEntry(_ body: (CallSiteEntries.Entry) -> Bool) {
        file.withBytes { bytes in
            for group in 0..<count(of: .callGroups) where !forEachEntry(ofGroup: group, bytes, body) { return }
        }
    }

    /// In a table whose entries begin with an ascending offset from the image's base: the first after an offset.
    private func entry(after offset: UInt64, of table: SymbolIndexLayout.Table, _ bytes: RawSpan) -> Int {
        let start = tableOffset(table)
        return (0..<count(of: table)).partitionPoint { UInt64(bytes.word32(at: start + $0 * 8)) > offset }
    }

    /// - Returns: `false` if `body` did.
    private func forEachEntry(ofGroup group: Int, _ bytes: RawSpan, _ body: (CallSiteEntries.Entry) -> Bool) -> Bool {
        typealias Calls = SymbolIndexLayout.Calls
        guard group < count(of: .callGroups) else { return true }
        let record = tableOffset(.callGroups) + group * 8
        // Bits outside of the table are zero.
        let fields = bytes.clamped(to: tables[SymbolIndexLayout.Table.calls.rawValue])
        var bit = Int(bytes.word32(at: record + 4)) * 8
        func readBits(_ width: Int) -> UInt64 {
            defer { bit += width }
            return fields.bits(at: bit, width)
        }
        let callCount = Int(readBits(Calls.countWidth)) + 1
        let widths = (Int(readBits(Calls.widthWidth)), Int(readBits(Calls.widthWidth)), Int(readBits(Calls.widthWidth)))
        var address = baseAddress.value &+ UInt64(bytes.word32(at: record))
        for _ in 0..<callCount {
            address = address &+ readBits(widths.0)
            let (target, length) = (readBits(widths.1), readBits(widths.2))
            let distance = target &>> 1 ^ (target & 1 == 0 ? 0 : .max)
            let entry = CallSiteEntries.Entry(
                returnAddress: LinkAddress(address), call: length == 0 ? nil : LinkAddress(address &- length),
                target: target == 0 ? nil : LinkAddress(address &+ distance))
            guard body(entry) else { return false }
        }
        return true
    }
}

/// Brings blocks of an index one by one with `pread(2)`, so that no more than the block is
/// resident.
struct CopiedBlocks {
    private let file: MappedFile
    private let buffer = ReadBuffer()

    init(_ file: MappedFile) { self.file = file }

    /// Calls `body` with the bytes of a block.
    /// - Parameter range: byte range of the block in the file.
    func withBlock<Result>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
        // Its last fields are read as words of eight bytes.
        buffer.withBytes(of: file, range.lowerBound..<min(file.size, range.upperBound + 8), body)
    }
}
