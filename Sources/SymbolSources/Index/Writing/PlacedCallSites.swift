internal import BinaryPrimitives

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
