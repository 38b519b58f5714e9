import BinaryPrimitives
import Testing

@testable import Unwinding

struct RegistersTests {
    @Test func `registers are known once they are set`() {
        var registers = Registers(.x86_64, programCounter: 0x1000, stackPointer: 0x7fff_0000)
        #expect(registers[16] == 0x1000)
        #expect(registers[7] == 0x7fff_0000)
        #expect(registers[name: "rbp"] == nil)
        registers[name: "rbp"] = 5
        #expect(registers[6] == 5)
        registers[6] = nil
        #expect(registers.framePointer == nil)
        registers[1_000] = 1
        #expect(registers[1_000] == nil)
        #expect(registers[-1] == nil)
    }

    @Test func `values are as wide as registers`() {
        var registers = Registers(.i386, programCounter: 0x1_0000_1000, stackPointer: .max)
        #expect(registers.programCounter == 0x1000)
        #expect(registers.stackPointer == 0xffff_ffff)
        registers[name: "eax"] = 0xffff_ffff_0000_0001
        #expect(registers[0] == 1)
    }

    /// SPARC Compliance Definition 2.4: the register is 2047 bytes below the stack on 64-bit systems. A call saves its own
    /// address, which a delay slot follows.
    @Test func `on SPARC the stack pointer is biased, and the link is a call`() {
        var wide = Registers(.sparc64, programCounter: 0x10_0000, stackPointer: 0x7000)
        #expect(wide[name: "o6"] == 0x7000 - 2047)
        wide[name: "sp"] = 0x400_0080_0301
        #expect(wide.stackPointer == 0x400_0080_0b00)
        wide[name: "o7"] = 0x10_0100
        #expect(wide.link == 0x10_0108)
        #expect(Registers(.sparc, programCounter: 0x10_0000, stackPointer: 0x7000)[name: "o6"] == 0x7000)
    }

    /// From the ABIs' tables.
    @Test(arguments: [
        (Processor.x86_64, "rsp", 7), (.x86_64, "rip", 16), (.x86_64, "r15", 15), (.i386, "esp", 4), (.i386, "eip", 8), (.arm64, "x29", 29),
        (.arm64, "lr", 30), (.arm64, "sp", 31), (.arm, "r7", 7), (.arm, "lr", 14), (.arm, "pc", 15), (.riscv64, "ra", 1),
        (.riscv64, "s11", 27),
        (.powerPC64, "lr", 65), (.s390x, "r15", 15), (.mips, "ra", 31), (.sparc64, "i7", 31), (.sparc64, "g7", 7), (.sparc, "l0", 16),
    ]) func `names have DWARF's numbers`(processor: Processor, name: String, number: Int) {
        #expect(processor.number(of: name) == number)
        #expect(processor.number(of: "no register") == nil)
    }

    @Test(arguments: Processor.allCases) func `every processor has a stack pointer and a frame pointer`(processor: Processor) {
        #expect(processor.name(of: processor.stackPointer) != nil)
        #expect(processor.name(of: processor.framePointer) != nil)
    }
}
