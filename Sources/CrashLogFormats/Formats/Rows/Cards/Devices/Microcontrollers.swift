internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Zephyr on ARM:
    ///
    ///     E: ***** BUS FAULT *****
    ///     E: r3/a4:  0x20000334 r12/ip:  0x00000000 r14/lr:  0x08001705
    ///     E: Faulting instruction address (r15/pc): 0x0800c104
    ///     E: >>> ZEPHYR FATAL ERROR 0: CPU exception on CPU 0
    ///
    /// `esf_dump` of `arch/arm/core/fatal.c` prints the registers that the processor saved: the
    /// program counter is the instruction, the link register where the function returns to. Its
    /// lowest bit says Thumb. The firmware is linked where it runs. `r14/lr` of an exception
    /// handler (0xfffffff…) is no address.
    static let zephyr = StackCard(
        name: "zephyr",
        summary: "Zephyr on ARM: “Faulting instruction address (r15/pc)”",
        openings: [.anywhere("Faulting instruction address (r15/pc): "), .anywhere("r14/lr:  0x"), .anywhere(" FAULT *****")],
        addresses: .asLinked,
        architecture: .arm,
        maxUnrecognizedLines: 16,
        maxUnrecognizedLinesInside: 8,
        read: { MicrocontrollerText.zephyr($0) })

    /// The fault handlers of Cortex-M systems that print registers and nothing else: PX4's log of
    /// hard faults, Mynewt, NuttX before its 12th version.
    ///
    ///      r8:0x00000000 r9:0x00000000 r12:0x00000000  sp:0x2007d820 lr:0x080148dd pc:0x08014900
    ///     up_registerdump: R8: 00000000 00000000 00000000 00000000 38002068 380028f0 0802cdcf 08014c1c
    ///
    /// PX4's `src/systemcmds/hardfault_log/hardfault_log.c` and NuttX'
    /// `arch/arm/src/armv7-m/arm_assert.c` print the saved registers in their order: R8 to R15, the
    /// last two of them the link register and the program counter.
    static let cortexM = StackCard(
        name: "cortex-m-registers",
        summary: "register dumps of PX4, Mynewt and NuttX on Cortex-M",
        openings: [.anywhere(" lr:0x0"), .anywhere("registerdump: R8: ")],
        addresses: .asLinked,
        architecture: .arm,
        maxUnrecognizedLines: 8,
        maxUnrecognizedLinesInside: 8,
        read: { MicrocontrollerText.cortexM($0) })

    /// U-Boot on RISC-V (`arch/riscv/lib/interrupts.c`, `_exit_trap`):
    ///
    ///     Unhandled exception: Load access fault
    ///     EPC: 00000000f7f3b8ae RA: 00000000f7f3b506 TVAL: ffffffb300687fb3
    ///     EPC: 000000004022e8ae RA: 000000004022e506 reloc adjusted
    ///
    /// U-Boot moves itself to the end of memory. The second line is the first without that
    /// distance: the addresses as linked.
    static let uBoot = StackCard(
        name: "u-boot",
        summary: "U-Boot on RISC-V: “Unhandled exception”, EPC and RA",
        openings: [
            .start("Unhandled exception: Load "), .start("Unhandled exception: Store/AMO "), .start("Unhandled exception: Instruction "),
            .start("Unhandled exception: Illegal instruction"), .start("Unhandled exception: Breakpoint"),
            .start("Unhandled exception: Environment call"), .anywhere(" TVAL: "),
        ],
        addresses: .asLinked,
        maxUnrecognizedLines: 4,
        read: { MicrocontrollerText.uBoot($0) })
}

enum MicrocontrollerText {
    static func zephyr(_ line: Span<UInt8>) -> StackLine? {
        if line.contains("Faulting instruction address (r15/pc): ") {
            return RegisterRows.rows(in: line, [("(r15/pc)", .programCounter)]).map { .rows($0) } ?? .skipped
        }
        if line.contains("r14/lr:") { return returnAddress(in: line, "r14/lr").map { .rows([$0]) } ?? .skipped }
        if let open = line.firstRange(of: "***** "), let close = line.lastRange(of: " *****"), close.lowerBound > open.upperBound {
            return .cause(CrashCause(kind: .runtimeError, type: line.clamped(to: open.upperBound..<close.lowerBound).text))
        }
        // The thread's control block, a `struct k_thread *` (`kernel/fatal.c`).
        if line.contains("Current thread: 0x") { return .skipped }
        guard let error = line.firstRange(of: ">>> ZEPHYR FATAL ERROR ") else { return nil }
        return .note(CrashCause(kind: .runtimeError, message: line.from(error.upperBound).trimmed().text))
    }

    static func cortexM(_ line: Span<UInt8>) -> StackLine? {
        if let range = line.firstRange(of: "registerdump: R8: ") { return registerDump(line, from: range.upperBound) }
        guard let counter = RegisterRows.rows(in: line, [("pc", .programCounter)]), let back = returnAddress(in: line, "lr") else {
            return nil
        }
        return .rows(counter + [back])
    }

    private static func returnAddress(in line: Span<UInt8>, _ name: String) -> StackRow? {
        guard let value = RegisterRows.value(of: name, in: line) else { return nil }
        var row = returnAddress(value.number, value.range)
        row?.takeAnswerInside(line)
        return row
    }

    private static func returnAddress(_ value: UInt64, _ range: Range<Int>) -> StackRow? {
        // EXC_RETURN (ARMv7-M, B1.5.8): an exception handler returns by such a value.
        guard value != 0, value < 0xF000_0000 else { return nil }
        return StackRow(number: 1, in: range, address: value, addressRange: range, kind: .returnAddress)
    }

    /// R8 to R15 in their order.
    private static func registerDump(_ line: Span<UInt8>, from start: Int) -> StackLine? {
        var rest = line.from(start)
        var values: [(number: UInt64, range: Range<Int>)] = []
        while values.count < 8 {
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let value = rest.takeHexadecimal(), line.count - rest.count - start == 8 else { return .skipped }
            values.append((value, start..<start + 8))
        }
        let counter = StackRow(
            number: 0, in: values[7].range, address: values[7].number, addressRange: values[7].range, kind: .programCounter)
        return .rows([counter] + [returnAddress(values[6].number, values[6].range)].compactMap { $0 })
    }

    static func uBoot(_ line: Span<UInt8>) -> StackLine? {
        var text = line.trimmed()
        if text.hasSuffix(" reloc adjusted") {
            return RegisterRows.rows(in: line, [("EPC", .programCounter), ("RA", .returnAddress)]).map { .rows($0) }
        }
        if text.take("Unhandled exception: ") {
            return .cause(CrashCause(kind: .runtimeError, type: text.text))
        }
        // The same before it is adjusted: 16 digits are a 64-bit processor's.
        guard text.hasPrefix("EPC: ") else { return nil }
        return text.firstIndex(of: UInt8(ascii: " "), from: 5) == 21 ? .architecture(.riscv64) : .architecture(.riscv32)
    }
}
