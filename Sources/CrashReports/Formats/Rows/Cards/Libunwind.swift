internal import BinaryPrimitives

extension StackCards {
    /// What programs print that walk their stack with libunwind: Varnish, NeoMutt.
    ///
    ///     ip=0x565c2614 sp=0xf7862460 <moor+0x2a5>
    ///
    /// `unw_get_reg(UNW_REG_IP)` gives return addresses (Varnish: `bin/varnishd/cache/cache_panic.c`, `pan_backtrace`).
    static let libunwind = StackCard(
        name: "libunwind",
        summary: "stacks of programs that use libunwind (Varnish): rows “ip=0x… sp=0x… <name+0x…>”",
        openings: [],
        claimsLine: { $0.hasPrefix("ip=0x") && $0.contains(" sp=0x") })
}
