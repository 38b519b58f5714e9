internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The reports of GWP-ASan, the sampling guard of production allocators
    /// (`gwp_asan/optional/segv_handler_posix.cpp`):
    ///
    ///     *** GWP-ASan detected a memory error ***
    ///     Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:
    ///       #10 ./a.out(main+0x9f) [0x55585c0af7cf]
    ///
    ///     0x7feccab26000 was deallocated by thread 31027 here:
    ///       #7 ./a.out(main+0x83) [0x55585c0af7b3]
    ///     *** End GWP-ASan report ***
    ///
    /// The addresses of `backtrace(3)` are printed unchanged: all are return addresses, the first in GWP-ASan itself.
    /// (The frame that faulted is one of them, but no row marks it. Android has GWP-ASan's findings in tombstones.)
    static let gwpASan = StackCard(
        name: "sanitizer-gwp-asan",
        summary: "GWP-ASan’s reports: errors that production allocators catch by sampling",
        openings: [.start("*** GWP-ASan detected a memory error ***")],
        isCertain: true,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("*** GWP-ASan detected a memory error ***") { return .cause(CrashCause(kind: .runtimeError)) }
            if text.hasPrefix("*** End GWP-ASan report ***") { return .last }
            // The documentation has `...`.
            if text.count == 0 || text.equals("...") || text.hasPrefix("<unknown (") { return .skipped }
            return text.hasSuffix(" here:") ? GWPASan.heading(text) : nil
        },
        // A row that the documentation's script has symbolicated: `#10 /tmp/buggy_code.cpp:8`.
        readRow: { line in StackRow(line, isLenient: true).flatMap { $0.style == .hash && $0.file != nil ? $0 : nil } },
        // GWP-ASan's own rows have no source files. The result comes after the unchanged row in the form of sanitizers:
        // ` in main /tmp/buggy_code.cpp:8:3`.
        writeResult: { row, result in
            guard var end = StackRow(row, isLenient: true)?.addressRange?.upperBound else { return nil }
            if row.at(end) == UInt8(ascii: "]") { end += 1 }
            return RowResult(range: end..<row.count, functions: result.functions.map { " in " + SanitizerEdits.functionText($0) })
        },
        finish: { report in report.changeStacks { InlinedRows.mark(&$0.frames) } })
}

private enum GWPASan {
    /// Reads a heading:
    /// `Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:`,
    /// `0x7feccab26000 was allocated by thread 31027 here:`.
    static func heading(_ text: Span<UInt8>) -> StackLine {
        if text.contains(" was allocated by ") || text.contains(" was deallocated by ") { return .stack(name: text.text) }
        let message = text.upTo(text.count - " here:".utf8.count)
        let cause = CrashCause(
            kind: .runtimeError, type: message.upTo(message.firstRange(of: " at 0x")?.lowerBound ?? message.count).text,
            message: message.text, address: message.address(after: " at ").map { RuntimeAddress($0) })
        var thread: Int?
        if let mark = message.lastRange(of: " by thread ") {
            thread = message.from(mark.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
        }
        return .several([.note(cause), .thread(number: thread, name: nil, isCrashed: true)])
    }
}
