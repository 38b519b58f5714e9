internal import BinaryPrimitives
internal import Unwinding

/// The notes of NetBSD's cores (core(5), `sys/core.h`): the process in one of the name
/// `NetBSD-CORE`, and each thread's registers in one of the name `NetBSD-CORE@1`, its number.
///
/// The registers are those of `PT_GETREGS`, whose number is a machine's first own request, or the
/// next (`machine/ptrace.h`).
extension CoreNotes {
    static let netBSD = Array("NetBSD-CORE".utf8)

    /// - Parameter name: the note's name.
    mutating func readNetBSD(_ name: Span<UInt8>, _ type: UInt32, _ content: RawSpan, _ limits: Limits) {
        var rest = name.from(Self.netBSD.count)
        guard rest.consume("@"), let number = rest.readDecimal() else {
            switch type {
            case 1: readNetBSDProcess(content)
            case 2: readAuxiliaryVector(content)
            default: break
            }
            return
        }
        if type == 24 { return readNetBSDStatus(content, limits) }
        guard let (request, layout) = Self.registers(registers.processor), type == request, threads.count < limits.threads else { return }
        guard let found = registers.registers(layout, in: content, at: 0) else { return notes.append(Self.cutRegisters) }
        threads.append(MemoryImage.Thread(id: number, registers: found))
    }

    /// `struct netbsd_elfcore_procinfo`: the signal and its code at 8 and 12, the process at 80,
    /// its name at 124, and the thread that the signal was for at 156, which is 0 for the process.
    private mutating func readNetBSDProcess(_ content: RawSpan) {
        system = .netBSD
        process.id = (try? content.value(UInt32.self, at: 80, registers.order)).map { UInt64($0) }
        if let field = try? content.slice(at: 124, count: 32) { process.name = field.prefix(field.lengthOfCString() ?? 32).string() }
        guard let number = try? content.value(Int32.self, at: 8, registers.order), number > 0 else { return }
        var signal = MemoryImage.Signal(number: Int(number))
        signal.code = (try? content.value(Int32.self, at: 12, registers.order)).map { Int($0) }
        processSignal = (signal, (try? content.value(UInt32.self, at: 156, registers.order)).map { UInt64($0) } ?? 0)
    }

    /// `struct ptrace_lwpstatus` of NetBSD 9 on (`sys/ptrace.h`): the thread's number, two sets of signals of 16 bytes, its name.
    private mutating func readNetBSDStatus(_ content: RawSpan, _ limits: Limits) {
        guard let number = try? content.value(UInt32.self, at: 0, registers.order), let name = Self.text(in: content, at: 36, size: 20),
            !name.isEmpty, threadNames.count < limits.threads
        else { return }
        threadNames[UInt64(number)] = name
    }

    /// Gives threads their names, and moves the thread that the signal was for to the front, as in Linux' cores.
    mutating func assignNetBSDStatus() {
        for index in threads.indices { threads[index].name = threads[index].name ?? threadNames[threads[index].id] }
        guard let (signal, thread) = processSignal, !threads.isEmpty else { return }
        if let index = threads.firstIndex(where: { $0.id == thread }) { threads.swapAt(0, index) }
        threads[0].signal = signal
    }

    /// DWARF's number for each word; -1 is the program counter (`machine/reg.h`).
    private static func registers(_ processor: Processor) -> (request: UInt32, layout: [Int?])? {
        switch processor {
        // rdi rsi rdx rcx r8-r15 rbp rbx rax gs fs es ds trapno err rip cs rflags rsp
        case .x86_64: (33, [5, 4, 1, 2] + Array(8...15) + [6, 3, 0, nil, nil, nil, nil, nil, nil, -1, nil, nil, 7])
        // eax ecx edx ebx esp ebp esi edi eip
        case .i386: (33, [0, 1, 2, 3, 4, 5, 6, 7, -1])
        case .arm64: (32, Array(0...31) + [-1])
        default: nil
        }
    }
}
