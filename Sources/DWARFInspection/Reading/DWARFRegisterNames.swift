/// Registers' names by their DWARF numbers, as LLVM calls them: it prints an ARM64 frame pointer as
/// `W29`. Found by dumping an expression with each number by llvm-dwarfdump 19 for each machine.
struct DWARFRegisterNames: Sendable {
    private let names: [UInt16: String]

    /// - Parameter table: `number:name`, or `number:nameFIRST-LAST` for names that end with numbers
    ///   one after the other.
    private init(_ table: String) {
        var names: [UInt16: String] = [:]
        for word in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let number = UInt16(parts[0]) else { continue }
            let bounds = parts[1].split(separator: "-")
            let digits = String(bounds[0].reversed().prefix { $0.isNumber }.reversed())
            guard bounds.count == 2, let first = UInt16(digits), let last = UInt16(bounds[1]), first <= last else {
                names[number] = String(parts[1])
                continue
            }
            for index in first...last { names[number + index - first] = bounds[0].dropLast(digits.count) + String(index) }
        }
        self.names = names
    }

    subscript(number: UInt64) -> String? { UInt16(exactly: number).flatMap { names[$0] } }

    /// - Parameter architecture: by its family's name; others have no names.
    init?(architecture: String) {
        guard let table = Self.tables[architecture] else { return nil }
        self = table
    }

    private static let tables: [String: DWARFRegisterNames] = [
        "x86_64": DWARFRegisterNames(
            """
            0:RAX 1:RDX 2:RCX 3:RBX 4:RSI 5:RDI 6:RBP 7:RSP 8:R8-15 16:RIP 17:XMM0-15 33:ST0-7 41:MM0-7 49:RFLAGS 50:ES 51:CS 52:SS 53:DS
            54:FS 55:GS 58:FS_BASE 59:GS_BASE 67:XMM16-31 118:K0-7 130:R16-31
            """),
        "i386": DWARFRegisterNames(
            """
            0:EAX 1:ECX 2:EDX 3:EBX 4:ESP 5:EBP 6:ESI 7:EDI 8:EIP 9:EFLAGS 11:ST0-7 21:XMM0-7 29:MM0-7 40:ES 41:CS 42:SS 43:DS 44:FS 45:GS
            93:K0-7
            """),
        "arm": DWARFRegisterNames(
            """
            0:R0-12 13:SP 14:LR 15:ZR 143:RA_AUTH_CODE 256:D0-31
            """),
        "arm64": DWARFRegisterNames(
            """
            0:W0-30 31:WSP 46:VG 47:FFR 48:PN0-15 64:B0-31 96:Z0-31
            """),
        "mips": DWARFRegisterNames(
            """
            0:ZERO_64 1:AT_64 2:V0_64 3:V1_64 4:A0_64 5:A1_64 6:A2_64 7:A3_64 8:T0_64 9:T1_64 10:T2_64 11:T3_64 12:T4_64 13:T5_64 14:T6_64
            15:T7_64 16:S0_64 17:S1_64 18:S2_64 19:S3_64 20:S4_64 21:S5_64 22:S6_64 23:S7_64 24:T8_64 25:T9_64 26:K0_64 27:K1_64 28:GP_64
            29:SP_64 30:FP_64 31:RA_64 32:D0_64 33:D1_64 34:D2_64 35:D3_64 36:D4_64 37:D5_64 38:D6_64 39:D7_64 40:D8_64 41:D9_64 42:D10_64
            43:D11_64 44:D12_64 45:D13_64 46:D14_64 47:D15_64 48:D16_64 49:D17_64 50:D18_64 51:D19_64 52:D20_64 53:D21_64 54:D22_64 55:D23_64
            56:D24_64 57:D25_64 58:D26_64 59:D27_64 60:D28_64 61:D29_64 62:D30_64 63:D31_64 64:HI0 65:LO0 176:HI1 177:LO1 178:HI2 179:LO2
            180:HI3 181:LO3
            """),
        "mips64": DWARFRegisterNames(
            """
            0:ZERO_64 1:AT_64 2:V0_64 3:V1_64 4:A0_64 5:A1_64 6:A2_64 7:A3_64 8:T0_64 9:T1_64 10:T2_64 11:T3_64 12:T4_64 13:T5_64 14:T6_64
            15:T7_64 16:S0_64 17:S1_64 18:S2_64 19:S3_64 20:S4_64 21:S5_64 22:S6_64 23:S7_64 24:T8_64 25:T9_64 26:K0_64 27:K1_64 28:GP_64
            29:SP_64 30:FP_64 31:RA_64 32:D0_64 33:D1_64 34:D2_64 35:D3_64 36:D4_64 37:D5_64 38:D6_64 39:D7_64 40:D8_64 41:D9_64 42:D10_64
            43:D11_64 44:D12_64 45:D13_64 46:D14_64 47:D15_64 48:D16_64 49:D17_64 50:D18_64 51:D19_64 52:D20_64 53:D21_64 54:D22_64 55:D23_64
            56:D24_64 57:D25_64 58:D26_64 59:D27_64 60:D28_64 61:D29_64 62:D30_64 63:D31_64 64:HI0 65:LO0 176:HI1 177:LO1 178:HI2 179:LO2
            180:HI3 181:LO3
            """),
        "ppc": DWARFRegisterNames(
            """
            0:R0-31 32:F0-31 65:LR 66:CTR 68:CR0-7 77:VF0-31 112:SPEFSCR 1200:S0-31
            """),
        "ppc64": DWARFRegisterNames(
            """
            0:X0-31 32:F0-31 65:LR8 66:CTR8 68:CR0-7 76:XER 77:VF0-31 109:VRSAVE 612:SPEFSCR 1200:S0-31
            """),
        "riscv32": DWARFRegisterNames(
            """
            0:X0-31 32:F0_H 33:F1_H 34:F2_H 35:F3_H 36:F4_H 37:F5_H 38:F6_H 39:F7_H 40:F8_H 41:F9_H 42:F10_H 43:F11_H 44:F12_H 45:F13_H
            46:F14_H 47:F15_H 48:F16_H 49:F17_H 50:F18_H 51:F19_H 52:F20_H 53:F21_H 54:F22_H 55:F23_H 56:F24_H 57:F25_H 58:F26_H 59:F27_H
            60:F28_H 61:F29_H 62:F30_H 63:F31_H 96:V0-31
            """),
        "riscv64": DWARFRegisterNames(
            """
            0:X0-31 32:F0_H 33:F1_H 34:F2_H 35:F3_H 36:F4_H 37:F5_H 38:F6_H 39:F7_H 40:F8_H 41:F9_H 42:F10_H 43:F11_H 44:F12_H 45:F13_H
            46:F14_H 47:F15_H 48:F16_H 49:F17_H 50:F18_H 51:F19_H 52:F20_H 53:F21_H 54:F22_H 55:F23_H 56:F24_H 57:F25_H 58:F26_H 59:F27_H
            60:F28_H 61:F29_H 62:F30_H 63:F31_H 96:V0-31
            """),
        "s390x": DWARFRegisterNames(
            """
            0:R0D 1:R1D 2:R2D 3:R3D 4:R4D 5:R5D 6:R6D 7:R7D 8:R8D 9:R9D 10:R10D 11:R11D 12:R12D 13:R13D 14:R14D 15:R15D 16:F0D 17:F2D 18:F4D
            19:F6D 20:F1D 21:F3D 22:F5D 23:F7D 24:F8D 25:F10D 26:F12D 27:F14D 28:F9D 29:F11D 30:F13D 31:F15D 32:C0-15 48:A0-15 68:F16D 69:F18D
            70:F20D 71:F22D 72:F17D 73:F19D 74:F21D 75:F23D 76:F24D 77:F26D 78:F28D 79:F30D 80:F25D 81:F27D 82:F29D 83:F31D
            """),
        "bpf": DWARFRegisterNames(
            """
            0:W0-11
            """),
        "sparc": DWARFRegisterNames(
            """
            0:G0-7 8:O0-7 16:L0-7 24:I0-7 32:F0-31 64:Y 72:D0-15
            """),
        "sparcv9": DWARFRegisterNames(
            """
            0:G0-7 8:O0-7 16:L0-7 24:I0-7 32:F0-31 64:Y 72:D0-15
            """),
        "loongarch64": DWARFRegisterNames(
            """
            0:R0-31 32:F0_64 33:F1_64 34:F2_64 35:F3_64 36:F4_64 37:F5_64 38:F6_64 39:F7_64 40:F8_64 41:F9_64 42:F10_64 43:F11_64 44:F12_64
            45:F13_64 46:F14_64 47:F15_64 48:F16_64 49:F17_64 50:F18_64 51:F19_64 52:F20_64 53:F21_64 54:F22_64 55:F23_64 56:F24_64 57:F25_64
            58:F26_64 59:F27_64 60:F28_64 61:F29_64 62:F30_64 63:F31_64
            """),
        "m68k": DWARFRegisterNames(
            """
            0:WD0-7 8:WA0-6 15:WSP 18:FP0-7 26:FPC 27:FPS 28:FPIAR
            """),
    ]
}
