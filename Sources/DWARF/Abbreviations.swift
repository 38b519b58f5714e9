internal import BinaryPrimitives

/// What the entries with one abbreviation code look like (DWARF 5, section 7.5.3).
struct Abbreviation: Sendable {
    enum Role: UInt8, Sendable {
        /// Nothing in the entry itself tells where code is.
        case other
        /// A type: code in it is rare (member functions of a local class) and looked for last.
        case type
        /// A subprogram or inlined subroutine that has code.
        case subroutine
        /// A subprogram or inlined subroutine without code of its own: a declaration, an abstract instance.
        case abstractSubroutine
    }

    var tag: UInt16
    var hasChildren: Bool
    var role: Role
    var plan: SkipPlan
    /// The attributes as a range of `AbbreviationTable.attributes`.
    var attributes: Range<Int32>
    /// Where the entry's `DW_AT_sibling` stands, in bytes from the first attribute: only for a `ref4` behind forms of fixed size, which is how gcc
    /// writes it. -1 if there is none.
    var siblingOffset: Int32
}

/// One attribute of an abbreviation.
struct AttributeSpecification: Sendable {
    var name: UInt16
    var form: UInt16
    /// The value of `implicit_const`.
    var implicit: Int64
    /// How to move past the value.
    var step: SkipStep
}

/// The abbreviations of a unit.
final class AbbreviationTable: Sendable {
    /// By code minus one, where the codes count up from one, as every compiler writes them.
    let dense: [Abbreviation]
    /// Those that do not fit in `dense`.
    let sparse: [UInt64: Abbreviation]
    let attributes: [AttributeSpecification]
    let steps: [SkipStep]

    /// Reads the table at `offset` of `.debug_abbrev`.
    /// - Parameters:
    ///   - section: all of `.debug_abbrev`.
    ///   - firstOnly: stop after the first abbreviation, which is that of the root entry in what every compiler writes.
    init(
        _ section: RawSpan, at offset: Int, _ sizes: FormSizes, firstOnly: Bool = false, limits: Limits = .standard
    ) throws(DWARFError) {
        var dense: [Abbreviation] = []
        var sparse: [UInt64: Abbreviation] = [:]
        var attributes: [AttributeSpecification] = []
        var steps: [SkipStep] = []
        if !firstOnly {
            dense.reserveCapacity(256)
            attributes.reserveCapacity(2048)
        }
        do throws(ReadError) {
            var cursor = try section.from(UInt64(clamping: offset))
            while cursor.byteCount > 0 {
                let code = try cursor.takeULEB128()
                if code == 0 { break }
                let tag = UInt16(truncatingIfNeeded: try cursor.takeULEB128())
                let hasChildren = try cursor.take(UInt8.self) != 0
                let first = attributes.count
                while true {
                    let name = try cursor.takeULEB128()
                    let form = try cursor.takeULEB128()
                    if name == 0, form == 0 { break }
                    let implicit = form == UInt64(Form.implicitConst) ? try cursor.takeSLEB128() : 0
                    // Numbers beyond 16 bits are in no standard; 0xffff is a form that nobody defines either.
                    let knownForm = UInt16(exactly: form) ?? .max
                    attributes.append(
                        AttributeSpecification(
                            name: UInt16(exactly: name) ?? .max, form: knownForm, implicit: implicit, step: SkipStep(knownForm, sizes)))
                }
                let abbreviation = Abbreviation(
                    tag: tag, hasChildren: hasChildren, attributes: attributes[first...], firstAttribute: first, steps: &steps)
                if code == UInt64(dense.count) + 1 {
                    dense.append(abbreviation)
                } else if sparse[code] == nil {
                    sparse[code] = abbreviation
                }
                if firstOnly { break }
                if dense.count + sparse.count > limits.abbreviations || attributes.count > Int(Int32.max) / 2 {
                    throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount)
                }
            }
        } catch {
            throw DWARFError(.abbrev, endingAt: section.byteCount, error)
        }
        self.dense = dense
        self.sparse = sparse
        self.attributes = attributes
        self.steps = steps
    }
}

extension Abbreviation {
    init(
        tag: UInt16, hasChildren: Bool, attributes: ArraySlice<AttributeSpecification>, firstAttribute: Int, steps: inout [SkipStep]
    ) {
        self.tag = tag
        self.hasChildren = hasChildren
        self.attributes = Int32(clamping: firstAttribute)..<Int32(clamping: firstAttribute + attributes.count)

        let firstStep = steps.count
        var pending = 0
        siblingOffset = -1
        for attribute in attributes {
            if attribute.name == Attribute.sibling, attribute.form == Form.ref4, steps.count == firstStep {
                siblingOffset = Int32(clamping: pending)
            }
            if case .bytes(let count) = attribute.step {
                pending += count
            } else {
                if pending > 0 { steps.append(.bytes(pending)) }
                pending = 0
                steps.append(attribute.step)
            }
        }
        if steps.count == firstStep {
            plan = SkipPlan(fixedSize: Int32(clamping: pending), steps: 0..<0)
        } else {
            if pending > 0 { steps.append(.bytes(pending)) }
            plan = SkipPlan(fixedSize: -1, steps: Int32(clamping: firstStep)..<Int32(clamping: steps.count))
        }

        switch tag {
        case Tag.subprogram, Tag.inlinedSubroutine:
            let hasCode = attributes.contains { $0.name == Attribute.lowPC || $0.name == Attribute.ranges }
            role = hasCode ? .subroutine : .abstractSubroutine
        case Tag.classType, Tag.structureType, Tag.enumerationType, 0x17 /* union_type */, 0x01 /* array_type */,
            0x15 /* subroutine_type */:
            role = .type
        default:
            role = .other
        }
    }
}

extension AbbreviationTable {
    /// The abbreviation with a code from an entry; `nil` if the table has none.
    @inline(__always)
    func abbreviation(_ code: UInt64) -> Abbreviation? {
        let index = code &- 1
        if index < UInt64(dense.count) { return dense[Int(truncatingIfNeeded: index)] }
        return sparse[code]
    }

    /// Moves `cursor`, which stands before an entry's first attribute, past its last.
    @inline(__always)
    func skipAttributes(of abbreviation: Abbreviation, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        if abbreviation.plan.fixedSize >= 0 {
            try cursor.skip(Int(abbreviation.plan.fixedSize))
        } else {
            try skipSteps(of: abbreviation, &cursor, sizes)
        }
    }

    private func skipSteps(of abbreviation: Abbreviation, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        for index in abbreviation.plan.steps {
            try cursor.skip(steps[Int(index)], sizes)
        }
    }
}
