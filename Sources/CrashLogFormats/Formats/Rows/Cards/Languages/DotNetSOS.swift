internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of .NET's debugger extension SOS, in lldb, WinDbg and `dotnet-dump`:
    ///
    ///     OS Thread Id: 0x4242 (0)
    ///             Child SP               IP Call Site
    ///     00007FFD5B2F3C10 00007F1F5A429D90 [InlinedCallFrame: 00007ffd5b2f3c10] Moor.Native.Run(Int32)
    ///     00007FFD5B2F3D00 00007F1F5A42BE40 Moor.Program.Main(System.String[]) [/src/moor/Program.cs @ 12]
    ///
    ///     Child-SP         RetAddr          Caller, Callee
    ///     00007FFD5B2F3C10 00007f1f5a429d90 libcoreclr.so!CallDescrWorkerInternal + 124, calling libcoreclr.so!Moor
    ///
    /// `clrstack` prints the program counters of the frames (`ClrStackImpl` of `strike.cpp`), of which the first was
    /// executing. `dumpstack` scans the stack for addresses after a call (`DumpStackWorker`): each is a return address
    /// or stale.
    static let dotNetSOS = StackCard(
        name: "dotnet-sos",
        summary: ".NET’s SOS: clrstack (“Child SP  IP Call Site”) and dumpstack (“Caller, Callee”)",
        openings: [
            .start("OS Thread Id: 0x"), .inLine("IP Call Site", isCertain: true) { $0.contains("Child SP") && $0.contains("IP Call Site") },
            .inLine("Caller, Callee", isCertain: true) { $0.contains("RetAddr") && $0.contains("Caller, Callee") },
        ],
        rule: .firstIsProgramCounter,
        hasOwnRows: true,
        read: { line in
            var text = line.trimmed()
            if text.contains("IP Call Site") || text.hasPrefix("Current frame: ") { return .skipped }
            if text.hasSuffix("Caller, Callee") { return .thread(number: nil, name: nil, isCrashed: false, rule: .returnAddresses) }
            guard text.consume("OS Thread Id: "), text.readAddress() != nil else { return nil }
            text.skipBlanks()
            let number = text.consume("(") ? text.readDecimal().flatMap { Int(exactly: $0) } : nil
            return .thread(number: number, name: nil, isCrashed: false)
        },
        readRow: { SOSRow.read($0) })
}

private enum SOSRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        guard readNumber(&rest) != nil else { return nil }
        let start = line.count - rest.count
        guard let address = readNumber(&rest) else { return nil }
        let names = line.count - rest.count
        var end = start
        while let byte = line.at(end), !isBlank(byte) { end += 1 }
        var row = StackRow(number: nil, in: line.indent..<line.count, address: address, addressRange: start..<end)
        if let call = rest.firstRange(of: ", calling ") { rest = rest.upTo(call.lowerBound) }
        readNames(&row, line, names..<names + rest.trimmed().count)
        return row
    }

    private static func skipBlanks(_ line: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while let byte = line.at(index), isBlank(byte) { index += 1 }
        return index
    }

    /// Reads a number of sixteen or eight digits, and the blanks after it.
    private static func readNumber(_ rest: inout Span<UInt8>) -> UInt64? {
        let count = rest.count
        guard let value = rest.readHexadecimal(), count - rest.count == 16 || count - rest.count == 8, let blank = rest.at(0),
            isBlank(blank)
        else { return nil }
        rest.skipBlanks()
        return value
    }

    /// Reads the module and the function: `libcoreclr.so!CallDescrWorkerInternal + 124`,
    /// `clr!ArrayNative::ArrayCopy+0x1ac`, `(MethodDesc 00007ff7f4099978 + 0xa1 Moor.Program.Main())`,
    /// `[GCFrame: 00007f2ae37b5680] Moor.Program.Main()`.
    private static func readNames(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        var (start, end) = (range.lowerBound, range.upperBound)
        var text = line.clamped(to: range)
        if text.hasPrefix("["), let close = RowLexer.closing(text) {
            start = skipBlanks(line, start + close + 1)
        } else if text.hasPrefix("(MethodDesc "), text.hasSuffix(")"), let plus = text.firstRange(of: " + 0x"),
            let blank = text.firstIndex(of: UInt8(ascii: " "), from: plus.upperBound)
        {
            (start, end) = (start + blank + 1, end - 1)
        }
        guard start < end else { return }
        text = line.clamped(to: start..<end)
        if text.hasSuffix("]"), let open = text.lastRange(of: " ["), let at = text.lastRange(of: " @ "), at.lowerBound > open.upperBound,
            let number = text.from(at.upperBound).leadingDecimal.flatMap({ Int(exactly: $0) })
        {
            row.file = start + open.upperBound..<start + at.lowerBound
            row.line = number
            end = start + open.lowerBound
            text = line.clamped(to: start..<end)
        }
        guard start < end else { return }
        guard let mark = text.firstIndex(of: UInt8(ascii: "!")), mark > 0, text.upTo(mark).firstIndex(of: UInt8(ascii: " ")) == nil,
            let plus = text.lastIndex(of: UInt8(ascii: "+")), plus > mark
        else {
            row.symbol.name = start..<end
            return
        }
        var digits = text.from(plus + 1)
        digits.skipBlanks()
        // lldb prints the offset in decimal, WinDbg in hexadecimal.
        let offset = digits.hasPrefix("0x") ? digits.readAddress() : digits.readDecimal()
        var last = plus
        while last > mark + 1, isBlank(text[last - 1]) { last -= 1 }
        row.module = start..<start + mark
        row.symbol = StackRow.Symbol(name: start + mark + 1..<start + last, offset: offset)
    }
}
