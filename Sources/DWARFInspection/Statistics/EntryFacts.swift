internal import BinaryPrimitives
internal import DWARF

/// The values of one entry that statistics need, read in one pass. One instance is filled again for each entry.
struct EntryFacts {
    private struct Value {
        var form: UInt16 = 0
        var raw: UInt64 = 0
        var bytes = 0..<0
    }

    private var present: UInt32 = 0
    private var values = [Value](repeating: Value(), count: FactKind.allCases.count)

    func has(_ kind: FactKind) -> Bool { present & (1 << UInt32(kind.rawValue)) != 0 }

    func value(_ kind: FactKind, _ unit: DumpUnit) -> DumpValue? {
        guard has(kind) else { return nil }
        let value = values[kind.rawValue]
        return DumpValue(form: value.form, raw: value.raw, bytes: value.bytes, unit: unit)
    }

    /// The number as it is in the entry.
    func raw(_ kind: FactKind) -> UInt64? { has(kind) ? values[kind.rawValue].raw : nil }

    /// - Returns: the offset after the entry's last value; `nil` where one cannot be read.
    mutating func read(_ entry: DumpEntry, _ section: SectionBytes) -> Int? {
        present = 0
        var cursor = section.cursor(at: entry.values)
        for step in entry.abbreviation.plan.steps {
            switch step {
            case .pass(let step):
                if step.code >= 0 {
                    cursor.skip(UInt64(step.code))
                } else {
                    let sizes = entry.unit.sizes
                    let isRead: Void? = try? cursor.read { (bytes: inout RawSpan) throws(ReadError) in try bytes.skipValue(step, sizes)
                    }
                    if isRead == nil { return nil }
                }
            case .keep(let kind, let specification):
                guard let value = DumpValue(specification, &cursor, entry.unit) else { return nil }
                values[kind.rawValue] = Value(form: value.form, raw: value.raw, bytes: value.bytes)
                present |= 1 << UInt32(kind.rawValue)
            }
        }
        return cursor.isPastEnd ? nil : cursor.position
    }
}
