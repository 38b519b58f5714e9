internal import DWARF

/// Tables of names, and the indexes of packages.
extension Dumper {
    private func appleNames(_ name: String) -> AppleNames? {
        let section = object.sections[name]
        return section.isEmpty ? nil : AppleNames(section, object.sections[".debug_str"], allowance: .ofNames(section, object.report))
    }

    private func nameIndexes() -> [NameIndex] {
        let section = object.sections[".debug_names"]
        let allowance = ListAllowance.ofNames(section, object.report)
        var indexes: [NameIndex] = []
        var offset = 0
        while offset < section.count {
            do throws(DumpError) {
                let index = try NameIndex(at: offset, of: section, object.sections[".debug_str"], allowance: allowance)
                indexes.append(index)
                guard index.end > offset else { break }
                offset = index.end
            } catch {
                object.report("the name index at \(hexadecimal(offset)) is damaged: \(error.problem)")
                break
            }
        }
        return indexes
    }

    func dumpAppleNames(_ name: String) {
        guard !object.sections[name].isEmpty else { return }
        guard let context = object.main, let table = appleNames(name) else { return object.report("\(name) is damaged") }
        table.write(to: output, EntryText(context, DumpOptions(), output, registers: nil))
    }

    func dumpNameIndexes() {
        guard let context = object.main else { return }
        let text = EntryText(context, DumpOptions(), output, registers: nil)
        for index in nameIndexes() { index.write(to: output, text) }
    }

    /// The entries that the tables of names lead to.
    func findInTables() {
        guard let context = object.main else { return }
        var offsets: Set<Int> = []
        let tables = [".apple_names", ".apple_types", ".apple_namespaces"].compactMap { appleNames($0) }
        let indexes = nameIndexes()
        if tables.isEmpty, indexes.isEmpty {
            return object.report("it has no tables of names: expected .apple_names or .debug_names; --name searches without")
        }
        for name in options.found {
            let name = Array(name.utf8)
            for table in tables { offsets.formUnion(table.entries(named: name).map { Int(clamping: $0) }) }
            for index in indexes {
                for target in index.targets(named: name) {
                    let offset = Int(clamping: target.unit).addingReportingOverflow(Int(clamping: target.offset))
                    if !offset.overflow { offsets.insert(offset.partialValue) }
                }
            }
        }
        let text = entryText(context, options, registers: object.registers)
        for offset in offsets.sorted() {
            if let unit = context.unit(containing: offset), let entry = context.entry(at: offset, in: unit) {
                text.write(entry, indent: 0)
            }
        }
    }

    /// `.debug_cu_index` and `.debug_tu_index` (DWARF 5, section 7.3.5.3).
    func dumpPackageIndex(_ section: SectionBytes) {
        guard !section.isEmpty else { return }
        guard let table = PackageIndexTable(section) else { return object.report("the index of the package is damaged") }
        output.text("version = \(table.version), units = \(table.rowCount), slots = \(table.slotCount)\n\nIndex Signature         ")
        let isWide = table.kinds.map { $0 == 1 || table.version == 2 && $0 == 2 }
        for (column, kind) in table.kinds.enumerated() {
            output.byte(0x20)
            if let name = table.name(ofColumn: column) {
                output.text(name)
                output.spaces((kind == 1 ? 40 : 24) - name.utf8CodeUnitCount)
            } else {
                output.text("Unknown: \(kind)")
                output.spaces(15 - String(kind).utf8.count)
            }
        }
        output.text("\n----- ------------------")
        for wide in isWide { output.text(wide ? " ----------------------------------------" : " ------------------------") }
        output.byte(0x0a)
        for slot in table.slots {
            output.decimal(UInt64(slot.number + 1), width: 5)
            output.byte(0x20)
            output.hex(slot.signature, 16)
            output.byte(0x20)
            for (column, isWide) in isWide.enumerated() {
                let part = table.part(row: slot.row, column: column)
                output.text("[")
                output.hex(part.lowerBound, isWide ? 16 : 8)
                output.text(", ")
                output.hex(part.upperBound, isWide ? 16 : 8)
                output.text(") ")
            }
            output.byte(0x0a)
        }
    }
}
