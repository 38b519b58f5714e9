internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that bcc's tools and libbpf-tools print: of allocations that were not freed, and of counted calls.
    ///
    ///     4 bytes in 1 allocations from stack
    ///     	0 [<00007f05944c098c>] _Znwm+0x1c [/usr/lib/libtide.so.6.0.30]
    ///     	2 [<00007f0594212d90>] [/usr/lib/libc.so.6]
    ///     	3 [<b515dd6bd2425100>] <null sym>
    ///
    /// `print_stack_frames_by_blazesym` and `print_stack_frames_by_ksyms` (`libbpf-tools/memleak.c`) print the entries
    /// of the kernel's stack map (`bpf_get_stackid`): return addresses.
    static let bcc = StackCard(
        name: "bcc",
        summary: "stacks of bcc and libbpf-tools (memleak): “… allocations from stack”",
        openings: [.anywhere(" allocations from stack")],
        isCertain: true)
}
