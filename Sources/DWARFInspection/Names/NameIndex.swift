internal import DWARF

/// One name index of `.debug_names` (DWARF 5, section 6.1.1).
struct NameIndex {
    struct Abbreviation {
        var code: UInt64
        var tag: UInt64
        var attributes: [(index: UInt64, form: UInt16)]
    }

    private let section: SectionBytes
    private let strings: SectionBytes
    private let reader: DumpUnit
    private let allowance: ListAllowance
    let start: Int
    private let length: UInt64
    private let offsetSize: Int
    private let version: UInt16
    let counts: (units: UInt32, localTypes: UInt32, foreignTypes: UInt32, buckets: UInt32, names: UInt32, abbreviations: UInt32)
    private let augmentation: Range<Int>
    private let unitOffsets: Int
    private let buckets: Int
    private let hashes: Int
    private let stringOffsets: Int
    private let entryOffsets: Int
    private let entries: Int
    private(set) var abbreviations: [Abbreviation] = []
    let end: Int

    /// - Parameter allowance: for the entries of names, which may be others' too.
    /// - Throws: in LLVM's words, why it cannot be read.
    init(
        at offset: Int, of section: SectionBytes, _ strings: SectionBytes, allowance: ListAllowance
    ) throws(DumpError) {
        self.allowance = allowance
        reader = .ofTables(section.order)
        self.section = section
        self.strings = strings
        start = offset
        let message = "parsing .debug_names header at \(VerifierText.hex(UInt64(offset))): "
        var cursor = section.cursor(at: offset)
        (length, offsetSize) = cursor.initialLength()
        let content = offset + (offsetSize == 8 ? 12 : 4)
        // The version and padding, then seven counts.
        var position = content
        for size in offset == content ? [] : [2, 2, 4, 4, 4, 4, 4, 4, 4] {
            guard position + size <= section.count else {
                throw DumpError(message + VerifierText.endOfData(UInt64(position), UInt64(size), of: section.count))
            }
            position += size
        }
        if cursor.isPastEnd { throw DumpError(message + VerifierText.endOfData(UInt64(offset), 4, of: section.count)) }
        end = content + Int(min(length, UInt64(max(0, section.count - content))))
        version = cursor.u16()
        cursor.skip(2)
        counts = (cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32())
        // Padded to whole words.
        let size = (UInt64(cursor.u32()) + 3) / 4 * 4
        augmentation = cursor.block(size)
        if cursor.isPastEnd { throw DumpError(message + "cannot read header augmentation") }
        unitOffsets = cursor.position
        cursor.skip((UInt64(counts.units) + UInt64(counts.localTypes)) * UInt64(offsetSize) + UInt64(counts.foreignTypes) * 8)
        buckets = cursor.position
        cursor.skip(UInt64(counts.buckets) * 4)
        hashes = cursor.position
        if counts.buckets > 0 { cursor.skip(UInt64(counts.names) * 4) }
        stringOffsets = cursor.position
        cursor.skip(UInt64(counts.names) * UInt64(offsetSize))
        entryOffsets = cursor.position
        cursor.skip(UInt64(counts.names) * UInt64(offsetSize))
        let table = cursor
        cursor.skip(UInt64(counts.abbreviations))
        entries = cursor.position
        guard !cursor.isPastEnd else { throw DumpError("Section too small: cannot read abbreviations.") }
        abbreviations = try Self.readAbbreviations(table, upTo: entries)
    }

    private static func readAbbreviations(_ cursor: SectionCursor, upTo end: Int) throws(DumpError) -> [Abbreviation] {
        var table = cursor
        var abbreviations: [Abbreviation] = []
        var codes: Set<UInt64> = []
        func checkEnd() throws(DumpError) {
            guard table.position < end, !table.isPastEnd else { throw DumpError("Incorrectly terminated abbreviation table.") }
        }
        while true {
            try checkEnd()
            let code = table.uleb()
            if code == 0 { return abbreviations }
            var abbreviation = Abbreviation(code: code, tag: table.uleb(), attributes: [])
            while true {
                try checkEnd()
                let (index, form) = (table.uleb(), UInt16(truncatingIfNeeded: table.uleb()))
                if index == 0, form == 0 { break }
                abbreviation.attributes.append((index, form))
            }
            guard codes.insert(code).inserted else { throw DumpError("Duplicate abbreviation code.") }
            abbreviations.append(abbreviation)
        }
    }

    struct Entry {
        var position: Int
        var abbreviation: Abbreviation
        var values: [DumpValue]

        /// The number of an attribute (`DW_IDX_…`).
        func value(_ index: UInt64) -> UInt64? { abbreviation.attributes.firstIndex { $0.index == index }.map { values[$0].raw } }
    }

    /// The entries of a name, and whether the zero that ends them was met.
    func entries(at position: Int) -> (entries: [Entry], problem: String?) {
        guard allowance.isLeft else { return ([], nil) }
        var cursor = section.cut(at: end).cursor(at: position)
        defer { allowance.spend(cursor.position &- position) }
        var found: [Entry] = []
        while true {
            let start = cursor.position
            guard cursor.position < end else { return (found, "Incorrectly terminated entry list.") }
            let code = cursor.uleb()
            if code == 0 { return (found, nil) }
            guard let abbreviation = abbreviations.first(where: { $0.code == code }) else { return (found, "Invalid abbreviation.") }
            let values = abbreviation.attributes.compactMap { DumpValue(form: $0.form, &cursor, reader) }
            guard !cursor.isPastEnd, values.count == abbreviation.attributes.count else {
                return (found, "Error extracting index attribute values.")
            }
            found.append(Entry(position: start, abbreviation: abbreviation, values: values))
        }
    }

    private func string(_ name: Int) -> UInt64 { section.number(at: stringOffsets + name * offsetSize, size: offsetSize) ?? 0 }

    /// How many type units it has; their entries are distinguished in another way.
    var typeCount: UInt64 { UInt64(counts.localTypes) + UInt64(counts.foreignTypes) }

    func unitOffset(_ number: UInt32) -> UInt64 { section.number(at: unitOffsets + Int(number) * offsetSize, size: offsetSize) ?? 0 }

    /// The first name of a bucket, from 1; zero for an empty one.
    func bucket(_ number: UInt64) -> UInt64 { section.number(at: buckets + 4 * Int(number), size: 4) ?? 0 }

    /// - Parameter number: from 1.
    func hash(_ number: UInt64) -> UInt64 { section.number(at: hashes + 4 * (Int(number) - 1), size: 4) ?? 0 }

    /// The text of a name.
    /// - Parameter number: from 1.
    /// - Returns: `nil` if it is outside of the section of strings.
    func name(_ number: UInt64) -> [UInt8]? {
        strings.name(at: Int(clamping: string(Int(number) - 1))).map { strings.bytes(in: $0) }
    }

    func entriesOffset(_ name: Int) -> Int {
        entries + Int(clamping: section.number(at: entryOffsets + name * offsetSize, size: offsetSize) ?? 0)
    }

    /// The offsets of the units that entries of a name are in, and of these from there.
    func targets(named name: [UInt8]) -> [(unit: UInt64, offset: UInt64)] {
        var found: [(UInt64, UInt64)] = []
        for index in 0..<Int(counts.names) {
            guard let range = strings.name(at: Int(clamping: string(index))), strings.bytes(in: range) == name else { continue }
            for entry in entries(at: entriesOffset(index)).entries {
                let value = { (wanted: UInt64) in
                    entry.abbreviation.attributes.firstIndex { $0.index == wanted }.map { entry.values[$0].raw }
                }
                // Those of type units are distinguished by `DW_IDX_type_unit`; a single unit is not
                // named at all.
                guard value(2) == nil, let offset = value(3), let unit = value(1) ?? (counts.units == 1 ? 0 : nil),
                    unit < UInt64(counts.units)
                else { continue }
                let base = section.number(at: unitOffsets + Int(unit) * offsetSize, size: offsetSize) ?? 0
                found.append((base, offset))
            }
        }
        return found
    }

    func write(to output: DumpOutput, _ text: EntryText) {
        let writer = ScopeWriter(output)
        writer.scope("Name Index @ " + ScopeWriter.lowerHex(UInt64(start))) {
            writeHeader(writer)
            writer.scope("Abbreviations", isList: true) {
                for abbreviation in abbreviations {
                    writer.scope("Abbreviation " + ScopeWriter.lowerHex(abbreviation.code)) {
                        writer.line("Tag: " + DWARFNames.tags.text(abbreviation.tag))
                        for attribute in abbreviation.attributes {
                            writer.line(DWARFNames.indexes.text(attribute.index) + ": " + DWARFNames.forms.text(UInt64(attribute.form)))
                        }
                    }
                }
            }
            guard counts.buckets > 0 else {
                writer.line("Hash table not present")
                for name in 0..<Int(counts.names) { write(name, nil, writer, text) }
                return
            }
            for bucket in 0..<counts.buckets {
                writer.scope("Bucket \(bucket)", isList: true) {
                    let first = section.number(at: buckets + 4 * Int(bucket), size: 4) ?? 0
                    if first == 0 { return writer.line("EMPTY") }
                    if first > UInt64(counts.names) { return writer.line("Name index is invalid") }
                    for name in Int(first) - 1..<Int(counts.names) {
                        let hash = section.number(at: hashes + 4 * name, size: 4) ?? 0
                        guard hash % UInt64(counts.buckets) == UInt64(bucket) else { break }
                        write(name, hash, writer, text)
                    }
                }
            }
        }
    }

    private func writeHeader(_ writer: ScopeWriter) {
        writer.scope("Header") {
            writer.line("Length: \(ScopeWriter.hex(length))")
            writer.line(offsetSize == 8 ? "Format: DWARF64" : "Format: DWARF32")
            writer.line("Version: \(version)")
            writer.line("CU count: \(counts.units)")
            writer.line("Local TU count: \(counts.localTypes)")
            writer.line("Foreign TU count: \(counts.foreignTypes)")
            writer.line("Bucket count: \(counts.buckets)")
            writer.line("Name count: \(counts.names)")
            writer.line("Abbreviations table size: \(ScopeWriter.hex(UInt64(counts.abbreviations)))")
            writer.start()
            writer.output.text("Augmentation: '")
            writer.output.name(section.bytes(in: augmentation))
            writer.output.text("'\n")
        }
        var position = unitOffsets
        let lists: [(String, String, UInt32, Int)] = [
            ("Compilation Unit offsets", "CU", counts.units, offsetSize),
            ("Local Type Unit offsets", "LocalTU", counts.localTypes, offsetSize),
            ("Foreign Type Unit signatures", "ForeignTU", counts.foreignTypes, 8),
        ]
        for (number, (title, label, count, size)) in lists.enumerated() where number == 0 || count > 0 {
            writer.scope(title, isList: true) {
                for index in 0..<count {
                    writer.start()
                    writer.output.text("\(label)[\(index)]: ")
                    writer.output.hex(section.number(at: position, size: size) ?? 0, number == 2 ? 16 : 8)
                    writer.output.byte(0x0a)
                    position += size
                }
            }
        }
    }

    private func write(_ name: Int, _ hash: UInt64?, _ writer: ScopeWriter, _ text: EntryText) {
        writer.scope("Name \(name + 1)") {
            if let hash { writer.line("Hash: \(ScopeWriter.hex(hash))") }
            writer.start()
            writer.output.text("String: ")
            writer.output.hex(string(name), 8)
            writer.output.text(" \"")
            if let range = strings.name(at: Int(clamping: string(name))) { writer.output.name(strings.bytes(in: range)) }
            writer.output.text("\"\n")
            let (found, problem) = entries(at: entriesOffset(name))
            for entry in found { write(entry, writer, text) }
            if let problem { writer.line(problem) }
        }
    }

    private func write(_ entry: Entry, _ writer: ScopeWriter, _ text: EntryText) {
        writer.scope("Entry @ 0x" + String(entry.position, radix: 16)) {
            writer.line("Abbrev: 0x" + String(entry.abbreviation.code, radix: 16))
            writer.line("Tag: " + DWARFNames.tags.text(entry.abbreviation.tag))
            for (attribute, value) in zip(entry.abbreviation.attributes, entry.values) {
                writer.start()
                writer.output.text(DWARFNames.indexes.text(attribute.index) + ": ")
                if attribute.index == 4 {
                    // `DW_IDX_parent`: an entry of this index, or a flag that says that there is
                    // none.
                    let position = entries + Int(clamping: value.raw)
                    writer.output.text(
                        value.form == Form.flagPresent ? "<parent not indexed>" : "Entry @ 0x" + String(position, radix: 16))
                } else {
                    text.write(value)
                }
                writer.output.byte(0x0a)
            }
        }
    }
}
