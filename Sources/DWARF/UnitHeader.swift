internal import BinaryPrimitives

/// The header of one unit of `.debug_info` (DWARF 5, section 7.5.1).
struct UnitHeader: Sendable {
    /// Where the header begins, in bytes from the start of `.debug_info`. References of the `ref*` forms count from here.
    var offset: Int
    /// One past the unit's last byte.
    var end: Int
    /// The first debugging information entry.
    var firstEntry: Int
    var version: UInt16
    /// `DW_UT_*`; versions before 5 have compile units only.
    var kind: UInt8
    var abbreviationsOffset: Int
    /// Bytes of an address.
    var addressSize: Int
    /// Bytes of an offset into a section: 4, or 8 in the 64-bit format.
    var offsetSize: Int
    var byteOrder: ByteOrder
    /// What ties a skeleton unit to its split unit: in the headers of both since version 5.
    var splitID: UInt64?
    /// Of a type unit: what references name it by, and where the entry stands that they mean, in bytes from the header.
    var typeSignature: UInt64?
    var typeOffset: UInt64?

    /// The most bytes that a header takes: 64-bit format, version 5, a type unit.
    static let largestSize = 12 + 2 + 1 + 1 + 8 + 8 + 8

    /// Reads the header at `offset`.
    /// - Parameters:
    ///   - bytes: `.debug_info` from `offset` on; `largestSize` bytes are enough.
    ///   - section: `.debug_info`, or `.debug_types`, whose units are type units with a header of their own (DWARF 4, section 7.5.1.2).
    ///   - sectionSize: the section's size in bytes: a unit that reaches beyond it is an error.
    init(
        _ bytes: RawSpan, at offset: Int, in section: DWARFSections.Name = .info, sectionSize: Int, _ order: ByteOrder
    ) throws(DWARFError) {
        var length: UInt64 = 0
        var bodyOffset = 0
        var headerSize = 0
        var version: UInt16 = 0
        var kind = UnitKind.compile
        var addressSize = 0
        var offsetSize = 4
        var abbreviations: UInt64 = 0
        var splitID: UInt64?
        var typeSignature: UInt64?
        var typeOffset: UInt64?
        do throws(ReadError) {
            var cursor = bytes
            (length, offsetSize) = try cursor.takeInitialLength(order)
            bodyOffset = bytes.byteCount - cursor.byteCount
            version = try cursor.take(UInt16.self, order)
            if version >= 5 {
                kind = try cursor.take()
                addressSize = Int(try cursor.take(UInt8.self))
                abbreviations = try cursor.takeUnsigned(size: offsetSize, order)
                switch kind {
                case UnitKind.skeleton, UnitKind.splitCompile: splitID = try cursor.take(UInt64.self, order)
                case UnitKind.type, UnitKind.splitType:
                    typeSignature = try cursor.take(UInt64.self, order)
                    typeOffset = try cursor.takeUnsigned(size: offsetSize, order)
                default: break
                }
            } else {
                abbreviations = try cursor.takeUnsigned(size: offsetSize, order)
                addressSize = Int(try cursor.take(UInt8.self))
                if section == .types {
                    kind = UnitKind.type
                    typeSignature = try cursor.take(UInt64.self, order)
                    typeOffset = try cursor.takeUnsigned(size: offsetSize, order)
                }
            }
            headerSize = bytes.byteCount - cursor.byteCount
        } catch {
            throw DWARFError(section, endingAt: offset + bytes.byteCount, error)
        }
        guard let size = Int(exactly: length), size <= sectionSize - offset - bodyOffset else {
            throw DWARFError(section, at: offset, "the unit's length, \(length), reaches beyond the section's \(sectionSize) bytes")
        }
        guard (2...5).contains(version) else {
            let digits = String(repeating: "0", count: max(0, 8 - String(offset, radix: 16).count)) + String(offset, radix: 16)
            throw DWARFError(section, at: offset, "DWARF unit at offset 0x\(digits) has unsupported version \(version), supported are 2-5")
        }
        guard [2, 4, 8].contains(addressSize) else {
            throw DWARFError(section, at: offset, "the unit's addresses have \(addressSize) bytes: expected 2, 4 or 8")
        }
        guard headerSize <= bodyOffset + size else {
            throw DWARFError(section, at: offset, "the unit is shorter than its header")
        }
        self.offset = offset
        self.end = offset + bodyOffset + size
        self.firstEntry = offset + headerSize
        self.version = version
        self.kind = kind
        self.abbreviationsOffset = Int(clamping: abbreviations)
        self.addressSize = addressSize
        self.offsetSize = offsetSize
        self.byteOrder = order
        self.splitID = splitID
        self.typeSignature = typeSignature
        self.typeOffset = typeOffset
    }

    /// Units that hold types alone cover no addresses.
    var coversCode: Bool { kind != UnitKind.type && kind != UnitKind.splitType }
}

extension RawSpan {
    /// Takes an initial length (DWARF 5, section 7.4): the length in bytes of what follows, and the size of offsets in it.
    /// Values from 0xfffffff0 to 0xfffffffe are reserved and come back as they are: no section is that long.
    mutating func takeInitialLength(_ order: ByteOrder) throws(ReadError) -> (length: UInt64, offsetSize: Int) {
        let short = try take(UInt32.self, order)
        guard short == 0xffff_ffff else { return (UInt64(short), 4) }
        return (try take(UInt64.self, order), 8)
    }
}
