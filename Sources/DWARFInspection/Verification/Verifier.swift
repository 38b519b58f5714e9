internal import BinaryPrimitives
internal import DWARF

/// Looks for contradictions in debug information (`--verify`), as llvm-dwarfdump 19 does and in its
/// words.
package struct Verifier {
    /// Parts that are reported, by LLVM's names.
    package enum Display: String, Sendable, CaseIterable {
        /// How often each kind of finding occurred. By its name it would be nothing, but LLVM 19
        /// has this.
        case quiet
        /// Each finding, and entries without their encodings. By its name it would be the counts,
        /// but LLVM 19 has this.
        case summary
        /// Each finding.
        case details
        /// Each finding, and the counts.
        case full
    }

    private let object: DumpedObject
    private let output: DumpOutput
    private let report: VerifierReport
    private let display: Display

    /// - Parameter output: `nil` if nothing but the result is wanted.
    package init(_ object: DumpedObject, _ output: DumpOutput?, display: Display = .full) {
        self.object = object
        self.output = output ?? DumpOutput { _ in }
        self.display = display
        report = VerifierReport(self.output, showsDetails: display != .quiet, showsSummary: display == .quiet || display == .full)
    }

    /// - Parameter json: gets the counts as JSON.
    /// - Returns: whether nothing is wrong.
    package func run(json: DumpOutput? = nil) -> Bool {
        InspectionPhase.verifying.begin()
        report.line("Verifying \(object.name):\tfile format \(object.format)")
        var isSound = verifyAbbreviations()
        isSound = verifyPackageIndexes() && isSound
        isSound = verifyUnits() && isSound
        isSound = verifyLines() && isSound
        isSound = verifyStringOffsets() && isSound
        isSound = verifyNames() && isSound
        for problem in object.sections.problems { object.report(problem) }
        report.summarize()
        if let json { report.writeJSON(to: json) }
        report.line(isSound ? "No errors." : "Errors detected.")
        return isSound
    }

    private func text(_ context: DumpContext) -> EntryText {
        var options = DumpOptions()
        options.checksReferences = true
        options.isVerbose = display == .details || display == .full
        // LLVM has no names of registers at hand here.
        return EntryText(context, options, output, registers: nil)
    }

    private func verifyAbbreviations() -> Bool {
        report.line("Verifying .debug_abbrev...")
        var isSound = true
        for name in [".debug_abbrev", ".debug_abbrev.dwo"] where !object.sections[name].isEmpty {
            isSound = AbbreviationCheck.run(object.sections[name], report) && isSound
        }
        return isSound
    }

    private func verifyPackageIndexes() -> Bool {
        var isSound = true
        for (name, isTypes) in [(".debug_cu_index", false), (".debug_tu_index", true)] where !object.sections[name].isEmpty {
            report.line("Verifying \(name)...")
            isSound = PackageIndexCheck(object.sections[name], isTypes: isTypes, report).run() && isSound
        }
        return isSound
    }

    private func verifyUnits() -> Bool {
        var isSound = true
        let abbreviations = object.sections[".debug_abbrev"]
        for name in [".debug_info", ".debug_types"] {
            report.line("Verifying \(name) Unit Header Chain...")
            guard DumpedSections.has(name, in: object.file) else { continue }
            var check = UnitHeaderCheck(object.sections[name], abbreviations: abbreviations, report)
            isSound = check.run() && isSound
        }
        report.line("Verifying non-dwo Units...")
        if let context = object.main { isSound = UnitCheck(context, report, text(context)).run() && isSound }
        report.line("Verifying dwo Units...")
        if let context = object.split { isSound = UnitCheck(context, report, text(context)).run() && isSound }
        return isSound
    }

    private func verifyLines() -> Bool {
        report.line("Verifying .debug_line...")
        guard let context = object.main else { return true }
        var check = LineTableCheck(context, report, text(context))
        return check.run()
    }

    private func verifyStringOffsets() -> Bool {
        report.line("Verifying .debug_str_offsets...")
        // GNU's split units have offsets without a header.
        var first = object.sections[".debug_info.dwo"].cursor(at: 0)
        let size = first.initialLength().offsetSize
        let version = first.u16()
        let old = !first.isPastEnd && version <= 4 ? size : nil
        var isSound = true
        for (suffix, size) in [(".dwo", old), ("", nil)] {
            let name = ".debug_str_offsets" + suffix
            let check = StringOffsetsCheck(
                name: name, section: object.sections[name], strings: object.sections[".debug_str" + suffix], oldOffsetSize: size,
                report: report)
            isSound = check.run() && isSound
        }
        return isSound
    }

    private func verifyNames() -> Bool {
        var isSound = true
        let strings = object.sections[".debug_str"]
        for name in [".apple_names", ".apple_types", ".apple_namespaces", ".apple_objc"] where !object.sections[name].isEmpty {
            report.line("Verifying \(name)...")
            isSound = AppleNamesCheck(name, object.sections[name], strings, object.main, report).run() && isSound
        }
        if !object.sections[".debug_names"].isEmpty {
            report.line("Verifying .debug_names...")
            isSound = NameIndexCheck(object.sections[".debug_names"], strings, object.main, report).run() && isSound
        }
        return isSound
    }
}

/// Checks an index of a package: that no part of a section belongs to two units (DWARF 5, section
/// 7.3.5.3).
struct PackageIndexCheck {
    private let bytes: SectionBytes
    private let isTypes: Bool
    private let report: VerifierReport

    init(_ bytes: SectionBytes, isTypes: Bool, _ report: VerifierReport) {
        self.bytes = bytes
        self.isTypes = isTypes
        self.report = report
    }

    /// - Returns: whether the index can be read and nothing is wrong.
    func run() -> Bool {
        guard let table = PackageIndexTable(bytes) else { return false }
        // The column of the units themselves: `DW_SECT_INFO`, of version 2's types `DW_SECT_TYPES`.
        let own: UInt32 = isTypes && table.version == 2 ? 2 : 1
        guard let ownColumn = table.kinds.firstIndex(of: own), table.kinds.lastIndex(of: own) == ownColumn else { return false }
        let checked = own == 1 ? Array(table.kinds.indices) : [ownColumn]
        var taken = [SortedRanges](repeating: SortedRanges(), count: checked.count)
        for (number, slot) in table.slots.enumerated() {
            for (index, column) in checked.enumerated() {
                let part = table.part(row: slot.row, column: column)
                if part.isEmpty { continue }
                let bounds = RangeLists.Bounds(low: part.lowerBound, high: part.upperBound)
                if let other = taken[index].owners(overlapping: bounds, maxCount: 1).first {
                    let known = table.slots[other].signature
                    let name = table.name(ofColumn: column).map(\.description) ?? "Unknown: 0x" + String(table.kinds[column], radix: 16)
                    report.add(
                        isTypes ? "Overlapping TU index entries" : "Overlapping CU index entries",
                        "overlapping index entries for entries \(VerifierText.hex(known, 16)) and \(VerifierText.hex(slot.signature, 16)) "
                            + "for column \(name)")
                    return false
                }
                _ = taken[index].insert(bounds, owner: number)
            }
        }
        return true
    }
}
