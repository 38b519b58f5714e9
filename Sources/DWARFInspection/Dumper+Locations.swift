/// Sections of location lists.
extension Dumper {
    /// `.debug_loc`, or that of GNU's split units.
    func dumpOldLocations(_ section: SectionBytes, _ context: DumpContext?, only wanted: UInt64?) {
        guard let context, let unit = context.units.first else {
            return section.isEmpty ? () : object.report(".debug_loc is not dumped: expected units, which have the size of addresses")
        }
        // Those of split units hold no addresses; LLVM takes them to be of four bytes, which is how
        // wide their numbers are printed.
        let table = LocationLists(
            bytes: section, addressSize: context.isSplit ? 4 : unit.addressSize, version: 4, isOld: !context.isSplit)
        let text = locationText(table, context)
        if let wanted {
            text.write(at: Int(clamping: wanted), base: nil, indent: context.isSplit ? 0 : 12)
            if context.isSplit { output.byte(0x0a) }
            return
        }
        write(text, 0..<section.count)
    }

    /// `.debug_loclists` (DWARF 5, section 7.29).
    func dumpLocationLists(_ section: SectionBytes, _ context: DumpContext?, only wanted: UInt64?) {
        var offset = 0
        while offset < section.count {
            guard let header = ListTableHeader(at: offset, of: section), let context else {
                return object.report("the table of location lists at \(hexadecimal(offset)) is damaged")
            }
            header.write("locations list header", section, isVerbose: options.isVerbose, to: output)
            let table = LocationLists(bytes: section, addressSize: header.addressSize, version: 5, isOld: false)
            let text = locationText(table, context)
            if let wanted {
                let position = Int(clamping: wanted)
                if position >= header.lists, position < header.end {
                    text.write(at: position, base: nil, indent: 0)
                    return output.byte(0x0a)
                }
            } else {
                write(text, header.lists..<header.end)
            }
            offset = header.end
        }
    }

    private func locationText(_ table: LocationLists, _ context: DumpContext) -> LocationListText {
        let expression = ExpressionText(
            context: context, registers: object.registers, unit: nil, addressSize: table.addressSize, offsetSize: nil,
            isVerbose: options.isVerbose)
        return LocationListText(
            table: table, context: context, unit: nil, expression: expression, output: output, isRaw: options.isVerbose
        ) { object.sections.printed($0) }
    }

    private func write(_ text: LocationListText, _ range: Range<Int>) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if offset > range.lowerBound { output.byte(0x0a) }
            let next = text.write(at: offset, base: nil, indent: 12)
            output.byte(0x0a)
            guard let next, next > offset else { return }
            offset = next
        }
    }
}

/// The header of a table of range or location lists (DWARF 5, sections 7.28 and 7.29).
struct ListTableHeader {
    let offset: Int
    let length: UInt64
    let offsetSize: Int
    let addressSize: Int
    let entryCount: UInt32
    /// Start of the table of offsets, which the lists follow.
    let offsets: Int
    let lists: Int
    let end: Int

    /// - Returns: `nil` if it is damaged.
    init?(at offset: Int, of section: SectionBytes) {
        self.offset = offset
        var cursor = section.cursor(at: offset)
        (length, offsetSize) = cursor.initialLength()
        let start = cursor.position
        let version = cursor.u16()
        addressSize = Int(cursor.u8())
        let segmentSize = cursor.u8()
        entryCount = cursor.u32()
        offsets = cursor.position
        cursor.skip(UInt64(entryCount) * UInt64(offsetSize))
        lists = cursor.position
        guard !cursor.isPastEnd, length <= UInt64(section.count - start), version == 5, segmentSize == 0,
            [2, 4, 8].contains(addressSize),
            lists <= start + Int(length)
        else { return nil }
        end = start + Int(length)
    }

    func write(_ name: StaticString, _ section: SectionBytes, isVerbose: Bool, to output: DumpOutput) {
        if isVerbose {
            output.hex(UInt64(offset), 8)
            output.text(": ")
        }
        output.text(name)
        output.text(": length = ")
        output.hex(length, 2 * offsetSize)
        output.text(
            offsetSize == 8
                ? ", format = DWARF64, version = 0x0005, addr_size = " : ", format = DWARF32, version = 0x0005, addr_size = ")
        output.hex(UInt64(addressSize), 2)
        output.text(", seg_size = 0x00, offset_entry_count = ")
        output.hex(UInt64(entryCount), 8)
        output.byte(0x0a)
        guard entryCount > 0 else { return }
        output.text("offsets: [")
        for index in 0..<Int(entryCount) {
            let entry = section.number(at: offsets + index * offsetSize, size: offsetSize) ?? 0
            output.byte(0x0a)
            output.hex(entry, 2 * offsetSize)
            if isVerbose {
                output.text(" => ")
                output.hex(entry &+ UInt64(offsets), 8)
            }
        }
        output.text("\n]\n")
    }
}
