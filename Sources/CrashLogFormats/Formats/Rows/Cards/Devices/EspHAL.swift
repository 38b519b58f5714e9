internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Exceptions of Rust programs on Espressif's RISC-V chips:
    ///
    ///     [ERROR] panicked at '[AppCpu] Exception 'Load access fault (5)' mepc=0x4ff403a6, mtval=0x00000000
    ///     TrapFrame { ra: 1107312716, t0: 1107312704, a0: 15, … }' (esp_hal src/exception_handler/mod.rs:113)
    ///
    /// `ExceptionHandler` of esp-hal's `src/exception_handler/mod.rs`: `mepc` is the instruction, and `ra` of the trap
    /// frame, a structure's `Debug` in decimal, the return address of the innermost call. Before August 2025
    /// esp-backtrace printed `PC=0x… RA/x1=0x…`. Below a panic it prints only the addresses of the calls themselves
    /// (`program_counter` of `esp-backtrace/src/lib.rs` subtracts 4 from each return address, 3 on Xtensa):
    ///
    ///     ====================== PANIC ======================        (before 2024: `!! A panic occured in 'src/main.rs', at line 24, column 5`)
    ///     panicked at src/main.rs:24:5:
    ///     index out of bounds: the len is 3 but the index is 3
    ///
    ///     Backtrace:
    ///
    ///     0x42000fd0
    ///     0x42000fd0 - main                                           (added by espflash, which shows the console)
    ///         at /src/main.rs:24
    ///     0x420005de
    ///
    /// The firmware runs at the address that it is linked at.
    static let espHAL = StackCard(
        name: "esp-hal",
        summary: "esp-hal on ESP32: “Exception '…' mepc=0x…”, “TrapFrame { ra: …”",
        openings: [
            .inLine(" mepc=0x", isCertain: true) { $0.contains("Exception") && $0.contains(" mepc=0x") }, .anywhere(" RA/x1=0x"),
            .anywhere("!! A panic occured "),
            .inLine(EspHALText.banner, isCertain: true) { $0.trimmed().hasSuffix(EspHALText.banner) },
        ],
        rule: .movedBack,
        addresses: .asLinked,
        maxUnrecognizedLines: 24,
        maxUnrecognizedLinesInside: 1,
        hasOwnRows: true,
        read: { line in
            if line.contains("RA/x1=0x") {
                return RegisterRows.rows(in: line, [("PC", .programCounter), ("RA/x1", .returnAddress)]).map {
                    .several([.architecture(.riscv32), .rows($0)])
                }
            }
            if let mark = line.firstRange(of: "Exception '"), let end = line.firstRange(of: "' mepc=", from: mark.upperBound),
                let counter = RegisterRows.rows(in: line, [("mepc", .programCounter)])
            {
                var cause = CrashCause(kind: .runtimeError, type: line.clamped(to: mark.upperBound..<end.lowerBound).text)
                cause.address = line.address(after: "mtval=").map { RuntimeAddress($0) }
                return .several([.architecture(.riscv32), .cause(cause), .rows(counter)])
            }
            guard let mark = line.firstRange(of: "TrapFrame { ra: ") else { return EspHALText.panic(line.trimmed()) }
            var rest = line.from(mark.upperBound)
            guard let value = rest.hasPrefix("0x") ? rest.readAddress() : rest.readDecimal(), value > 0, value <= 0xFFFF_FFFF else {
                return .skipped
            }
            let range = mark.upperBound..<line.count - rest.count
            var row = StackRow(number: 1, in: range, address: value, addressRange: range, kind: .returnAddress)
            row.readResultInside(line)
            return .rows([row])
        },
        readRow: { EspHALText.row($0) })
}

private enum EspHALText {
    static let banner = "====================== PANIC ======================"

    static func panic(_ text: Span<UInt8>) -> StackLine? {
        if text.equals("Backtrace:") { return .skipped }
        if text.hasSuffix(banner) { return .cause(CrashCause(kind: .runtimeError, type: "panic")) }
        if let mark = text.firstRange(of: "!! A panic occured ") {
            return .cause(CrashCause(kind: .runtimeError, type: "panic", message: text.from(mark.lowerBound + 3).text))
        }
        if text.hasPrefix("panicked at ") { return .note(CrashCause(kind: .runtimeError, message: text.text)) }
        var rest = text
        if rest.readAddress() != nil, rest.hasPrefix(" - ") { return .skipped }
        return text.hasPrefix("at ") ? .skipped : nil
    }

    /// Reads a line that is only an address in mapped flash or in instruction RAM.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line.trimmed()
        guard rest.count == "0x42000fd0".utf8.count, let address = rest.readAddress(), rest.count == 0,
            (0x4000_0000..<0x4400_0000).contains(address)
        else { return nil }
        let range = line.indent..<line.indent + "0x42000fd0".utf8.count
        return StackRow(number: nil, in: range, address: address, addressRange: range, kind: .exact)
    }
}
