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
    /// Its attributes: of subroutines, which are looked into, in `AbbreviationTable.specifications`; of all others where they are declared, in `declarations`.
    var attributes: Range<Int32>
    /// Where the entry's `DW_AT_sibling` stands, a `ref4`, as gcc writes it: so many steps of the plan, then so many bytes, from the first attribute. Minus one byte if
    /// there is none.
    var siblingOffset: Int32
    var siblingSteps: Int32
    /// Where `DW_AT_low_pc` and `DW_AT_high_pc` stand, in bytes from the first attribute, where all before them is of fixed size and they are an address and a size:
    /// so have it most functions of gcc. `nil`: they are read attribute by attribute.
    var extent: FixedExtent?

    struct FixedExtent {
        var lowOffset: UInt16
        var highOffset: UInt16
        /// Bytes of the size.
        var highSize: UInt8
    }
}

/// One attribute of an abbreviation.
struct AttributeSpecification: Sendable {
    var name: UInt16
    var form: UInt16
    /// How to move past the value.
    var step: SkipStep
    /// The value of `implicit_const`.
    var implicit: Int64

    /// Takes a declaration; `nil` for the pair of zeros that ends the list.
    @inline(__always)
    init?(_ cursor: inout RawSpan, _ forms: FormSteps) throws(ReadError) {
        var (longName, longForm): (UInt64, UInt64)
        // Nearly all names and forms take a byte each.
        if cursor.byteCount >= 2, cursor.byte(at: 0) < 0x80, cursor.byte(at: 1) < 0x80 {
            (longName, longForm) = (UInt64(cursor.byte(at: 0)), UInt64(cursor.byte(at: 1)))
            try cursor.skip(2)
        } else {
            longName = try cursor.takeULEB128()
            longForm = try cursor.takeULEB128()
        }
        if longName == 0, longForm == 0 { return nil }
        // Numbers beyond 16 bits are in no standard; 0xffff is a form that nobody defines either.
        name = longName <= 0xffff ? UInt16(truncatingIfNeeded: longName) : .max
        form = longForm <= 0xffff ? UInt16(truncatingIfNeeded: longForm) : .max
        implicit = form == Form.implicitConst ? try cursor.takeSLEB128() : 0
        step = forms[form]
    }
}

/// The abbreviations of a unit.
///
/// What a walk over the entries needs is worked out when the table is read; the attributes of an abbreviation are read from their declaration when an entry is looked into, which few are:
/// small units cost as much for their abbreviations as for their entries.
final class AbbreviationTable: Sendable {
    /// By code minus one, where the codes count up from one, as every compiler writes them.
    let dense: [Abbreviation]
    /// Those that do not fit in `dense`.
    let sparse: [UInt64: Abbreviation]
    let steps: [SkipStep]
    /// A copy of the table's own bytes.
    private let declarations: [UInt8]
    /// The attributes of the abbreviations for subroutines, one behind the other.
    private let specifications: [AttributeSpecification]
    private let forms: FormSteps

    /// Reads the table at `offset` of `.debug_abbrev`.
    /// - Parameters:
    ///   - section: all of `.debug_abbrev`.
    ///   - only: the one code that is wanted; the other abbreviations are passed over.
    ///   - sectionOffset: where `section` begins, if that is not the section's first byte; stands in errors.
    ///   - isCut: the section goes on behind `section`, so that a table that is not at its end there is not complete.
    init(
        _ section: RawSpan, at offset: Int, _ sizes: FormSizes, only wanted: UInt64? = nil, sectionOffset: Int = 0,
        isCut: Bool = false, limits: Limits = .standard
    ) throws(DWARFError) {
        forms = FormSteps(sizes)
        var parts = Parts(forms)
        // What tables of C and C++ units come to: growing would copy them several times.
        if wanted == nil { parts.dense.reserveCapacity(256) }
        do throws(ReadError) {
            let table = try section.from(UInt64(clamping: offset))
            var cursor = table
            while cursor.byteCount > 0 || isCut {
                let code = try cursor.takeULEB128()
                if code == 0 { break }
                if let wanted, code != wanted {
                    try cursor.skipDeclaration()
                    continue
                }
                try parts.takeAbbreviation(code, &cursor, in: table)
                if wanted != nil { break }
                if parts.dense.count + parts.sparse.count > limits.abbreviations || table.byteCount - cursor.byteCount > Int(Int32.max) {
                    throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount)
                }
            }
            var bytes: [UInt8] = []
            bytes.append(copying: table.prefix(table.byteCount - cursor.byteCount).text)
            declarations = bytes
        } catch {
            throw DWARFError(.abbrev, endingAt: sectionOffset + section.byteCount, error)
        }
        dense = parts.dense
        sparse = parts.sparse
        steps = parts.steps
        specifications = parts.specifications
    }

    /// The attributes of an abbreviation, in their order.
    @inline(__always)
    func attributes(of abbreviation: Abbreviation) -> AttributeList {
        let isRead = abbreviation.role == .subroutine || abbreviation.role == .abstractSubroutine
        return AttributeList(
            specifications: specifications, declarations: declarations, isRead: isRead, place: abbreviation.attributes, forms: forms)
    }
}

extension RawSpan {
    /// Moves past what follows an abbreviation's code, up to the pair of zeros.
    fileprivate mutating func skipDeclaration() throws(ReadError) {
        try skipLEB128()
        var position = 1
        while true {
            let pair = try value(UInt16.self, at: position, .littleEndian)
            if pair & 0x8080 == 0, pair >> 8 != Form.implicitConst {
                position &+= 2
                if pair == 0 { return try skip(position) }
            } else {
                try skip(position)
                position = 0
                try skipLEB128()
                if try takeULEB128() == UInt64(Form.implicitConst) { try skipLEB128() }
            }
        }
    }
}

/// The attributes of one abbreviation.
struct AttributeList: Sequence, IteratorProtocol {
    fileprivate let specifications: [AttributeSpecification]
    fileprivate let declarations: [UInt8]
    /// They are in `specifications`.
    fileprivate let isRead: Bool
    fileprivate var place: Range<Int32>
    fileprivate let forms: FormSteps

    @inline(__always)
    mutating func next() -> AttributeSpecification? {
        guard isRead else { return readNext() }
        guard place.lowerBound < place.upperBound else { return nil }
        let next = specifications[Int(place.lowerBound)]
        place = place.lowerBound &+ 1..<place.upperBound
        return next
    }

    private mutating func readNext() -> AttributeSpecification? {
        // They were read once without a failure.
        var cursor = declarations.span.rawBytes.clamped(to: Int(place.lowerBound)..<Int(place.upperBound))
        guard let next = try? AttributeSpecification(&cursor, forms) else { return nil }
        place = place.upperBound - Int32(cursor.byteCount)..<place.upperBound
        return next
    }
}

/// A table while it is read.
private struct Parts {
    let forms: FormSteps
    var dense: [Abbreviation] = []
    var sparse: [UInt64: Abbreviation] = [:]
    var steps: [SkipStep] = []
    var specifications: [AttributeSpecification] = []

    init(_ forms: FormSteps) { self.forms = forms }

    /// Takes what follows an abbreviation's code, up to the pair of zeros, and works out how a walk passes its entries.
    /// - Parameter table: the bytes from the table's first on.
    mutating func takeAbbreviation(_ code: UInt64, _ cursor: inout RawSpan, in table: RawSpan) throws(ReadError) {
        let tag = UInt16(truncatingIfNeeded: try cursor.takeULEB128())
        let hasChildren = try cursor.take(UInt8.self) != 0
        let total = table.byteCount
        let firstAttribute = total - cursor.byteCount
        let firstStep = steps.count
        let forms = forms
        var position = firstAttribute
        /// Bytes of the fixed-size forms since the last other one.
        var pending = 0
        var isFixed = true
        var siblingOffset: Int32 = -1
        var siblingSteps = 0
        var hasCode = false
        var low: Int?
        var high: (offset: Int, size: UInt8)?
        var isExtent = true
        while true {
            let pair = try table.value(UInt16.self, at: position, .littleEndian)
            var name = pair & 0xff
            var step: SkipStep
            // Nearly all names and forms take a byte each, so that the two are looked at together.
            if pair & 0x8080 == 0, pair >> 8 != Form.implicitConst {
                position &+= 2
                if pair == 0 { break }
                step = forms[pair >> 8]
            } else {
                var rest = try table.from(UInt64(position))
                guard let long = try AttributeSpecification(&rest, forms) else {
                    position = total - rest.byteCount
                    break
                }
                position = total - rest.byteCount
                (name, step) = (long.name, long.step)
            }
            switch name {
            case Attribute.sibling:
                if step == .bytes(4), pair == Form.ref4 << 8 | Attribute.sibling {
                    (siblingSteps, siblingOffset) = (steps.count - firstStep, Int32(clamping: pending))
                }
            case Attribute.lowPC:
                hasCode = true
                if pair >> 8 == Form.addr, isFixed { low = pending }
            case Attribute.highPC:
                switch pair >> 8 {
                case Form.data1, Form.data2, Form.data4, Form.data8: if isFixed { high = (pending, UInt8(clamping: step.code)) }
                default: break
                }
            case Attribute.ranges:
                hasCode = true
                isExtent = false
            default: break
            }
            if step.code >= 0 {
                pending &+= Int(step.code)
            } else {
                if pending > 0 { steps.append(.bytes(pending)) }
                pending = 0
                isFixed = false
                steps.append(step)
            }
        }
        try cursor.skip(position - firstAttribute)
        let plan: SkipPlan
        if isFixed {
            plan = SkipPlan(fixedSize: Int32(clamping: pending), steps: 0..<0)
        } else {
            if pending > 0 { steps.append(.bytes(pending)) }
            plan = SkipPlan(fixedSize: -1, steps: Int32(clamping: firstStep)..<Int32(clamping: steps.count))
        }
        var extent: Abbreviation.FixedExtent?
        if isExtent, let low, let high, let lowOffset = UInt16(exactly: low), let highOffset = UInt16(exactly: high.offset) {
            extent = Abbreviation.FixedExtent(lowOffset: lowOffset, highOffset: highOffset, highSize: high.size)
        }
        let role = Abbreviation.Role(tag, hasCode: hasCode)
        var attributes = Int32(clamping: firstAttribute)..<Int32(clamping: table.byteCount - cursor.byteCount)
        if role == .subroutine || role == .abstractSubroutine {
            let first = specifications.count
            var declared = table.clamped(to: firstAttribute..<table.byteCount)
            while let attribute = try AttributeSpecification(&declared, forms) { specifications.append(attribute) }
            attributes = Int32(clamping: first)..<Int32(clamping: specifications.count)
        }
        let abbreviation = Abbreviation(
            tag: tag, hasChildren: hasChildren, role: role, plan: plan, attributes: attributes, siblingOffset: siblingOffset,
            siblingSteps: Int32(clamping: siblingSteps), extent: extent)
        if code == UInt64(dense.count) + 1 {
            dense.append(abbreviation)
        } else if sparse[code] == nil {
            sparse[code] = abbreviation
        }
    }
}

extension Abbreviation.Role {
    init(_ tag: UInt16, hasCode: Bool) {
        switch tag {
        case Tag.subprogram, Tag.inlinedSubroutine: self = hasCode ? .subroutine : .abstractSubroutine
        case Tag.classType, Tag.structureType, Tag.enumerationType, 0x17 /* union_type */, 0x01 /* array_type */,
            0x15 /* subroutine_type */:
            self = .type
        default: self = .other
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

    /// Where an entry's attributes end.
    /// - Parameters:
    ///   - position: of its first attribute, in bytes from the start of `bytes`.
    @inline(__always)
    func end(ofAttributesAt position: Int, _ abbreviation: Abbreviation, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int {
        if abbreviation.plan.fixedSize >= 0 {
            let end = position &+ Int(abbreviation.plan.fixedSize)
            guard end <= bytes.byteCount else {
                throw ReadError(.outOfBytes(needed: end &- position), bytesLeft: bytes.byteCount &- position)
            }
            return end
        }
        return try end(ofSteps: abbreviation.plan.steps, position, bytes, sizes)
    }

    /// Where an entry's next sibling begins, as the entry tells; `nil` if it does not.
    @inline(__always)
    func sibling(ofEntryWithAttributesAt position: Int, _ abbreviation: Abbreviation, _ bytes: RawSpan, _ sizes: FormSizes)
        throws(ReadError) -> Int?
    {
        guard abbreviation.siblingOffset >= 0 else { return nil }
        var place = position
        if abbreviation.siblingSteps > 0 {
            let first = abbreviation.plan.steps.lowerBound
            place = try end(ofSteps: first..<first &+ abbreviation.siblingSteps, position, bytes, sizes)
        }
        return Int(try bytes.value(UInt32.self, at: place &+ Int(abbreviation.siblingOffset), sizes.byteOrder))
    }

    private func end(ofSteps range: Range<Int32>, _ position: Int, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int {
        var cursor = try bytes.from(UInt64(position))
        for index in range { try cursor.skip(steps[Int(index)], sizes) }
        return bytes.byteCount &- cursor.byteCount
    }

    /// Moves `cursor`, which stands before an entry's first attribute, past its last.
    @inline(__always)
    func skipAttributes(of abbreviation: Abbreviation, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        if abbreviation.plan.fixedSize >= 0 {
            try cursor.skip(Int(abbreviation.plan.fixedSize))
        } else {
            for index in abbreviation.plan.steps { try cursor.skip(steps[Int(index)], sizes) }
        }
    }
}
