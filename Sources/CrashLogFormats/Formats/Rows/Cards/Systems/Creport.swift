internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crash reports of Atmosphère (Nintendo Switch):
    ///
    ///         LR:                      000000003f248850 (ferrySdk + 0xc0850)
    ///         PC:                      000000003f248864 (ferrySdk + 0xc0864)
    ///     Stack Trace:
    ///         ReturnAddress[00]:       000000003f2485b8 (ferrySdk + 0xc05b8)
    ///
    /// `stratosphere/creport/source/creport_threads.cpp` (`ThreadInfo::SaveToFile`) prints the registers and, from the
    /// frame pointer on, return addresses; `creport_modules.cpp` (`GetFormattedAddressString`) prints the module of an
    /// address and the distance from its first byte, followed by `(symbol + 0x…)` if the module has a symbol table. The
    /// link register may be left over from an earlier call. Once the function has saved it, it equals the first return
    /// address.
    static let creport = StackCard(
        name: "creport",
        summary: "crash reports of Atmosphère: “ReturnAddress[00]: … (module + 0x…)”",
        openings: [.start("ReturnAddress[00]: "), .start("Crashed Thread Info:")],
        offsets: .imageStart,
        architecture: .arm64,
        maxUnrecognizedLines: 64,
        hasOwnRows: true,
        claimsLine: { CreportText.row($0)?.module != nil },
        read: { CreportText.read($0) },
        finish: { report in
            report.changeStacks { stack in
                let sorted = stack.frames.enumerated().sorted { ($0.element.index, $0.offset) < ($1.element.index, $1.offset) }
                stack.frames = sorted.map(\.element)
                guard stack.frames.count > 1, stack.frames[1].index == 1 else { return }
                if stack.frames.count > 2, stack.frames[1].address == stack.frames[2].address { stack.frames.remove(at: 1) }
                for index in stack.frames.indices { stack.frames[index].index = index }
            }
        })
}

private enum CreportText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        // The registers come before the stack, the link register first.
        if let row = row(line) { return .rows([row]) }
        let text = line.trimmed()
        if text.hasPrefix("Stack Trace:") || text.hasPrefix("Registers:") || text.hasPrefix("SP: ") || text.hasPrefix("FP: ")
            || text.hasPrefix("X[")
        {
            return .skipped
        }
        if text.hasPrefix("R[") { return .architecture(.arm) }
        var rest = text
        guard rest.consume("Threads[") || rest.consume("Crashed Thread Info:") else { return nil }
        return .thread(number: nil, name: nil, isCrashed: false)
    }

    /// Reads a row. The program counter gets number 0, the link register 1, and the rows of the stack the numbers after
    /// them.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        var number = 0
        if rest.consume("ReturnAddress[") {
            guard let index = rest.readDecimal(), index < 4096, rest.consume("]:") else { return nil }
            number = Int(index) + 2
        } else if rest.consume("LR:") {
            number = 1
        } else if !rest.consume("PC:") {
            return nil
        }
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let address = rest.readHexadecimal(), line.count - rest.count == start + 16, address != 0 else { return nil }
        var row = StackRow(
            number: number, in: line.indent..<line.count, address: address, addressRange: start..<start + 16,
            kind: number == 0 ? .programCounter : .returnAddress)
        row.isUnreliable = number == 1
        var limit = line.count
        if let mark = line.firstRange(of: RowLexer.resultMark) {
            var end = row.end
            row.readResult(in: line, end: &end)
            limit = mark.lowerBound
        }
        var position = start + 16
        guard let module = field(in: line, &position, limit), module.offset <= address else { return row }
        row.module = module.name
        (row.moduleOffset, row.base) = (module.offset, address - module.offset)
        if let symbol = field(in: line, &position, limit) { row.symbol = StackRow.Symbol(name: symbol.name, offset: symbol.offset) }
        return row
    }

    /// Reads the field in parentheses: ` (ferrySdk + 0xc0850)`.
    private static func field(in line: Span<UInt8>, _ position: inout Int, _ limit: Int) -> (name: Range<Int>, offset: UInt64)? {
        let field = line.clamped(to: position..<limit)
        guard field.hasPrefix(" ("), let plus = field.firstRange(of: " + 0x") else { return nil }
        var rest = field.from(plus.upperBound)
        guard let offset = rest.readHexadecimal(), rest.consume(")") else { return nil }
        defer { position = limit - rest.count }
        return (position + 2..<position + plus.lowerBound, offset)
    }
}
