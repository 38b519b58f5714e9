package import BinaryPrimitives
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

extension SymbolIndex {
    /// The tables' names and their sizes in bytes, in the file's order.
    package var tableSizes: [(name: String, size: Int)] {
        zip(SymbolIndexLayout.Table.allCases, tables).map { ("\($0)", $1.count) }
    }
}
