package import BinaryPrimitives

/// The header of one unit of `.debug_info` (DWARF 5, section 7.5.1).
package struct UnitHeader: Sendable {
    /// Start of the header, in bytes from the start of `.debug_info`. References of the `ref*` forms count from here.
    package var offset: Int
    /// Bytes of what follows the length itself.
    package var length: UInt64
    /// One past the unit's last byte.
    package var end: Int
    /// The first debugging information entry.
    package var firstEntry: Int
    package var version: UInt16
    /// `DW_UT_*`; versions before 5 have compile units only.
    package var kind: UInt8
    package var abbreviationsOffset: UInt64
    /// Bytes of an address.
    package var addressSize: Int
    /// Bytes of an offset into a section: 4, or 8 in the 64-bit format.
    package var offsetSize: Int
    package var byteOrder: ByteOrder
    /// Identity that a skeleton unit shares with its split unit: in the headers of both since version 5.
    package var splitID: UInt64?
    /// A type unit's signature, by which references name it, and the offset of the entry that they mean, in bytes from the header.
    package var typeSignature: UInt64?
    package var typeOffset: UInt64?

    /// The most bytes that a header takes: 64-bit format, version 5, a type unit.
    static let largestSize = 12 + 2 + 1 + 1 + 8 + 8 + 8

    /// Why a header cannot be read at all.
    package enum Flaw: Error {
        /// The section ends in it.
        case cutShort(ReadError)
        /// Its length leads past the section's end.
        case length(UInt64)
        case version(UInt16)
        /// The unit's own length ends in it.
        case isLongerThanUnit
    }

    /// Reads the header at `offset` as it is: its kind and the size of its addresses may be any.
    /// - Parameters:
    ///   - bytes: the section from `offset` on; `largestSize` bytes are enough.
    ///   - isTypes: the section is `.debug_types`, whose units are type units with a header of
    ///     their own (DWARF 4, section 7.5.1.2).
    ///   - sectionSize: the section's size in bytes.
    package init(raw bytes: RawSpan, at offset: Int, isTypes: Bool, sectionSize: Int, _ order: ByteOrder) throws(Flaw) {
        self.init(FormSizes(addressSize: 0, offsetSize: 4, version: 0, byteOrder: order))
        self.offset = offset
        if isTypes { kind = UnitKind.type }
        var cursor = bytes
        do throws(ReadError) { (length, offsetSize) = try cursor.readInitialLength(order) } catch { throw .cutShort(error) }
        let lengthSize = bytes.byteCount - cursor.byteCount
        guard let size = Int(exactly: length), size <= sectionSize - offset - lengthSize else { throw .length(length) }
        end = offset + lengthSize + size
        let isWhole = size <= cursor.byteCount
        if isWhole { cursor = cursor.prefix(size) }
        let first = cursor.byteCount
        do throws(ReadError) { version = try cursor.read(UInt16.self, order) } catch {
            throw isWhole ? .isLongerThanUnit : .cutShort(error)
        }
        guard (2...5).contains(version) else { throw .version(version) }
        do throws(ReadError) { try readRest(&cursor, isTypes: isTypes) } catch { throw isWhole ? .isLongerThanUnit : .cutShort(error) }
        firstEntry = offset + lengthSize + first - cursor.byteCount
    }

    private mutating func readRest(_ cursor: inout RawSpan, isTypes: Bool) throws(ReadError) {
        if version >= 5 {
            kind = try cursor.read()
            addressSize = Int(try cursor.read(UInt8.self))
        }
        abbreviationsOffset = try cursor.readUnsigned(size: offsetSize, byteOrder)
        if version < 5 { addressSize = Int(try cursor.read(UInt8.self)) }
        switch kind {
        case UnitKind.type, UnitKind.splitType:
            typeSignature = try cursor.read(UInt64.self, byteOrder)
            typeOffset = try cursor.readUnsigned(size: offsetSize, byteOrder)
        case UnitKind.skeleton, UnitKind.splitCompile: splitID = try cursor.read(UInt64.self, byteOrder)
        default: break
        }
    }

    /// A header for reading values that belong to no unit: those of tables.
    package init(_ sizes: FormSizes) {
        (offset, length, end, firstEntry) = (0, 0, 0, 0)
        (version, kind, abbreviationsOffset) = (sizes.version, UnitKind.compile, 0)
        (addressSize, offsetSize, byteOrder) = (sizes.addressSize, sizes.offsetSize, sizes.byteOrder)
    }

    /// Units that hold types alone cover no addresses.
    var coversCode: Bool { !isTypeUnit }

    package var isTypeUnit: Bool { kind == UnitKind.type || kind == UnitKind.splitType }
}

extension UnitHeader {
    /// Reads the header at `offset` of a unit that results can be had from.
    init(
        _ bytes: RawSpan, at offset: Int, in section: DWARFSections.Name = .info, sectionSize: Int, _ order: ByteOrder
    ) throws(DWARFError) {
        do throws(Flaw) {
            try self.init(raw: bytes, at: offset, isTypes: section == .types, sectionSize: sectionSize, order)
        } catch {
            switch error {
            case .cutShort(let error): throw DWARFError(section, endingAt: offset + bytes.byteCount, error)
            case .length(let length):
                throw DWARFError(section, at: offset, "the unit's length, \(length), reaches beyond the section's \(sectionSize) bytes")
            case .version(let version):
                let digits = String(repeating: "0", count: max(0, 8 - String(offset, radix: 16).count)) + String(offset, radix: 16)
                throw DWARFError(
                    section, at: offset, "DWARF unit at offset 0x\(digits) has unsupported version \(version), supported are 2-5")
            case .isLongerThanUnit: throw DWARFError(section, at: offset, "the unit is shorter than its header")
            }
        }
        guard [2, 4, 8].contains(addressSize) else {
            throw DWARFError(section, at: offset, "the unit's addresses have \(addressSize) bytes: expected 2, 4 or 8")
        }
    }
}

extension RawSpan {
    /// Takes an initial length (DWARF 5, section 7.4): the length in bytes of what follows, and the
    /// size of offsets in it. Values from 0xfffffff0 to 0xfffffffe are reserved and come back as
    /// they are: no section is that long.
    package mutating func readInitialLength(_ order: ByteOrder) throws(ReadError) -> (length: UInt64, offsetSize: Int) {
        let short = try read(UInt32.self, order)
        guard short == 0xffff_ffff else { return (UInt64(short), 4) }
        return (try read(UInt64.self, order), 8)
    }
}
