internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that the watchdog and the crash handler of HAProxy print:
    ///
    ///     call trace(18):
    ///     |       0x5dc900 <fc ff ff e8 30 94 e5 ff]: moor+0x70/0x341 > main-0xb80
    ///     | 0x7f477dd0c3a0 <00 00 00 00 0f 1f 40 00]: libtide:+0x123a0
    ///
    /// `ha_dump_backtrace` (`src/debug.c`) prints the addresses of `backtrace(3)`, which are return addresses, and the
    /// bytes before them, which are the calls. `resolve_sym_name` (`src/tools.c`) looks up the unchanged address; an
    /// offset in a library counts from `dli_fbase`, its first byte. The last word, `main-0xb80`, is the distance from
    /// `main`.
    static let haproxy = StackCard(
        name: "haproxy",
        summary: "call traces of HAProxy: “call trace(18):”, rows “| 0x… <bytes]: name+0x70/0x341”",
        openings: [.start("call trace(")],
        isCertain: true,
        offsets: .imageStart,
        readRow: { line in
            guard let bar = line.firstRange(of: "| "), line.firstRange(of: "0x") != nil else { return nil }
            let end = line.firstRange(of: " > main")?.lowerBound ?? line.count
            return StackRow(line.upTo(end), from: bar.upperBound, isLenient: true)
        })
}
