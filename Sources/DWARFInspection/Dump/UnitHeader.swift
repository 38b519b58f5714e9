#if Inspection
    internal import DWARF

    /// Reads headers of units where they stand (DWARF 5, section 7.5.1): those from the first on that libdwarf refuses, which also looks at the unit's root.
    struct UnitHeader {
        let section: SectionBytes
        /// The section is `.debug_types`.
        let inTypes: Bool
        let index: PackageIndex?

        /// All units from an offset on, and why there are not more.
        func units(from start: Int) -> (units: [DumpUnit], problem: InspectionError?) {
            var units: [DumpUnit] = []
            var offset = start
            while offset < section.count {
                do throws(InspectionError) {
                    let unit = try unit(at: offset)
                    units.append(unit)
                    offset = unit.end
                } catch {
                    return (units, InspectionError("the unit at 0x\(String(offset, radix: 16)): \(error.problem)"))
                }
            }
            return (units, nil)
        }

        private func unit(at offset: Int) throws(InspectionError) -> DumpUnit {
            var cursor = section.cursor(at: offset)
            let (length, offsetSize) = cursor.initialLength()
            let content = cursor.position
            guard !cursor.isPastEnd, length > 0, length <= UInt64(section.count - content) else {
                throw InspectionError("its length leads behind the end of the section")
            }
            let end = content + Int(length)
            cursor = section.cut(at: end).cursor(at: content)
            let version = Int(cursor.u16())
            guard (2...5).contains(version) else { throw InspectionError("its version is \(version): expected 2 to 5") }
            var type = inTypes ? UnitKind.type : UnitKind.compile
            let abbreviations: UInt64
            let addressSize: UInt8
            if version >= 5 {
                (type, addressSize) = (cursor.u8(), cursor.u8())
                abbreviations = cursor.number(offsetSize)
            } else {
                abbreviations = cursor.number(offsetSize)
                addressSize = cursor.u8()
            }
            guard (UnitKind.compile...UnitKind.splitType).contains(type) else {
                throw InspectionError("its type is \(type): expected 1 to 6")
            }
            guard [2, 4, 8].contains(addressSize) else {
                throw InspectionError("its addresses have \(addressSize) bytes: expected 2, 4 or 8")
            }
            let isType = type == UnitKind.type || type == UnitKind.splitType
            let hasID = version >= 5 && (type == UnitKind.skeleton || type == UnitKind.splitCompile)
            let signature = isType || hasID ? cursor.u64() : 0
            let typeOffset = isType ? cursor.number(offsetSize) : 0
            guard !cursor.isPastEnd else { throw InspectionError("it ends in its header") }
            func made(_ abbreviations: UInt64) -> DumpUnit {
                DumpUnit(
                    offset: offset, length: length, offsetSize: offsetSize, version: version, type: type,
                    abbreviationsOffset: abbreviations,
                    addressSize: Int(addressSize), typeSignature: isType ? signature : 0, typeOffset: typeOffset,
                    dwoID: hasID ? signature : 0, root: cursor.position, end: end, isInTypes: inTypes)
            }
            let unit = made(abbreviations)
            // In a package its table counts from its own part of the section.
            guard let part = index?.contribution(to: unit, .abbreviations), part.lowerBound > 0 else { return unit }
            return made(abbreviations &+ part.lowerBound)
        }
    }
#endif
