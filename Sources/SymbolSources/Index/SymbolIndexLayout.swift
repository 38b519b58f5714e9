internal import BinaryPrimitives

/// The layout of a symbol index: everything that `ObjectSource` gives from one object file, for
/// each of its addresses, in a form that is mapped and searched in place. Data is decoded only when
/// it is needed, and a lookup reads the file at about six positions.
///
/// All numbers are little-endian, whatever the image is. Tables begin at multiples of 8.
///
///     header         456 bytes
///                      0  8 bytes  magic "cairnidx"
///                      8  u32      version 4
///                     12  u32      number of tables (20)
///                     16  u64      size of the file in bytes
///                     24  u64      the image's base address, which offsets count from
///                     32  u64      code start: the address of the first block
///                     40  u32      bucket shift: a bucket is 1 << shift addresses
///                     44  u32      width of a unit's number in a block, in bits
///                     48  u32      width of a path's number in the table of unit files, in bits
///                     52  u32      size of the identity in bytes, at most 64; 0: the image has none
///                     56  64 bytes identity (build ID or UUID), zeros after it
///                    120  u64      fingerprint of the object file that it was made of (`ImageFingerprint`)
///                    128  u64      checksum of the header, taken with this field as zero
///                    136           for each table: u64 where it begins, u64 its size in bytes
///     tables         in this order (`Table`); the last one holds the checksums of the others
///
/// **Blocks** hold what debug information says. A block is up to 64 pieces, one after the other
/// without a gap, of one function (the name and entry of the outermost frame). A piece is addresses
/// with one result.
///
///     segments       for each range that the image maps: u64 start, u64 end. An address outside all of them is outside the image
///     buckets        u32 for each bucket from code start on, and one more: the number of blocks that begin before the bucket
///     block starts   u32 for each block, ascending: its first address, less code start
///     block offsets  u32 for each block, and one more: where it begins in the table of blocks. Ascending
///     blocks         bit fields (`BitFields`), each block from a byte on:
///                       6  number of pieces, less 1
///                       4  w, and w bits: number of contexts, less 1
///                       4  w, and w bits: number of callees, less 1
///                       5  width of lengths         5  width of lines        5  width of columns
///                       5  width of first lines     5  width of names        5  width of files        5  width of discriminators
///                       .  the unit's number (width in the header)
///                       6  w: how the entry is encoded. 63: there is none. Else 1 bit and w bits: the block's start less that (0), or that added (1), is the entry
///                       .  for each piece its length in addresses, less 1
///                       .  for each piece a location
///                       .  for each piece its discriminator; 0: not given
///                       .  for each callee: name, file, first line
///                       .  for each context: callee, and the location that it is called from
///                    A location is a context, a line, a column. The line counts from the first line of the context's callee. A context's and a callee's number have as many bits as the
///                    largest of the block needs.
///                    A context is an inlined call, or the function: then the location that it is called from names the context itself. A call is always called from a context before it.
///                    A callee is a name with the file that its lines are in; a function whose lines are in several files is several callees, and contexts. Names are keys (below), 0: none.
///                    File 0: the location is not known, its line and column mean nothing. Others count, from 1, through the files of the block's unit.
///     unit starts    u32 for each unit, and one more: the number of files of the units before it
///     unit files     for each unit its files: the number of the path, in bit fields of the width in the header
///     path offsets   u32 for each path, and one more: where it begins in the table of path texts
///     path texts     UTF-8
///
/// **Calls** are those that the entries of debug information describe, if the file has no code: a debug file alone. Addresses are less the image's base.
///
///     call groups    for each up to 64 calls: u32 the first return address, u32 where they begin in the table of calls. Ascending
///     calls          bit fields, each group from a byte on:
///                       6  number of calls, less 1
///                       6  width of steps      6  width of targets      6  width of lengths
///                       .  for each call: how far its return address is from that of the call before it (the first: 0); its target; its length, in bytes: 0, not known
///                    A target is how far the called function's first byte is from the return address: twice that, or, before the address, less 1 of twice the distance. 0: not known
///     complete functions  for each range of functions all of whose calls have entries: u32 start, u32 end. Ascending
///
/// **Symbols** name addresses that no block holds.
///
///     symbol starts  u64 for each piece, ascending: its first address. It reaches to the next piece's start
///     symbol names   u32 for each piece: a name's key, whose entry is the piece's start; below 16: a reason why there is no name (`Reason`); with bit 31 set: an entry of the next table
///     symbol entries u32 name's key, u32 zero, u64 entry: of pieces that begin after the start of their symbol
///
/// **Shared code**: functions that were folded into one.
///
///     shared code    for each function at an address with several: u64 address, u32 name's key, u32 zero. Ascending by address, the preferred function first
///
/// **Names** are represented by keys of 31 bits. A key says where the name's text was in the object
/// file's string sections, which costs nothing to make while a file is read on several cores.
///
///     name keys      u32 for each name, ascending
///     name offsets   u32 for each name: where its text begins in the table of name texts
///     name texts     UTF-8, each ends with a zero byte
///     checksums      u64 for each table before this one (`checksum(of:)`)
///
/// Sentinels: 0 no name, no file; 63 no entry. An address is first looked for in the blocks; where
/// there is none, in the symbols.
///
/// History: 1 (2026) the first. 2 (2026) the preferred of several symbols names an address, and
/// stubs have names; shared code. 3 (2026) discriminators. 4 (2026) calls.
package enum SymbolIndexLayout {
    package static let magic: [UInt8] = Array("cairnidx".utf8)
    package static let version: UInt32 = 4
    package static let headerSize = 136 + 16 * Table.allCases.count
    package static let identitySize = 64

    package enum Table: Int, CaseIterable, Sendable {
        case segments, buckets, blockStarts, blockOffsets, blocks, unitStarts, unitFiles, pathOffsets, pathTexts
        case callGroups, calls, completeFunctions
        case symbolStarts, symbolNames, symbolEntries, sharedCode, nameKeys, nameOffsets, nameTexts, checksums
    }

    /// The tables that an index of a version has, in the file's order.
    static func tables(ofVersion version: UInt32) -> [Table] {
        Table.allCases.filter { table in
            switch table {
            case .sharedCode: version >= 2
            case .callGroups, .calls, .completeFunctions: version >= 4
            default: true
            }
        }
    }

    static func headerSize(ofVersion version: UInt32) -> Int { Field.tables + 16 * tables(ofVersion: version).count }

    /// Offsets of the header's fields.
    enum Field {
        static let version = 8
        static let tableCount = 12
        static let fileSize = 16
        static let base = 24
        static let codeStart = 32
        static let bucketShift = 40
        static let unitWidth = 44
        static let pathWidth = 48
        static let identitySize = 52
        static let identity = 56
        static let fingerprint = 120
        static let checksum = 128
        static let tables = 136
    }

    /// Why an address that no name covers has none: `Unresolved` of the symbol table.
    enum Reason: UInt32 {
        case noSymbol = 0
        case betweenSymbols = 1
        case unboundedSymbol = 2
        case noSectionHeaders = 3
    }

    /// The least key of a name.
    static let firstNameKey: UInt64 = 16
    /// In the table of symbol names: the rest is an index into the table of symbol entries.
    static let entryFlag: UInt32 = 1 << 31

    enum Calls {
        static let maxInGroup = 64
        static let countWidth = 6
        static let widthWidth = 6
    }

    enum Block {
        static let maxPieces = 64
        static let pieceCountWidth = 6
        static let countWidth = 4
        static let widthWidth = 5
        static let entryWidth = 6
        static let noEntry: UInt64 = 63
        static let largestEntryWidth = 48
        /// The largest number of `widthWidth` bits.
        static let largestWidth = 31
    }

    /// The same bytes with a header whose size and checksum fit them: for tests, which change what
    /// is below.
    package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= headerSize else { return bytes }
        var bytes = bytes
        func put(_ number: UInt64, at position: Int) {
            for byte in 0..<8 { bytes[position + byte] = UInt8(truncatingIfNeeded: number >> UInt64(byte * 8)) }
        }
        put(UInt64(bytes.count), at: Field.fileSize)
        put(0, at: Field.checksum)
        let header = Array(bytes[..<headerSize])
        put(checksum(of: header.span.rawBytes), at: Field.checksum)
        return bytes
    }

    /// FNV-1a over words of 64 bits instead of bytes, the last filled up with zeros; then the size.
    static func checksum(of bytes: RawSpan) -> UInt64 {
        var checksum = Checksum()
        checksum.add(bytes)
        return checksum.finish()
    }

    struct Checksum {
        private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        private var count = 0

        /// Adds bytes: a multiple of 8, but for the last.
        mutating func add(_ bytes: RawSpan) {
            var hash = hash
            let whole = bytes.byteCount & ~7
            var offset = 0
            while offset < whole {
                hash = (hash ^ bytes.word64(at: offset)) &* 0x100_0000_01b3
                offset &+= 8
            }
            if whole < bytes.byteCount { hash = (hash ^ bytes.bits(at: whole * 8, (bytes.byteCount - whole) * 8)) &* 0x100_0000_01b3 }
            self.hash = hash
            count += bytes.byteCount
        }

        func finish() -> UInt64 { (hash ^ UInt64(count)) &* 0x100_0000_01b3 }
    }
}
