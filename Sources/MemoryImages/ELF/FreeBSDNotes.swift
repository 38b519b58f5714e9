internal import BinaryPrimitives
internal import Unwinding

/// The notes of FreeBSD's cores, of the name `FreeBSD` (`sys/elf_common.h`, `sys/procfs.h`, `sys/user.h`): for each thread its
/// registers, its name and its signal; then the process's tables, which begin with the size of their structures.
extension CoreNotes {
    mutating func readFreeBSD(_ type: UInt32, _ content: RawSpan, _ limits: Limits) {
        system = .freeBSD
        switch type {
        case 1: readFreeBSDThread(content, limits)
        case 3: readFreeBSDProcess(content)
        // NT_THRMISC: the name of the thread before it.
        case 7 where !threads.isEmpty:
            let name = content.prefix(min(20, content.lengthOfCString() ?? 20)).string()
            threads[threads.count - 1].name = name.isEmpty ? nil : name
        case 10: readFreeBSDMappings(content, limits)
        case 16: if let vector = try? content.from(4) { readAuxiliaryVector(vector) }
        case 17: readFreeBSDSignal(content)
        default: break
        }
    }

    /// `prstatus_t`: version, sizes of itself and of two register sets, the system's date, the signal, the thread's number, and the
    /// registers.
    private mutating func readFreeBSDThread(_ content: RawSpan, _ limits: Limits) {
        guard threads.count < limits.threads, let layout = Self.freeBSDRegisters(registers.processor) else { return }
        let (numbers, start) = registers.isWide ? (36, 48) : (20, 28)
        guard let found = registers.registers(layout, in: content, at: start) else { return notes.append(Self.cutRegisters) }
        guard let number = try? content.value(Int32.self, at: numbers, registers.order),
            let id = try? content.value(UInt32.self, at: numbers + 4, registers.order)
        else { return }
        var thread = MemoryImage.Thread(id: UInt64(id), registers: found)
        // Each thread has the signal that ended the process; the first is the one that it was for.
        if number > 0, threads.isEmpty { thread.signal = MemoryImage.Signal(number: Int(number)) }
        threads.append(thread)
    }

    /// `prpsinfo_t`: version, its size, the program's name and arguments, the process's number.
    private mutating func readFreeBSDProcess(_ content: RawSpan) {
        let name = registers.isWide ? 16 : 8
        process.name = Self.text(in: content, at: name, size: 17)
        process.arguments = Self.text(in: content, at: name + 17, size: 81)
        process.id = (try? content.value(UInt32.self, at: (name + 17 + 81 + 3) & ~3, registers.order)).map { UInt64($0) }
    }

    /// `kinfo_vmentry`: its size, the kind (2: a file), the ends and the offset in the file; the path is after 136 bytes.
    private mutating func readFreeBSDMappings(_ content: RawSpan, _ limits: Limits) {
        guard var rest = try? content.from(4) else { return }
        while files.count < limits.images, let size = try? rest.value(UInt32.self, at: 0, registers.order), size > 136,
            let entry = try? rest.slice(at: 0, count: UInt64(size)), let next = try? rest.from(UInt64(size))
        {
            rest = next
            guard let kind = try? entry.value(UInt32.self, at: 4, registers.order), kind == 2,
                let start = try? entry.value(UInt64.self, at: 8, registers.order),
                let end = try? entry.value(UInt64.self, at: 16, registers.order),
                let offset = try? entry.value(UInt64.self, at: 24, registers.order), start < end, let name = try? entry.from(136)
            else { continue }
            let path = name.prefix(min(limits.nameLength, name.lengthOfCString() ?? name.byteCount)).string()
            if !path.isEmpty { files.append((start..<end, offset, path)) }
        }
    }

    /// `ptrace_lwpinfo` of the thread before it, in which a `siginfo_t` is: number, error, code, three numbers, the address.
    private mutating func readFreeBSDSignal(_ content: RawSpan) {
        let start = 4 + (registers.isWide ? 48 : 44)
        guard threads.count == 1, let signal = threads[0].signal, let number = try? content.value(Int32.self, at: start, registers.order),
            number == signal.number, let code = try? content.value(Int32.self, at: start + 8, registers.order)
        else { return }
        threads[0].signal?.code = Int(code)
        // SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV; codes of signals that a process sent are above 0x10000.
        guard [4, 5, 8, 10, 11].contains(signal.number), (1..<0x10000).contains(code) else { return }
        threads[0].signal?.address = try? content.unsigned(size: registers.isWide ? 8 : 4, at: start + 24, registers.order)
    }

    /// DWARF's number for each word of the register set; -1 is the program counter (`machine/reg.h`).
    private static func freeBSDRegisters(_ processor: Processor) -> [Int?]? {
        switch processor {
        // r15-r8 rdi rsi rbp rbx rdx rcx rax, 16 bytes of traps and segments, rip cs rflags rsp
        case .x86_64: Array((8...15).reversed()) + [5, 4, 6, 3, 1, 2, 0, nil, nil, -1, nil, nil, 7]
        // fs es ds edi esi ebp isp ebx edx ecx eax trapno err eip cs eflags esp
        case .i386: [nil, nil, nil, 7, 6, 5, nil, 3, 2, 1, 0, nil, nil, -1, nil, nil, 4]
        // x0-x29 lr sp elr
        case .arm64: Array(0...31) + [-1]
        // r0-r12 sp lr pc
        case .arm: Array(0...14) + [-1]
        // ra sp gp tp t0-t6 s0-s11 a0-a7 sepc
        case .riscv64: [1, 2, 3, 4, 5, 6, 7, 28, 29, 30, 31, 8, 9] + Array(18...27) + Array(10...17) + [-1]
        // r0-r31 lr cr xer ctr pc
        case .powerPC64, .powerPC: Array(0...31) + [65, nil, nil, 66, -1]
        default: nil
        }
    }
}
