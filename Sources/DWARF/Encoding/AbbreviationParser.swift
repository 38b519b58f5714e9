internal import BinaryPrimitives

/// A table of abbreviations while it is read: works out how a walk passes the entries of each.
struct AbbreviationParser {
    private let forms: FormSteps
    private(set) var dense: [Abbreviation] = []
    private(set) var shapes: [EntryShape] = []
    private(set) var sparse: [UInt64: Abbreviation] = [:]
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
    mutating func readAbbreviation(_ code: UInt64, _ cursor: inout RawSpan, in table: RawSpan) throws(ReadError) {
        let tag = UInt16(truncatingIfNeeded: try cursor.readULEB128())
        let hasChildren = try cursor.read(UInt8.self) != 0
        let isSubroutine = tag == Tag.subprogram || tag == Tag.inlinedSubroutine
        let first = table.byteCount - cursor.byteCount
        let firstSpecification = specifications.count
        var layout = EntryLayout()
        var position = first
        while let attribute = try attribute(at: &position, in: table) {
            layout.add(attribute)
            if isSubroutine { specifications.append(attribute) }
        }
        try cursor.skip(position &- first)
        let range = isSubroutine ? firstSpecification..<specifications.count : first..<position
        let abbreviation = Abbreviation(
            tag: tag, hasChildren: hasChildren, role: Abbreviation.Role(tag, hasCode: layout.hasCode), steps: layout.steps.finish(),
            attributes: Int32(clamping: range.lowerBound)..<Int32(clamping: range.upperBound), siblingOffset: layout.siblingOffset,
            siblingSteps: layout.siblingSteps, extent: layout.extent)
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

/// Layout of the entries of one abbreviation, attribute by attribute.
private struct EntryLayout {
    private(set) var steps = PackedSteps.Builder()
    private(set) var siblingOffset: Int32 = -1
    private(set) var siblingSteps = PackedSteps()
    private(set) var hasCode = false
    /// Offsets of the address and the size that may be a `FixedExtent`; -1 if not found.
    private var (low, high, highSize) = (-1, -1, 0)
    private var hasRanges = false

    /// Adds an attribute, and keeps where it is if a walk looks for it.
    @inline(__always)
    mutating func add(_ attribute: AttributeSpecification) {
        switch attribute.name {
        case Attribute.sibling where attribute.form == Form.ref4 && steps.withoutPending != .declared:
            (siblingSteps, siblingOffset) = (steps.withoutPending, Int32(clamping: steps.pending))
        case Attribute.lowPC:
            hasCode = true
            if attribute.form == Form.addr, steps.isFixed { low = steps.pending }
        case Attribute.highPC:
            switch attribute.form {
            case Form.data1, Form.data2, Form.data4, Form.data8:
                if steps.isFixed { (high, highSize) = (steps.pending, Int(attribute.step.code)) }
            default: break
            }
        case Attribute.ranges: (hasCode, hasRanges) = (true, true)
        default: break
        }
        steps.add(attribute.step)
    }

    var extent: Abbreviation.FixedExtent? {
        guard !hasRanges, let low = UInt16(exactly: low), let high = UInt16(exactly: high) else { return nil }
        return Abbreviation.FixedExtent(lowOffset: low, highOffset: high, highSize: UInt8(clamping: highSize))
    }
}
