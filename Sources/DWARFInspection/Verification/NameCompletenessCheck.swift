internal import DWARF

/// Checks that a name index has what belongs into it (DWARF 5, section 6.1.1.1).
struct NameCompletenessCheck {
    private let index: NameIndex
    private let context: DumpContext
    private let report: VerifierReport

    init(_ index: NameIndex, _ context: DumpContext, _ report: VerifierReport) {
        self.index = index
        self.context = context
        self.report = report
    }

    /// - Returns: whether nothing is missing.
    func run() -> Bool {
        var known = NumberSet()
        for name in 0..<Int(index.counts.names) {
            guard let text = index.name(UInt64(name) + 1) else { continue }
            for entry in index.entries(at: index.entriesOffset(name)).entries {
                if let offset = entry.value(3) { known.insert(key(text, offset)) }
            }
        }
        var isSound = true
        let units = Set((0..<index.counts.units).map { index.unitOffset($0) })
        for unit in context.infoUnits where !unit.isTypeUnit && units.contains(UInt64(unit.offset)) {
            context.forEachEntry(of: unit) { entry in
                let offset = UInt64(entry.offset - unit.offset)
                for name in names(of: entry) where !known.has(key(name, offset)) {
                    isSound = false
                    report.add(
                        "Name Index DIE entry missing name",
                        "Name Index @ \(VerifierText.hex(UInt64(index.start))): Entry for DIE @ \(VerifierText.hex(UInt64(entry.offset))) "
                            + "(\(DWARFNames.tags.text(UInt64(entry.tag)))) with name \(String(decoding: name, as: UTF8.self)) missing."
                    )
                }
            }
        }
        return isSound
    }

    private func key(_ name: [UInt8], _ offset: UInt64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(offset)
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The names that the index must have for an entry; none for what does not belong into it.
    private func names(of entry: DumpEntry) -> [[UInt8]] {
        let has = { (attribute: UInt16) in entry.abbreviation.specifications.contains { $0.name == attribute } }
        if Self.excluded.contains(entry.tag) || has(Attribute.declaration) { return [] }
        switch entry.tag {
        case Tag.subprogram, Tag.inlinedSubroutine, Tag.label:
            guard context.inherited([Attribute.lowPC, Attribute.highPC, Attribute.ranges, Attribute.entryPC], of: entry) != nil else {
                return []
            }
        case Tag.variable: guard hasAddress(entry) else { return [] }
        default: break
        }
        var names: [[UInt8]] = []
        if let name = context.shortName(entry)?.bytes {
            names.append(name)
        } else if entry.tag == Tag.namespace {
            names.append(EntryIndexNames.anonymous)
        }
        if entry.tag == Tag.subprogram || entry.tag == Tag.inlinedSubroutine, let name = context.mangledName(entry)?.bytes {
            names.append(name)
        }
        return names
    }

    private static let excluded: Set<UInt16> = [
        Tag.compileUnit, Tag.module, Tag.formalParameter, Tag.templateValueParameter, Tag.templateTypeParameter,
        Tag.gnuTemplateParameterPack, Tag.gnuTemplateTemplateParameter, Tag.member, Tag.enumerator, Tag.importedDeclaration,
    ]

    /// Variables at an address, or of a thread (`DW_OP_addr`, `DW_OP_form_tls_address`,
    /// `DW_OP_GNU_push_tls_address`).
    private func hasAddress(_ entry: DumpEntry) -> Bool {
        guard let value = context.value(Attribute.location, of: entry) else { return false }
        let expressions: [SectionBytes]
        if value.isSectionOffset {
            let (found, problem) = LocationCheck.expressions(of: value, context)
            guard problem == nil else { return false }
            expressions = found
        } else {
            expressions = [context.section(of: entry.unit).part(value.bytes)]
        }
        let reader = ExpressionText(
            context: nil, registers: nil, unit: nil, addressSize: entry.unit.addressSize, offsetSize: entry.unit.offsetSize,
            isVerbose: false)
        return expressions.contains { reader.has([0x03, 0x9b, 0xe0], in: $0) }
    }
}
