internal import BinaryPrimitives
internal import CrashLogModel

/// The line that shows where the processor was: `RIP: 0010:skb_pull+0xd5/0xf0` and its like on
/// every architecture.
///
///     RIP: 0010:[<ffffffff82d4e304>]  [<ffffffff82d4e304>] __memset+0x24/0x30     x86-64; `RIP: 0033:0x452879` is the program's, not the kernel's
///     IP: [<ffffffff82d4e304>] __memset+0x24/0x30      before the registers of a page fault
///     EIP: 0060:[<f8e40765>] … / EIP is at wdev_priv.part.8+0x3/0x5 [wl]          i386
///     PC is at _snd_timer_stop.constprop.9+0x184/0x2b0                            arm, arm64 before 4.17
///     pc : refcount_warn_saturate+0xc8/0x1b0                                      arm64; `pc : 0xffffffc010123456` where the kernel has no names
///     epc : do_trap_break+0x48/0xa0                                               riscv; `epc : 0x800d9088` likewise
///     epc   : 80123456 do_exit+0x1/0x2                                            mips
///     NIP [c000000008068dfc] .eeh_dev_check_failure+0x27c/0x390                   ppc; `Faulting instruction address: 0xc000000008068dfc` above it
///     Krnl PSW : 0704f00180000000 000003ff8086d03a (will_oops_init+0x3a/0x1000 [will_oops])       s390
///     ERA: 9000000000228848 do_bp+0x10/0x20                                       loongarch
struct KernelProgramCounter {
    /// The row that the line holds; `nil` if the program counter is a user program's.
    var row: KernelRow?
    /// Offset of the row's text in the line.
    var start = 0
    /// The architecture, if only one writes such a line.
    var architecture: Architecture?

    init?(_ line: Span<UInt8>) {
        let text = line.trimmed()
        var rest = text
        let blanks = line.indent
        let count = rest.count
        if rest.consume("RIP: ") || rest.consume("RIP  ") || rest.consume("EIP: ") {
            if let segment = KernelProgramCounter.readSegment(&rest) {
                // The kernel's code segments are 0x10 (x86-64) and 0x60 (i386); the low two bits
                // are the privilege, 0 for the kernel.
                guard segment & 3 == 0 else { return }
            }
        } else if rest.consume("Krnl PSW : ") || rest.consume("PSW : ") {
            guard rest.readHexadecimal() != nil else { return nil }
            rest.skipBlanks()
            guard let address = rest.readHexadecimal() else { return nil }
            rest.skipBlanks()
            start = blanks + count - rest.count
            row = KernelRow(rest, isInStack: false)
            row?.address = address
            return
        } else if rest.consume("IP: ") || rest.consume("EIP is at ") || rest.consume("PC is at ") || rest.hasPrefix("NIP [") {
            if rest.consume("NIP "), rest.at(17) == UInt8(ascii: "]") { architecture = .ppc64 }
        } else if rest.consume("--- interrupt: ") || rest.consume("--- Exception: ") {
            // `--- interrupt: 300 at .berth+0x20/0x40`: `show_stack` of ppc before 5.13; later ones print all registers.
            guard rest.readHexadecimal() != nil, rest.consume(" at ") else { return nil }
            architecture = .ppc64
        } else if rest.consume("pc : ") || rest.consume("epc : ") {
            // Without a symbol it is one register of several:
            // `epc : 800d9088 ra : 80081f20 sp : 807a1e90`.
            guard KernelSymbol(rest) != nil || KernelProgramCounter.isNumber(rest) else { return nil }
        } else if rest.consume("Faulting instruction address: 0x") {
            // `bad_page_fault` of `arch/powerpc/mm/fault.c`
            start = blanks + count - rest.count
            guard let address = rest.readHexadecimal(), rest.count == 0 else { return nil }
            row = KernelRow.null
            row?.address = address
            return
        } else if rest.consume("epc   : ") || rest.consume("ERA: ") {
            guard read(rest, at: blanks + count - rest.count, isMIPS: text.hasPrefix("e")) else { return nil }
            return
        } else {
            return nil
        }
        start = blanks + count - rest.count
        row = KernelRow(rest, isInStack: true)
        // The same again, where x86 could find no name for it: `(null)`, a number.
        if row == nil, rest.trimmed().hasSuffix("(null)") { row = KernelRow.null }
    }

    /// The register that holds the return address: ` ra : berth+0x14/0xbc` (riscv),
    /// `ra : 80036f64 berth+0x14/0xbc` (mips: `__show_regs` of `arch/mips/kernel/traps.c`), `LR [c000000008068df8] berth+0x278/0x390`
    /// (ppc: `__show_regs` of `arch/powerpc/kernel/process.c`), `LR = .berth+0x278/0x390` (below `--- interrupt:`).
    init?(caller line: Span<UInt8>) {
        let text = line.trimmed()
        var rest = text
        let blanks = line.indent
        if rest.consume("ra    : ") {
            guard read(rest, at: blanks + text.count - rest.count, isMIPS: true) else { return nil }
            return
        }
        guard
            rest.hasPrefix("LR [") && rest.consume("LR ") || rest.consume("LR = ")
                || rest.consume("ra : ") && (KernelSymbol(rest) != nil || KernelProgramCounter.isNumber(rest))
        else { return nil }
        start = blanks + text.count - rest.count
        row = KernelRow(rest, isInStack: true)
    }

    /// `8003ab3c moor+0x4/0xc`: the address, and the same with its name or once more. The kernel
    /// is where the highest bit is set.
    private mutating func read(_ text: Span<UInt8>, at start: Int, isMIPS: Bool) -> Bool {
        var rest = text
        guard let address = rest.readHexadecimal() else { return false }
        let digits = text.count - rest.count
        guard digits == 8 || digits == 16, rest.consume(" ") else { return false }
        if isMIPS { architecture = digits == 8 ? .mips : .mips64 }
        guard address >> UInt64(digits * 4 - 1) == 1 else { return true }
        self.start = start + text.count - rest.count
        row = KernelRow(rest, isInStack: true)
        row?.address = address
        return true
    }

    /// `0x800d9088` alone.
    private static func isNumber(_ text: Span<UInt8>) -> Bool {
        var rest = text
        return rest.readAddress() != nil && rest.trimmed().count == 0
    }

    /// `0010:`
    private static func readSegment(_ rest: inout Span<UInt8>) -> UInt64? {
        var next = rest
        guard let segment = next.readHexadecimal(), rest.count - next.count == 4, next.consume(":") else { return nil }
        rest = next
        return segment
    }
}
