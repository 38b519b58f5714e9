/// The registers that the kernel saves when a signal interrupts code. Used for trampolines without a frame
/// description: those of musl, and of arm64's vDSO since Linux 5.9.
///
/// From Linux, `arch/*/include/uapi/asm/sigcontext.h` and `ucontext.h`. At a trampoline the stack pointer is
/// the one of the signal's frame, after the handler has popped its return address.
struct SignalContext {
    let registers: Registers
    let memory: Memory

    /// Whether memory holds the system call that returns from a signal at an address: in pages that the
    /// kernel or an emulator made, which belong to no file.
    static func isTrampoline(_ address: UInt64, _ memory: Memory, _ processor: Processor) -> Bool {
        func word(_ offset: UInt64) -> UInt64? { memory.read(address &+ offset, size: 4) }
        switch processor {
        // mov $15,%rax; syscall.
        case .x86_64: return memory.read(address, size: 8) == 0x0f00_0000_0fc0_c748 && memory.read(address &+ 8, size: 1) == 0x05
        // mov x8,#139; svc #0.
        case .arm64: return word(0) == 0xd280_1168 && word(4) == 0xd400_0001
        // li a7,139; ecall.
        case .riscv64: return word(0) == 0x08b0_0893 && word(4) == 0x73
        // mov r7,#119 or #173; svc 0 with the number or without.
        case .arm: return [0xe3a0_7077, 0xe3a0_70ad].contains(word(0)) && word(4).map { $0 & 0xff00_0000 } == 0xef00_0000
        // li r0,172; sc.
        case .powerPC64: return word(0) == 0x3800_00ac && word(4) == 0x4400_0002
        // svc 119 or 173.
        case .s390x: return memory.read(address, size: 2).map { $0 == 0x0a77 || $0 == 0x0aad } ?? false
        // mov 101 or 216,%g1; ta 0x6d, or 0x10 with 32 bits.
        case .sparc64: return word(0) == 0x8210_2065 && word(4) == 0x91d0_206d
        case .sparc: return [0x8210_2065, 0x8210_20d8].contains(word(0)) && word(4) == 0x91d0_2010
        default: return false
        }
    }

    /// Whether the saved state of this processor can be distinguished from arbitrary numbers.
    static func isRecognized(_ processor: Processor) -> Bool {
        switch processor {
        case .x86_64, .arm64, .arm: true
        default: false
        }
    }

    /// Whether a frame of 32-bit ARM has no siginfo: uc_flags, 0 or 0x5ac3c35a, is where that has the signal's number (Linux,
    /// arch/arm/kernel/signal.c).
    static func isWithoutInformation(_ stackPointer: UInt64, _ memory: Memory) -> Bool {
        memory.read(stackPointer, size: 4).map { !(1...64).contains($0) } ?? false
    }

    /// The interrupted frame's registers.
    func interrupted() -> CallerStep {
        let stackPointer = registers.stackPointer
        switch registers.processor {
        // struct rt_sigframe: its return address is popped; ucontext, in which mcontext begins
        // after flags, link and stack: 8 + 8 + 24.
        case .x86_64: return load(at: stackPointer &+ 40, [8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7], counter: 16)
        // siginfo (128), ucontext up to mcontext (168, aligned to 176), the fault's address.
        case .arm64: return load(at: stackPointer &+ 128 &+ 176 &+ 8, Array(0...31), counter: 32)
        // siginfo (128), ucontext up to mcontext (168, aligned to 176); the program counter is the
        // first.
        case .riscv64: return load(at: stackPointer &+ 128 &+ 176 &+ 8, Array(1...31), counter: -1)
        // The old form begins with ucontext, the one with siginfo (128) has that first; the trap's
        // number, the error code and the old mask are before the registers.
        case .arm:
            let isOld = Self.isWithoutInformation(stackPointer, memory)
            return load(at: stackPointer &+ (isOld ? 0 : 128) &+ 20 &+ 12, Array(0...14), counter: 15)
        // 128 bytes for the handler's callees, with qemu 16 more; ucontext up to mcontext (168), in which 64 bytes are before the
        // registers.
        case .powerPC64:
            let found = load(at: stackPointer &+ 128 &+ 168 &+ 64, Array(0...31), counter: 32)
            if case .caller = found { return found }
            return load(at: stackPointer &+ 144 &+ 168 &+ 64, Array(0...31), counter: 32)
        // 160 bytes for callees, the system call's instruction (8), siginfo (128), ucontext up to the state (40), the state's mask and
        // address. The old form has a mask and the state's address instead of the first three.
        case .s390x:
            let isOld = memory.read(stackPointer &+ 160 &+ 8, size: 8) == stackPointer &+ 160 &+ 16
            if isOld { return load(at: stackPointer &+ 160 &+ 16 &+ 16, Array(0...15), counter: -1) }
            return load(at: stackPointer &+ 160 &+ 8 &+ 128 &+ 40 &+ 16, Array(0...15), counter: -1)
        // The window of the interrupted frame (128 bytes), room for arguments of callees (64), siginfo (128); %g0 to %g7, %o0 to %o7,
        // the state, the program counter.
        case .sparc64: return windowed(stackPointer, global: 192 &+ 128, counter: 192 &+ 128 &+ 17 &* 8)
        // The old form has no siginfo. State, program counter, the next one and %y are before %g0.
        case .sparc:
            let start: UInt64 = Self.isWithoutInformation(stackPointer &+ 96, memory) ? 96 : 96 &+ 128
            return windowed(stackPointer, global: start &+ 4 &* 4, counter: start &+ 4)
        default: return .failed
        }
    }

    /// Loads the registers that SPARC's kernel saves in two parts.
    /// - Parameters:
    ///   - global: offset of `%g0`; `%g1` to `%g7` and `%o0` to `%o7` follow it.
    ///   - counter: offset of the program counter; the processor's state is before it.
    private func windowed(_ stackPointer: UInt64, global: UInt64, counter: UInt64) -> CallerStep {
        let word = UInt64(registers.processor.registerSize)
        func read(_ offset: UInt64) -> UInt64? { memory.read(registers.processor.cut(stackPointer &+ offset), size: Int(word)) }
        guard let address = read(counter) else { return .missingMemory(stackPointer &+ counter) }
        // TSTATE_PRIV, PSR_S: the kernel ran.
        guard let state = read(counter &- word), state & (word == 8 ? 0x400 : 0x80) == 0 else { return .failed }
        var caller = registers
        for number in 0..<16 {
            guard let value = read(global &+ UInt64(number) &* word) else { return .missingMemory(stackPointer &+ global) }
            caller[number] = value
        }
        for number in Registers.window { caller[number] = read(UInt64(number - Registers.window.lowerBound) &* word) }
        caller.programCounter = address
        return .caller(caller, isExact: true)
    }

    private func load(at start: UInt64, _ numbers: [Int], counter: Int) -> CallerStep {
        let size = registers.processor.registerSize
        var caller = registers
        for (index, number) in numbers.enumerated() {
            let address = start &+ UInt64(index) &* UInt64(size)
            guard let value = memory.read(address, size: size) else { return .missingMemory(address) }
            caller[number] = value
        }
        let address = counter < 0 ? start &- UInt64(size) : start &+ UInt64(numbers.count) &* UInt64(size)
        guard let value = memory.read(address, size: size) else { return .missingMemory(address) }
        caller.programCounter = value
        // The processor's state is after it, and says that a program ran, and not the kernel.
        switch registers.processor {
        case .arm:
            // cpsr: mode 10000; T, Thumb.
            guard let state = memory.read(address &+ 4, size: 4), state & 0x1f == 0x10 else { return .failed }
            if state >> 5 & 1 == 1 { caller.programCounter |= 1 }
        case .arm64:
            guard let state = memory.read(address &+ 8, size: 8), state & 0xffff_ffff_0000_000f == 0 else { return .failed }
        case .x86_64:
            // eflags, cs.
            guard memory.read(address &+ 16, size: 2) == 0x33 else { return .failed }
        case .powerPC64:
            // msr: SF and PR, a program of 64 bits; then r3, ctr and the link register.
            let program: UInt64 = 0x8000_0000_0000_4000
            guard let state = memory.read(address &+ 8, size: 8), state & program == program else { return .failed }
            caller[66] = memory.read(address &+ 24, size: 8)
            caller[65] = memory.read(address &+ 32, size: 8)
        case .s390x:
            // The problem state.
            guard let state = memory.read(address &- 8, size: 8), state & 0x0001_0000_0000_0000 != 0 else { return .failed }
        default: break
        }
        return .caller(caller, isExact: true)
    }
}

/// Data that the kernel saves for a signal's handler beside the registers (Linux, `arch/*/include/asm/sigframe.h`).
package struct SavedSignal {
    /// Address of the `siginfo_t`. The kernel leaves it unwritten for handlers that were installed without `SA_SIGINFO`.
    package let information: UInt64
    /// The processor's exception, on x86-64: its number, its error code and the address that was accessed. It is left from
    /// an earlier signal where none caused this one; `nil` where a system call was interrupted.
    package private(set) var trap: (number: UInt64, error: UInt64, address: UInt64)?

    /// If the interrupted system call is tgkill(2), as `raise` and `abort` call it on x86-64: the thread and the signal that
    /// it sends.
    package private(set) var raised: (thread: UInt64, signal: Int)?

    /// - Parameter stackPointer: the one at the trampoline that the handler returns to.
    /// - Returns: `nil` for processors whose signal frames are not known.
    package init?(atTrampoline stackPointer: UInt64, _ processor: Processor, _ memory: Memory) {
        switch processor {
        case .x86_64:
            // ucontext: flags, link and stack, 256 bytes of registers, the mask.
            information = stackPointer &+ 40 &+ 256 &+ 8
            func register(_ number: UInt64) -> UInt64? { memory.read(stackPointer &+ 40 &+ number &* 8, size: 8) }
            if let counter = register(16), counter == register(14) {
                // A system call leaves the address behind it in rcx (Intel's manual, volume 2, SYSCALL): no exception came there. The
                // arguments of tgkill(2) are the process, the thread and the signal.
                if let thread = register(9), let signal = register(12), (1...64).contains(signal) { raised = (thread, Int(signal)) }
            } else if let number = register(20), let error = register(19), let address = register(22) {
                trap = (number, error, address)
            }
        // It is the first.
        case .arm64, .riscv64: information = stackPointer
        case .arm:
            guard !SignalContext.isWithoutInformation(stackPointer, memory) else { return nil }
            information = stackPointer
        case .sparc64: information = stackPointer &+ 192
        case .sparc:
            guard !SignalContext.isWithoutInformation(stackPointer &+ 96, memory) else { return nil }
            information = stackPointer &+ 96
        default: return nil
        }
    }

    /// Returns the signal frames whose handler has returned to a frame: those that have its stack pointer and its program
    /// counter, which are side by side on x86-64.
    package static func frames(returningTo frame: UnwoundFrame, _ processor: Processor, _ memory: Memory) -> [UInt64] {
        guard processor == .x86_64 else { return [] }
        return memory.addresses(ofWords: frame.stackPointer, frame.programCounter).map { $0 &- 40 &- 15 &* 8 }
    }
}
