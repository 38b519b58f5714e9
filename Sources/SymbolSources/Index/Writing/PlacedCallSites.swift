internal import BinaryPrimitives
internal import DWARF

/// The calls of an index by address.
struct PlacedCallSites {
    private var calls: [CallSiteRecords.Call] = []
    private var complete: [Range<UInt32>] = []

    /// - Parameter parts: the call sites that each task collected.
    init(_ parts: [CallSiteRecords]) {
        for part in parts {
            calls += part.calls
            complete += part.complete
        }
        // One of several with a return address: the lowest known target.
        calls.sort { ($0.returnAddress, Self.target($0)) < ($1.returnAddress, Self.target($1)) }
        complete.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var last: UInt32?
        calls.removeAll { call in
            defer { last = call.returnAddress }
            return call.returnAddress == last
        }
    }

    private static func target(_ call: CallSiteRecords.Call) -> Int64 {
        call.targetDistance == 0 ? .max : Int64(call.returnAddress) + Int64(call.targetDistance)
    }

    /// Writes the tables of calls and of complete functions.
    func write(_ tables: inout TableWriter, _ append: TableWriter.Append) throws(FileError) {
        var groups: [UInt32] = []
        var fields: [UInt8] = []
        for start in stride(from: 0, to: calls.count, by: SymbolIndexLayout.Calls.maxInGroup) {
            let group = calls[start..<min(calls.count, start + SymbolIndexLayout.Calls.maxInGroup)]
            groups.append(calls[start].returnAddress)
            groups.append(UInt32(truncatingIfNeeded: fields.count))
            fields += Self.encoded(group)
        }
        try tables.write(.callGroups, append) { table throws(FileError) in for number in groups { try table.add(number, append) } }
        try tables.write(.calls, append) { table throws(FileError) in try table.add(fields, append) }
        try tables.write(.completeFunctions, append) { table throws(FileError) in
            for range in complete {
                try table.add(range.lowerBound, append)
                try table.add(range.upperBound, append)
            }
        }
    }

    private static func encoded(_ group: ArraySlice<CallSiteRecords.Call>) -> [UInt8] {
        typealias Calls = SymbolIndexLayout.Calls
        var last = group.first?.returnAddress ?? 0
        let fields = group.map { call in
            defer { last = call.returnAddress }
            let distance = UInt64(bitPattern: Int64(call.targetDistance))
            // The sign last, so that small distances take few bits.
            let target = call.targetDistance == 0 ? 0 : (distance &<< 1) ^ UInt64(bitPattern: Int64(bitPattern: distance) >> 63)
            return (step: UInt64(call.returnAddress - last), target: target, length: UInt64(call.length))
        }
        func width(_ field: (((step: UInt64, target: UInt64, length: UInt64)) -> UInt64)) -> Int {
            BitFieldWriter.width(of: fields.reduce(0) { $0 | field($1) })
        }
        let widths = [width(\.step), width(\.target), width(\.length)]
        var writer = BitFieldWriter()
        writer.append(UInt64(group.count - 1), Calls.countWidth)
        for width in widths { writer.append(UInt64(width), Calls.widthWidth) }
        for field in fields {
            writer.append(field.step, widths[0])
            writer.append(field.target, widths[1])
            writer.append(field.length, widths[2])
        }
        writer.align()
        return writer.bytes
    }
}

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
