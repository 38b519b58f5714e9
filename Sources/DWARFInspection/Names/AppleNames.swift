internal import DWARF

/// One of Apple's tables of names (`.apple_names` and its like; LLVM's `SourceLevelDebugging`): a
/// hash table from names to entries.
struct AppleNames {
    let section: SectionBytes
    let strings: SectionBytes
    private let header: (magic: UInt32, version: UInt16, hash: UInt16, buckets: UInt32, hashes: UInt32, length: UInt32)
    private let base: UInt32
    let atoms: [(type: UInt16, form: UInt16)]
    /// A unit for reading forms.
    private let reader: DumpUnit
    private let allowance: ListAllowance

    /// - Returns: `nil` if it is too short for what it says to hold, or has values whose size
    ///   cannot be determined.
    init?(_ section: SectionBytes, _ strings: SectionBytes, allowance: ListAllowance) {
        self.allowance = allowance
        reader = .ofTables(section.order)
        self.section = section
        self.strings = strings
        var cursor = section.cursor(at: 0)
        header = (cursor.u32(), cursor.u16(), cursor.u16(), cursor.u32(), cursor.u32(), cursor.u32())
        base = cursor.u32()
        let count = cursor.u32()
        guard !cursor.isPastEnd, count < 64, header.buckets < 1 << 28, header.hashes < 1 << 28 else { return nil }
        atoms = (0..<count).map { _ in (cursor.u16(), cursor.u16()) }
        let tables = 20 + Int(header.length) + 4 * Int(header.buckets) + 8 * Int(header.hashes)
        guard !cursor.isPastEnd, tables <= section.count, entrySize != nil else { return nil }
    }

    /// Whether the bytes of a form can be determined without reading it.
    static func hasSize(_ form: UInt16) -> Bool { size(of: form) != nil }

    private static func size(of form: UInt16) -> Int? {
        switch form {
        case Form.data1, Form.flag, Form.ref1: 1
        case Form.data2, Form.ref2: 2
        case Form.data4, Form.ref4, Form.strp, Form.secOffset: 4
        case Form.data8, Form.ref8: 8
        case Form.flagPresent: 0
        default: nil
        }
    }

    private var entrySize: Int? {
        var size = 0
        for atom in atoms {
            guard let bytes = Self.size(of: atom.form) else { return nil }
            size += bytes
        }
        return size
    }

    /// Gives each bucket's hashes: the number of the bucket, and for each hash its value and where
    /// its names begin; `nil` for an empty one.
    private func forEachBucket(_ body: (UInt32, [(hash: UInt32, position: Int)]?) -> Void) {
        let buckets = 20 + Int(header.length)
        let hashes = buckets + 4 * Int(header.buckets)
        let offsets = hashes + 4 * Int(header.hashes)
        for bucket in 0..<header.buckets {
            let first = section.number(at: buckets + 4 * Int(bucket), size: 4) ?? 0
            guard first != 0xffff_ffff else {
                body(bucket, nil)
                continue
            }
            var found: [(UInt32, Int)] = []
            var index = Int(first)
            while index < Int(header.hashes) {
                let hash = UInt32(section.number(at: hashes + 4 * index, size: 4) ?? 0)
                guard hash % header.buckets == bucket else { break }
                found.append((hash, Int(section.number(at: offsets + 4 * index, size: 4) ?? 0)))
                index += 1
            }
            body(bucket, found)
        }
    }

    /// Gives each name of one hash, with its values. The list ends with a zero.
    private func forEachName(at position: Int, _ body: (Int, UInt64, [[DumpValue]]) -> Void) -> Bool {
        guard allowance.isLeft else { return true }
        var cursor = section.cursor(at: position)
        defer { allowance.spend(cursor.position &- position) }
        while true {
            let start = cursor.position
            let string = UInt64(cursor.u32())
            if cursor.isPastEnd { return false }
            if string == 0 { return true }
            let count = cursor.u32()
            var entries: [[DumpValue]] = []
            for _ in 0..<count {
                let values = atoms.compactMap { DumpValue(form: $0.form, &cursor, reader) }
                // Those without bytes would be read for ever.
                if cursor.isPastEnd || entrySize == 0 { break }
                entries.append(values)
            }
            body(start, string, entries)
            if cursor.isPastEnd { return false }
        }
    }

    /// The offsets in `.debug_info` of the entries of a name.
    func entries(named name: [UInt8]) -> [UInt64] {
        guard let atom = atoms.firstIndex(where: { $0.type == 1 }) else { return [] }
        var found: [UInt64] = []
        forEachBucket { _, hashes in
            for (_, position) in hashes ?? [] {
                _ = forEachName(at: position) { _, string, entries in
                    guard let range = strings.name(at: Int(clamping: string)), strings.bytes(in: range) == name else { return }
                    found += entries.filter { atom < $0.count }.map { values in
                        let isReference = [Form.ref1, Form.ref2, Form.ref4, Form.ref8].contains(values[atom].form)
                        return values[atom].raw &+ (isReference ? UInt64(base) : 0)
                    }
                }
            }
        }
        return found
    }

    func write(to output: DumpOutput, _ text: EntryText) {
        let writer = ScopeWriter(output)
        writer.scope("Header") {
            writer.line("Magic: \(ScopeWriter.hex(UInt64(header.magic)))")
            writer.line("Version: \(ScopeWriter.hex(UInt64(header.version)))")
            writer.line("Hash function: \(ScopeWriter.hex(UInt64(header.hash)))")
            writer.line("Bucket count: \(header.buckets)")
            writer.line("Hashes count: \(header.hashes)")
            writer.line("HeaderData length: \(header.length)")
        }
        writer.line("DIE offset base: \(base)")
        writer.line("Number of atoms: \(atoms.count)")
        writer.line("Size of each hash data entry: \(entrySize ?? 0)")
        writer.scope("Atoms", isList: true) {
            for (index, atom) in atoms.enumerated() {
                writer.scope("Atom \(index)") {
                    writer.line("Type: " + Self.name(ofAtom: atom.type))
                    writer.line("Form: " + DWARFNames.forms.text(UInt64(atom.form)))
                }
            }
        }
        forEachBucket { bucket, hashes in
            writer.scope("Bucket \(bucket)", isList: true) {
                guard let hashes else { return writer.line("EMPTY") }
                for (hash, position) in hashes {
                    writer.scope("Hash " + ScopeWriter.lowerHex(UInt64(hash)), isList: true) {
                        guard position < section.count else { return writer.line("Invalid section offset") }
                        let isEnded = forEachName(at: position) { write($0, $1, $2, writer, text) }
                        if !isEnded { writer.line("Incorrectly terminated list.") }
                    }
                }
            }
        }
    }

    private func write(_ position: Int, _ string: UInt64, _ entries: [[DumpValue]], _ writer: ScopeWriter, _ text: EntryText) {
        writer.scope("Name@" + ScopeWriter.lowerHex(UInt64(position))) {
            writer.start()
            writer.output.text("String: ")
            writer.output.hex(string, 8)
            writer.output.text(" \"")
            if let range = strings.name(at: Int(clamping: string)) { writer.output.name(strings.bytes(in: range)) }
            writer.output.text("\"\n")
            for (index, values) in entries.enumerated() {
                writer.scope("Data \(index)", isList: true) {
                    for (atom, value) in values.enumerated() {
                        writer.start()
                        writer.output.text("Atom[\(atom)]: ")
                        text.write(value)
                        if let number = value.unsignedConstant {
                            if atoms[atom].type == 0 { writer.output.text(" (NULL)") }
                            if atoms[atom].type == 3, let tag = DWARFNames.tags.name(number) {
                                writer.output.text(" (")
                                writer.output.bytes(tag)
                                writer.output.text(")")
                            }
                        }
                        writer.output.byte(0x0a)
                    }
                }
            }
        }
    }

    private static func name(ofAtom type: UInt16) -> String {
        switch type {
        case 0: "DW_ATOM_null"
        case 1: "DW_ATOM_die_offset"
        case 2: "DW_ATOM_cu_offset"
        case 3: "DW_ATOM_die_tag"
        case 4, 5: "DW_ATOM_type_flags"
        case 6: "DW_ATOM_qual_name_hash"
        default: "DW_ATOM_unknown_" + String(type, radix: 16)
        }
    }
}
