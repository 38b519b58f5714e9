internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that `strace -k` prints:
    ///
    ///     exit_group(0)                           = ?
    ///      > /usr/lib/x86_64-linux-gnu/libc.so.6(_exit+0x29) [0xd4409]
    ///      > /opt/harbour(_start+0x21) [0x1091]
    ///
    /// The number in brackets is not an address in memory (`print_call_cb`, `src/unwind.c`: `true_offset`). Its meaning
    /// depends on the library that strace was built with, which the log does not name:
    ///
    /// - libunwind (Debian): a position in the file, and a return address
    ///   (`src/unwind-libunwind.c`; measured with 6.1: `main+0x9) [0x1169]` in a program linked at
    ///   0x401160).
    /// - libdw (Fedora): the address as linked, and moved back, except for the first row (`frame_callback`,
    ///   `src/unwind-libdw.c`: `if (!isactivation) pc--`).
    ///
    /// A function's name with the offset in it has the same meaning for both. Names of C++ are demangled and are not in
    /// the file, so that only the brackets locate their rows. One byte before a moved-back address is still inside the
    /// call. The first row is the instruction after the system call.
    static let strace = StackCard(
        name: "strace",
        summary: "system calls with their stacks (strace -k): rows “> /lib/x.so(name+0x29) […]”",
        openings: [],
        addresses: .asLinked,
        claimsLine: { $0.hasPrefix("> /") && $0.hasSuffix("]") && $0.contains(") [0x") },
        readRow: { line in
            guard var row = StackRow(line, isLenient: true), let name = row.symbol.name, row.symbol.offset != nil,
                RowLexer.isIdentifier(line.clamped(to: name))
            else { return nil }
            row.address = nil
            return row
        })
}
