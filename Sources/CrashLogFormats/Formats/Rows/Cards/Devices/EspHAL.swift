internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Exceptions of Rust programs on Espressif's RISC-V chips:
    ///
    ///     [ERROR] panicked at '[AppCpu] Exception 'Load access fault (5)' mepc=0x4ff403a6, mtval=0x00000000
    ///     TrapFrame { ra: 1107312716, t0: 1107312704, a0: 15, … }' (esp_hal src/exception_handler/mod.rs:113)
    ///
    /// `user_exception_handler` of esp-hal's `src/exception_handler/mod.rs`: `mepc` is the instruction, `ra` of the trap frame, a structure's
    /// `Debug` in decimal, where the innermost call returns to. The firmware is linked where it runs.
    static let espHAL = StackCard(
        name: "esp-hal",
        summary: "esp-hal on ESP32: “Exception '…' mepc=0x…”, “TrapFrame { ra: …”",
        openings: [.inLine(" mepc=0x", isCertain: true) { $0.contains("Exception") && $0.contains(" mepc=0x") }],
        addresses: .asLinked,
        architecture: .riscv32,
        hasOwnRows: true,
        read: { line in
            if let mark = line.firstRange(of: "Exception '"), let end = line.firstRange(of: "' mepc=", from: mark.upperBound),
                let counter = RegisterRows.rows(in: line, [("mepc", .programCounter)])
            {
                var cause = CrashCause(kind: .runtimeError, type: line.clamped(to: mark.upperBound..<end.lowerBound).text)
                cause.address = line.address(after: "mtval=").map { RuntimeAddress($0) }
                return .several([.cause(cause), .rows(counter)])
            }
            guard let mark = line.firstRange(of: "TrapFrame { ra: ") else { return nil }
            var rest = line.from(mark.upperBound)
            guard let value = rest.hasPrefix("0x") ? rest.takeAddress() : rest.takeDecimal(), value > 0, value <= 0xFFFF_FFFF else {
                return .skipped
            }
            let range = mark.upperBound..<line.count - rest.count
            var row = StackRow(number: 1, in: range, address: value, addressRange: range, kind: .returnAddress)
            row.takeAnswerInside(line)
            return .rows([row])
        })
}
