internal import BinaryPrimitives
internal import DWARF

/// Checks the entries of a name index: that each leads to an entry of its tag, unit and name.
struct NameEntriesCheck {
    private let index: NameIndex
    private let context: DumpContext
    private let report: VerifierReport
    private let start: String

    init(_ index: NameIndex, _ context: DumpContext, _ report: VerifierReport) {
        self.index = index
        self.context = context
        self.report = report
        start = VerifierText.hex(UInt64(index.start))
    }

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        // First which entries there are, unit by unit; then what the index says of them.
        var wanted = NumberSet()
        for name in 0..<Int(index.counts.names) {
            for entry in index.entries(at: index.entriesOffset(name)).entries {
                if let target = target(of: entry) { wanted.insert(target.offset) }
            }
        }
        let tags = EntryTags(wanted, context)
        var isSound = true
        for name in 0..<Int(index.counts.names) { isSound = check(name, tags) && isSound }
        return isSound
    }

    /// The unit and offset that an entry refers to; `nil` if its unit is not one of the index.
    private func target(of entry: NameIndex.Entry) -> (unit: UInt64, offset: UInt64)? {
        let unit = entry.value(1) ?? 0
        guard unit < UInt64(index.counts.units) else { return nil }
        let start = index.unitOffset(UInt32(unit))
        return (start, start &+ (entry.value(3) ?? 0))
    }

    private func check(_ name: Int, _ tags: EntryTags) -> Bool {
        guard let text = index.name(UInt64(name) + 1) else {
            report.add(
                "Unable to get string associated with name",
                "Name Index @ \(start): Unable to get string associated with name \(name + 1).")
            return false
        }
        var isSound = true
        func fail(_ category: String, _ message: @autoclosure () -> String) {
            isSound = false
            report.add(category, "Name Index @ \(start): \(message())")
        }
        let (entries, problem) = index.entries(at: index.entriesOffset(name))
        for entry in entries {
            let at = "Entry @ \(VerifierText.hex(UInt64(entry.position)))"
            guard let (unit, offset) = target(of: entry) else {
                fail("Name Index entry contains invalid CU index", "\(at) contains an invalid CU index (\(entry.value(1) ?? 0)).")
                continue
            }
            let target = VerifierText.hex(offset)
            guard let tag = tags[offset], let owner = context.unit(containing: Int(clamping: offset)),
                let found = context.entry(at: Int(clamping: offset), in: owner)
            else {
                fail("NameIndex references nonexistent DIE", "\(at) references a non-existing DIE @ \(target).")
                continue
            }
            if UInt64(owner.offset) != unit {
                fail(
                    "Name index contains mismatched CU of DIE",
                    "\(at): mismatched CU of DIE @ \(target): index - \(VerifierText.hex(unit)); debug_info - "
                        + "\(VerifierText.hex(UInt64(owner.offset))).")
            }
            if UInt64(tag) != entry.abbreviation.tag {
                fail(
                    "Name Index contains mismatched Tag of DIE",
                    "\(at): mismatched Tag of DIE @ \(target): index - \(DWARFNames.tags.text(entry.abbreviation.tag)); debug_info - "
                        + "\(DWARFNames.tags.text(UInt64(tag))).")
            }
            let names = EntryIndexNames.all(of: found, context)
            if !names.contains(text) {
                let list = names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
                fail(
                    "Name Index contains mismatched name of DIE",
                    "\(at): mismatched Name of DIE @ \(target): index - \(String(decoding: text, as: UTF8.self)); debug_info - \(list)."
                )
            }
        }
        let message = "Name \(name + 1) (\(String(decoding: text, as: UTF8.self)))"
        if let problem {
            fail("Uncategorized NameIndex error", "\(message): \(problem)")
        } else if entries.isEmpty {
            fail("NameIndex Name is not associated with any entries", "\(message) is not associated with any entries.")
        }
        return isSound
    }
}

/// The names that an entry may be found under.
enum EntryIndexNames {
    /// Its own, and those that debuggers look up: without template arguments, and the parts of
    /// Objective-C's methods.
    static func all(of entry: DumpEntry, _ context: DumpContext) -> [[UInt8]] {
        var names: [[UInt8]] = []
        if let name = context.shortName(entry)?.bytes {
            names.append(name)
            let isFunction = entry.tag == Tag.subprogram || entry.tag == Tag.inlinedSubroutine
            if isFunction, let plain = withoutTemplateArguments(name) { names.append(plain) }
            names += partsOfMethod(name)
        } else if entry.tag == Tag.namespace {
            names.append(anonymous)
        }
        if let name = context.mangledName(entry)?.bytes { names.append(name) }
        return names
    }

    static let anonymous = Array("(anonymous namespace)".utf8)

    /// `swap` of `swap<int>`; `nil` of names that only look like that: `operator>`, `operator<=>`.
    static func withoutTemplateArguments(_ name: [UInt8]) -> [UInt8]? {
        let (left, right) = (UInt8(ascii: "<"), UInt8(ascii: ">"))
        let spaceship = Array("<=>".utf8)
        let lefts = name.indices.filter { name[$0] == left }
        guard name.last == right, !lefts.isEmpty, !name.suffix(3).elementsEqual(spaceship) else { return nil }
        // Those of operators come first: one for each `<=>`, and as many as there are more than
        // `>`.
        let ships = lefts.count { name[$0...].starts(with: spaceship) }
        let skipped = ships + max(0, lefts.count - name.count { $0 == right })
        return skipped < lefts.count ? Array(name[..<lefts[skipped]]) : []
    }

    /// The parts of an Objective-C method's name, for `-[Shape(Round) area]`: `Shape(Round)`, `area`, `Shape`, and `-[Shape area]`.
    static func partsOfMethod(_ name: [UInt8]) -> [[UInt8]] {
        guard name.count > 4, [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(name[0]), name[1] == UInt8(ascii: "["),
            name.last == UInt8(ascii: "]"), let space = name.firstIndex(of: UInt8(ascii: " "))
        else { return [] }
        let (type, selector) = (Array(name[2..<space]), Array(name[(space + 1)..<(name.count - 1)]))
        var parts = [type, selector]
        if type.last == UInt8(ascii: ")"), let open = type.firstIndex(of: UInt8(ascii: "(")) {
            let plain = Array(type[..<open])
            parts += [plain, Array(name[..<2]) + plain + Array(name[space...])]
        }
        return parts
    }
}

/// Which of some offsets of `.debug_info` entries begin at, and their tags: what tables of names
/// refer to, read unit by unit.
struct EntryTags {
    private var offsets: [UInt64] = []
    private var tags: [UInt16] = []

    init(_ wanted: NumberSet, _ context: DumpContext?) {
        guard let context else { return }
        let sorted = wanted.all.sorted()
        let trees = UnitTrees(context)
        var index = 0
        for unit in context.infoUnits where index < sorted.count && sorted[index] < UInt64(unit.end) {
            let tree = trees.tree(of: unit)
            while index < sorted.count, sorted[index] < UInt64(unit.end) {
                let offset = Int(sorted[index])
                if offset >= unit.offset, tree.index(of: offset - unit.offset) != nil, let entry = context.entry(at: offset, in: unit) {
                    offsets.append(sorted[index])
                    tags.append(entry.tag)
                }
                index += 1
            }
        }
    }

    /// - Returns: `nil` where no entry begins.
    subscript(offset: UInt64) -> UInt16? {
        let low = offsets.partitionPoint { $0 >= offset }
        return low < offsets.count && offsets[low] == offset ? tags[low] : nil
    }
}
