internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of programs that walk their stack with libunwind: Varnish, NeoMutt.
    ///
    ///     ip=0x565c2614 sp=0xf7862460 <moor+0x2a5>
    ///
    /// `unw_get_reg(UNW_REG_IP)` after the first `unw_step` gives return addresses, except for the row below the
    /// trampoline (Varnish: `vbt_unwind`, `lib/libvarnish/vbt.c`; measured with 1.6.2). The trampoline has the name of
    /// the exported function before it: `<__sigaction+0x40>` (`SignalFrame`).
    static let libunwind = StackCard(
        name: "libunwind",
        summary: "stacks of programs that use libunwind (Varnish): rows “ip=0x… sp=0x… <name+0x…>”",
        openings: [],
        claimsLine: { $0.hasPrefix("ip=0x") && $0.contains(" sp=0x") })
}
