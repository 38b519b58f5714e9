internal import BinaryPrimitives
package import CrashLogModel

/// The stacks of all threads of a Java machine, Java's and native frames mixed:
/// `jhsdb jstack --mixed`, before JDK 9 `jstack -m` (`sun.jvm.hotspot.tools.PStack`):
///
///     ----------------- 4970 -----------------
///     "main" #1 prio=5 tid=0x00007f1d2c0a53d0 nid=0x1368 runnable [0x0000000000000000]
///        java.lang.Thread.State: RUNNABLE
///        JavaThread state: _thread_blocked
///     0x00007f1d35063f16	__futex_abstimed_wait_common + 0xc6
///     0x00007f1d350665d8	moor + 0x1e8
///
/// The log lists no images: a function is found by its name in the files that are given.
package struct HotSpotMixedStacks: LineFormat {
    package static let name = "jvm-mixed-stacks"
    package static let summary = "stacks of a Java machine’s threads with native frames: jhsdb jstack --mixed, jstack -m"
    package static let triggers = ["----------------- "]

    private var threads: [ThreadTrace] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence { heading(line) == nil ? .none : .certain }

    private static let dashes = "-----------------"

    /// Of `----------------- 4970 -----------------` the thread: Linux' number of it.
    private static func heading(_ line: Span<UInt8>) -> Int? {
        var rest = line.trimmed()
        guard rest.take(dashes), rest.take(" "), let number = rest.takeDecimal(), rest.take(" "), rest.equals(dashes) else { return nil }
        return Int(exactly: number)
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let number = HotSpotMixedStacks.heading(line) {
            guard threads.count < Limits.standard.threads else { return .rejected }
            threads.append(ThreadTrace(index: number))
            return .more
        }
        guard let last = threads.indices.last else { return .rejected }
        if let row = HotSpotMixedRow(line, isInStack: !threads[last].frames.isEmpty) {
            threads[last].frames.add(frame(row, in: threads[last], at: place))
            return .more
        }
        let text = line.trimmed()
        if threads[last].frames.isEmpty, text.hasPrefix("\""), let close = text.firstRange(of: "\" ", from: 1) {
            threads[last].name = text.clamped(to: 1..<close.lowerBound).text
            return .more
        }
        // Its state, the locks that it owns.
        let isKnown = ["java.lang.Thread.State: ", "JavaThread state: ", "Locked ownable synchronizers:", "- "].contains {
            text.hasPrefix($0)
        }
        return isKnown ? .more : .unknown
    }

    /// The debugger prints the program counter as it unwinds it (`CFrame.pc`): the thread's own in
    /// the first row, return addresses below.
    private func frame(_ row: HotSpotMixedRow, in thread: ThreadTrace, at place: Range<Int>) -> Frame {
        let isFirst = thread.frames.allSatisfy(\.isInlined)
        var frame = Frame(
            index: thread.frames.nextIndex, kind: isFirst ? .programCounter : .returnAddress, address: row.isNative ? row.address : nil,
            place: place, printed: row.printed, isInlined: row.isInlined)
        if row.isNative, let name = row.printed?.name, let offset = row.printed?.offset, !row.isInlined {
            frame.imagePlace = .symbol(SymbolPlace(name: name, offset: offset))
        }
        return frame
    }

    package mutating func finish() -> [CrashReport] {
        let threads = threads.filter { !$0.frames.isEmpty }
        guard !threads.isEmpty else { return [] }
        var report = CrashReport(format: HotSpotMixedStacks.name)
        report.threads = threads
        return [report]
    }

    /// A place in the source follows the row, and a name replaces the question marks; inlined calls
    /// are rows above it, with its address.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: frame.place)
        guard let row = HotSpotMixedRow(text, isInStack: true), row.isNative else { return nil }
        let line = LogLine(around: frame.place, in: log)
        let start = frame.place.lowerBound + row.nameStart
        let head = log.clamped(to: line.range.lowerBound..<start).copied()
        var replacement: [UInt8] = []
        for function in answer.functions {
            if !replacement.isEmpty { replacement += line.ending + head }
            // The holder keeps the log's own words, by which it can be found again.
            if !function.isInlined, row.printed != nil {
                replacement += text.from(row.nameStart).trimmed().copied()
            } else {
                replacement += Array(PlainText.line(function.name).utf8)
                if !function.isInlined, let offset = function.offset, offset > 0 {
                    replacement += Array((" + 0x" + hexadecimal(offset, digits: 0)).utf8)
                }
            }
            if let location = function.location { replacement += Array((" at " + SourceLocationText.text(location)).utf8) }
            if function.isInlined { replacement += Array(" [inlined]".utf8) }
        }
        return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
    }
}
