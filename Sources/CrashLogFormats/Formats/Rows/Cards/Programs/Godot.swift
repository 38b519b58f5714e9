internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of Godot prints:
    ///
    ///     handle_crash: Program crashed with signal 5
    ///     Engine version: Godot Engine v4.4.stable.official (0a0a0a0a0a)
    ///     Load address: 104a38000
    ///
    ///     [1] 1   libsystem_platform.dylib            0x000000018ec897a4 _sigtramp + 56
    ///     [2] 104a383f8 - outer (in Demo) + 32
    ///     [2] 7fffe59c9702 (main+1c9702) - /opt/game(+0x1c9702) [0x7fffe59c9702]
    ///     -- END OF BACKTRACE --
    ///
    /// `handle_crash` of `platform/macos/crash_handler_macos.mm` and `platform/linuxbsd/crash_handler_linuxbsd.cpp`
    /// prints the addresses of `backtrace(3)` in the signal handler: return addresses, except for the row below the
    /// trampoline. `Load address:` belongs to the game, and `atos` only looks up the game. After the address is the
    /// output of `atos`, `addr2line` or `backtrace_symbols(3)`, and since 4.7, before that, the module (`main` is the
    /// game) with the offset from its first byte.
    static let godot = StackCard(
        name: "godot",
        summary: "Godot’s crash handler: “Program crashed with signal”",
        openings: [
            .inLine(": Program crashed with signal ") {
                $0.contains(": Program crashed with signal ") && !$0.contains("CrashHandlerException: ")
            }
        ],
        isCertain: true,
        rule: .returnAddresses,
        maxUnrecognizedLines: 8,
        read: { GodotText.read($0.trimmed()) },
        readRow: { GodotText.row($0) })
}

enum GodotText {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        if let range = text.firstRange(of: ": Program crashed with signal ") {
            guard let number = text.from(range.upperBound).leadingDecimal else { return nil }
            var cause = CrashCause(kind: .signal, signal: SignalName.posix(number) ?? "\(number)")
            cause.type = cause.signal
            return .cause(cause)
        }
        if text.hasPrefix("-- END OF ") { return .last }
        if text.hasPrefix("Load address: ") {
            var digits = text.from("Load address: ".utf8.count)
            _ = digits.consume("0x")
            return digits.readHexadecimal().map { .program(nil, base: RuntimeAddress($0)) } ?? .skipped
        }
        if text.hasPrefix("Engine version: ") || text.hasPrefix("Dumping the backtrace. ") || text.hasPrefix("=====") { return .skipped }
        return text.count == 0 ? .skipped : nil
    }

    /// Reads a row: `[ 2] 104a383f8 - outer (in Demo) + 32`, `[2] 7fffe59c9702 (main+1c9702) - …`
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .brackets else { return nil }
        var rest = line.from(number.end)
        guard let address = rest.readHexadecimal(), address >= 0x1000 else { return nil }
        let addressEnd = line.count - rest.count
        var module: (name: Range<Int>, offset: UInt64)?
        if rest.consume(" ("), let plus = rest.firstIndex(of: UInt8(ascii: "+")) {
            let start = line.count - rest.count
            rest = rest.from(plus + 1)
            guard let offset = rest.readHexadecimal(), rest.consume(")") else { return nil }
            module = (start..<start + plus, offset)
        }
        guard rest.consume(" - ") else { return nil }
        var row = StackRow(line, from: line.count - rest.count, isLenient: true) ?? StackRow(number: nil, in: 0..<line.count)
        readAtosOffset(&row, line)
        row.number = number.value
        row.style = .brackets
        row.start = line.indent
        row.end = line.count
        row.address = address
        row.addressRange = number.end..<addressEnd
        row.addressBracket = 0
        if let module, module.offset <= address {
            row.module = module.name
            row.moduleOffset = module.offset
            row.base = address - module.offset
        }
        return row
    }

    /// Reads the offset of atos, `outer (in Demo) + 32`, which counts from the function.
    private static func readAtosOffset(_ row: inout StackRow, _ line: Span<UInt8>) {
        guard row.address == nil, row.module != nil, let offset = row.moduleOffset, row.symbol.name != nil else { return }
        row.symbol.offset = offset
        row.moduleOffset = nil
        row.isOfProgram = true
    }
}
