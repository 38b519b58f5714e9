#if Inspection
    internal import DWARF

    /// The attributes that statistics count by.
    enum FactKind: Int, CaseIterable {
        case sibling, location, name, lowPC, highPC, constValue, inline, abstractOrigin, artificial, declarationFile, declarationLine,
            declaration, specification, type, ranges, callFile, callLine, linkageName

        init?(attribute: UInt16) {
            switch attribute {
            case Attribute.sibling: self = .sibling
            case Attribute.location: self = .location
            case Attribute.name: self = .name
            case Attribute.lowPC: self = .lowPC
            case Attribute.highPC: self = .highPC
            case Attribute.constValue: self = .constValue
            case Attribute.inline: self = .inline
            case Attribute.abstractOrigin: self = .abstractOrigin
            case Attribute.artificial: self = .artificial
            case Attribute.declFile: self = .declarationFile
            case Attribute.declLine: self = .declarationLine
            case Attribute.declaration: self = .declaration
            case Attribute.specification: self = .specification
            case Attribute.type: self = .type
            case Attribute.ranges: self = .ranges
            case Attribute.callFile: self = .callFile
            case Attribute.callLine: self = .callLine
            case Attribute.linkageName, Attribute.mipsLinkageName: self = .linkageName
            default: return nil
            }
        }
    }

    /// How entries of one abbreviation are read: runs of bytes that are passed over, and values that are kept.
    struct EntryPlan {
        enum Step {
            case bytes(UInt64)
            case pass(form: UInt16)
            case keep(FactKind, form: UInt16, constant: Int64)
        }

        /// The sizes that the plan was made for.
        private let addressSize: Int
        private let offsetSize: Int
        private let version: Int
        private(set) var steps: [Step] = []

        init(_ abbreviation: Abbreviation, _ unit: DumpUnit) {
            (addressSize, offsetSize, version) = (unit.addressSize, unit.offsetSize, unit.version)
            var run: UInt64 = 0
            var kept: Set<FactKind> = []
            let keeps = Self.counted.contains(abbreviation.tag)
            for specification in abbreviation.specifications {
                // Of an attribute that stands twice, the first counts.
                let fact = keeps ? FactKind(attribute: specification.attribute).flatMap { kept.insert($0).inserted ? $0 : nil } : nil
                if fact == nil, let size = Self.size(specification.form, unit) {
                    run += size
                    continue
                }
                if run > 0 { steps.append(.bytes(run)) }
                run = 0
                if let fact {
                    steps.append(.keep(fact, form: specification.form, constant: specification.constant))
                } else {
                    steps.append(.pass(form: specification.form))
                }
            }
            if run > 0 { steps.append(.bytes(run)) }
        }

        func fits(_ unit: DumpUnit) -> Bool {
            addressSize == unit.addressSize && offsetSize == unit.offsetSize && version == unit.version
        }

        /// The tags whose entries are looked at; all others are only passed over.
        private static let counted: Set<UInt16> = [
            Tag.subprogram, Tag.inlinedSubroutine, Tag.lexicalBlock, Tag.formalParameter, Tag.variable, Tag.member,
        ]

        /// The bytes of a form that always has as many.
        private static func size(_ form: UInt16, _ unit: DumpUnit) -> UInt64? {
            switch form {
            case Form.addr: UInt64(unit.addressSize)
            case Form.data1, Form.flag, Form.ref1, Form.strx1, Form.addrx1: 1
            case Form.data2, Form.ref2, Form.strx2, Form.addrx2: 2
            case Form.strx3, Form.addrx3: 3
            case Form.data4, Form.ref4, Form.strx4, Form.addrx4, Form.refSup4: 4
            case Form.data8, Form.ref8, Form.refSig8, Form.refSup8: 8
            case Form.data16: 16
            case Form.strp, Form.lineStrp, Form.secOffset, Form.strpSup, Form.gnuRefAlt, Form.gnuStrpAlt: UInt64(unit.offsetSize)
            case Form.flagPresent, Form.implicitConst: 0
            default: nil
            }
        }
    }

    /// What statistics need of one entry, read in one pass over its values. One is filled again and again.
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

        /// The number as it stands in the entry.
        func raw(_ kind: FactKind) -> UInt64? { has(kind) ? values[kind.rawValue].raw : nil }

        /// - Returns: the offset behind the entry's last value; `nil` where one cannot be read.
        mutating func read(_ entry: DumpEntry, _ section: SectionBytes) -> Int? {
            present = 0
            var cursor = section.cursor(at: entry.values)
            for step in entry.abbreviation.plan(for: entry.unit).steps {
                switch step {
                case .bytes(let count): cursor.skip(count)
                case .pass(let form): guard DumpValue(form: form, &cursor, entry.unit) != nil else { return nil }
                case .keep(let kind, let form, let constant):
                    guard let value = DumpValue(form: form, constant: constant, &cursor, entry.unit) else { return nil }
                    values[kind.rawValue] = Value(form: value.form, raw: value.raw, bytes: value.bytes)
                    present |= 1 << UInt32(kind.rawValue)
                }
            }
            return cursor.isPastEnd ? nil : cursor.position
        }
    }

    extension Abbreviation {
        fileprivate func plan(for unit: DumpUnit) -> EntryPlan {
            if let plan, plan.fits(unit) { return plan }
            let made = EntryPlan(self, unit)
            plan = made
            return made
        }
    }
#endif
