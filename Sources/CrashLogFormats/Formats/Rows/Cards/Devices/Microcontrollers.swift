internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Fatal errors of Zephyr on ARM:
    ///
    ///     E: ***** BUS FAULT *****
    ///     E: r3/a4:  0x20000334 r12/ip:  0x00000000 r14/lr:  0x08001705
    ///     E: Faulting instruction address (r15/pc): 0x0800c104
    ///     E: >>> ZEPHYR FATAL ERROR 0: CPU exception on CPU 0
    ///
    /// `esf_dump` of `arch/arm/core/fatal.c` prints the registers that the processor saved: the program counter is the
    /// instruction, the link register the return address of the function. Its lowest bit marks Thumb code. The firmware
    /// runs at the address that it is linked at. `r14/lr` of an exception handler (0xfffffff…) is not an address.
    /// Before 1.14 (`_FaultThreadShow` of the same file) the program counter is the only register:
    ///
    ///     ***** MPU FAULT *****
    ///       Executing thread ID (thread): 0x200003dc
    ///       Faulting instruction address:  0x10bd2
    static let zephyr = StackCard(
        name: "zephyr",
        summary: "Zephyr on ARM: “Faulting instruction address (r15/pc)”",
        openings: [
            .anywhere("Faulting instruction address (r15/pc): "), .anywhere("r14/lr:  0x"), .anywhere(" FAULT *****"),
            .anywhere("Executing thread ID (thread): 0x"),
        ],
        addresses: .asLinked,
        architecture: .arm,
        maxUnrecognizedLines: 16,
        maxUnrecognizedLinesInside: 8,
        read: { MicrocontrollerText.zephyr($0) })

    /// Faults of Cortex-M systems that print registers and nothing else: PX4's log of hard faults, Mynewt, NuttX before
    /// its 12th version, Mbed OS, RT-Thread, Nordic's nRF5 SDK.
    ///
    ///      r8:0x00000000 r9:0x00000000 r12:0x00000000  sp:0x2007d820 lr:0x080148dd pc:0x08014900
    ///     <error> hardfault: HARD FAULT at 0x0002565A
    ///     <error> hardfault:   R12: 0x00000003  LR:  0x0000DCD5  PSR: 0x2100000B
    ///     up_registerdump: R8: 00000000 00000000 00000000 00000000 38002068 380028f0 0802cdcf 08014c1c
    ///
    /// PX4's `src/systemcmds/hardfault_log/hardfault_log.c` and NuttX' `arch/arm/src/armv7-m/arm_assert.c` print the
    /// saved registers in order: R8 to R15, of which the last two are the link register and the program counter. Mbed
    /// OS (`platform/source/mbed_fault_handler.c`), RT-Thread (`libcpu/arm/cortex-m4/cpuport.c`) and the nRF5 SDK
    /// (`components/libraries/hardfault/hardfault_implementation.c`) print one or a few to a line, with their names.
    static let cortexM = StackCard(
        name: "cortex-m-registers",
        summary: "register dumps of PX4, Mynewt, NuttX, Mbed OS, RT-Thread and the nRF5 SDK on Cortex-M",
        openings: [
            .anywhere(" lr:0x0"), .anywhere("registerdump: R8: "), .anywhere("++ MbedOS Fault Handler ++"), .anywhere("HARD FAULT at 0x"),
            .inLine("psr: 0x") { MicrocontrollerText.isStatusRegister($0) },
        ],
        addresses: .asLinked,
        architecture: .arm,
        maxUnrecognizedLines: 24,
        maxUnrecognizedLinesInside: 8,
        read: { MicrocontrollerText.cortexM($0) })

    /// Exceptions of U-Boot, on RISC-V (`arch/riscv/lib/interrupts.c`, `_exit_trap`):
    ///
    ///     Unhandled exception: Load access fault
    ///     EPC: 00000000f7f3b8ae RA: 00000000f7f3b506 TVAL: ffffffb300687fb3
    ///     EPC: 000000004022e8ae RA: 000000004022e506 reloc adjusted
    ///
    ///       0: FP: 00000000fdf9ec10 RA: 00000000f7f3b506 - RA: 000000004022e506 reloc adjusted
    ///
    /// U-Boot moves itself to the end of memory. The second line is the first minus that distance: the addresses as
    /// linked. With frame pointers, rows follow, of which the first may repeat RA. If the difference is below zero, the
    /// exception was in another program. On ARM (`arch/arm/lib/interrupts.c`, `interrupts_64.c`) the lines are
    ///
    ///     reloc pc : [<178084c4>]    lr : [<178084bc>]
    ///     elr: 00000000000f4bd4 lr : 00000000000f4b98 (reloc)
    static let uBoot = StackCard(
        name: "u-boot",
        summary: "U-Boot: “Unhandled exception” with EPC and RA, “reloc pc”, “elr: … (reloc)”",
        openings: [
            .start("Unhandled exception: Load "), .start("Unhandled exception: Store/AMO "), .start("Unhandled exception: Instruction "),
            .start("Unhandled exception: Illegal instruction"), .start("Unhandled exception: Breakpoint"),
            .start("Unhandled exception: Environment call"), .anywhere(" TVAL: "), .anywhere("reloc pc : "),
            .inLine("(reloc)") { $0.contains("elr: ") && $0.contains("(reloc)") }, .anywhere("Abort\" handler, esr 0x"),
        ],
        addresses: .asLinked,
        maxUnrecognizedLines: 4,
        read: { MicrocontrollerText.uBoot($0) },
        finish: { report in
            report.changeStacks { stack in
                guard stack.frames.count > 2, stack.frames[1].address == stack.frames[2].address else { return }
                stack.frames.remove(at: 2)
                for index in stack.frames.indices { stack.frames[index].index = index }
            }
        })
}

enum MicrocontrollerText {
    static func zephyr(_ line: Span<UInt8>) -> StackLine? {
        if line.contains("Faulting instruction address (r15/pc): ") {
            return RegisterRows.rows(in: line, [("(r15/pc)", .programCounter)]).map { .rows($0) } ?? .skipped
        }
        // Before 1.14.
        if let mark = line.firstRange(of: "Faulting instruction address:") {
            var rest = line.from(mark.upperBound)
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let address = rest.readAddress(), address != 0 else { return .skipped }
            let range = start..<line.count - rest.count
            var row = StackRow(number: 0, in: range, address: address, addressRange: range, kind: .programCounter)
            row.readResultInside(line)
            return .rows([row])
        }
        if line.contains("r14/lr:") { return returnAddress(in: line, "r14/lr").map { .rows([$0]) } ?? .skipped }
        if let open = line.firstRange(of: "***** "), let close = line.lastRange(of: " *****"), close.lowerBound > open.upperBound {
            return .cause(CrashCause(kind: .runtimeError, type: line.clamped(to: open.upperBound..<close.lowerBound).text))
        }
        // The thread's control block, a `struct k_thread *` (`kernel/fatal.c`).
        if line.contains("Current thread: 0x") || line.contains("Executing thread ID (thread): 0x") { return .skipped }
        guard let error = line.firstRange(of: ">>> ZEPHYR FATAL ERROR ") else { return nil }
        return .note(CrashCause(kind: .runtimeError, message: line.from(error.upperBound).trimmed().text))
    }

    static func cortexM(_ line: Span<UInt8>) -> StackLine? {
        if let range = line.firstRange(of: "registerdump: R8: ") { return registerDump(line, from: range.upperBound) }
        if let found = named(line) { return found }
        guard let counter = RegisterRows.rows(in: line, [("pc", .programCounter)]), let back = returnAddress(in: line, "lr") else {
            return nil
        }
        return .rows(counter + [back])
    }

    /// Whether the line is RT-Thread's first, perhaps after the shell's prompt: `psr: 0x61000000`.
    static func isStatusRegister(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        guard let mark = text.lastRange(of: "psr: 0x") else { return false }
        return text.count - mark.upperBound == 8 && text.from(mark.upperBound).hexadecimal != nil
            && (mark.lowerBound == 0 || !RowSearch.isLetterOrDigit(text[mark.lowerBound - 1]))
    }

    /// Reads the lines of the systems that print each register with its name: `FaultType: HardFault`,
    /// `PC   : 0000182C`, ` lr: 0x08003a71`, `HARD FAULT at 0x0002565A`,
    /// `R12: 0x00000003  LR:  0x0000DCD5  PSR: 0x2100000B`, `hard fault on thread: tshell`.
    private static func named(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if let mark = text.firstRange(of: "FaultType: ") {
            return .cause(CrashCause(kind: .runtimeError, type: text.from(mark.upperBound).trimmed().text))
        }
        if let mark = line.firstRange(of: "HARD FAULT at ") {
            var rest = line.from(mark.upperBound)
            guard let address = rest.readAddress() else { return .skipped }
            let range = mark.upperBound..<line.count - rest.count
            var row = StackRow(number: 0, in: range, address: address, addressRange: range, kind: .programCounter)
            row.readResultInside(line)
            return .several([.cause(CrashCause(kind: .runtimeError, type: "HARD FAULT"))] + (address == 0 ? [] : [.rows([row])]))
        }
        if text.hasPrefix("hard fault on thread: ") || text.hasPrefix("hard fault on cpu ") {
            return .causeBelow(CrashCause(kind: .runtimeError, type: "hard fault", message: text.text))
        }
        if text.hasPrefix("PC ") || text.hasPrefix("PC:") || text.hasPrefix("pc:") {
            let name = text.hasPrefix("P") ? "PC" : "pc"
            // PX4 prints it in one line with other registers, which is read below.
            guard RegisterRows.value(of: "lr", in: line) == nil else { return nil }
            return RegisterRows.rows(in: line, [(name, .programCounter)]).map { .rows($0) } ?? .skipped
        }
        if text.hasPrefix("LR ") || text.hasPrefix("LR:") || text.hasPrefix("lr:") || line.contains(" LR: ") && line.contains(" PSR: ") {
            guard RegisterRows.value(of: "pc", in: line) == nil else { return nil }
            return returnAddress(in: line, text.hasPrefix("lr") ? "lr" : "LR").map { .rows([$0]) } ?? .skipped
        }
        return nil
    }

    private static func returnAddress(in line: Span<UInt8>, _ name: String) -> StackRow? {
        guard let value = RegisterRows.value(of: name, in: line) else { return nil }
        var row = returnAddress(value.number, value.range)
        row?.readResultInside(line)
        return row
    }

    private static func returnAddress(_ value: UInt64, _ range: Range<Int>) -> StackRow? {
        // EXC_RETURN (ARMv7-M, B1.5.8): an exception handler returns by such a value.
        guard value != 0, value < 0xF000_0000 else { return nil }
        return StackRow(number: 1, in: range, address: value, addressRange: range, kind: .returnAddress)
    }

    /// Reads R8 to R15 in this order.
    private static func registerDump(_ line: Span<UInt8>, from start: Int) -> StackLine? {
        var rest = line.from(start)
        var values: [(number: UInt64, range: Range<Int>)] = []
        while values.count < 8 {
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let value = rest.readHexadecimal(), line.count - rest.count - start == 8 else { return .skipped }
            values.append((value, start..<start + 8))
        }
        let counter = StackRow(
            number: 0, in: values[7].range, address: values[7].number, addressRange: values[7].range, kind: .programCounter)
        return .rows([counter] + [returnAddress(values[6].number, values[6].range)].compactMap { $0 })
    }

    private static func uBootARM(_ line: Span<UInt8>, _ text: Span<UInt8>) -> StackLine? {
        if let end = text.firstRange(of: " handler, esr 0x"), text.hasPrefix("\"") {
            let name = text.clamped(to: 1..<max(1, end.lowerBound - 1))
            return .several([.architecture(.arm64), .cause(CrashCause(kind: .runtimeError, type: name.text))])
        }
        if text.hasPrefix("elr: "), text.hasSuffix("(reloc)") {
            return RegisterRows.rows(in: line, [("elr", .programCounter), ("lr", .returnAddress)]).map { .rows($0) }
        }
        guard text.hasPrefix("reloc pc : [<") else { return nil }
        var rows: [StackRow] = []
        for (name, kind) in [("pc : [<", Frame.Kind.programCounter), ("lr : [<", .returnAddress)] {
            guard let mark = line.firstRange(of: name) else { continue }
            var rest = line.from(mark.upperBound)
            guard let address = rest.readHexadecimal(), rest.hasPrefix(">]"), address != 0 else { continue }
            let range = mark.upperBound..<line.count - rest.count
            var row = StackRow(
                number: rows.count, in: range.lowerBound..<range.upperBound + 2, address: address, addressRange: range, kind: kind)
            row.readResultInside(line)
            rows.append(row)
        }
        return rows.isEmpty ? .skipped : .several([.architecture(.arm), .rows(rows)])
    }

    static func uBoot(_ line: Span<UInt8>) -> StackLine? {
        var text = line.trimmed()
        if let found = uBootARM(line, text) { return found }
        if text.hasSuffix(" reloc adjusted"), let number = RowNumber(line, from: line.indent), text.contains("FP: ") {
            guard let mark = line.lastRange(of: "RA: ") else { return .skipped }
            var rest = line.from(mark.upperBound)
            guard let address = rest.readHexadecimal(), address != 0, address >> 63 == 0 else { return .skipped }
            let range = mark.upperBound..<line.count - rest.count
            var row = StackRow(number: number.value + 2, in: range, address: address, addressRange: range, kind: .returnAddress)
            row.readResultInside(line)
            return .rows([row])
        }
        if text.hasSuffix(" reloc adjusted") {
            if let counter = RegisterRows.value(of: "EPC", in: line), counter.range.count == 16, counter.number >> 63 == 1 {
                return .skipped
            }
            return RegisterRows.rows(in: line, [("EPC", .programCounter), ("RA", .returnAddress)]).map { .rows($0) }
        }
        if text.consume("Unhandled exception: ") {
            return .cause(CrashCause(kind: .runtimeError, type: text.text))
        }
        // The address before the adjustment: 16 digits are those of a 64-bit processor.
        guard text.hasPrefix("EPC: ") else { return nil }
        return text.firstIndex(of: UInt8(ascii: " "), from: 5) == 21 ? .architecture(.riscv64) : .architecture(.riscv32)
    }
}
