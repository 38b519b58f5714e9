import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// A stack below the heading of a trace that did not come: all of its rows are one stack.
struct RowsBelowHeadingsTests {
    static let headings = [
        "Traceback (most recent call last):", "Fatal Python error: Segmentation fault", "panic: runtime error: index out of range",
        "Thread 0 Crashed:", "java.lang.IllegalStateException: moored", "thread 'main' panicked at a.rs:1:2:",
        "Process:         Moor [77]",
    ]

    /// glibc's rows (backtrace_symbols), whose addresses count up by one.
    private static let rows = (0..<8).map { "./harbour(moor\($0)+0x1e)[0x5622e9d06e\(40 + $0)]" }

    @Test(arguments: headings) func `no row is cut off`(heading: String) {
        for step in [1, 7, 4096] {
            var stream = LogStream()
            let bytes = Array(("it starts\n" + ([heading] + Self.rows).joined(separator: "\n") + "\nit goes on\n").utf8)
            var reports: [CrashReport] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                reports += stream.feed(bytes.span.clamped(to: start..<start + step)).flatMap(\.reports)
            }
            reports += stream.finish().flatMap(\.reports)
            let stacks = reports.flatMap(\.stacks).filter { !$0.frames.isEmpty }
            #expect(stacks.count == 1, "\(heading), \(step)")
            #expect(stacks.first?.frames.map(\.hex) == (0..<8).map { "0x5622e9d06e\(40 + $0)" }, "\(heading), \(step)")
        }
    }
}
