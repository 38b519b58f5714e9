internal import BinaryPrimitives

extension StackCards {
    /// `strace -k`:
    ///
    ///     exit_group(0)                           = ?
    ///      > /usr/lib/x86_64-linux-gnu/libc.so.6(_exit+0x29) [0xd4409]
    ///      > /opt/harbour(_start+0x21) [0x1091]
    ///
    /// The bracket counts from where the module begins in memory, by the offset in the file of the mapping (`print_stack_frame`, `src/unwind.c`: `true_offset`). The first row is
    /// behind the instruction of the system call, the others are return addresses.
    static let strace = StackCard(
        name: "strace",
        summary: "system calls with their stacks (strace -k): rows “> /lib/x.so(name+0x29) [0xd4409]”",
        openings: [],
        addresses: .asLinked,
        claimsLine: { $0.hasPrefix("> /") && $0.hasSuffix("]") && $0.contains(") [0x") })
}
