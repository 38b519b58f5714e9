package import BinaryPrimitives

/// One attribute of an abbreviation.
package struct AttributeSpecification: Sendable {
    package var name: UInt16
    package var form: UInt16
    /// How to move past the value.
    package var step: SkipStep
    /// The value of `implicit_const`.
    package var implicit: Int64
}

extension AttributeSpecification {
    /// A form that no abbreviation declares: of a table's values.
    package init(form: UInt16, _ sizes: FormSizes) { self.init(name: 0, form: form, step: SkipStep(form, sizes), implicit: 0) }

    /// Takes a declaration; `nil` for the pair of zeros that ends the list.
    @inline(__always)
    init?(_ cursor: inout RawSpan, _ forms: FormSteps) throws(ReadError) {
        var (longName, longForm): (UInt64, UInt64)
        // Nearly all names and forms take a byte each.
        if cursor.byteCount >= 2, cursor.byte(at: 0) < 0x80, cursor.byte(at: 1) < 0x80 {
            (longName, longForm) = (UInt64(cursor.byte(at: 0)), UInt64(cursor.byte(at: 1)))
            try cursor.skip(2)
        } else {
            longName = try cursor.readULEB128()
            longForm = try cursor.readULEB128()
        }
        if longName == 0, longForm == 0 { return nil }
        // Numbers beyond 16 bits are in no standard; 0xffff is a form that nobody defines either.
        let name = longName <= 0xffff ? UInt16(truncatingIfNeeded: longName) : .max
        let form = longForm <= 0xffff ? UInt16(truncatingIfNeeded: longForm) : .max
        let implicit = form == Form.implicitConst ? try cursor.readSLEB128() : 0
        self.init(name: name, form: form, step: forms[form], implicit: implicit)
    }
}

/// An abbreviation as it is declared (DWARF 5, section 7.5.3): for whoever reads every attribute of
/// every entry.
package struct AbbreviationDeclaration: Sendable {
    package let code: UInt64
    package let tag: UInt16
    package let hasChildren: Bool
    package private(set) var specifications: [AttributeSpecification] = []

    /// Takes a declaration; `nil` for the zero that ends a table.
    package init?(_ cursor: inout RawSpan, _ forms: FormSteps) throws(ReadError) {
        code = try cursor.readULEB128()
        if code == 0 { return nil }
        tag = UInt16(truncatingIfNeeded: try cursor.readULEB128())
        hasChildren = try cursor.read(UInt8.self) != 0
        while let specification = try AttributeSpecification(&cursor, forms) { specifications.append(specification) }
    }
}

/// The attributes of one abbreviation, in their order.
struct AttributeList: Sequence, IteratorProtocol {
    let specifications: [AttributeSpecification]
    let declarations: [UInt8]
    /// They are in `specifications`; else they are read from `declarations`.
    let isRead: Bool
    /// Range of the next ones.
    var range: Range<Int32>
    let forms: FormSteps

    @inline(__always)
    mutating func next() -> AttributeSpecification? {
        guard isRead else { return readNext() }
        guard range.lowerBound < range.upperBound else { return nil }
        let next = specifications[Int(range.lowerBound)]
        range = range.lowerBound &+ 1..<range.upperBound
        return next
    }

    private mutating func readNext() -> AttributeSpecification? {
        // They were read once without a failure.
        var cursor = declarations.span.rawBytes.clamped(to: Int(range.lowerBound)..<Int(range.upperBound))
        guard let next = try? AttributeSpecification(&cursor, forms) else { return nil }
        range = range.upperBound - Int32(cursor.byteCount)..<range.upperBound
        return next
    }
}
