internal import BinaryPrimitives
internal import DWARF

/// The calls of units, in the order in which these were read, until the index is written.
struct CallSiteRecords: Sendable {
    struct Call: Sendable {
        /// From the image's base.
        var returnAddress: UInt32
        /// From the return address to the first byte of the called function; 0: not known, or too far.
        var targetDistance: Int32
        /// Bytes from the call's first to the return address; 0: not known.
        var length: UInt8
    }

    /// The image's base address.
    let base: UInt64
    private(set) var calls: [Call] = []
    /// Functions all of whose calls have entries, from the image's base.
    private(set) var complete: [Range<UInt32>] = []

    /// Adds a unit. What is more than 4 GB after the base is left out.
    mutating func add(_ unit: CallSiteEntries) {
        for entry in unit.entries {
            guard let address = offset(entry.returnAddress) else { continue }
            let distance = entry.target.flatMap { Int32(exactly: Int64(bitPattern: $0.value &- entry.returnAddress.value)) } ?? 0
            let length = entry.call.map { UInt8(clamping: entry.returnAddress.value &- $0.value) } ?? 0
            calls.append(Call(returnAddress: address, targetDistance: distance, length: length > 15 ? 0 : length))
        }
        for range in unit.complete {
            if let start = offset(range.lowerBound), let end = offset(range.upperBound), start < end { complete.append(start..<end) }
        }
    }

    private func offset(_ address: LinkAddress) -> UInt32? { address.value < base ? nil : UInt32(exactly: address.value - base) }
}
