internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// VMware ESXi's purple screen, and the backtraces in the log of its kernel:
    ///
    ///     #PF Exception 14 in world 63406:berth IP 0x41801cd9c266 addr 0x0
    ///     0x41229eb9b590:[0x41801cd9c266]moor@vmkernel#nover+0xdb9 stack: 0x410015264580
    ///     0x41229eb9b600:[0x41801cd9fc73]quay@vmkernel#nover+0x18a stack: 0x41229eb9b630
    ///
    /// A row has the frame's address, the instruction, the function, its module with the version after `#`, and values
    /// from the stack. The first row was executing: it is the IP of the heading.
    static let vmkernel = StackCard(
        name: "vmkernel",
        summary: "VMware ESXi: rows “0x41229eb9b590:[0x41801cd9c266]Panic@vmkernel#nover+0xdb9 stack: …”",
        openings: [.anywhere(" Exception 14 in world "), .anywhere(" Exception 13 in world ")],
        rule: .firstIsProgramCounter,
        hasOwnRows: true,
        claimsLine: { VMKernelRow.read($0) != nil },
        read: { line in
            guard let world = line.firstRange(of: " in world "), let address = line.address(after: " addr ") else { return nil }
            var rest = line.from(world.upperBound)
            let pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            var cause = CrashCause(kind: .other, type: line.upTo(world.lowerBound).trimmed().text)
            cause.address = RuntimeAddress(address)
            guard rest.consume(":") else { return .cause(cause) }
            return .several([.process(name: rest.readToken().text, pid: pid), .cause(cause)])
        },
        readRow: { VMKernelRow.read($0) })
}

private enum VMKernelRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        guard let open = line.firstRange(of: ":[0x") else { return nil }
        var start = open.lowerBound
        while start > 0, hexadecimalValue(line[start - 1]) != nil || line[start - 1] == UInt8(ascii: "x") { start -= 1 }
        var rest = line.from(open.upperBound - 2)
        guard line.from(start).hasPrefix("0x"), let address = rest.readAddress() else { return nil }
        let addressEnd = line.count - rest.count
        guard rest.consume("]"), let at = rest.firstIndex(of: UInt8(ascii: "@")),
            let hash = rest.firstIndex(of: UInt8(ascii: "#"), from: at),
            let plus = rest.firstRange(of: "+0x", from: hash)
        else { return nil }
        let base = line.count - rest.count
        var numbers = rest.from(plus.upperBound)
        guard let offset = numbers.readHexadecimal() else { return nil }
        var row = StackRow(
            number: nil, in: start..<line.count, address: address, addressRange: open.upperBound - 2..<addressEnd)
        row.addressBracket = UInt8(ascii: "[")
        row.symbol = StackRow.Symbol(name: base..<base + at, offset: offset)
        // `(ferry)`: a module that is not signed.
        let isBracketed = rest.at(at + 1) == UInt8(ascii: "(") && rest.at(hash - 1) == UInt8(ascii: ")")
        row.module = base + at + (isBracketed ? 2 : 1)..<base + hash - (isBracketed ? 1 : 0)
        row.end = line.count - numbers.count
        return row
    }
}
