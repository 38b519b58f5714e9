internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The line that the process manager of QNX prints about a process that a signal ended:
    ///
    ///     Process 1007650 (quay) terminated SIGSEGV code=1 fltno=11 ip=08048d14(/tmp/quay@main+0x1c) mapaddr=00000d14. ref=00000000
    ///     Process 630803 (moor) terminated SIGSEGV code=1 fltno=11 ip=00000025333267f0 mapaddr=00000000000007f0 ref=000000443dd5dc50
    ///
    /// `ip` is the instruction, `mapaddr` its distance from the object's first byte, `ref` the address that was
    /// accessed. The object and the function are in parentheses if the process manager knows them.
    static let qnx = StackCard(
        name: "qnx-terminated",
        summary: "QNX: “Process 4242 (moor) terminated SIGSEGV code=1 fltno=11 ip=… mapaddr=…”",
        openings: [.inLine(" terminated SIG", isCertain: true) { QNXText.read($0) != nil }],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        hasOwnRows: true,
        read: { QNXText.read($0) },
        finish: { report in
            guard let name = report.process.name, let index = report.images.firstIndex(where: { $0.name == RowFrames.unnamed }) else {
                return
            }
            report.images[index].name = name
        })
}

private enum QNXText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        guard let mark = line.firstRange(of: " terminated SIG"), let head = line.upTo(mark.lowerBound).lastRange(of: "Process "),
            let ip = line.firstRange(of: " ip=", from: mark.upperBound)
        else { return nil }
        var process = line.clamped(to: head.upperBound..<mark.lowerBound)
        guard let pid = process.readDecimal(), process.consume(" ("), process.consumeSuffix(")") else { return nil }
        var signal = line.from(mark.upperBound - "SIG".utf8.count)
        let name = signal.readToken().text
        let start = ip.upperBound
        var rest = line.from(start)
        guard let address = rest.readHexadecimal(), line.count - rest.count - start >= 8 else { return nil }
        let range = start..<line.count - rest.count
        var row = StackRow(number: 0, in: range, address: address, addressRange: range, kind: .programCounter)
        if rest.consume("("), let close = rest.firstIndex(of: UInt8(ascii: ")")) {
            object(&row, line, line.count - rest.count, length: close)
        }
        var limit = (line.firstRange(of: " mapaddr=") ?? line.firstRange(of: " ref="))?.lowerBound ?? line.count
        if line.from(row.end).hasPrefix(RowLexer.resultMark), limit > row.end {
            row.end = limit
            row.readResult(in: line, end: &limit)
        }
        if let offset = number(line, " mapaddr="), offset <= address {
            if row.module != nil {
                (row.moduleOffset, row.base) = (offset, address - offset)
            } else {
                row.linkAddress = offset
            }
        }
        var cause = CrashCause(kind: .signal, type: name)
        cause.signal = name
        cause.address = number(line, " ref=").map { RuntimeAddress($0) }
        if let code = line.firstRange(of: " code="), code.lowerBound < ip.lowerBound {
            cause.codes = line.clamped(to: code.lowerBound + 1..<ip.lowerBound).text
        }
        var parts: [StackLine] = [.process(name: process.text, pid: Int(exactly: pid)), .cause(cause), .rows([row])]
        if row.linkAddress != nil {
            parts.append(.fact { $0.notes.append("the line does not name the object that mapaddr counts in: it is taken for the program") })
        }
        return .several(parts + [.last])
    }

    /// Reads the object and the function: `/tmp/quay@main+0x1c`.
    private static func object(_ row: inout StackRow, _ line: Span<UInt8>, _ start: Int, length: Int) {
        let text = line.clamped(to: start..<start + length)
        let at = text.firstIndex(of: UInt8(ascii: "@")) ?? length
        row.module = start..<start + at
        guard at < length, let plus = text.lastRange(of: "+0x"), plus.lowerBound > at,
            let offset = text.from(plus.upperBound).hexadecimal
        else { return }
        row.symbol = StackRow.Symbol(name: start + at + 1..<start + plus.lowerBound, offset: offset)
        row.end = start + length + 1
    }

    private static func number(_ line: Span<UInt8>, _ key: String) -> UInt64? {
        guard let mark = line.firstRange(of: key) else { return nil }
        return line.from(mark.upperBound).leadingHexadecimal
    }
}
