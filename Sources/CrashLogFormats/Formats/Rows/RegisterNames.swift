internal import BinaryPrimitives

/// The names of processors' registers: x86, arm, arm64, RISC-V, PowerPC, MIPS, s390, SPARC, LoongArch, as debuggers,
/// kernels and crash handlers print them. A value after such a name is not a row of a stack, and the name is not a
/// function.
enum RegisterNames {
    /// Whether the text is the name of a register, in letters of either case: `rax`, `X12`, `sp_el0`, `r15`, `X[05]`,
    /// `r0/a1`.
    static func contains(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 12 else { return false }
        var name: [UInt8] = []
        for index in 0..<text.count {
            let byte = text[index]
            // `X[05]`. If a register has two names, only the first is checked.
            if byte == UInt8(ascii: "["), index == 1 { continue }
            if byte == UInt8(ascii: "]"), index == text.count - 1, index > 1 { continue }
            if byte == UInt8(ascii: "/"), index > 0 { break }
            name.append(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
        }
        if name.first == UInt8(ascii: "$") || name.first == UInt8(ascii: "%") { name.removeFirst() }
        let digits = name.reversed().prefix { isDigit($0) }.count
        guard digits > 0, digits <= 2, digits < name.count else { return fixed.contains(String(decoding: name, as: UTF8.self)) }
        let letters = String(decoding: name.dropLast(digits), as: UTF8.self)
        guard let number = Int(String(decoding: name.suffix(digits), as: UTF8.self)), let count = numbered[letters] else {
            return fixed.contains(String(decoding: name, as: UTF8.self))
        }
        return number < count
    }

    /// Range of the register's name directly before a value: `x1             0xffffbe7f0010`, `LR : 0x000308A1`; `nil`
    /// if none does.
    /// - Parameter position: position of the value.
    static func name(before position: Int, in line: Span<UInt8>) -> Range<Int>? {
        var end = position
        while end > 0, isOne(line[end - 1], of: " \t:=") { end -= 1 }
        var start = end
        while start > 0, end - start < 12, RowSearch.isLetterOrDigit(line[start - 1]) || isOne(line[start - 1], of: "_[]/") { start -= 1 }
        guard start < end, start == 0 || !isOne(line[start - 1], of: ".$@+-") else { return nil }
        return contains(line.clamped(to: start..<end)) ? start..<end : nil
    }

    /// Whether a register has an address of code: rows of some writers have its name before their address, `moor+0x18 ip=0x6d4c5e4ad6e3`.
    static func isOfCode(_ text: Span<UInt8>) -> Bool {
        ["pc", "PC", "ip", "IP", "rip", "RIP", "eip", "EIP", "lr", "LR", "ra", "RA"].contains { text.equals($0) }
    }

    /// Number of registers for each name that a number follows.
    private static let numbered: [String: Int] = [
        "r": 32, "x": 32, "w": 32, "a": 8, "s": 12, "t": 10, "k": 2, "v": 32, "f": 32, "fs": 12, "fa": 8, "ft": 12, "gpr": 32, "g": 8,
        "o": 8,
        "l": 8, "i": 8, "cr": 16, "dr": 8, "xmm": 32, "ymm": 32, "zmm": 32, "q": 32, "d": 32, "st": 8, "mm": 8, "acr": 16,
    ]

    private static let fixed: Set<String> = [
        "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip",
        "rflags",
        "eflags", "efl", "flags", "cs", "ss", "ds", "es", "fs", "gs", "fs_base", "gs_base", "fsbase", "gsbase", "orig_rax", "trapno", "err",
        "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip", "fp", "lr", "pc", "cpsr", "spsr", "xpsr", "psr", "apsr", "msp", "psp",
        "primask",
        "basepri", "faultmask", "control", "exc_return", "elr", "esr", "far", "pstate", "fpsr", "fpcr", "sp_el0", "sp_el1", "elr_el1",
        "esr_el1",
        "far_el1", "spsr_el1", "tpidr", "cfsr", "hfsr", "mmfar", "bfar", "dfsr", "afsr", "zero", "ra", "gp", "tp", "epc", "mepc", "sepc",
        "mcause",
        "scause", "mtval", "stval", "mstatus", "sstatus", "badaddr", "cause", "status", "hi", "lo", "badvaddr", "nip", "msr", "ctr", "xer",
        "ccr", "cr", "cfar", "dar", "dsisr", "link", "softe", "psw", "tpc", "tnpc", "npc", "y", "tstate", "era", "badv", "estat", "prmd",
        "euen",
        "ecfg", "crmd", "a0", "excvaddr", "exccause", "lbeg", "lend", "lcount", "sar",
    ]
}
