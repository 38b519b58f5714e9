/// Writes location lists.
struct LocationListText {
    let table: LocationLists
    let context: DumpContext
    /// Whose table of addresses indexes lead to; `nil` where the section is dumped by itself.
    let unit: DumpUnit?
    let expression: ExpressionText
    let output: DumpOutput
    /// Entries are also written as they are encoded.
    let isRaw: Bool
    let printedAddress: (UInt64) -> UInt64

    /// Writes the list at an offset.
    /// - Returns: the offset after it; `nil` if it cannot be read to its end.
    @discardableResult
    func write(at offset: Int, base: UInt64?, indent: Int) -> Int? {
        output.hex(UInt64(offset), 8)
        output.text(": ")
        var cursor = table.bytes.cursor(at: offset)
        var base = base
        while let entry = table.next(&cursor) {
            let meaning = entry.meaning(&base, printedAddress: printedAddress) { index in unit.flatMap { context.indexedAddress(index, $0) }
            }
            var isUnresolved = false
            if case .unresolved = meaning { isUnresolved = true }
            if isUnresolved || isRaw { writeRaw(entry, indent: indent) }
            switch meaning {
            case .none, .unresolved: break
            case .everywhere:
                begin(indent)
                output.text("<default>")
            case .range(let bounds):
                begin(indent)
                output.text("[")
                output.hex(bounds.low, 2 * table.addressSize)
                output.text(", ")
                output.hex(bounds.high, 2 * table.addressSize)
                output.text(")")
            }
            if entry.hasExpression {
                output.text(": ")
                expression.write(table.bytes.part(entry.bytes), to: output)
            }
            if entry.kind == 0 { return cursor.position }
        }
        context.report("the location list at \(hexadecimal(offset)) cannot be read to its end")
        return nil
    }

    private func begin(_ indent: Int) {
        output.byte(0x0a)
        output.spaces(indent)
        if isRaw { output.text("          => ") }
    }

    private func writeRaw(_ entry: LocationLists.Entry, indent: Int) {
        let digits = 2 * table.addressSize
        if table.isOld {
            guard entry.kind != 0 else { return }
            output.byte(0x0a)
            output.spaces(indent)
            output.text("(")
            let tombstone = table.addressSize == 4 ? 0xffff_ffff : UInt64.max
            output.hex(entry.kind == 6 ? tombstone : entry.first, digits)
            output.text(", ")
            output.hex(entry.kind == 6 ? entry.first : entry.second, digits)
            return output.text(")")
        }
        output.byte(0x0a)
        output.spaces(indent)
        // As wide as the longest name, `DW_LLE_GNU_view_pair`.
        let name = DWARFNames.locationEntries.text(UInt64(entry.kind))
        output.text(name)
        output.spaces(DWARFNames.locationEntries.longest - name.utf8.count)
        output.text("(")
        switch entry.kind {
        case 2, 3, 4, 7, 8:
            output.hex(entry.first, digits)
            output.text(", ")
            output.hex(entry.second, digits)
        case 1, 6: output.hex(entry.first, digits)
        default: break
        }
        output.text(")")
    }
}
