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
    /// `stratosphere/creport/source/creport_thread_info.cpp` prints the registers and, from the frame pointer on, where calls return to;
    /// `creport_modules.cpp` the module that an address is in and the distance from its first byte.
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
        var rest = text
        guard rest.take("Threads[") || rest.take("Crashed Thread Info:") else { return nil }
        return .thread(number: nil, name: nil, isCrashed: false)
    }

    /// The program counter is number 0, the link register 1, and the rows of the stack follow.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        var number = 0
        if rest.take("ReturnAddress[") {
            guard let index = rest.takeDecimal(), index < 4096, rest.take("]:") else { return nil }
            number = Int(index) + 2
        } else if rest.take("LR:") {
            number = 1
        } else if !rest.take("PC:") {
            return nil
        }
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let address = rest.takeHexadecimal(), line.count - rest.count == start + 16, address != 0 else { return nil }
        var row = StackRow(
            number: number, in: line.indent..<line.count, address: address, addressRange: start..<start + 16,
            kind: number == 0 ? .programCounter : .returnAddress)
        if let mark = line.firstRange(of: RowLexer.answerMark) {
            var limit = row.end
            row.takeAnswer(in: line, end: &limit)
            rest = line.clamped(to: line.count - rest.count..<mark.lowerBound)
        }
        guard rest.take(" ("), let close = rest.lastIndex(of: UInt8(ascii: ")")), let plus = rest.upTo(close).lastRange(of: " + 0x"),
            let offset = rest.clamped(to: plus.upperBound..<close).hexadecimal, offset <= address
        else { return row }
        let name = start + 18
        row.module = name..<name + plus.lowerBound
        (row.moduleOffset, row.base) = (offset, address - offset)
        return row
    }
}
