internal import DWARF

/// Checks the attributes of entries: what they refer to, and whether their values are of a kind
/// that means something.
final class EntryCheck {
    private let context: DumpContext
    private let report: VerifierReport
    private let text: EntryText
    private let sections: DumpedSections
    /// References that lead to no entry of their unit: from where.
    private var broken: [Int: [Int]] = [:]
    /// Entries that others refer to across units, each once.
    private(set) var referred = NumberSet()
    private(set) var isSound = true

    /// - Parameter text: writes entries that something is wrong with.
    init(_ context: DumpContext, _ report: VerifierReport, _ text: EntryText) {
        self.context = context
        self.report = report
        self.text = text
        sections = context.sections
    }

    private func fail(_ category: String, _ entry: DumpEntry, _ title: @autoclosure () -> String) {
        isSound = false
        report.add(category) {
            report.error(title())
            dump(entry)
            report.output.byte(0x0a)
        }
    }

    private func dump(_ entry: DumpEntry) { text.write(entry, indent: 0) }

    /// Checks the values of one entry, one after the other.
    func check(_ entry: DumpEntry, _ tree: UnitTree, _ texts: UnitTexts) {
        var cursor = context.section(of: entry.unit).cursor(at: entry.values)
        for specification in entry.abbreviation.specifications {
            guard let value = DumpValue(specification, &cursor, entry.unit), !cursor.isPastEnd else { return }
            checkAttribute(specification.name, value, entry, tree, texts)
            checkForm(value, entry, tree)
        }
    }

    private func checkAttribute(_ attribute: UInt16, _ value: DumpValue, _ entry: DumpEntry, _ tree: UnitTree, _ texts: UnitTexts) {
        let unit = entry.unit
        lazy var name = DWARFNames.attributes.text(UInt64(attribute))
        switch attribute {
        case Attribute.ranges:
            guard let offset = value.sectionOffset else {
                return fail("Invalid DW_AT_ranges encoding", entry, "DIE has invalid DW_AT_ranges encoding:")
            }
            let section = unit.version < 5 ? ".debug_ranges" : ".debug_rnglists"
            let count = sections[section].count
            // A split unit's are in the linked file.
            if context.isSplit, count == 0 { return }
            if offset >= UInt64(count) {
                fail(
                    "DW_AT_ranges offset out of bounds", entry,
                    "DW_AT_ranges offset is beyond \(section) bounds: \(VerifierText.hex(offset, 8))")
            }
        case Attribute.stmtList:
            guard let offset = value.sectionOffset else {
                return fail("Invalid DW_AT_stmt_list encoding", entry, "DIE has invalid DW_AT_stmt_list encoding:")
            }
            if offset >= UInt64(context.lines.count) {
                fail(
                    "DW_AT_stmt_list offset out of bounds", entry,
                    "DW_AT_stmt_list offset is beyond .debug_line bounds: \(VerifierText.hex(offset, 8))")
            }
        case Attribute.location: checkLocation(value, entry)
        case Attribute.specification, Attribute.abstractOrigin: checkOrigin(value, name, entry, tree)
        case Attribute.type:
            if isNull(value, tree) {
                return fail("Incompatible DW_AT_type attribute tag", entry, "DIE has \(name) with incompatible tag DW_TAG_null")
            }
            if let type = referred(by: value, tree), !Tag.types.contains(type.tag) {
                fail(
                    "Incompatible DW_AT_type attribute tag", entry,
                    "DIE has \(name) with incompatible tag \(DWARFNames.tags.text(UInt64(type.tag)))")
            }
        case Attribute.callFile, Attribute.declFile: checkFile(value, name, entry, texts)
        case Attribute.callLine, Attribute.declLine:
            if value.unsignedConstant == nil {
                // The two categories are the wrong way round in LLVM, too.
                fail(
                    attribute == Attribute.callLine ? "Invalid file index in DW_AT_decl_line" : "Invalid file index in DW_AT_call_line",
                    entry, "DIE has \(name) with invalid encoding")
            }
        default: break
        }
    }

    private func checkOrigin(_ value: DumpValue, _ name: @autoclosure () -> String, _ entry: DumpEntry, _ tree: UnitTree) {
        guard let origin = referred(by: value, tree), origin.tag != entry.tag else { return }
        let isAllowed =
            switch entry.tag {
            case Tag.inlinedSubroutine, Tag.gnuCallSite: origin.tag == Tag.subprogram
            case Tag.variable: origin.tag == Tag.member
            default: false
            }
        if isAllowed { return }
        let (tag, other) = (DWARFNames.tags.text(UInt64(entry.tag)), DWARFNames.tags.text(UInt64(origin.tag)))
        fail(
            "Incompatible DW_AT_abstract_origin tag reference", entry,
            "DIE with tag \(tag) has \(name()) that points to DIE with incompatible tag \(other)")
    }

    private func checkFile(_ value: DumpValue, _ name: @autoclosure () -> String, _ entry: DumpEntry, _ texts: UnitTexts) {
        guard let number = value.unsignedConstant else {
            return fail("Invalid encoding in DW_AT_decl_file", entry, "DIE has \(name()) with invalid encoding")
        }
        // The line table of a split unit is its skeleton's.
        if context.isSplit, !entry.unit.isTypeUnit { return }
        guard let table = texts.table else {
            return fail(
                "File index in DW_AT_decl_file reference CU with no line table", entry,
                "DIE has \(name()) that references a file with index \(number) and the compile unit has no line table")
        }
        if table.hasFile(number) { return }
        let range =
            table.files.isEmpty
            ? "(the file table in the prologue is empty)"
            : "(valid values are [\(table.version >= 5 ? "0-\(table.files.count - 1)" : "1-\(table.files.count)")])"
        fail("Invalid file index in DW_AT_decl_file", entry, "DIE has \(name()) with an invalid file index \(number) \(range)")
    }

    /// The entry that a reference leads to; `nil` if it leads in between entries of the unit.
    private func referred(by value: DumpValue, _ tree: UnitTree) -> DumpEntry? {
        guard let entry = context.entry(referredBy: value) else { return nil }
        if value.form != Form.refAddr, tree.index(of: entry.offset - entry.unit.offset) == nil { return nil }
        return entry
    }

    /// Whether a reference leads to the null entry that ends a list of children, which counts as an
    /// entry to LLVM.
    private func isNull(_ value: DumpValue, _ tree: UnitTree) -> Bool {
        guard [Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata].contains(value.form),
            value.raw < UInt64(value.unit.end - value.unit.offset)
        else { return false }
        return isNull(Int(value.raw), value.unit, tree)
    }

    /// - Parameter offset: from the unit's first byte.
    private func isNull(_ offset: Int, _ unit: DumpUnit, _ tree: UnitTree) -> Bool {
        let bytes = context.section(of: unit)
        guard bytes[unit.offset + offset] == 0, let before = tree.last(before: offset),
            let entry = context.entry(at: unit.offset + before, in: unit), let end = context.end(of: entry)
        else { return false }
        return end <= unit.offset + offset && (end..<unit.offset + offset).allSatisfy { bytes[$0] == 0 }
    }

    private func checkLocation(_ value: DumpValue, _ entry: DumpEntry) {
        let reader = text.expression(entry.unit, offsetSize: entry.unit.offsetSize)
        func check(_ expression: SectionBytes) {
            if !reader.isSound(expression, in: entry.unit) {
                fail("Invalid DWARF expressions", entry, "DIE contains invalid DWARF expression:")
            }
        }
        if value.isSectionOffset {
            guard context.locationsAllowance.isLeft else { return }
            let (expressions, problem) = LocationCheck.expressions(of: value, context)
            guard let problem else { return expressions.forEach(check) }
            if !problem.isEmpty { fail("Invalid DW_AT_location", entry, problem) }
        } else if value.isBlock || value.isExpression || value.form == Form.data16 {
            check(context.section(of: entry.unit).part(value.bytes))
        } else {
            fail("Invalid DW_AT_location", entry, "Unsupported DW_AT_location encoding: \(DWARFNames.forms.text(UInt64(value.form)))")
        }
    }

    private func checkForm(_ value: DumpValue, _ entry: DumpEntry, _ tree: UnitTree) {
        switch value.form {
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata:
            let size = UInt64(entry.unit.end - entry.unit.offset)
            if value.raw >= size {
                isSound = false
                report.add("Invalid CU offset") {
                    report.error(
                        "\(DWARFNames.forms.text(UInt64(value.form))) CU offset \(VerifierText.hex(value.raw, 8)) is invalid "
                            + "(must be less than CU size of \(VerifierText.hex(size, 8))):")
                    dump(entry)
                    dump(entry)
                    report.output.byte(0x0a)
                }
            } else if tree.index(of: Int(value.raw)) == nil, !isNull(Int(value.raw), entry.unit, tree) {
                broken[Int(value.raw) + entry.unit.offset, default: []].append(entry.offset)
            }
        case Form.refAddr:
            if value.raw >= UInt64(context.info.count) {
                fail("DW_FORM_ref_addr offset out of bounds", entry, "DW_FORM_ref_addr offset beyond .debug_info bounds:")
            } else {
                referred.insert(value.raw)
            }
        case Form.strp, Form.lineStrp, Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4:
            if context.string(value) == nil { fail("Invalid DW_FORM attribute", entry, stringProblem(value) + ":") }
        default: break
        }
    }

    private func stringProblem(_ value: DumpValue) -> String {
        let form = DWARFNames.forms.text(UInt64(value.form))
        if value.form == Form.lineStrp { return "\(form) offset \(value.raw) is beyond .debug_line_str bounds" }
        if value.form == Form.strp { return "\(form) offset \(value.raw) is beyond .debug_str bounds" }
        guard let table = context.bases(of: value.unit).stringOffsets else {
            return "DW_FORM_strx used without a valid string offsets table"
        }
        let position = table.start &+ (value.raw & 0xffff_ffff) &* UInt64(table.size)
        guard let offset = context.stringOffsets.number(at: Int(clamping: position), size: table.size) else {
            return "DW_FORM_strx uses index \(value.raw), which is too large"
        }
        return "\(form) uses index \(value.raw), but the referenced string offset \(offset) is beyond .debug_str bounds"
    }

    /// Reports references that lead in between the entries of the unit that was checked last.
    func finish(_ unit: DumpUnit) {
        for (target, referrers) in broken.sorted(by: { $0.key < $1.key }) {
            notify(target, referrers.compactMap { context.entry(at: $0, in: unit) })
        }
        broken = [:]
    }

    /// - Parameter entries: that refer there.
    func notify(_ target: Int, _ entries: [DumpEntry]) {
        isSound = false
        report.add("Invalid DIE reference") {
            report.error("invalid DIE reference \(VerifierText.hex(UInt64(target), 8)). Offset is in between DIEs:")
            var last: Int?
            for entry in entries where entry.offset != last {
                dump(entry)
                report.output.byte(0x0a)
                last = entry.offset
            }
            report.output.byte(0x0a)
        }
    }
}

extension Tag {
    /// Those of types, as LLVM counts them.
    fileprivate static let types: Set<UInt16> = [
        0x01, 0x02, 0x04, 0x0f, 0x10, 0x12, 0x13, 0x15, 0x16, 0x17, 0x1f, 0x20, 0x21, 0x24, 0x26, 0x29, 0x2d, 0x31, 0x35, 0x37, 0x38,
        0x3b, 0x40, 0x42, 0x43, 0x44, 0x46, 0x47, 0x4b, 0x4300, 0xb001, 0xb002, 0xb003, 0xb004,
    ]
}
