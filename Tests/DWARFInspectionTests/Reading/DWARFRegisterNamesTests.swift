import Testing

@testable import DWARFInspection

/// Registers by the numbers of the machines' ABIs, under the names that LLVM has for them.
struct DWARFRegisterNamesTests {
    @Test(
        arguments: [
            // System V psABI for AMD64, figure 3.36: the order is not that of the instructions.
            ("x86_64", 0, "RAX"), ("x86_64", 1, "RDX"), ("x86_64", 2, "RCX"), ("x86_64", 3, "RBX"), ("x86_64", 6, "RBP"),
            ("x86_64", 7, "RSP"),
            ("x86_64", 8, "R8"), ("x86_64", 15, "R15"), ("x86_64", 17, "XMM0"), ("x86_64", 32, "XMM15"), ("x86_64", 33, "ST0"),
            ("x86_64", 48, "MM7"),
            ("x86_64", 49, "RFLAGS"), ("x86_64", 67, "XMM16"), ("x86_64", 118, "K0"),
            // Intel386 psABI, figure 2.14: ESP and EBP the other way round.
            ("i386", 4, "ESP"), ("i386", 5, "EBP"), ("i386", 8, "EIP"), ("i386", 21, "XMM0"),
            // DWARF for the Arm 64-bit architecture (aadwarf64): LLVM takes the register's lower
            // half.
            ("arm64", 29, "W29"), ("arm64", 31, "WSP"), ("arm64", 64, "B0"), ("arm64", 95, "B31"), ("arm64", 96, "Z0"),
            ("arm", 13, "SP"), ("arm", 14, "LR"), ("arm", 256, "D0"), ("riscv64", 2, "X2"), ("riscv64", 32, "F0_H"),
            // s390x ELF ABI supplement, table 1.19: the even floating-point registers go before the
            // odd ones.
            ("s390x", 15, "R15D"), ("s390x", 17, "F2D"), ("s390x", 20, "F1D"),
        ] as [(String, UInt64, String)])
    func `a register has its name`(architecture: String, number: UInt64, name: String) throws {
        #expect(try #require(DWARFRegisterNames(architecture: architecture))[number] == name)
    }

    @Test(arguments: [56, 1000, 65_536, .max] as [UInt64]) func `other numbers have none`(number: UInt64) throws {
        #expect(try #require(DWARFRegisterNames(architecture: "x86_64"))[number] == nil)
    }

    @Test func `a machine that is not known has no names`() { #expect(DWARFRegisterNames(architecture: "hexagon") == nil) }
}
