internal import ObjectFiles

/// Sections of addresses and ranges.
extension Dumper {
    /// `.debug_aranges` (DWARF 5, section 6.1.2).
    func dumpAddressRanges(_ section: SectionBytes) {
        var offset = 0
        while offset < section.count {
            guard let table = DumpAddressRangeTable(at: offset, of: section) else {
                return object.report("the table of address ranges at \(hexadecimal(offset)) is damaged")
            }
            output.text("Address Range Header: length = ")
            output.hex(table.length, 2 * table.offsetSize)
            output.text(table.offsetSize == 8 ? ", format = DWARF64, version = " : ", format = DWARF32, version = ")
            output.hex(UInt64(table.version), 4)
            output.text(", cu_offset = ")
            output.hex(table.unitOffset, 2 * table.offsetSize)
            output.text(", addr_size = ")
            output.hex(UInt64(table.addressSize), 2)
            output.text(", seg_size = 0x00\n")
            for range in table.ranges {
                let low = object.sections.printed(range.low)
                write(RangeLists.Bounds(low: low, high: low &+ (range.high &- range.low)), table.addressSize)
                output.byte(0x0a)
            }
            if !table.isEnded { return object.report("the table of address ranges at \(hexadecimal(offset)) has no end") }
            offset = table.end
        }
    }

    func write(_ range: RangeLists.Bounds, _ addressSize: Int) {
        output.text("[")
        output.hex(range.low, 2 * addressSize)
        output.text(", ")
        output.hex(range.high, 2 * addressSize)
        output.text(")")
    }

    /// `.debug_addr` (DWARF 5, section 7.27); before version 5 addresses alone.
    func dumpAddresses(_ section: SectionBytes) {
        let units = (object.main?.units ?? []) + (object.split?.units ?? [])
        let version = units.map(\.version).max() ?? 5
        var offset = 0
        while offset < section.count {
            if options.isVerbose {
                output.hex(UInt64(offset), 8)
                output.text(": ")
            }
            if version < 5 {
                return writeAddresses(section, 0..<section.count, object.main?.units.first?.addressSize ?? 8)
            }
            var cursor = section.cursor(at: offset)
            let (length, size) = cursor.initialLength()
            let start = cursor.position
            let (tableVersion, addressSize, segmentSize) = (cursor.u16(), cursor.u8(), cursor.u8())
            guard !cursor.isPastEnd, length >= 4, length <= UInt64(section.count - start), tableVersion == 5, segmentSize == 0,
                [2, 4, 8].contains(addressSize), (length - 4) % UInt64(addressSize) == 0
            else { return object.report("the table of addresses at \(hexadecimal(offset)) is damaged") }
            output.text("Address table header: length = ")
            output.hex(length, 2 * size)
            output.text(size == 8 ? ", format = DWARF64, version = " : ", format = DWARF32, version = ")
            output.hex(5, 4)
            output.text(", addr_size = ")
            output.hex(UInt64(addressSize), 2)
            output.text(", seg_size = 0x00\n")
            offset = start + Int(length)
            writeAddresses(section, cursor.position..<offset, Int(addressSize))
        }
    }

    private func writeAddresses(_ section: SectionBytes, _ range: Range<Int>, _ size: Int) {
        guard !range.isEmpty else { return }
        output.text("Addrs: [\n")
        for position in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            guard let address = section.number(at: position, size: size) else { break }
            output.hex(object.sections.printed(address), 2 * size)
            output.byte(0x0a)
        }
        output.text("]\n")
    }

    /// `.debug_ranges` (DWARF 4, section 2.17.3).
    func dumpOldRanges(_ section: SectionBytes) {
        let size = object.main?.units.first?.addressSize ?? object.file.description.addressSize
        var cursor = section.cursor(at: 0)
        while cursor.position < section.count {
            let list = UInt64(cursor.position)
            while true {
                let (low, high) = (cursor.number(size), cursor.number(size))
                if cursor.isPastEnd { return object.report("the range list at \(hexadecimal(Int(list))) has no end") }
                output.plainHex(list, 8)
                if low == 0, high == 0 {
                    output.text(" <End of list>\n")
                    break
                }
                output.byte(0x20)
                output.plainHex(object.sections.printed(low), 2 * size)
                output.byte(0x20)
                output.plainHex(object.sections.printed(high), 2 * size)
                output.byte(0x0a)
            }
        }
    }

    /// `.debug_rnglists` (DWARF 5, section 7.28).
    func dumpRangeLists(_ section: SectionBytes, _ context: DumpContext?) {
        // Indexes lead to the first unit's table of addresses, whichever the list's unit is: LLVM
        // does not know it either.
        let unit = context?.units.first { !$0.isTypeUnit }
        let lookUp = { (index: UInt64) in unit.flatMap { context?.indexedAddress(index, $0) } }
        var offset = 0
        while offset < section.count {
            guard let header = ListTableHeader(at: offset, of: section) else {
                return object.report("the table of range lists at \(hexadecimal(offset)) is damaged")
            }
            header.write("range list header", section, isVerbose: options.isVerbose, to: output)
            output.text("ranges:\n")
            let table = section.cut(at: header.end)
            var cursor = table.cursor(at: header.lists)
            var entries: [RangeLists.Entry] = []
            var isWhole = true
            while cursor.position < header.end {
                guard let entry = RangeLists.Entry(&cursor, addressSize: header.addressSize) else {
                    isWhole = false
                    break
                }
                entries.append(entry)
            }
            if !isWhole {
                object.report("a range list before \(hexadecimal(cursor.position)) cannot be read")
            }
            let width = options.isVerbose ? entries.map { DWARFNames.rangeEntries.text(UInt64($0.kind)).utf8.count }.max() ?? 0 : 0
            var base: UInt64 = 0
            for entry in entries { write(entry, header.addressSize, &base, width, lookUp) }
            offset = header.end
        }
    }

    private func write(
        _ entry: RangeLists.Entry, _ size: Int, _ base: inout UInt64, _ width: Int, _ lookUp: (UInt64) -> UInt64?
    ) {
        let printed = { (address: UInt64) in object.sections.printed(address) }
        if options.isVerbose {
            output.hex(UInt64(entry.offset), 8)
            output.text(": [")
            let name = DWARFNames.rangeEntries.text(UInt64(entry.kind))
            output.text(name)
            output.spaces(width - name.utf8.count)
            output.text(entry.kind == 0 ? "]" : "]: ")
        }
        var bounds: RangeLists.Bounds?
        switch entry.kind {
        case 0: if !options.isVerbose { output.text("<End of list>") }
        case 1, 5:
            base = entry.kind == 1 ? lookUp(entry.first) ?? entry.first : printed(entry.first)
            guard options.isVerbose else { return }
            output.byte(0x20)
            output.hex(entry.first, 2 * size)
        case 2: bounds = RangeLists.Bounds(low: lookUp(entry.first) ?? 0, high: lookUp(entry.second) ?? 0)
        case 3:
            let start = lookUp(entry.first) ?? 0
            bounds = RangeLists.Bounds(low: start, high: start &+ entry.second)
        case 4: bounds = RangeLists.Bounds(low: entry.first &+ base, high: entry.second &+ base)
        case 6: bounds = RangeLists.Bounds(low: printed(entry.first), high: printed(entry.second))
        default: bounds = RangeLists.Bounds(low: printed(entry.first), high: printed(entry.first) &+ entry.second)
        }
        if let bounds {
            if options.isVerbose, entry.kind != 6 {
                output.byte(0x20)
                output.hex(entry.first, 2 * size)
                output.text(", ")
                output.hex(entry.second, 2 * size)
                output.text(" => ")
            }
            let tombstone = size >= 8 ? UInt64.max : (1 << UInt64(8 * size)) - 1
            if entry.kind == 4, base == tombstone { output.text("dead code") } else { write(bounds, size) }
        }
        output.byte(0x0a)
    }
}
