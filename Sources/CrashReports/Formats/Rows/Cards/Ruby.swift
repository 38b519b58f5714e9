internal import BinaryPrimitives

extension StackCards {
    /// The part of Ruby's crash report that shows the interpreter's own stack:
    ///
    ///     -- C level backtrace information -------------------------------------------
    ///     /usr/lib/libruby.so.3.1(rb_vm_bugreport) vm_dump.c:1045
    ///     /usr/lib/libruby.so.3.1(rb_bug_for_fatal_signal+0xf4) [0x7f8889d6639d] error.c:820
    ///
    /// `rb_print_backtrace` (`vm_dump.c`) takes it with `backtrace(3)`; since 2.6 a call that was inlined is a row without an address (`addr2line.c`).
    static let ruby = StackCard(
        name: "ruby",
        summary: "the C level backtrace of Ruby’s crash reports: “-- C level backtrace information”",
        openings: [.start("-- C level backtrace information ---"), .start("-- Machine register context ---")],
        isCertain: true,
        patience: 16)
}
