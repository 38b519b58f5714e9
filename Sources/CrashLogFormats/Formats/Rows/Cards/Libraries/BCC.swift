internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of bcc's tools and of libbpf-tools: allocations that were not freed, calls that were
    /// counted.
    ///
    ///     4 bytes in 1 allocations from stack
    ///     	0 [<00007f05944c098c>] _Znwm+0x1c [/usr/lib/libtide.so.6.0.30]
    ///     	2 [<00007f0594212d90>] [/usr/lib/libc.so.6]
    ///     	3 [<b515dd6bd2425100>] <null sym>
    ///
    /// `print_stack_frames_by_blazesym` and `print_stack_frames_by_ksyms`
    /// (`libbpf-tools/memleak.c`) print what the kernel's stack map has (`bpf_get_stackid`): return
    /// addresses.
    static let bcc = StackCard(
        name: "bcc",
        summary: "stacks of bcc and libbpf-tools (memleak): “… allocations from stack”",
        openings: [.anywhere(" allocations from stack")],
        isCertain: true)
}
