/// How the entries of a unit's subroutines are read: for each abbreviation the attributes that are wanted, and what is passed over before each. Made when the first entry has it.
struct SubroutinePlans {
    struct Part {
        /// Bytes of attributes of fixed size that are passed over before it.
        var bytesBefore: Int32
        /// `nil` behind the last.
        var attribute: AttributeSpecification?
    }

    private(set) var parts: [Part] = []
    /// By code: where its parts begin, plus 1; 0: not made.
    private var firsts: [Int32] = []
    private var sparse: [UInt64: Int32] = [:]

    /// Forgets the last unit's.
    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        firsts.removeAll(keepingCapacity: true)
        sparse.removeAll(keepingCapacity: true)
    }

    /// The first of an abbreviation's parts.
    @inline(__always)
    mutating func first(of code: UInt64, _ table: AbbreviationTable) -> Int {
        if code < UInt64(firsts.count), firsts[Int(code)] > 0 { return Int(firsts[Int(code)]) &- 1 }
        return make(code, table)
    }

    private mutating func make(_ code: UInt64, _ table: AbbreviationTable) -> Int {
        if let known = sparse[code] { return Int(known) }
        let first = parts.count
        var pending = 0
        let attributes = table.abbreviation(code).map { Array(table.attributes(of: $0)) } ?? []
        for attribute in attributes {
            if attribute.step.code >= 0, !Self.isWanted(attribute.name) {
                pending += Int(attribute.step.code)
            } else {
                parts.append(Part(bytesBefore: Int32(clamping: pending), attribute: attribute))
                pending = 0
            }
        }
        parts.append(Part(bytesBefore: Int32(clamping: pending), attribute: nil))
        if code < 1 << 16 {
            while firsts.count <= Int(code) { firsts.append(0) }
            firsts[Int(code)] = Int32(clamping: first + 1)
        } else {
            sparse[code] = Int32(clamping: first)
        }
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
}
