internal import BinaryPrimitives

/// The sizes of types (DWARF 5, chapter 5), as far as they are constants.
struct TypeSize {
    let references: EntryReferences

    /// Types inside of types that are followed.
    private static let deepest = 64

    /// The size of the type that an attribute means.
    /// - Parameters:
    ///   - reference: a `DW_AT_type` of the unit, which is in `part`.
    ///   - bytes: the unit, from its header to its end.
    /// - Returns: bytes; `nil` where the debug information does not give it.
    func size(
        of reference: AttributeValue?, in unit: Unit, _ bytes: RawSpan, _ part: EntryLocation.Part, depth: Int = 0
    ) -> UInt64? {
        guard depth < Self.deepest else { return nil }
        return references.open(reference, from: unit, bytes, in: part) { other, otherBytes, location, content in
            size(content, other, otherBytes, location.part, depth)
        }
    }

    private func size(_ content: EntryContent, _ unit: Unit, _ bytes: RawSpan, _ part: EntryLocation.Part, _ depth: Int) -> UInt64? {
        if let size = content[Attribute.byteSize]?.number { return size }
        let pointer = UInt64(unit.sizes.addressSize)
        switch content.tag {
        case Tag.pointerType, Tag.referenceType, Tag.rvalueReferenceType: return pointer
        case Tag.pointerToMemberType:
            // The Itanium C++ ABI, section 2.3: a pointer to a member function has two words.
            let isFunction = references.open(content[Attribute.type], from: unit, bytes, in: part) { _, _, _, target in
                target.tag == Tag.subroutineType
            }
            return isFunction == true ? 2 * pointer : pointer
        case Tag.arrayType:
            guard var size = size(of: content[Attribute.type], in: unit, bytes, part, depth: depth + 1) else { return nil }
            var isKnown = true
            content.forEachChild(of: unit, bytes) { child, _ in
                guard child.tag == Tag.subrangeType, isKnown else { return }
                let (product, overflow) = size.multipliedReportingOverflow(by: Self.count(child) ?? 1)
                if overflow { isKnown = false } else { size = product }
            }
            return isKnown ? size : nil
        default: return size(of: content[Attribute.type], in: unit, bytes, part, depth: depth + 1)
        }
    }

    /// The elements of one dimension; `nil` where that is not a constant.
    private static func count(_ subrange: EntryContent) -> UInt64? {
        if let count = subrange[Attribute.count]?.number { return count }
        let lower = subrange[Attribute.lowerBound].flatMap(bound) ?? 0
        guard let upper = subrange[Attribute.upperBound].flatMap(bound), upper >= lower else {
            // C's `int a[0]` ends one before it begins.
            return subrange[Attribute.upperBound].flatMap(bound) == nil ? nil : 0
        }
        let (difference, overflow) = upper.subtractingReportingOverflow(lower)
        return overflow ? nil : UInt64(difference) &+ 1
    }

    private static func bound(_ value: AttributeValue) -> Int64? {
        switch value {
        case .signed(let number): number
        // gcc's `int a[0]` of version 2: all bits are set.
        case .unsigned(let number): Int64(truncatingIfNeeded: number)
        default: nil
        }
    }
}
