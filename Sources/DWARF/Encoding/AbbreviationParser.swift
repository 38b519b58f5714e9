internal import BinaryPrimitives

/// A table of abbreviations while it is read: works out how a walk passes the entries of each.
struct AbbreviationParser {
    private let forms: FormSteps
    private(set) var dense: [Abbreviation] = []
    private(set) var shapes: [EntryShape] = []
    private(set) var sparse: [UInt64: Abbreviation] = [:]
    private(set) var steps: [SkipStep] = []
    private(set) var specifications: [AttributeSpecification] = []

    init(_ forms: FormSteps) { self.forms = forms }

    var count: Int { dense.count + sparse.count }

    /// Makes room for what tables of C and C++ units come to: growing would copy them several
    /// times.
    mutating func reserveTable() {
        dense.reserveCapacity(256)
        shapes.reserveCapacity(256)
        specifications.reserveCapacity(512)
    }

    /// Takes what follows an abbreviation's code, up to the pair of zeros.
    /// - Parameter table: the bytes from the table's first on.
    mutating func takeAbbreviation(_ code: UInt64, _ cursor: inout RawSpan, in table: RawSpan) throws(ReadError) {
        let tag = UInt16(truncatingIfNeeded: try cursor.takeULEB128())
        let hasChildren = try cursor.take(UInt8.self) != 0
        let isSubroutine = tag == Tag.subprogram || tag == Tag.inlinedSubroutine
        let first = table.byteCount - cursor.byteCount
        let firstSpecification = specifications.count
        var layout = EntryLayout(firstStep: steps.count)
        var position = first
        while let attribute = try attribute(at: &position, in: table) {
            layout.note(attribute, stepCount: steps.count)
            layout.pass(attribute.step, &steps)
            if isSubroutine { specifications.append(attribute) }
        }
        try cursor.skip(position &- first)
        let place = isSubroutine ? firstSpecification..<specifications.count : first..<position
        let abbreviation = Abbreviation(
            tag: tag, hasChildren: hasChildren, role: Abbreviation.Role(tag, hasCode: layout.hasCode), plan: layout.finish(&steps),
            attributes: Int32(clamping: place.lowerBound)..<Int32(clamping: place.upperBound), siblingOffset: layout.siblingOffset,
            siblingSteps: Int32(clamping: layout.siblingSteps), extent: layout.extent)
        if code == UInt64(dense.count) + 1 {
            dense.append(abbreviation)
            shapes.append(EntryShape(abbreviation))
        } else if sparse[code] == nil {
            sparse[code] = abbreviation
        }
    }

    /// The declaration of an attribute, and moves past it; `nil` for the pair of zeros after the
    /// last.
    @inline(__always)
    private func attribute(at position: inout Int, in table: RawSpan) throws(ReadError) -> AttributeSpecification? {
        // Nearly all names and forms take a byte each, so that the two are looked at together.
        let pair = try table.value(UInt16.self, at: position, .littleEndian)
        if pair & 0x8080 == 0, pair >> 8 != Form.implicitConst {
            position &+= 2
            return pair == 0 ? nil : AttributeSpecification(name: pair & 0xff, form: pair >> 8, step: forms[pair >> 8], implicit: 0)
        }
        var rest = try table.from(UInt64(position))
        let attribute = try AttributeSpecification(&rest, forms)
        position = table.byteCount - rest.byteCount
        return attribute
    }
}

/// What the entries of one abbreviation look like, attribute by attribute.
private struct EntryLayout {
    private let firstStep: Int
    /// Bytes of the forms of fixed size since the last other one.
    private var pending = 0
    private var isFixed = true
    private(set) var siblingOffset: Int32 = -1
    private(set) var siblingSteps = 0
    private(set) var hasCode = false
    /// Where the address and the size are that may be a `FixedExtent`; -1: not found.
    private var (low, high, highSize) = (-1, -1, 0)
    private var hasRanges = false

    init(firstStep: Int) { self.firstStep = firstStep }

    /// Keeps where an attribute is that a walk looks for.
    /// - Parameter stepCount: the steps so far, those of the abbreviations before it included.
    @inline(__always)
    mutating func note(_ attribute: AttributeSpecification, stepCount: Int) {
        switch attribute.name {
        case Attribute.sibling where attribute.form == Form.ref4:
            (siblingSteps, siblingOffset) = (stepCount &- firstStep, Int32(clamping: pending))
        case Attribute.lowPC:
            hasCode = true
            if attribute.form == Form.addr, isFixed { low = pending }
        case Attribute.highPC:
            switch attribute.form {
            case Form.data1, Form.data2, Form.data4, Form.data8: if isFixed { (high, highSize) = (pending, Int(attribute.step.code)) }
            default: break
            }
        case Attribute.ranges: (hasCode, hasRanges) = (true, true)
        default: break
        }
    }

    /// Adds what passes an attribute's value; sizes that are fixed are joined.
    @inline(__always)
    mutating func pass(_ step: SkipStep, _ steps: inout [SkipStep]) {
        if step.code >= 0 { return pending &+= Int(step.code) }
        if pending > 0 { steps.append(.bytes(pending)) }
        pending = 0
        isFixed = false
        steps.append(step)
    }

    func finish(_ steps: inout [SkipStep]) -> SkipPlan {
        if isFixed { return SkipPlan(fixedSize: Int32(clamping: pending), steps: 0..<0) }
        if pending > 0 { steps.append(.bytes(pending)) }
        return SkipPlan(fixedSize: -1, steps: Int32(clamping: firstStep)..<Int32(clamping: steps.count))
    }

    var extent: Abbreviation.FixedExtent? {
        guard !hasRanges, let low = UInt16(exactly: low), let high = UInt16(exactly: high) else { return nil }
        return Abbreviation.FixedExtent(lowOffset: low, highOffset: high, highSize: UInt8(clamping: highSize))
    }
}
