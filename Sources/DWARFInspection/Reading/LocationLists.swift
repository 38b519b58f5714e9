internal import BinaryPrimitives
internal import DWARF

/// Reads location lists: `.debug_loc` (DWARF 4, section 2.6.2), and `.debug_loclists` (DWARF 5,
/// section 7.29), whose encoding GNU's split units had first.
struct LocationLists {
    let bytes: SectionBytes
    let addressSize: Int
    /// Below 5: lengths of four bytes, expressions of at most 64 KB.
    let version: Int
    /// The pairs of `.debug_loc`.
    let isOld: Bool

    struct Entry {
        private let encoded: EncodedLocation
        /// The expression.
        let bytes: Range<Int>
        /// `DW_LLE_…`
        var kind: UInt8 { encoded.kind }
        var first: UInt64 { encoded.first }
        var second: UInt64 { encoded.second }
        var hasExpression: Bool { encoded.hasExpression }

        fileprivate init(_ encoded: EncodedLocation, endingAt end: Int) {
            self.encoded = encoded
            bytes = encoded.expression(endingAt: end)
        }
    }

    /// - Returns: `nil` where the next entry is cut short or of an unknown kind.
    func next(_ cursor: inout SectionCursor) -> Entry? {
        let encoded = try? cursor.read { (span: inout RawSpan) throws(ReadError) in
            try EncodedLocation(&span, version: version, isPair: isOld, addressSize: addressSize, bytes.order)
        }
        guard let encoded else { return nil }
        return Entry(encoded, endingAt: cursor.bytes.count)
    }
}

/// Meaning of an entry of a location list.
enum LocationMeaning {
    /// Nothing but another base, or the end.
    case none
    case everywhere
    case range(RangeLists.Bounds)
    /// It counts from a base or an index that is not there.
    case unresolved
}

extension LocationLists.Entry {
    /// - Parameters:
    ///   - base: the base so far, which the entry may change.
    ///   - lookUp: the unit's table of addresses.
    func meaning(_ base: inout UInt64?, printedAddress: (UInt64) -> UInt64, lookUp: (UInt64) -> UInt64?) -> LocationMeaning {
        switch kind {
        case 1:
            base = lookUp(first)
            return base == nil ? .unresolved : .none
        case 2:
            guard let low = lookUp(first), let high = lookUp(second) else { return .unresolved }
            return .range(RangeLists.Bounds(low: low, high: high))
        case 3:
            guard let low = lookUp(first) else { return .unresolved }
            return .range(RangeLists.Bounds(low: low, high: low &+ second))
        case 4:
            guard let base else { return .unresolved }
            return .range(RangeLists.Bounds(low: base &+ first, high: base &+ second))
        case 5: return .everywhere
        case 6:
            base = printedAddress(first)
            return .none
        case 7: return .range(RangeLists.Bounds(low: printedAddress(first), high: printedAddress(second)))
        case 8: return .range(RangeLists.Bounds(low: printedAddress(first), high: printedAddress(first) &+ second))
        default: return .none
        }
    }
}

extension DumpContext {
    /// The lists that a unit's `DW_AT_location` refers to.
    func locationTable(of unit: DumpUnit) -> LocationLists {
        var bytes = unit.version >= 5 ? locationLists : locations
        if let part = contribution(to: unit, .locationLists) { bytes = bytes.part(part) }
        return LocationLists(bytes: bytes, addressSize: unit.addressSize, version: unit.version, isOld: unit.version < 5 && !isSplit)
    }

    /// The offset of an attribute's list in that table.
    func locationListOffset(_ value: DumpValue) -> UInt64? {
        guard value.form == Form.loclistx else { return value.sectionOffset }
        let base = bases(of: value.unit).locationLists
        let position = base &+ value.raw &* UInt64(value.unit.offsetSize)
        return locationTable(of: value.unit).bytes.number(at: Int(clamping: position), size: value.unit.offsetSize).map { $0 &+ base }
    }
}
