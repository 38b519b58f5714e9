internal import BinaryPrimitives

/// Attributes of a subprogram's or an inlined call's entry that are read when all subroutines of a unit are wanted.
struct SubroutineEntry {
    var low: AttributeValue?
    var high: AttributeValue?
    var ranges: AttributeValue?
    /// `DW_AT_abstract_origin` or `DW_AT_specification`.
    var origin: AttributeValue?
    /// It has a name of its own, or several origins.
    var needsSearch = false
    var callFile: UInt64?
    var callLine: UInt64 = 0
    var callColumn: UInt64 = 0

    /// Takes an attribute's value, or moves past it.
    @inline(__always)
    mutating func read(_ attribute: AttributeSpecification, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        switch attribute.name {
        case Attribute.lowPC: low = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.highPC: high = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.ranges: ranges = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.abstractOrigin, Attribute.specification:
            if origin != nil { needsSearch = true }
            origin = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.callFile: callFile = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes).number
        case Attribute.callLine: callLine = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes).number ?? 0
        case Attribute.callColumn: callColumn = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes).number ?? 0
        case Attribute.name, Attribute.linkageName, Attribute.mipsLinkageName:
            needsSearch = true
            try cursor.skip(attribute.step, sizes)
        default: try cursor.skip(attribute.step, sizes)
        }
    }

    /// - Parameter position: where the entry is, in bytes from the unit's header.
    mutating func read(at position: Int, of unit: Unit, _ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.from(UInt64(position))
        let code = try cursor.readULEB128()
        guard let abbreviation = unit.abbreviations.abbreviation(code) else {
            throw ReadError(.unknownCode(code), bytesLeft: cursor.byteCount)
        }
        for attribute in unit.abbreviations.attributes(of: abbreviation) { try read(attribute, &cursor, unit.sizes) }
    }
}
