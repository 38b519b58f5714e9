internal import BinaryPrimitives
internal import DWARF

/// Checks units one after the other: their entries, their roots, and what refers from one to
/// another.
struct UnitCheck {
    private let context: DumpContext
    private let report: VerifierReport
    private let text: EntryText
    /// As entries are dumped without `-v`.
    private let plainText: EntryText

    init(_ context: DumpContext, _ report: VerifierReport, _ text: EntryText) {
        self.context = context
        self.report = report
        self.text = text
        plainText = EntryText(context, DumpOptions(), text.output, registers: nil)
    }

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        let entries = EntryCheck(context, report, text)
        var ranges = RangeCheck(context, report, text)
        var isSound = true
        for (index, unit) in context.units.enumerated() {
            // GNU's split units are known by their root.
            _ = context.bases(of: unit)
            let root = context.entry(at: unit.root, in: unit)
            report.output.text("Verifying unit: \(index + 1) / \(context.units.count)")
            if let name = root.flatMap({ context.shortName($0) }) {
                report.output.text(", \"")
                report.output.name(name.bytes)
                report.output.text("\"")
            }
            report.output.byte(0x0a)
            let tree = text.trees.tree(of: unit)
            isSound = checkEntries(unit, tree, entries) && isSound
            if let root {
                isSound = checkRoot(root) && isSound
                isSound = ranges.run(unit) && isSound
            } else {
                isSound = false
                report.add("Compilation unit missing DIE", "Compilation unit without DIE.")
            }
            entries.finish(unit)
        }
        checkReferences(entries)
        return isSound && entries.isSound
    }

    private func checkEntries(_ unit: DumpUnit, _ tree: UnitTree, _ check: EntryCheck) -> Bool {
        let texts = UnitTexts(unit, context, text.trees)
        let bytes = context.section(of: unit)
        var isSound = true
        for offset in tree.offsets {
            guard let entry = context.entry(at: Int(offset) + unit.offset, in: unit) else { continue }
            check.check(entry, tree, texts)
            if entry.abbreviation.hasChildren, let end = context.end(of: entry), end < unit.end, bytes[end] == 0 {
                report.output.text("warning: ")
                report.output.name(DWARFNames.tags, UInt64(entry.tag))
                report.output.text(" has DW_CHILDREN_yes but DIE has no children: ")
                plainText.write(entry, indent: 0)
            }
            if entry.tag == Tag.callSite || entry.tag == Tag.gnuCallSite { isSound = checkCall(entry) && isSound }
        }
        return isSound
    }

    /// A call must be in a function, and that function must state that it lists calls.
    private func checkCall(_ call: DumpEntry) -> Bool {
        var next = text.trees.parent(of: call)
        var depth = 0
        while let entry = next, entry.tag != Tag.subprogram, depth < Limits.standard.entryDepth {
            if entry.tag == Tag.inlinedSubroutine {
                report.add("Call site nested entry within inlined subroutine") {
                    report.output.text("error: Call site entry nested within inlined subroutine:")
                    plainText.write(entry, indent: 0)
                }
                return false
            }
            next = text.trees.parent(of: entry)
            depth += 1
        }
        guard let function = next else {
            report.add("Call site entry not nested within valid subprogram") {
                report.output.text("error: Call site entry not nested within a valid subprogram:")
                plainText.write(call, indent: 0)
            }
            return false
        }
        let matches = function.abbreviation.specifications.contains { Attribute.hasCalls.contains($0.name) }
        if !matches {
            report.add("Subprogram with call site entry has no DW_AT_call attribute") {
                report.output.text("error: Subprogram with call site entry has no DW_AT_call attribute:")
                plainText.write(function, indent: 0)
                plainText.write(call, indent: 1)
            }
        }
        return matches
    }

    private func checkRoot(_ root: DumpEntry) -> Bool {
        let tag = DWARFNames.tags.text(UInt64(root.tag))
        let isUnit = [Tag.compileUnit, Tag.typeUnit, Tag.partialUnit, Tag.skeletonUnit].contains(root.tag)
        if !isUnit {
            report.add("Compilation unit root DIE is not a unit DIE", "Compilation unit root DIE is not a unit DIE: \(tag).")
        }
        let fits =
            switch root.unit.type {
            case UnitKind.compile: root.tag == Tag.compileUnit
            case UnitKind.type: root.tag == Tag.typeUnit
            case UnitKind.partial: root.tag == Tag.partialUnit
            case UnitKind.skeleton: root.tag == Tag.skeletonUnit
            case UnitKind.splitCompile, UnitKind.splitType: isUnit
            default: false
            }
        if !fits {
            let type = DWARFNames.unitTypes.name(UInt64(root.unit.type)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            report.add("Mismatched unit type", "Compilation unit type (\(type)) and root DIE (\(tag)) do not match.")
        }
        let isParent = root.tag == Tag.skeletonUnit && root.abbreviation.hasChildren
        if isParent { report.add("Skeleton CU has children", "Skeleton compilation unit has children.") }
        return isUnit && fits && !isParent
    }

    /// References across units, which lead to entries of others.
    private func checkReferences(_ check: EntryCheck) {
        let targets = check.referred.all.sorted()
        var broken: [UInt64] = []
        var index = 0
        for unit in context.infoUnits where index < targets.count {
            let isIn = targets[index] < UInt64(unit.end)
            guard isIn else { continue }
            let tree = text.trees.tree(of: unit)
            while index < targets.count, targets[index] < UInt64(unit.end) {
                if targets[index] < UInt64(unit.offset) || tree.index(of: Int(targets[index]) - unit.offset) == nil {
                    broken.append(targets[index])
                }
                index += 1
            }
        }
        broken += targets[index...]
        guard !broken.isEmpty else { return }
        // Only now who refers there is looked for.
        var referrers: [UInt64: [DumpEntry]] = Dictionary(uniqueKeysWithValues: broken.map { ($0, []) })
        for unit in context.units {
            context.forEachEntry(of: unit) { entry in
                var cursor = context.section(of: unit).cursor(at: entry.values)
                for specification in entry.abbreviation.specifications {
                    guard let value = DumpValue(specification, &cursor, unit), !cursor.isPastEnd else { return }
                    if value.form == Form.refAddr { referrers[value.raw]?.append(entry) }
                }
            }
        }
        for target in broken { check.notify(Int(clamping: target), referrers[target] ?? []) }
    }
}

extension Attribute {
    /// Those by which a function says that its calls are listed: `DW_AT_call_all_calls`,
    /// `call_all_source_calls`, `call_all_tail_calls`, and GNU's.
    fileprivate static let hasCalls: Set<UInt16> = [0x7a, 0x7b, 0x7c, 0x2116, 0x2117, 0x2118]
}
