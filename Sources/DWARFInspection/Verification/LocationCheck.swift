/// Reads location lists to their end, and says in LLVM's words where that fails.
enum LocationCheck {
    /// The expressions of a list, and why it cannot be read: `nil` if it can, empty where a split
    /// unit's addresses are in a file that is not there.
    static func expressions(of value: DumpValue, _ context: DumpContext) -> (expressions: [SectionBytes], problem: String?) {
        guard let offset = context.locationListOffset(value) else { return ([], "Loclist table not found") }
        let unit = value.unit
        let table = context.locationTable(of: unit)
        var cursor = table.bytes.cursor(at: Int(clamping: offset))
        let first = cursor.position
        defer { context.locationsAllowance.spend(cursor.position &- first) }
        var base = context.bases(of: unit).address
        var expressions: [SectionBytes] = []
        if offset > UInt64(table.bytes.count) {
            return ([], VerifierText.endOfData(offset, UInt64(table.isOld ? unit.addressSize : 1), of: table.bytes.count))
        }
        while true {
            let start = cursor.position
            let kind = table.bytes[start]
            guard let entry = table.next(&cursor) else {
                if !table.isOld, start < table.bytes.count, kind > 8 {
                    return ([], "LLE of kind \(String(kind, radix: 16)) not supported")
                }
                let size = UInt64(table.isOld ? unit.addressSize : 1)
                return ([], VerifierText.endOfData(UInt64(min(cursor.position, table.bytes.count)), size, of: table.bytes.count))
            }
            if entry.kind == 0 { return (expressions, nil) }
            if case .unresolved = entry.meaning(
                &base, printedAddress: { context.printedAddress($0) }, lookUp: { context.indexedAddress($0, unit) })
            {
                if entry.kind == 4 {
                    return ([], "Unable to resolve location list offset pair: Base address not defined")
                }
                if context.isSplit { return ([], "") }
                let missing = entry.kind == 2 && context.indexedAddress(entry.first, unit) != nil ? entry.second : entry.first
                return ([], "unable to resolve indirect address \(missing) for: \(DWARFNames.locationEntries.text(UInt64(entry.kind)))")
            }
            if entry.hasExpression { expressions.append(table.bytes.part(entry.bytes)) }
        }
    }
}
