internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Call traces of the Xen hypervisor:
    ///
    ///     (XEN) RIP:    e008:[<ffff82d04023a355>] moor.c#quay_free+0x65/0xd0
    ///     (XEN) Xen call trace:
    ///     (XEN)    [<ffff82d04023a355>] R moor.c#quay_free+0x65/0xd0
    ///     (XEN)    [<ffff82d04027459e>] F rope_update+0x1ea/0x273
    ///     (XEN)    [<ffff82d0402033f5>] S __high_rope+0xd5/0xe0
    ///
    /// `show_trace` of `xen/arch/x86/traps.c` marks the program counter with R, addresses found by frame pointers with
    /// F, and addresses found by scanning the stack with S: the latter may be stale. `show_trace` of
    /// `xen/arch/arm/traps.c` has `(PC)` and `(LR)` after the first rows and no letters. x86 before Xen 4.5 has no
    /// letters either, and the first row was executing. `FILE#` comes before names of static functions. `xen-syms` runs
    /// at the address that it is linked at.
    static let xen = StackCard(
        name: "xen",
        summary: "Xen: “Xen call trace:”, rows “[<ffff82d04023a355>] R domain_crash+0x65/0xd0”",
        openings: [.anywhere("----[ Xen-"), .anywhere("Xen call trace:")],
        isCertain: true,
        rule: .firstIsProgramCounter,
        addresses: .asLinked,
        maxUnrecognizedLines: 64,
        hasOwnRows: true,
        read: { line in
            if line.contains("Xen call trace:") || line.contains("----[ Xen-") || line.contains(":[<") { return .skipped }
            return nil
        },
        readRow: { XenRow.read($0) })
}

private enum XenRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        guard let open = line.firstRange(of: "[<"), open.lowerBound == 0 || isBlank(line[open.lowerBound - 1]) else { return nil }
        var rest = line.from(open.upperBound)
        let digits = rest.count
        guard let address = rest.readHexadecimal(), digits - rest.count == 16 || digits - rest.count == 8 else { return nil }
        let addressRange = open.upperBound..<line.count - rest.count
        guard rest.consume(">] "), rest.count > 0 else { return nil }
        var row = StackRow(number: nil, in: open.lowerBound..<line.count, address: address, addressRange: addressRange)
        row.addressBracket = UInt8(ascii: "[")
        if let mark = rest.at(0), isOne(mark, of: "RFS"), rest.at(1) == UInt8(ascii: " ") {
            row.kind = mark == UInt8(ascii: "R") ? .programCounter : .returnAddress
            row.isUnreliable = mark == UInt8(ascii: "S")
            rest = rest.from(2)
        } else if rest.trimmed().hasSuffix(" (PC)") {
            row.kind = .programCounter
        } else if rest.trimmed().hasSuffix(" (LR)") {
            row.kind = .returnAddress
        }
        var nameStart = line.count - rest.count
        guard let plus = rest.lastRange(of: "+0x") else { return row }
        var numbers = rest.from(plus.upperBound)
        guard let offset = numbers.readHexadecimal() else { return row }
        let size = numbers.consume("/0x") ? numbers.readHexadecimal() : nil
        let end = line.count - rest.count + plus.lowerBound
        if let file = line.clamped(to: nameStart..<end).firstIndex(of: UInt8(ascii: "#")) { nameStart += file + 1 }
        row.symbol = StackRow.Symbol(name: nameStart..<end, offset: offset, size: size)
        row.end = line.count - numbers.count
        return row
    }
}
