internal import BinaryPrimitives
package import CrashLogModel

/// Android's dump of all threads of a process that did not respond (`/data/anr/traces.txt`,
/// `ApplicationExitInfo.getTraceInputStream`): Java's and native frames mixed, native ones
/// innermost:
///
///     ----- pid 28941 at 2023-04-04 22:06:31.064728684+0200 -----
///     Cmd line: io.sentry.samples.android
///     Build fingerprint: 'google/sdk_gphone64_arm64/emu64a:13/TE1A.220922.012/9302419:userdebug/dev-keys'
///     ABI: 'arm64'
///     DALVIK THREADS (26):
///     "Signal Catcher" daemon prio=10 tid=6 Runnable
///       | sysTid=28955 nice=-20 cgrp=top-app sched=0/0 handle=0x7b20329cb0
///       native: #00 pc 000000000053a6e0  /apex/com.android.art/lib64/libart.so (art::DumpNativeStack(…)+128) (BuildId: e24a…)
///       at java.lang.Thread.run(Thread.java:1012)
///     ----- end 28941 -----
///
/// Written by ART (`Thread::DumpStack`, `DumpNativeStack`); without Java by debuggerd
/// (`dump_backtrace_to_file`), whose rows have no `native:`. Kernel stacks (`kernel: …`) are left
/// alone: the log names no image for them.
package struct AndroidANR: LineFormat {
    package static let name = "android-anr"
    package static let summary = "Android’s ANR traces: all threads of a process, Java’s and native frames"
    package static let triggers = ["----- pid "]

    private var hasBegun = false
    private var head = AndroidHead()
    private var stacks = AndroidStacks()

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        return text.hasPrefix("----- pid ") && text.hasSuffix(" -----") ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if AndroidANR.begins(text) == .certain { return readHeading(text) }
        if text.hasPrefix("----- end ") { return hasBegun ? .done : .rejected }
        hasBegun = true
        if text.at(0) == UInt8(ascii: "\""), let thread = AndroidANR.thread(text) {
            stacks.openThread(index: thread.index, name: thread.name, crashed: false)
            return .more
        }
        if let row = AndroidRow(text) { return stacks.add(row, at: range) ? .more : .rejected }
        guard stacks.hasThread else { return head.read(text) ? .more : .unknown }
        if let row = AndroidJavaRow(text) { return stacks.add(row, at: range) ? .more : .rejected }
        if let source = AndroidSourceLine(text), stacks.add(source, at: range) { return .more }
        return text.hasPrefix("| ") || text.hasPrefix("- ") || text.hasPrefix("(no managed stack frames)") || text.hasPrefix("kernel: ")
            ? .more : .unknown
    }

    /// `----- pid 28941 at 2023-04-04 22:06:31.064728684+0200 -----`
    private mutating func readHeading(_ text: Span<UInt8>) -> LineVerdict {
        guard !hasBegun else { return .rejected }
        hasBegun = true
        var rest = text.clamped(to: "----- pid ".utf8.count..<text.count - " -----".utf8.count)
        head.process.pid = rest.readDecimal().flatMap { Int(exactly: $0) }
        if rest.consume(" at ") { head.timestamp = Timestamp(rest.text) }
        return .more
    }

    /// `"main" prio=5 tid=1 Sleeping`, `"binder:28941_3" prio=5 (not attached)`,
    /// `"samples.android" sysTid=9955`
    static func thread(_ text: Span<UInt8>) -> (index: Int, name: String)? {
        guard let close = text.lastIndex(of: UInt8(ascii: "\"")), close > 0 else { return nil }
        let rest = text.from(close + 1)
        guard rest.contains(" prio=") || rest.hasPrefix(" sysTid=") else { return nil }
        let number = rest.from((rest.firstRange(of: "tid=") ?? rest.firstRange(of: "sysTid="))?.upperBound ?? rest.count).leadingDecimal
        return (number.flatMap { Int(exactly: $0) } ?? 0, text.clamped(to: 1..<close).text)
    }

    package mutating func finish() -> [CrashReport] {
        guard !stacks.isEmpty else { return [] }
        return [AndroidReport.make(AndroidANR.name, head: head, stacks: stacks, identities: [])]
    }

    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        AndroidEdits.edits(of: report, results: results, in: log)
    }
}
