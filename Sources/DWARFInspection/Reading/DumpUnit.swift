internal import BinaryPrimitives
internal import DWARF

/// A unit: its header, and what its root says about how the rest is read.
final class DumpUnit {
    let header: UnitHeader
    let sizes: FormSizes
    /// It is in `.debug_types`, whose offsets are its own.
    let isInTypes: Bool
    /// In `.debug_abbrev`; in a package its part of the section counts.
    private(set) var abbreviationsOffset: UInt64
    /// Identity that a skeleton and a split unit share: from the header, before version 5 from the root.
    var dwoID: UInt64

    /// Bases from the root; read with the first entry.
    var bases: DumpBases?
    /// Skeleton for which a split unit was opened: the linked file's unit, which has its addresses.
    var skeleton: DumpUnit?

    init(_ header: UnitHeader, isInTypes: Bool = false) {
        self.header = header
        self.isInTypes = isInTypes
        sizes = header.formSizes
        abbreviationsOffset = header.abbreviationsOffset
        dwoID = header.splitID ?? 0
    }

    /// The same for another thread, with nothing read of its entries.
    convenience init(sharing other: DumpUnit) {
        self.init(other.header, isInTypes: other.isInTypes)
        abbreviationsOffset = other.abbreviationsOffset
    }

    /// A unit for reading values of tables that belong to no unit.
    convenience init(_ sizes: FormSizes) {
        self.init(UnitHeader(sizes))
        bases = DumpBases()
    }

    /// The same, of forms that have their own sizes.
    static func ofTables(_ order: ByteOrder) -> DumpUnit {
        var sizes = FormSizes.ofTables
        sizes.byteOrder = order
        return DumpUnit(sizes)
    }

    var offset: Int { header.offset }
    var length: UInt64 { header.length }
    var offsetSize: Int { header.offsetSize }
    var version: Int { Int(header.version) }
    /// `DW_UT_…`, made up before version 5.
    var type: UInt8 { header.kind }
    var addressSize: Int { header.addressSize }
    /// Signature of a type unit; zero for other units.
    var typeSignature: UInt64 { header.typeSignature ?? 0 }
    /// Offset of a type unit's type, from the unit's first byte; zero for other units.
    var typeOffset: UInt64 { header.typeOffset ?? 0 }
    var root: Int { header.firstEntry }
    var end: Int { header.end }
    var isTypeUnit: Bool { header.isTypeUnit }

    /// As an address, what code is linked to that the linker removed (`-1`).
    var tombstone: UInt64 { addressSize >= 8 ? UInt64.max : (UInt64(1) << UInt64(8 * addressSize)) - 1 }
}

extension FormSizes {
    /// Sizes for reading forms that have their own sizes.
    static let ofTables = FormSizes(addressSize: 8, offsetSize: 4, version: 3, byteOrder: .littleEndian)
}

/// Start offsets of a unit's parts of other sections.
struct DumpBases {
    /// `DW_AT_low_pc` of the root, from which ranges and locations count.
    var address: UInt64?
    var addressTable: UInt64?
    /// The first entry of the unit's string offsets, and the bytes of one.
    var stringOffsets: (start: UInt64, size: Int)?
    var rangeLists: UInt64 = 0
    /// Start of a split unit's ranges in `.debug_ranges`, from GNU's skeletons.
    var ranges: UInt64 = 0
    var locationLists: UInt64 = 0
    var lineTable: UInt64?
    var language: UInt64?
    var compilationDirectory: [UInt8]?
}

extension DumpUnit {
    /// All units of a section, and why there are not more.
    static func all(of section: SectionBytes, inTypes: Bool, _ index: PackageIndex?) -> (units: [DumpUnit], problem: String?) {
        var units: [DumpUnit] = []
        var offset = 0
        while offset < section.count {
            do throws(DumpError) {
                let unit = DumpUnit(try header(at: offset, of: section, inTypes: inTypes), isInTypes: inTypes)
                if let part = index?.contribution(to: unit, .abbreviations) { unit.abbreviationsOffset &+= part.lowerBound }
                units.append(unit)
                offset = unit.end
            } catch {
                return (units, "the unit at 0x\(String(offset, radix: 16)): \(error.problem)")
            }
        }
        return (units, nil)
    }

    private static func header(at offset: Int, of section: SectionBytes, inTypes: Bool) throws(DumpError) -> UnitHeader {
        let header: UnitHeader
        do throws(UnitHeader.Flaw) {
            header = try section.withBytes(from: offset) { (bytes: RawSpan) throws(UnitHeader.Flaw) in
                try UnitHeader(raw: bytes, at: offset, isTypes: inTypes, sectionSize: section.count, section.order)
            }
        } catch {
            switch error {
            case .length, .cutShort: throw DumpError("its length leads behind the end of the section")
            case .version(let version): throw DumpError("its version is \(version): expected 2 to 5")
            case .isLongerThanUnit: throw DumpError("it ends in its header")
            }
        }
        guard (UnitKind.compile...UnitKind.splitType).contains(header.kind) else {
            throw DumpError("its type is \(header.kind): expected 1 to 6")
        }
        guard [2, 4, 8].contains(header.addressSize) else {
            throw DumpError("its addresses have \(header.addressSize) bytes: expected 2, 4 or 8")
        }
        return header
    }
}

/// Why something cannot be dumped.
struct DumpError: Error {
    /// A sentence about it.
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
