internal import BinaryPrimitives

/// What systemd-coredump says of a process that died: its message in the journal, and `coredumpctl info`, which puts the entry's other fields above it.
///
///            PID: 3252 (segv.sh)
///            UID: 1000 (unamu)
///         Signal: 11 (SEGV)
///      Timestamp: Sun 2020-12-06 22:29:21 JST (6min ago)
///     Executable: /usr/bin/bash
///        Storage: /var/lib/systemd/coredump/core.segv\x2esh.1000.35a2….lz4
///        Message: Process 3252 (segv.sh) of user 1000 dumped core.
///
///                 Stack trace of thread 3252:
///                 #0  0x00007fe849946d79 _int_malloc (libc.so.6)
///
/// The offset behind a module is the distance from its first mapped byte (`pc - start` in elf-util.c, `start` from `dwfl_module_info`: where the module's first segment lies), so that of a program
/// that is not position-independent, too.
///
/// People copy a part of a stack. Rows without a heading are read from two on.
public struct SystemdCoredump: LineFormat {
    public static let name = "systemd-coredump"
    public static let summary = "systemd-coredump: its message in the journal, coredumpctl info, and the journal’s JSON"
    public static let triggers = ["Stack trace of thread ", "dumped core", "      PID: ", " + 0x"]

    private var stacks = SystemdStacks()
    private var fields = SystemdFields()
    private var hasMessage = false

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        var text = line.trimmed()
        if SystemdStacks.isStack(text) || SystemdStacks.isMessage(text) { return .certain }
        if text.take("Message: ") || text.take("MESSAGE=") { return SystemdStacks.isMessage(text) ? .certain : .none }
        if line.hasPrefix("      "), SystemdFields.isFirst(text) { return .possible }
        return fragmentRow(text) == nil ? .none : .possible
    }

    /// A row that a stack without a heading may begin with. Without an offset it is also gdb's: `#1  0x0000000000401445 in main ()`.
    private static func fragmentRow(_ text: Span<UInt8>) -> SystemdRow? {
        guard text.at(0) == UInt8(ascii: "#"), let row = SystemdRow(text), row.offset != nil else { return nil }
        return row
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        var text = line.trimmed()
        if text.take("Message: ") || text.take("MESSAGE=") {
            // A second message is a second crash.
            guard !hasMessage, stacks.isEmpty else { return .rejected }
            hasMessage = true
            _ = stacks.take(text, at: place)
            return .more
        }
        if SystemdStacks.isMessage(text) || SystemdFields.isFirst(text), hasMessage || !stacks.isEmpty { return .rejected }
        if stacks.isFragment || stacks.threads.isEmpty, !hasMessage, let row = SystemdRow(line), row.offset != nil || stacks.isFragment {
            return stacks.takeFragment(row, at: place) ? .more : .rejected
        }
        if stacks.take(line, at: place) {
            hasMessage = hasMessage || SystemdStacks.isMessage(text)
            return .more
        }
        if fields.take(text) { return .more }
        // Above the message stand fields that tell nothing here; below it the trace is over.
        return stacks.isEmpty && text.contains(": ") ? .more : .rejected
    }

    public mutating func finish() -> [CrashReport] {
        guard !stacks.isEmpty else { return [] }
        // One row may be anything.
        if stacks.isFragment, stacks.threads.count == 1, stacks.threads[0].frames.count < 2 { return [] }
        var report = stacks.report()
        fields.apply(to: &report)
        return [report]
    }
}
