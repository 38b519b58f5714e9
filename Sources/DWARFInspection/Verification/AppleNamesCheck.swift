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

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        let tooSmall = "Section is too small to fit a section header"
        func fail(_ category: String, _ message: String) -> Bool {
            report.add(category, message)
            return false
        }
        guard section.count > 20 else { return fail(tooSmall, "Section is too small to fit a section header.") }
        func word(_ position: UInt64) -> UInt64 { section.number(at: Int(clamping: position), size: 4) ?? 0 }
        let (buckets, hashes, length) = (word(8), word(12), word(16))
        let bucketsStart = 20 + length
        guard bucketsStart &+ 4 &* (buckets &- 1) < UInt64(section.count) else {
            return fail(tooSmall, "Section too small: cannot read buckets and hashes.")
        }
        let (hashesStart, offsetsStart) = (bucketsStart + 4 * buckets, bucketsStart + 4 * buckets + 4 * hashes)
        var isSound = true
        for bucket in 0..<buckets {
            let index = word(bucketsStart + 4 * bucket)
            if index >= hashes, index != 0xffff_ffff {
                isSound = fail("Invalid hash index", "Bucket[\(bucket)] has invalid hash index: \(index).")
            }
        }
        let count = word(24)
        guard count > 0 else { return fail("No atoms", "No atoms: failed to read HashData.") }
        let atoms = (0..<min(count, UInt64(section.count) / 4)).map { index in
            let position = Int(28 + 4 * index)
            return (
                type: UInt16(truncatingIfNeeded: section.number(at: position, size: 2) ?? 0),
                form: UInt16(truncatingIfNeeded: section.number(at: position + 2, size: 2) ?? 0)
            )
        }
        if let atom = atoms.first(where: { !AppleNames.hasSize($0.form) }) {
            return fail(
                tooSmall,
                "Unsupported form:" + (DWARFNames.forms.name(UInt64(atom.form)).map { String(decoding: $0, as: UTF8.self) } ?? ""))
        }
        let numbers: Set<UInt16> = [Form.data1, Form.data2, Form.data4, Form.data8, Form.udata, Form.flag, Form.flagPresent]
        // Offsets, tags and flags are constants.
        guard atoms.allSatisfy({ ![1, 3, 4, 5].contains($0.type) || numbers.contains($0.form) }) else {
            return fail("Unsupported form", "Unsupported form: failed to read HashData.")
        }
        // First which entries there are, unit by unit; then what the table says of them.
        var wanted = NumberSet()
        for hash in 0..<hashes { forEachEntry(at: word(offsetsStart + 4 * hash), atoms) { wanted.insert($0.offset) } }
        let tags = EntryTags(wanted, context)
        for hash in 0..<hashes {
            let position = word(offsetsStart + 4 * hash)
            if position > UInt64(section.count) || UInt64(section.count) - position < 8 {
                isSound = fail("Invalid HashData offset", "Hash[\(hash)] has invalid HashData offset: \(VerifierText.hex(position, 8)).")
            }
            let value = word(hashesStart + 4 * hash)
            forEachEntry(at: position, atoms) { entry in
                guard let tag = tags[entry.offset] else {
                    isSound = false
                    let text = strings.name(at: Int(clamping: entry.string)).map {
                        String(decoding: strings.bytes(in: $0), as: UTF8.self)
                    }
                    let bucket = buckets > 0 ? Int(value % buckets) : -1
                    return report.add(
                        "Invalid DIE offset",
                        "\(name) Bucket[\(bucket)] Hash[\(hash)] = \(VerifierText.hex(value, 8)) Str[\(entry.number)] = "
                            + "\(VerifierText.hex(entry.string, 8)) DIE[\(entry.index)] = \(VerifierText.hex(entry.offset, 8)) "
                            + "is not a valid DIE offset for \"\(text ?? "<NULL>")\".")
                }
                if entry.tag != 0, entry.tag != tag {
                    isSound = false
                    let (said, real) = (DWARFNames.tags.text(UInt64(entry.tag)), DWARFNames.tags.text(UInt64(tag)))
                    report.add(
                        "Mismatched Tag in accellerator table",
                        "Tag \(said) in accelerator table does not match Tag \(real) of DIE[\(entry.index)].")
                }
            }
        }
        return isSound
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
