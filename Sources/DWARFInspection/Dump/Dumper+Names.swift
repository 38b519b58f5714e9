#if Inspection
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
                do throws(InspectionError) {
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
                    for place in index.places(named: name) {
                        let offset = Int(clamping: place.unit).addingReportingOverflow(Int(clamping: place.offset))
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
            var cursor = section.cursor(at: 0)
            let first = cursor.u32()
            let version = first == 2 ? 2 : first & 0xffff
            let (columns, units, slots) = (Int(cursor.u32()), Int(cursor.u32()), Int(cursor.u32()))
            guard !section.isEmpty else { return }
            let size = slots.multipliedReportingOverflow(by: 12)
            guard !cursor.isPastEnd, version == 2 || version == 5, columns > 0, columns < 64, !size.overflow,
                size.partialValue <= section.count,
                units <= slots, 16 + size.partialValue + 4 * columns * (1 + 2 * units) <= section.count
            else { return object.report("the index of the package is damaged") }
            let signatures = cursor.position
            let rows = signatures + 8 * slots
            let kinds = rows + 4 * slots
            let offsets = kinds + 4 * columns
            let names5: [UInt64: StaticString] = [
                1: "INFO", 3: "ABBREV", 4: "LINE", 5: "LOCLISTS", 6: "STR_OFFSETS", 7: "MACRO", 8: "RNGLISTS",
            ]
            let names2: [UInt64: StaticString] = [
                1: "INFO", 2: "TYPES", 3: "ABBREV", 4: "LINE", 5: "LOC", 6: "STR_OFFSETS", 7: "MACINFO", 8: "MACRO",
            ]
            output.text("version = \(version), units = \(units), slots = \(slots)\n\nIndex Signature         ")
            var isWide: [Bool] = []
            for column in 0..<columns {
                let kind = section.number(at: kinds + 4 * column, size: 4) ?? 0
                let name = (version == 5 ? names5 : names2)[kind]
                isWide.append(kind == 1 || version == 2 && kind == 2)
                output.byte(0x20)
                if let name {
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
            for slot in 0..<slots {
                let row = Int(section.number(at: rows + 4 * slot, size: 4) ?? 0)
                guard row > 0, row <= units else { continue }
                output.decimal(UInt64(slot + 1), width: 5)
                output.byte(0x20)
                output.hex(section.number(at: signatures + 8 * slot, size: 8) ?? 0, 16)
                output.byte(0x20)
                for column in 0..<columns {
                    let place = offsets + 4 * ((row - 1) * columns + column)
                    let start = section.number(at: place, size: 4) ?? 0
                    let length = section.number(at: place + 4 * units * columns, size: 4) ?? 0
                    output.text("[")
                    output.hex(start, isWide[column] ? 16 : 8)
                    output.text(", ")
                    output.hex(start + length, isWide[column] ? 16 : 8)
                    output.text(") ")
                }
                output.byte(0x0a)
            }
        }
    }
#endif
