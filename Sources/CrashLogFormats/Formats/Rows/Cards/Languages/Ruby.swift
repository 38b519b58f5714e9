internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The part of Ruby's crash report that shows the interpreter's own stack:
    ///
    ///     -- C level backtrace information -------------------------------------------
    ///     /usr/lib/libruby.so.3.1(rb_vm_bugreport) vm_dump.c:1045
    ///     /usr/lib/libruby.so.3.1(rb_bug_for_fatal_signal+0xf4) [0x7f8889d6639d] error.c:820
    ///
    /// `rb_print_backtrace` (`vm_dump.c`) captures it with `backtrace(3)`; since 2.6 an inlined call is a row without
    /// an address (`print_line0`, `addr2line.c`). Without a name the bracket has the address minus the load address of
    /// the file, `libc.so.6(0x2724a) [0x7f0fca76524a]`, or, if Ruby does not know that, the address again (measured
    /// with 3.1).
    static let ruby = StackCard(
        name: "ruby",
        summary: "the C level backtrace of Ruby’s crash reports: “-- C level backtrace information”",
        openings: [.start("-- C level backtrace information ---"), .start("-- Machine register context ---")],
        isCertain: true,
        maxUnrecognizedLines: 16,
        readRow: { line in
            guard let open = line.firstRange(of: "(0x"), open.lowerBound > 0 else { return nil }
            var rest = line.from(open.lowerBound + 1)
            guard let offset = rest.readAddress(), rest.consume(") ["), let address = rest.readAddress(), rest.consume("]"),
                let path = StackRow(line.upTo(open.lowerBound), isLenient: true)
            else { return nil }
            let bracket = line.from(open.upperBound).firstIndex(of: UInt8(ascii: "[")).map { open.upperBound + $0 + 1 } ?? line.count
            var row = StackRow(
                number: nil, in: path.start..<line.count - rest.count, address: address, addressRange: bracket..<line.count - rest.count - 1
            )
            row.addressBracket = UInt8(ascii: "[")
            row.nameBracket = UInt8(ascii: "(")
            row.module = path.start..<open.lowerBound
            if offset < address { row.moduleOffset = offset }
            return row
        })
}
