internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Panics of illumos and Solaris, in the forms of the fault manager and of the kernel:
    ///
    ///     panicstack = unix:trap+1169 () | unix:cmntrap+e9 () | moor:moor_ioctl+5b () | genunix:ioctl+153 () |
    ///
    ///     fffffe00f5df4910 unix:trap+1169 ()
    ///     fffffe00f5df4920 unix:cmntrap+e9 ()
    ///
    /// A row has the module, the function and an offset, hexadecimal without `0x` (`dump_summary` of
    /// `uts/common/os/dumpsubr.c`, `traceback` of `uts/intel/os/archdep.c`). They are return addresses; the row below
    /// `cmntrap` was interrupted. SPARC's rows have arguments, and are the calls themselves, because `%i7` has a call's
    /// own address.
    static let illumos = StackCard(
        name: "illumos-panic",
        summary: "panics of illumos: “panicstack”, rows “unix:cmntrap+e9 ()”",
        openings: [
            .inLine("panicstack", isCertain: true) { $0.contains("panicstack") && $0.contains(" () |") }, .anywhere("panic[cpu"),
        ],
        maxUnrecognizedLines: 32,
        hasOwnRows: true,
        read: { IllumosText.read($0) },
        readRow: { IllumosText.row($0) },
        finish: { report in
            report.changeStacks { stack in
                var isInterrupted = false
                for index in stack.frames.indices {
                    if isInterrupted { stack.frames[index].kind = .programCounter }
                    guard !stack.frames[index].isInlined else { continue }
                    let name: String? = if case .symbol(let symbol) = stack.frames[index].imageLocation { symbol.name } else { nil }
                    isInterrupted = name == "cmntrap" || name == "_cmntrap"
                }
            }
        })
}

private enum IllumosText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        if let mark = line.firstRange(of: "panicstack") {
            var rows: [StackRow] = []
            var start = mark.upperBound
            while start < line.count, isOne(line[start], of: "\" :=\t") { start += 1 }
            while rows.count < Limits.standard.framesPerThread, let end = line.firstRange(of: " ()", from: start) {
                if let row = symbolRow(line, start..<end.lowerBound, from: start) ?? address(line, start..<end.lowerBound) {
                    rows.append(row)
                }
                start = end.upperBound
                while start < line.count, isOne(line[start], of: " |") { start += 1 }
            }
            guard !rows.isEmpty else { return nil }
            return cause(line, behind: "panicstr").map { .several([.cause($0), .rows(rows)]) } ?? .rows(rows)
        }
        // Registers of a frame on SPARC: `  %l0-3: 0000000000000000 …`
        if line.trimmed().hasPrefix("%l") { return .skipped }
        // `panic[cpu3]/thread=fffffe00f5df5c20: BAD TRAP: type=e (#pf Page fault) …`
        guard let thread = line.firstRange(of: "]/thread="), let separator = line.firstRange(of: ": ", from: thread.upperBound) else {
            return nil
        }
        return .cause(CrashCause(kind: .other, type: "panic", message: line.from(separator.upperBound).trimmed().text))
    }

    /// Reads the cause: `"panicstr": "BAD TRAP: type=e (#pf Page fault) …"`, `panicstr = BAD TRAP: …`
    private static func cause(_ line: Span<UInt8>, behind key: String) -> CrashCause? {
        guard let mark = line.firstRange(of: key) else { return nil }
        var start = mark.upperBound
        while start < line.count, isOne(line[start], of: "\" :=\t") { start += 1 }
        let end = line.firstIndex(of: UInt8(ascii: "\""), from: start) ?? line.count
        guard end > start else { return nil }
        return CrashCause(kind: .other, type: "panic", message: line.clamped(to: start..<end).text)
    }

    /// Reads a row: `fffffe00f5df4910 unix:trap+1169 ()`.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let digits = rest.count
        guard rest.readHexadecimal() != nil, digits - rest.count == 16 || digits - rest.count == 8, rest.consume(" ") else { return nil }
        guard let end = rest.lastRange(of: " (") else { return nil }
        let start = line.count - rest.count
        var row = symbolRow(line, start..<start + end.lowerBound, from: line.indent)
        if rest.at(end.upperBound) != UInt8(ascii: ")") { row?.kind = .exact }
        return row
    }

    /// Reads a frame without a symbol: `fffffffff7a3c2e0`.
    private static func address(_ line: Span<UInt8>, _ range: Range<Int>) -> StackRow? {
        guard range.count == 16 || range.count == 8, let value = line.clamped(to: range).hexadecimal else { return nil }
        return StackRow(number: nil, in: range, address: value, addressRange: range)
    }

    /// Reads the module, the function and the offset: `unix:trap+1169`.
    /// - Parameter start: position of the row's first byte.
    private static func symbolRow(_ line: Span<UInt8>, _ range: Range<Int>, from start: Int) -> StackRow? {
        let text = line.clamped(to: range)
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, let plus = text.lastIndex(of: UInt8(ascii: "+")),
            plus > colon + 1, text.firstIndex(of: UInt8(ascii: " ")) == nil, let offset = text.from(plus + 1).hexadecimal
        else { return nil }
        var row = StackRow(number: nil, in: start..<range.upperBound)
        row.module = range.lowerBound..<range.lowerBound + colon
        row.symbol = StackRow.Symbol(name: range.lowerBound + colon + 1..<range.lowerBound + plus, offset: offset)
        return row
    }
}
