package import BinaryPrimitives
package import DWARF

extension SymbolIndex: RecordedCallSites {
    /// Whether the index has calls: it was made of a file without code, which has entries of calls.
    var holdsCalls: Bool { count(of: .callGroups) > 0 || count(of: .completeFunctions) > 0 }

    package func entries(returningTo range: ClosedRange<LinkAddress>) -> [CallSiteEntries.Entry] {
        guard let first = range.lowerBound.offset(fromImageBase: baseAddress)?.value else { return [] }
        return file.withBytes { bytes in
            var found: [CallSiteEntries.Entry] = []
            // The last group that begins at or before the first address, and those after it.
            let next = entry(after: first, of: .callGroups, bytes)
            for group in max(0, next - 1)..<max(1, count(of: .callGroups)) {
                let goesOn = forEachEntry(ofGroup: group, bytes) { entry in
                    if range.contains(entry.returnAddress) { found.append(entry) }
                    return entry.returnAddress < range.upperBound
                }
                if !goesOn { break }
            }
            return found
        }
    }

    package func completeFunction(at address: LinkAddress) -> Range<LinkAddress>? {
        guard let offset = address.offset(fromImageBase: baseAddress)?.value else { return nil }
        return file.withBytes { bytes in
            let end = tableOffset(.completeFunctions) + entry(after: offset, of: .completeFunctions, bytes) * 8
            guard end > tableOffset(.completeFunctions), offset < UInt64(bytes.word32(at: end - 4)) else { return nil }
            let (first, last) = (UInt64(bytes.word32(at: end - 8)), UInt64(bytes.word32(at: end - 4)))
            guard let start = baseAddress.advanced(by: first), let end = baseAddress.advanced(by: last) else { return nil }
            return start..<end
        }
    }

    package func forEachEntry(_ body: (CallSiteEntries.Entry) -> Bool) {
        file.withBytes { bytes in
            for group in 0..<count(of: .callGroups) where !forEachEntry(ofGroup: group, bytes, body) { return }
        }
    }

    /// In a table whose entries begin with an ascending offset from the image's base: the first after an offset.
    private func entry(after offset: UInt64, of table: SymbolIndexLayout.Table, _ bytes: RawSpan) -> Int {
        let start = tableOffset(table)
        return (0..<count(of: table)).partitionPoint { UInt64(bytes.word32(at: start + $0 * 8)) > offset }
    }

    /// - Returns: `false` if `body` did.
    private func forEachEntry(ofGroup group: Int, _ bytes: RawSpan, _ body: (CallSiteEntries.Entry) -> Bool) -> Bool {
        typealias Calls = SymbolIndexLayout.Calls
        guard group < count(of: .callGroups) else { return true }
        let record = tableOffset(.callGroups) + group * 8
        // Bits outside of the table are zero.
        let fields = bytes.clamped(to: tables[SymbolIndexLayout.Table.calls.rawValue])
        var bit = Int(bytes.word32(at: record + 4)) * 8
        func readBits(_ width: Int) -> UInt64 {
            defer { bit += width }
            return fields.bits(at: bit, width)
        }
        let callCount = Int(readBits(Calls.countWidth)) + 1
        let widths = (Int(readBits(Calls.widthWidth)), Int(readBits(Calls.widthWidth)), Int(readBits(Calls.widthWidth)))
        var address = baseAddress.value &+ UInt64(bytes.word32(at: record))
        for _ in 0..<callCount {
            address = address &+ readBits(widths.0)
            let (target, length) = (readBits(widths.1), readBits(widths.2))
            let distance = target &>> 1 ^ (target & 1 == 0 ? 0 : .max)
            let entry = CallSiteEntries.Entry(
                returnAddress: LinkAddress(address), call: length == 0 ? nil : LinkAddress(address &- length),
                target: target == 0 ? nil : LinkAddress(address &+ distance))
            guard body(entry) else { return false }
        }
        return true
    }
}
