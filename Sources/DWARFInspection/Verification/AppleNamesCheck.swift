internal import DWARF

/// Checks one of Apple's tables of names: that buckets lead to hashes, and names to entries of
/// their tag.
struct AppleNamesCheck {
    private let name: String
    private let section: SectionBytes
    private let strings: SectionBytes
    private let context: DumpContext?
    private let report: VerifierReport
    private let allowance: ListAllowance

    init(_ name: String, _ section: SectionBytes, _ strings: SectionBytes, _ context: DumpContext?, _ report: VerifierReport) {
        self.name = name
        self.section = section
        self.strings = strings
        self.context = context
        self.report = report
        allowance = .ofNames(section) { context?.report($0) }
    }

    private static let tooSmall = "Section is too small to fit a section header"

    /// Counts and positions of the tables in the section.
    private struct Layout {
        let buckets: UInt64
        let hashes: UInt64
        let bucketsStart: UInt64
        var hashesStart: UInt64 { bucketsStart + 4 * buckets }
        var offsetsStart: UInt64 { hashesStart + 4 * hashes }
    }

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        guard let layout = readLayout() else { return false }
        let areBucketsSound = checkBuckets(layout)
        guard let atoms = readAtoms() else { return false }
        let areHashesSound = checkHashes(layout, atoms)
        return areBucketsSound && areHashesSound
    }

    private func number(at position: UInt64) -> UInt64 { section.number(at: Int(clamping: position), size: 4) ?? 0 }

    /// - Returns: `nil`, which is reported, if the section has no room for the tables.
    private func readLayout() -> Layout? {
        guard section.count > 20 else {
            report.add(Self.tooSmall, "Section is too small to fit a section header.")
            return nil
        }
        let layout = Layout(buckets: number(at: 8), hashes: number(at: 12), bucketsStart: 20 + number(at: 16))
        guard layout.bucketsStart &+ 4 &* (layout.buckets &- 1) < UInt64(section.count) else {
            report.add(Self.tooSmall, "Section too small: cannot read buckets and hashes.")
            return nil
        }
        return layout
    }

    private func checkBuckets(_ layout: Layout) -> Bool {
        var isSound = true
        for bucket in 0..<layout.buckets {
            let index = number(at: layout.bucketsStart + 4 * bucket)
            guard index >= layout.hashes, index != 0xffff_ffff else { continue }
            isSound = false
            report.add("Invalid hash index", "Bucket[\(bucket)] has invalid hash index: \(index).")
        }
        return isSound
    }

    /// Reads the kinds of values that each entry has, as pairs of type and form.
    /// - Returns: `nil`, which is reported, if entries cannot be read with them.
    private func readAtoms() -> [(type: UInt16, form: UInt16)]? {
        func fail(_ category: String, _ message: String) -> [(type: UInt16, form: UInt16)]? {
            report.add(category, message)
            return nil
        }
        let count = number(at: 24)
        guard count > 0 else { return fail("No atoms", "No atoms: failed to read HashData.") }
        let atoms = (0..<min(count, UInt64(section.count) / 4)).map { index in
            let position = Int(28 + 4 * index)
            return (
                type: UInt16(truncatingIfNeeded: section.number(at: position, size: 2) ?? 0),
                form: UInt16(truncatingIfNeeded: section.number(at: position + 2, size: 2) ?? 0)
            )
        }
        if let atom = atoms.first(where: { !AppleNames.hasSize($0.form) }) {
            let name = DWARFNames.forms.name(UInt64(atom.form)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return fail(Self.tooSmall, "Unsupported form:" + name)
        }
        let numbers: Set<UInt16> = [Form.data1, Form.data2, Form.data4, Form.data8, Form.udata, Form.flag, Form.flagPresent]
        // Offsets, tags and flags are constants.
        guard atoms.allSatisfy({ ![1, 3, 4, 5].contains($0.type) || numbers.contains($0.form) }) else {
            return fail("Unsupported form", "Unsupported form: failed to read HashData.")
        }
        return atoms
    }

    private func checkHashes(_ layout: Layout, _ atoms: [(type: UInt16, form: UInt16)]) -> Bool {
        // First which entries there are, unit by unit; then what the table says of them.
        var wanted = NumberSet()
        for hash in 0..<layout.hashes { forEachEntry(at: number(at: layout.offsetsStart + 4 * hash), atoms) { wanted.insert($0.offset) } }
        let tags = EntryTags(wanted, context)
        var isSound = true
        for hash in 0..<layout.hashes {
            let position = number(at: layout.offsetsStart + 4 * hash)
            if position > UInt64(section.count) || UInt64(section.count) - position < 8 {
                isSound = false
                report.add("Invalid HashData offset", "Hash[\(hash)] has invalid HashData offset: \(VerifierText.hex(position, 8)).")
            }
            let value = number(at: layout.hashesStart + 4 * hash)
            let bucket = layout.buckets > 0 ? Int(value % layout.buckets) : -1
            forEachEntry(at: position, atoms) { entry in
                if !check(entry, tags[entry.offset], "\(name) Bucket[\(bucket)] Hash[\(hash)] = \(VerifierText.hex(value, 8))") {
                    isSound = false
                }
            }
        }
        return isSound
    }

    /// - Parameters:
    ///   - tag: that of the debugging entry at the offset; `nil`: none begins there.
    ///   - hash: where the entry is, for messages.
    private func check(_ entry: Entry, _ tag: UInt16?, _ hash: String) -> Bool {
        guard let tag else {
            let text = strings.name(at: Int(clamping: entry.string)).map { String(decoding: strings.bytes(in: $0), as: UTF8.self) }
            report.add(
                "Invalid DIE offset",
                "\(hash) Str[\(entry.number)] = \(VerifierText.hex(entry.string, 8)) DIE[\(entry.index)] = "
                    + "\(VerifierText.hex(entry.offset, 8)) is not a valid DIE offset for \"\(text ?? "<NULL>")\".")
            return false
        }
        guard entry.tag != 0, entry.tag != tag else { return true }
        let (said, real) = (DWARFNames.tags.text(UInt64(entry.tag)), DWARFNames.tags.text(UInt64(tag)))
        report.add(
            "Mismatched Tag in accellerator table",
            "Tag \(said) in accelerator table does not match Tag \(real) of DIE[\(entry.index)].")
        return false
    }

    private struct Entry {
        /// Which name of the hash, and which entry of the name.
        var number: Int
        var index: UInt32
        var string: UInt64
        var offset: UInt64
        var tag: UInt16
    }

    /// The entries of the names of one hash.
    private func forEachEntry(at position: UInt64, _ atoms: [(type: UInt16, form: UInt16)], _ body: (Entry) -> Void) {
        guard allowance.isLeft else { return }
        var cursor = section.cursor(at: Int(clamping: position))
        let first = cursor.position
        defer { allowance.spend(cursor.position &- first) }
        let unit = DumpUnit.ofTables(section.order)
        var number = 0
        while true {
            let string = UInt64(cursor.u32())
            if cursor.isPastEnd || string == 0 { return }
            let count = cursor.u32()
            for index in 0..<count {
                let start = cursor.position
                var entry = Entry(number: number, index: index, string: string, offset: UInt64.max, tag: 0)
                for atom in atoms {
                    guard let value = DumpValue(form: atom.form, &cursor, unit) else { return }
                    if atom.type == 1 { entry.offset = value.raw }
                    if atom.type == 3 { entry.tag = UInt16(truncatingIfNeeded: value.raw) }
                }
                if cursor.isPastEnd { return }
                body(entry)
                // Atoms without bytes would be read for ever.
                if cursor.position == start { break }
            }
            number += 1
        }
    }
}
