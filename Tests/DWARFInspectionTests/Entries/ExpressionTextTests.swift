import Testing

@testable import DWARFInspection

/// Expressions (DWARF 5, sections 2.5 and 7.7.1), with x86-64's registers (System V psABI, figure
/// 3.36). All of it is compared with llvm-dwarfdump 19 too.
struct ExpressionTextTests {
    private static let expressions: [(bytes: [UInt8], text: String)] = [
        ([0x03, 0x00, 0x10, 0, 0, 0, 0, 0, 0], "DW_OP_addr 0x1000"), ([0x06], "DW_OP_deref"), ([0x94, 4], "DW_OP_deref_size 0x4"),
        // Constants of one, two, four and eight bytes, without a sign and with one.
        ([0x08, 0xff], "DW_OP_const1u 0xff"), ([0x09, 0xff], "DW_OP_const1s -1"), ([0x0a, 0x00, 0x80], "DW_OP_const2u 0x8000"),
        ([0x0b, 0x00, 0x80], "DW_OP_const2s -32768"), ([0x0c, 0, 0, 0, 0x80], "DW_OP_const4u 0x80000000"),
        ([0x0d, 0xfe, 0xff, 0xff, 0xff], "DW_OP_const4s -2"), ([0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80], "DW_OP_const8u 0x8000000000000001"),
        ([0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "DW_OP_const8s -1"),
        // LEB128 (section 7.6): the standard's own examples.
        ([0x10, 0x80, 0x01], "DW_OP_constu 0x80"), ([0x10, 0xb9, 0x64], "DW_OP_constu 0x3239"), ([0x11, 0x7e], "DW_OP_consts -2"),
        ([0x11, 0xff, 0x00], "DW_OP_consts +127"), ([0x11, 0x80, 0x7f], "DW_OP_consts -128"),
        ([0x30, 0x4f, 0x1c], "DW_OP_lit0, DW_OP_lit31, DW_OP_minus"), ([0x12, 0x15, 2], "DW_OP_dup, DW_OP_pick 0x2"),
        ([0x23, 8], "DW_OP_plus_uconst 0x8"), ([0x2f, 0xfd, 0xff], "DW_OP_skip -3"), ([0x28, 2, 0], "DW_OP_bra +2"),
        // Registers by their names: those of frames and of vectors.
        ([0x50], "DW_OP_reg0 RAX"), ([0x57], "DW_OP_reg7 RSP"), ([0x60], "DW_OP_reg16 RIP"), ([0x61], "DW_OP_reg17 XMM0"),
        ([0x76, 0x70], "DW_OP_breg6 RBP-16"), ([0x77, 0x08], "DW_OP_breg7 RSP+8"), ([0x90, 33], "DW_OP_regx ST0"),
        ([0x92, 49, 0x7f], "DW_OP_bregx RFLAGS-1"), ([0x91, 0x6c], "DW_OP_fbreg -20"), ([0x9c], "DW_OP_call_frame_cfa"),
        // Pieces, and values that lie nowhere.
        ([0x93, 4, 0x52, 0x93, 4], "DW_OP_piece 0x4, DW_OP_reg2 RCX, DW_OP_piece 0x4"),
        ([0x52, 0x9d, 3, 1], "DW_OP_reg2 RCX, DW_OP_bit_piece 0x3 0x1"),
        ([0x9e, 2, 0x0a, 0xff], "DW_OP_implicit_value 0x2 0x0a 0xff"), ([0x35, 0x9f], "DW_OP_lit5, DW_OP_stack_value"),
        ([0xa3, 1, 0x55, 0x9f], "DW_OP_entry_value(DW_OP_reg5 RDI), DW_OP_stack_value"),
        ([0xf3, 1, 0x54, 0x23, 1, 0x9f], "DW_OP_GNU_entry_value(DW_OP_reg4 RSI), DW_OP_plus_uconst 0x1, DW_OP_stack_value"),
        ([0x0e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0xe0], "DW_OP_const8u 0x10, DW_OP_GNU_push_tls_address"), ([0xa8, 0], "DW_OP_convert 0x0"),
        ([0xa8, 0x0d, 0xa5, 2, 0x0d], "DW_OP_convert (0x0000000d) \"int\", DW_OP_regval_type RCX (0x0000000d) \"int\""),
        ([0xa8, 0x7f], "DW_OP_convert <invalid base_type ref: 0x7f>"), ([0xe9, 1], "DW_OP_LLVM_user DW_OP_LLVM_nop"),
        // An operation that there is not, and everything that follows it.
        ([0x30, 0x01, 0x02], "DW_OP_lit0, <decoding error> 01 02"), ([], "<empty>"),
    ]

    /// `int` is the first child: its root is one byte long, after a header of twelve.
    private static let object = MadeObject([
        MadeEntry(
            0x11, "", [],
            [MadeEntry(0x24, "", [.name("int")])]
                + expressions.enumerated().map { MadeEntry(0x34, "", [.name("variable \($0.offset)"), .location($0.element.bytes)]) })
    ])

    @Test(arguments: expressions.indices) func `an operation is written with its operands`(number: Int) throws {
        let lines = try Self.object.dump { $0.sections = [.info] }.text.split(separator: "\n")
        let variable = try #require(lines.firstIndex { $0.hasSuffix("DW_AT_name\t(\"variable \(number)\")") })
        let text = lines[variable + 1].drop { $0 == " " }
        #expect(text == "DW_AT_location\t(\(Self.expressions[number].text))")
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence)) func `LLVM writes them the same`() throws {
        #expect(try Self.object.dump { $0.sections = [.info] }.text == Self.object.peer(["--debug-info"]))
    }
}

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
