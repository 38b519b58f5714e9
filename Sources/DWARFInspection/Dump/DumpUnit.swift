#if Inspection
    internal import CLibdwarf
    internal import DWARF

    /// A unit: its header, and what its root tells about how the rest is read.
    final class DumpUnit {
        /// All offsets count from the section's first byte.
        let offset: Int
        let length: UInt64
        /// Bytes of an offset: 4 in the 32-bit format, 8 in the 64-bit one.
        let offsetSize: Int
        let version: Int
        /// `DW_UT_…`, made up before version 5.
        let type: UInt8
        let abbreviationsOffset: UInt64
        let addressSize: Int
        /// Of a type unit.
        let typeSignature: UInt64
        /// Of a type unit: where its type is, from the unit's first byte.
        let typeOffset: UInt64
        /// What ties a skeleton and a split unit to each other: from the header, before version 5 from the root.
        var dwoID: UInt64
        let root: Int
        let end: Int
        /// It is in `.debug_types`, whose offsets are its own.
        let isInTypes: Bool

        /// What the root tells; read with the first entry.
        var bases: DumpBases?
        /// Of a split unit that was opened for its skeleton: the linked file's unit, which has its addresses.
        var skeleton: DumpUnit?

        init(
            offset: Int, length: UInt64, offsetSize: Int, version: Int, type: UInt8, abbreviationsOffset: UInt64, addressSize: Int,
            typeSignature: UInt64, typeOffset: UInt64, dwoID: UInt64, root: Int, end: Int, isInTypes: Bool
        ) {
            self.offset = offset
            self.length = length
            self.offsetSize = offsetSize
            self.version = version
            self.type = type
            self.abbreviationsOffset = abbreviationsOffset
            self.addressSize = addressSize
            self.typeSignature = typeSignature
            self.typeOffset = typeOffset
            self.dwoID = dwoID
            self.root = root
            self.end = end
            self.isInTypes = isInTypes
        }

        /// What the values of tables without a unit are read by: their forms have their own sizes.
        static var ofTables: DumpUnit {
            let reader = DumpUnit(
                offset: 0, length: 0, offsetSize: 4, version: 3, type: UnitKind.compile, abbreviationsOffset: 0, addressSize: 8,
                typeSignature: 0, typeOffset: 0, dwoID: 0, root: 0, end: 0, isInTypes: false)
            reader.bases = DumpBases()
            return reader
        }

        var isTypeUnit: Bool { type == UnitKind.type || type == UnitKind.splitType }

        /// As an address, what code is linked to that the linker removed (`-1`).
        var tombstone: UInt64 { addressSize >= 8 ? UInt64.max : (UInt64(1) << UInt64(8 * addressSize)) - 1 }
    }

    /// Where a unit's parts of other sections begin.
    struct DumpBases {
        /// `DW_AT_low_pc` of the root, from which ranges and locations count.
        var address: UInt64?
        var addressTable: UInt64?
        /// The first entry of the unit's string offsets, and the bytes of one.
        var stringOffsets: (start: UInt64, size: Int)?
        var rangeLists: UInt64 = 0
        /// Of GNU's skeletons: where the ranges of their split units begin in `.debug_ranges`.
        var ranges: UInt64 = 0
        var locationLists: UInt64 = 0
        var lineTable: UInt64?
        var language: UInt64?
        var compilationDirectory: [UInt8]?
    }

    extension LibdwarfSession {
        /// The headers of all units of `.debug_info` or `.debug_types`, and why there are not more where libdwarf stops before the section's end.
        func unitHeaders(inTypes: Bool) -> (units: [DumpUnit], problem: InspectionError?) {
            var units: [DumpUnit] = []
            var header = 0
            while true {
                var (length, abbreviations, typeOffset, next): (Dwarf_Unsigned, Dwarf_Off, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0, 0)
                var (version, addressSize, lengthSize, extensionSize, kind): (UInt16, UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0, 0)
                var signature = Dwarf_Sig8()
                var error: OpaquePointer?
                let status = unsafe dwarf_next_cu_header_d(
                    handle, inTypes ? 0 : 1, &length, &version, &abbreviations, &addressSize, &lengthSize, &extensionSize, &signature,
                    &typeOffset, &next, &kind, &error)
                if status == DW_DLV_NO_ENTRY { return (units, nil) }
                // A header that leads backwards would be read for ever.
                guard status == DW_DLV_OK, next > UInt64(header) else {
                    let words = status == DW_DLV_OK ? "it ends before it begins" : unsafe Self.words(error)
                    return (units, InspectionError("the unit at 0x\(String(header, radix: 16)): \(words)"))
                }
                let offsetSize = Int(lengthSize)
                let id = number(signature)
                let type = version >= 5 ? UInt8(truncatingIfNeeded: kind) : inTypes ? UnitKind.type : UnitKind.compile
                let isType = type == UnitKind.type || type == UnitKind.splitType
                let hasID = version >= 5 && (type == UnitKind.skeleton || type == UnitKind.splitCompile)
                // The length, the version, the offset of abbreviations, the address size; then what version 5 and type units add (DWARF 5, section 7.5.1).
                var size = Int(extensionSize) + offsetSize + 2 + offsetSize + 1 + (version >= 5 ? 1 : 0)
                if isType { size += 8 + offsetSize }
                if hasID { size += 8 }
                units.append(
                    DumpUnit(
                        offset: header, length: length, offsetSize: offsetSize, version: Int(version), type: type,
                        abbreviationsOffset: abbreviations, addressSize: Int(addressSize), typeSignature: isType ? id : 0,
                        typeOffset: typeOffset, dwoID: hasID ? id : 0, root: header + size, end: Int(clamping: next), isInTypes: inTypes))
                header = Int(clamping: next)
            }
        }

        /// The eight bytes as a number of the file's byte order.
        private func number(_ signature: Dwarf_Sig8) -> UInt64 {
            let bytes = unsafe withUnsafeBytes(of: signature) { unsafe Array($0.prefix(8)) }
            let inOrder = unsafe sections.object.pointee.is_big_endian != 0 ? bytes : bytes.reversed()
            return inOrder.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
#endif
