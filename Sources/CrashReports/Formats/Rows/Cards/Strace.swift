internal import BinaryPrimitives

extension StackCards {
    /// `strace -k`:
    ///
    ///     exit_group(0)                           = ?
    ///      > /usr/lib/x86_64-linux-gnu/libc.so.6(_exit+0x29) [0xd4409]
    ///      > /opt/harbour(_start+0x21) [0x1091]
    ///
    /// The bracket is the offset in the module, no address in memory (`print_call_cb`, `src/unwind.c`: `true_offset`; measured with 6.1: libc's rows are the symbol's address
    /// plus the offset). Rows are return addresses; the first is the instruction behind the system call's.
    static let strace = StackCard(
        name: "strace",
        summary: "system calls with their stacks (strace -k): rows “> /lib/x.so(name+0x29) […]”",
        openings: [],
        addresses: .asLinked,
        claimsLine: { $0.hasPrefix("> /") && $0.hasSuffix("]") && $0.contains(") [0x") })
}
