internal import BinaryPrimitives

/// How the entries of a unit's subroutines are read: for each abbreviation the attributes that are
/// wanted, and what is passed over before each. Made when the first entry has it.
struct SubroutinePlans {
    /// One attribute that is wanted, or that contains its own size.
    private struct Part {
        enum Kind {
            /// In the form that nearly all entries have it in: `addr`, `data*`, `sec_offset`,
            /// `ref4`; of a call's location also `implicit_const`.
            case low, high, ranges, origin, callFile, callLine, callColumn
            /// In any form.
            case other
            /// After the last.
            case end
        }

        var kind: Kind
        /// Bytes of the number; zero: it is `constant`.
        var size: UInt8
        /// Bytes of attributes of fixed size that are passed over before it.
        var bytesBefore: Int32
        var constant: UInt64
        /// Index into `others`.
        var other: Int
    }

    private var parts: [Part] = []
    private var others: [AttributeSpecification] = []
    /// By code: where its parts begin.
    private var firsts = CodeTable<Int32>()

    /// Forgets the last unit's.
    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        firsts.removeAll()
    }

    /// Reads an entry.
    /// - Parameter position: where its first attribute is, in bytes from the unit's header; moved
    ///   past the last.
    mutating func entry(_ code: UInt64, at position: inout Int, _ bytes: RawSpan, _ unit: Unit) throws(ReadError) -> SubroutineEntry {
        var entry = SubroutineEntry()
        let sizes = unit.sizes
        var index = first(of: code, unit)
        var next = position
        while true {
            let part = parts[index]
            index &+= 1
            next &+= Int(part.bytesBefore)
            switch part.kind {
            case .other:
                var cursor = try bytes.from(UInt64(next))
                try entry.read(others[part.other], &cursor, sizes)
                next = bytes.byteCount &- cursor.byteCount
                continue
            case .end:
                guard next <= bytes.byteCount else { throw ReadError(.outOfBytes(needed: Int(part.bytesBefore)), bytesLeft: 0) }
                position = next
                return entry
            default: break
            }
            let number = part.size == 0 ? part.constant : try bytes.unsigned(size: Int(part.size), at: next, sizes.byteOrder)
            next &+= Int(part.size)
            switch part.kind {
            case .low: entry.low = .address(number)
            case .high: entry.high = .unsigned(number)
            case .ranges: entry.ranges = .sectionOffset(number)
            case .origin: entry.origin = .unitReference(number)
            case .callFile: entry.callFile = number
            case .callLine: entry.callLine = number
            case .callColumn: entry.callColumn = number
            case .other, .end: break
            }
        }
    }

    /// The first of an abbreviation's parts.
    @inline(__always)
    private mutating func first(of code: UInt64, _ unit: Unit) -> Int {
        if let known = firsts[code] { return Int(known) }
        return make(code, unit)
    }

    private mutating func make(_ code: UInt64, _ unit: Unit) -> Int {
        let first = parts.count
        var pending = 0
        let table = unit.abbreviations
        let attributes = table.abbreviation(code).map { Array(table.attributes(of: $0)) } ?? []
        // Each of several origins counts.
        let origins = attributes.count { $0.name == Attribute.abstractOrigin || $0.name == Attribute.specification }
        for attribute in attributes {
            if attribute.step.code >= 0, !Self.isWanted(attribute.name) {
                pending += Int(attribute.step.code)
            } else {
                let kind = origins > 1 ? .other : Self.kind(of: attribute)
                parts.append(
                    Part(
                        kind: kind, size: UInt8(clamping: attribute.step.code), bytesBefore: Int32(clamping: pending),
                        constant: UInt64(clamping: attribute.implicit), other: kind == .other ? others.count : 0))
                if kind == .other { others.append(attribute) }
                pending = 0
            }
        }
        parts.append(Part(kind: .end, size: 0, bytesBefore: Int32(clamping: pending), constant: 0, other: 0))
        firsts[code] = Int32(clamping: first)
        return first
    }

    private static func isWanted(_ name: UInt16) -> Bool {
        switch name {
        case Attribute.lowPC, Attribute.highPC, Attribute.ranges, Attribute.abstractOrigin, Attribute.specification, Attribute.name,
            Attribute.linkageName, Attribute.mipsLinkageName, Attribute.callFile, Attribute.callLine, Attribute.callColumn:
            true
        default: false
        }
    }

    private static func kind(of attribute: AttributeSpecification) -> Part.Kind {
        let isData = [Form.data1, Form.data2, Form.data4, Form.data8].contains(attribute.form)
        let isNumber = isData || (attribute.form == Form.implicitConst && attribute.implicit >= 0)
        switch attribute.name {
        case Attribute.lowPC where attribute.form == Form.addr: return .low
        case Attribute.highPC where isData: return .high
        case Attribute.ranges where attribute.form == Form.secOffset: return .ranges
        case Attribute.abstractOrigin where attribute.form == Form.ref4, Attribute.specification where attribute.form == Form.ref4:
            return .origin
        case Attribute.callFile where isNumber: return .callFile
        case Attribute.callLine where isNumber: return .callLine
        case Attribute.callColumn where isNumber: return .callColumn
        default: return .other
        }
    }
}

/// Attributes of a subprogram's or an inlined call's entry that are read when all subroutines of a unit are wanted.
struct SubroutineEntry {
    var low: AttributeValue?
    var high: AttributeValue?
    var ranges: AttributeValue?
    /// `DW_AT_abstract_origin` or `DW_AT_specification`.
    var origin: AttributeValue?
    /// It has a name of its own, or several origins.
    var needsSearch = false
    var hasSeveralOrigins = false
    var callFile: UInt64?
    var callLine: UInt64 = 0
    var callColumn: UInt64 = 0

    /// Takes an attribute's value, or moves past it.
    @inline(__always)
    mutating func read(_ attribute: AttributeSpecification, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        switch attribute.name {
        case Attribute.lowPC: low = try cursor.readAddress(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.highPC: high = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.ranges: ranges = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.abstractOrigin, Attribute.specification:
            if origin != nil { (needsSearch, hasSeveralOrigins) = (true, true) }
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
