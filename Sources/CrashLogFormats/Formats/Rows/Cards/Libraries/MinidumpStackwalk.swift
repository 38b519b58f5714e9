internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of minidumps, as `minidump_stackwalk` of Breakpad and `minidump-stackwalk` of rust-minidump print them:
    /// crashes of Electron, Chromium, CEF and Firefox, on every system.
    ///
    ///     Crash reason:  EXC_BREAKPOINT / EXC_ARM_BREAKPOINT
    ///     Crash address: 0x104a383d4
    ///     Thread 0 (crashed)
    ///      0  Demo + 0x3d4
    ///          pc = 0x0000000104a383d4
    ///         Found by: given as instruction pointer in context
    ///      1  Demo!outer [demo.c : 6 + 0x4]
    ///     Loaded modules:
    ///     0x104a38000 - 0x104a3bfff  Demo  ???  (main)
    ///
    /// Breakpad prints return addresses (`frame->ReturnAddress()`, `PrintStack` of
    /// `src/processor/stackwalk_common.cc`), rust-minidump instructions, which it has already moved back
    /// (`frame.instruction`, `CallStack::print` of `minidump-unwind/src/lib.rs`). They differ in the threads' headings:
    /// rust-minidump has the thread's name, or nothing, between two blanks (`print_internal` of
    /// `minidump-processor/src/process_state.rs`). Offsets count from the module's first byte, or from the function or
    /// line if the row names one.
    ///
    /// With `-m` Breakpad separates fields by bars: `0|0|Demo|middle|demo.c|4|0x0`.
    static let minidumpStackwalk = StackCard(
        name: "minidump-stackwalk",
        summary: "minidump_stackwalk of Breakpad and rust-minidump: text, and -m",
        openings: [
            .start("Crash reason:  "), .anywhere(" (crashed)"), .start("CPU|"), .start("Crash|"),
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 16,
        claimsLine: { StackwalkText.isNamedRow($0) },
        read: { StackwalkText.read($0) },
        readRow: { StackwalkText.row($0) })
}

enum StackwalkText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        var rest = text
        // This is the only address of a row with a function's name.
        if text.contains(" = 0x") {
            for name in ["pc", "rip", "eip"] { if let value = RegisterRows.value(of: name, in: line) { return .address(value.number) } }
        }
        if text.count == 0 || text.hasPrefix("Found by: ") || text.contains(" = 0x") || text.equals("Loaded modules:")
            || text.hasPrefix("Process uptime: ") || text.equals("<no frames>")
        {
            return .skipped
        }
        if rest.consume("CPU: ") { return .architecture(architecture(rest)) }
        if rest.consume("Crash reason: ") { return .cause(cause(rest.trimmed())) }
        if rest.consume("Crash address: ") { return .note(address(rest)) }
        if rest.consume("Thread "), let number = rest.readDecimal() { return thread(number, line) }
        if text.hasPrefix("0x"), let image = image(text) { return .image(image) }
        if text.equals("Unloaded modules:") { return .last }
        return bars(text)
    }

    static func architecture(_ text: Span<UInt8>) -> Architecture { Architecture(writtenName: text.trimmed().text) }

    /// Reads a crash reason: `EXC_BREAKPOINT / EXC_ARM_BREAKPOINT`, `SIGSEGV /SEGV_MAPERR`,
    /// `EXCEPTION_ACCESS_VIOLATION_READ`.
    static func cause(_ text: Span<UInt8>) -> CrashCause {
        let slash = text.firstRange(of: " /")
        let first = text.upTo(slash?.lowerBound ?? text.count).text
        var cause = CrashCause(kind: text.hasPrefix("SIG") ? .signal : text.hasPrefix("EXC_") ? .machException : .other)
        if cause.kind == .signal { cause.signal = first } else { cause.type = first }
        if let slash { cause.codes = text.from(slash.upperBound).trimmed().text }
        return cause
    }

    private static func address(_ text: Span<UInt8>) -> CrashCause {
        var rest = text
        return CrashCause(kind: .other, address: rest.readAddress().map { RuntimeAddress($0) })
    }

    /// Reads the heading of a thread. Breakpad: `Thread 0 (crashed)`, `Thread 1`. rust-minidump:
    /// `Thread 0 main (crashed)`, `Thread 0 (crashed)`, `Thread 1 `.
    private static func thread(_ number: UInt64, _ line: Span<UInt8>) -> StackLine? {
        var rest = line.from(line.indent)
        guard rest.consume("Thread "), rest.readDecimal() != nil else { return nil }
        guard rest.count == 0 || rest.consume(" ") else { return nil }
        var name = rest.trimmed()
        let isRust = line.count > 0 && isBlank(line[line.count - 1]) || name.count > 0 && !rest.hasPrefix("(")
        let marks = ["(crashed)", "(requested dump, did not crash)"]
        for mark in marks where name.hasSuffix(mark) { name = name.upTo(name.count - mark.utf8.count).trimmed() }
        return .thread(
            number: Int(exactly: number), name: name.count > 0 ? name.text : nil, isCrashed: rest.contains("(crashed)"), cause: nil,
            rule: isRust ? .movedBack : .firstIsProgramCounter)
    }

    /// Reads a module:
    /// `0x104a38000 - 0x104a3bfff Demo ??? (main) (WARNING: No symbols, Demo, 4C4C44F655553144A1C78F23AF66DDA80)`.
    private static func image(_ text: Span<UInt8>) -> BinaryImage? {
        var rest = text
        guard let low = rest.readAddress(), rest.consume(" - "), let high = rest.readAddress(), high > low, rest.consume("  ") else {
            return nil
        }
        var image = BinaryImage(
            name: rest.upTo(rest.firstRange(of: "  ")?.lowerBound ?? rest.count).text, base: RuntimeAddress(low), size: high - low + 1)
        if let mark = rest.firstRange(of: "(WARNING: "), let close = rest.lastIndex(of: UInt8(ascii: ")")) {
            let warning = rest.clamped(to: mark.upperBound..<close)
            if let comma = warning.lastRange(of: ", ") { image.id = identity(warning.from(comma.upperBound)) }
        }
        return image
    }

    /// Reads Breakpad's debug identifier: the UUID, and the number of times that the file was linked.
    static func identity(_ text: Span<UInt8>) -> ImageID? { text.count > 32 ? ImageID(text: text.upTo(32)) : nil }

    // MARK: Rows

    /// Whether a row names its function and its line: `1  libquay.so.6!quay_main [quay.c : 444 + 0x12]`.
    static func isNamedRow(_ text: Span<UInt8>) -> Bool {
        guard text.hasSuffix("]"), let number = RowNumber(text, from: 0), number.style == .bare, text.from(number.end - 2).hasPrefix("  "),
            let open = text.lastRange(of: " ["), let mark = text.firstIndex(of: UInt8(ascii: "!")), mark < open.lowerBound
        else { return false }
        let location = text.from(open.upperBound)
        return location.contains(" : ") && location.contains(" + 0x")
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        if let row = barredRow(line) { return row }
        guard let number = RowNumber(line, from: 0), number.style == .bare else { return nil }
        var end = line.count
        while end > 0, isBlank(line[end - 1]) { end -= 1 }
        var row = StackRow(number: number.value, style: .bare, in: line.indent..<line.count)
        row.readResult(in: line, end: &end)
        guard end > number.end else { return nil }
        var rest = line.from(number.end).upTo(end - number.end)
        if let address = rest.readAddress() {
            row.address = address
            row.addressRange = number.end..<end
            return rest.count == 0 ? row : nil
        }
        var offset: UInt64?
        if let plus = line.upTo(end).lastRange(of: " + 0x"), plus.lowerBound > number.end {
            if let value = line.clamped(to: plus.upperBound..<end).hexadecimal {
                offset = value
                end = plus.lowerBound
            }
        }
        readLocation(&row, line, number.end, &end)
        guard let mark = line.firstIndex(of: UInt8(ascii: "!"), from: number.end), mark < end else {
            guard let offset else { return nil }
            row.module = number.end..<end
            row.moduleOffset = offset
            return row
        }
        row.module = number.end..<mark
        row.symbol = StackRow.Symbol(name: mark + 1..<end, offset: offset, size: nil)
        return row
    }

    /// Reads a source location: ` [demo.c : 4 + 0x0]`.
    private static func readLocation(_ row: inout StackRow, _ line: Span<UInt8>, _ start: Int, _ end: inout Int) {
        guard row.file == nil, line.upTo(end).hasSuffix("]"), let open = line.upTo(end).lastRange(of: " ["), open.lowerBound > start,
            let colon = line.firstRange(of: " : ", from: open.upperBound), colon.upperBound < end
        else { return }
        guard let number = line.from(colon.upperBound).leadingDecimal, let value = Int(exactly: number) else { return }
        row.file = open.upperBound..<colon.lowerBound
        row.line = value
        end = open.lowerBound
    }

    // MARK: Bars

    private static func bars(_ text: Span<UInt8>) -> StackLine? {
        let fields = text.fields(separatedBy: UInt8(ascii: "|"), maxCount: 9)
        guard fields.count > 3 else { return nil }
        switch text.clamped(to: fields[0]).text {
        case "OS", "GPU": return .skipped
        case "CPU": return .architecture(architecture(text.clamped(to: fields[1])))
        case "Crash":
            var cause = cause(text.clamped(to: fields[1]))
            cause.address = text.clamped(to: fields[2]).leadingAddress.map { RuntimeAddress($0) }
            return .cause(cause)
        case "Module":
            guard fields.count > 6 else { return .skipped }
            var image = BinaryImage(name: text.clamped(to: fields[1]).text, id: identity(text.clamped(to: fields[4])))
            var low = text.clamped(to: fields[5])
            guard let base = low.readAddress(), let last = text.clamped(to: fields[6]).leadingAddress, last > base else { return .skipped }
            image.base = RuntimeAddress(base)
            image.size = last - base + 1
            return .image(image)
        default: return nil
        }
    }

    /// Reads a row with bars, `0|0|Demo|middle|demo.c|4|0x0`: thread, frame, module, function, file, line, offset.
    private static func barredRow(_ line: Span<UInt8>) -> StackRow? {
        let fields = line.fields(separatedBy: UInt8(ascii: "|"), maxCount: 9)
        guard fields.count == 7 else { return nil }
        var digits = line.clamped(to: fields[1])
        guard let number = digits.readDecimal(), let index = Int(exactly: number), let offset = line.clamped(to: fields[6]).leadingAddress
        else { return nil }
        var row = StackRow(number: index, style: .bare, in: fields[0].lowerBound..<line.count)
        guard !fields[2].isEmpty else {
            row.address = offset
            row.addressRange = fields[6]
            return row
        }
        row.module = fields[2]
        guard !fields[3].isEmpty else {
            row.moduleOffset = offset
            return row
        }
        row.symbol.name = fields[3]
        if !fields[4].isEmpty, let number = line.clamped(to: fields[5]).leadingDecimal, let value = Int(exactly: number) {
            row.file = fields[4]
            row.line = value
        } else {
            row.symbol.offset = offset
        }
        return row
    }
}
