extension Processor {
    /// The registers' names by DWARF's numbers, as assemblers, Breakpad's symbol files and dumps
    /// write them, in lower case. Those that no rule of a frame names are left out.
    ///
    /// From the machines' DWARF mappings: System V ABI (x86-64, figure 3.36; i386, table 2.14), Arm
    /// AADWARF64 and AADWARF32, RISC-V psABI, Power ELFv2, s390x ELF ABI, LoongArch ELF psABI,
    /// SPARC Compliance Definition 2.4.
    package func name(of register: Int) -> String? {
        if let names = Self.listed[self], names.indices.contains(register) { return names[register] }
        switch self {
        case .m68k: return register == 24 ? "pc" : nil
        case .powerPC64, .powerPC: return register < 32 ? "r\(register)" : register == 65 ? "lr" : register == 66 ? "ctr" : nil
        case .s390x, .s390: return register < 16 ? "r\(register)" : register == 64 ? "pswm" : register == 65 ? "pc" : nil
        default: return nil
        }
    }

    /// DWARF's number of a register; `nil` if the name is not known.
    package func number(of name: some StringProtocol) -> Int? { Self.numbers[self]?[String(name)] }

    private static func list(_ names: String) -> [String] { names.split(separator: " ").map(String.init) }

    private static func counted(_ prefix: String, _ range: ClosedRange<Int>) -> [String] { range.map { prefix + String($0) } }

    private static let listed: [Processor: [String]] = {
        let risc = list("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6")
        let mips = list("zero at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 gp sp fp ra")
        let windowed = ["g", "o", "l", "i"].flatMap { counted($0, 0...7) }
        return [
            .x86_64: list("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip"),
            .i386: list("eax ecx edx ebx esp ebp esi edi eip eflags"),
            .arm64: counted("x", 0...30) + ["sp", "pc"],
            .arm: counted("r", 0...12) + ["sp", "lr", "pc"],
            .riscv64: risc, .riscv32: risc, .mips64: mips, .mips: mips,
            .loongArch64: counted("r", 0...31),
            .m68k: counted("d", 0...7) + counted("a", 0...7),
            .sparc64: windowed, .sparc: windowed,
        ]
    }()

    /// Other names for the same registers.
    private static let others: [Processor: [String: Int]] = [
        .arm64: ["fp": 29, "lr": 30], .arm: ["r13": 13, "r14": 14, "r15": 15, "fp": 11],
        .loongArch64: ["ra": 1, "sp": 3, "fp": 22], .m68k: ["fp": 14, "sp": 15],
        .sparc64: ["sp": 14, "fp": 30], .sparc: ["sp": 14, "fp": 30],
    ]

    private static let numbers: [Processor: [String: Int]] = {
        var numbers: [Processor: [String: Int]] = [:]
        for processor in allCases {
            var own = others[processor] ?? [:]
            for number in 0..<Registers.count {
                if let name = processor.name(of: number) { own[name] = number }
            }
            numbers[processor] = own
        }
        return numbers
    }()
}
