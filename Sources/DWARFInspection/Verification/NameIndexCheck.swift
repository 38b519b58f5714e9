/// Checks `.debug_names` (DWARF 5, section 6.1.1): that its indexes are of units that there are,
/// that names are found by their hashes, and that they lead to entries of that name.
struct NameIndexCheck {
    private let section: SectionBytes
    private let strings: SectionBytes
    private let context: DumpContext?
    private let report: VerifierReport

    init(_ section: SectionBytes, _ strings: SectionBytes, _ context: DumpContext?, _ report: VerifierReport) {
        self.section = section
        self.strings = strings
        self.context = context
        self.report = report
    }

    private var units: ArraySlice<DumpUnit> { context?.infoUnits ?? [] }

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        let allowance = ListAllowance.ofNames(section) { context?.report($0) }
        var indexes: [NameIndex] = []
        var offset = 0
        while offset < section.count {
            do throws(DumpError) {
                let index = try NameIndex(at: offset, of: section, strings, allowance: allowance)
                indexes.append(index)
                guard index.end > offset else { break }
                offset = index.end
            } catch {
                report.add("Accelerator Table Error", error.problem)
                return false
            }
        }
        var isSound = checkUnits(indexes)
        for index in indexes { isSound = checkBuckets(index) && isSound }
        for index in indexes { isSound = NameAbbreviationsCheck(index, report).run() && isSound }
        // Entries are checked only if the tables are sound.
        guard isSound, let context else { return isSound }
        for index in indexes where index.typeCount == 0 { isSound = NameEntriesCheck(index, context, report).run() && isSound }
        guard isSound else { return false }
        for index in indexes { isSound = NameCompletenessCheck(index, context, report).run() && isSound }
        return isSound
    }

    private func checkUnits(_ indexes: [NameIndex]) -> Bool {
        var known: [UInt64: Int?] = [:]
        for unit in units where !unit.isTypeUnit { known[UInt64(unit.offset)] = .some(nil) }
        var isSound = true
        for index in indexes {
            let start = VerifierText.hex(UInt64(index.start))
            if index.counts.units == 0 {
                isSound = false
                report.add("Name Index doesn't index any CU", "Name Index @ \(start) does not index any CU")
            }
            for number in 0..<index.counts.units {
                let unit = index.unitOffset(number)
                guard let other = known[unit] else {
                    isSound = false
                    report.add(
                        "Name Index references non-existing CU",
                        "Name Index @ \(start) references a non-existing CU @ \(VerifierText.hex(unit))")
                    continue
                }
                if let other {
                    report.add(
                        "Duplicate Name Index",
                        "Name Index @ \(start) references a CU @ \(VerifierText.hex(unit)), but this CU is already indexed by Name Index @ "
                            + VerifierText.hex(UInt64(other)))
                } else {
                    known[unit] = .some(index.start)
                }
            }
        }
        for unit in units where !unit.isTypeUnit {
            if let found = known[UInt64(unit.offset)], found == nil {
                report.warn("CU @ \(VerifierText.hex(UInt64(unit.offset))) not covered by any Name Index")
            }
        }
        return isSound
    }

    private func checkBuckets(_ index: NameIndex) -> Bool {
        let start = VerifierText.hex(UInt64(index.start))
        let (buckets, names) = (UInt64(index.counts.buckets), UInt64(index.counts.names))
        guard buckets > 0 else {
            report.warn("Name Index @ \(start) does not contain a hash table.")
            return true
        }
        var isSound = true
        var starts: [(bucket: UInt64, name: UInt64)] = []
        for bucket in 0..<buckets {
            let name = index.bucket(bucket)
            if name > names {
                isSound = false
                report.add(
                    "Name Index Bucket contains invalid value",
                    "Bucket \(bucket) of Name Index @ \(start) contains invalid value \(name). Valid range is [0, \(names)].")
            } else if name > 0 {
                starts.append((bucket, name))
            }
        }
        guard isSound else { return false }
        starts.sort { $0.name < $1.name }
        // Names count from 1; the end counts as one more bucket.
        starts.append((buckets, names + 1))
        var next: UInt64 = 1
        for (bucket, first) in starts {
            if first > next {
                isSound = false
                report.add(
                    "Name table entries uncovered by hash table",
                    "Name Index @ \(start): Name table entries [\(next), \(first - 1)] are not covered by the hash table.")
            }
            if bucket == buckets { break }
            let hash = index.hash(first)
            if hash % buckets != bucket {
                isSound = false
                report.add(
                    "Name Index point to mismatched hash value",
                    "Name Index @ \(start): Bucket \(bucket) is not empty but points to a mismatched hash value "
                        + "\(VerifierText.hex(hash)) (belonging to bucket \(hash % buckets)).")
            }
            var name = first
            while name <= names, index.hash(name) % buckets == bucket {
                let text = index.name(name)
                let computed = UInt64(NameTableHash.folded(text ?? []))
                if computed != index.hash(name) {
                    isSound = false
                    report.add(
                        "String hash doesn't match Name Index hash",
                        "Name Index @ \(start): String (\(String(decoding: text ?? [], as: UTF8.self))) at index \(name) hashes to "
                            + "\(VerifierText.hex(computed)), but the Name Index hash is \(VerifierText.hex(index.hash(name)))")
                }
                name += 1
            }
            next = max(next, name)
        }
        return isSound
    }
}

/// The hash of `.debug_names` (DWARF 5, section 7.33): Bernstein's, over the name without regard to
/// case.
enum NameTableHash {
    static func folded(_ name: [UInt8]) -> UInt32 {
        if name.allSatisfy({ $0 < 0x80 }) { return name.reduce(5381) { add($1 >= 0x41 && $1 <= 0x5a ? $1 + 0x20 : $1, to: $0) } }
        var hash: UInt32 = 5381
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            // Turkish letters are an exception.
            let folded = scalar.value == 0x130 || scalar.value == 0x131 ? "i" : scalar.properties.lowercaseMapping
            let text = folded.unicodeScalars.count == 1 ? folded : String(scalar)
            for byte in text.utf8 { hash = add(byte, to: hash) }
        }
        return hash
    }

    private static func add(_ byte: UInt8, to hash: UInt32) -> UInt32 { hash &* 33 &+ UInt32(byte) }
}
