internal import BinaryPrimitives

/// Offsets of the parts of a Go program's line table, in bytes from its start (`pcHeader` in Go's
/// `runtime/symtab.go`; the "Go 1.2 Runtime Symbol Information" for the oldest).
struct GoTableHeader: Sendable {
    /// By the release that brought it.
    enum Version: UInt32, Comparable, Sendable {
        case go12 = 0xffff_fffb
        /// The parts have offsets of their own.
        case go116 = 0xffff_fffa
        /// Addresses are 32-bit distances from the start of the text.
        case go118 = 0xffff_fff0
        /// Functions have the line that they begin at.
        case go120 = 0xffff_fff1

        private var order: Int {
            switch self {
            case .go12: 0
            case .go116: 1
            case .go118: 2
            case .go120: 3
            }
        }

        static func < (left: Version, right: Version) -> Bool { left.order < right.order }
    }

    let version: Version
    let byteOrder: ByteOrder
    /// Bytes of an instruction, of which distances between addresses are counted: 1, 2 or 4.
    let quantum: UInt64
    /// Bytes of an address.
    let pointerSize: Int
    let functionCount: Int
    /// The address that 32-bit distances count from, as the table has it. Zero from Go 1.26 on, and
    /// where only the dynamic linker fills it in.
    let textStart: UInt64
    /// Pairs of a function's address and the offset of its record, then the end address of the last
    /// function.
    let functions: Int
    /// Offset that the offsets of records count from.
    let records: Int
    /// Names, zero-terminated.
    let names: Int
    /// For each compilation unit the numbers of its files: offsets in `files`. Unused by Go 1.2.
    let units: Int
    /// Names of files, zero-terminated; Go 1.2: the offsets of the names.
    let files: Int
    /// Programs of values by address.
    let programs: Int

    /// - Returns: `nil` if the bytes are not such a table, or its function table does not fit in
    ///   them.
    init?(_ bytes: RawSpan, _ order: ByteOrder) {
        do throws(ReadError) {
            guard let header = try GoTableHeader(reading: bytes, order) else { return nil }
            self = header
        } catch {
            return nil
        }
    }

    private init?(reading bytes: RawSpan, _ order: ByteOrder) throws(ReadError) {
        var rest = bytes
        guard let version = Version(rawValue: try rest.read(UInt32.self, order)), try rest.read(UInt16.self) == 0 else { return nil }
        let quantum = try rest.read(UInt8.self)
        let size = Int(try rest.read(UInt8.self))
        guard [1, 2, 4].contains(quantum), size == 4 || size == 8 else { return nil }
        self.version = version
        self.quantum = UInt64(quantum)
        pointerSize = size
        byteOrder = order
        var words: [UInt64] = []
        for _ in 0..<(version == .go12 ? 1 : version == .go116 ? 7 : 8) { words.append(try rest.readUnsigned(size: size, order)) }
        functionCount = Int(clamping: words[0])

        // Go 1.16 counts the files too, and has five offsets from the table's start; Go 1.18 has the
        // start of the text before them.
        textStart = version >= .go118 ? words[2] : 0
        let offsets = version == .go12 ? [0, 0, 0, 0, UInt64(8 + size)] : Array(words.suffix(5))
        guard offsets.allSatisfy({ $0 <= UInt64(bytes.byteCount) }) else { return nil }
        names = Int(offsets[0])
        units = Int(offsets[1])
        programs = Int(offsets[3])
        functions = Int(offsets[4])
        records = version == .go12 ? 0 : functions
        // Each function has two fields, and the end one.
        let field = version >= .go118 ? 4 : size
        guard functionCount > 0, functionCount <= (bytes.byteCount - functions) / field / 2 else { return nil }
        if version == .go12 {
            // The offset of the files' offsets comes after the functions.
            var after = try bytes.from(UInt64(functions + (functionCount * 2 + 1) * field))
            files = Int(try after.read(UInt32.self, order))
        } else {
            files = Int(offsets[2])
        }
    }

    /// Bytes of an address in the function table and in records.
    var fieldSize: Int { version >= .go118 ? 4 : pointerSize }
}
