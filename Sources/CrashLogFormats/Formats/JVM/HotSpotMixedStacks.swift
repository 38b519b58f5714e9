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

    /// Linux' thread number in `----------------- 4970 -----------------`.
    private static func heading(_ line: Span<UInt8>) -> Int? {
        var rest = line.trimmed()
        guard rest.consume(dashes), rest.consume(" "), let number = rest.readDecimal(), rest.consume(" "), rest.equals(dashes) else {
            return nil
        }
        return Int(exactly: number)
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let number = HotSpotMixedStacks.heading(line) {
            guard threads.count < Limits.standard.threads else { return .rejected }
            threads.append(ThreadTrace(index: number))
            return .more
        }
        guard let last = threads.indices.last else { return .rejected }
        if let row = HotSpotMixedRow(line, isInStack: !threads[last].frames.isEmpty) {
            threads[last].frames.add(frame(row, in: threads[last], at: range))
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
    private func frame(_ row: HotSpotMixedRow, in thread: ThreadTrace, at range: Range<Int>) -> Frame {
        let isFirst = thread.frames.allSatisfy(\.isInlined)
        var frame = Frame(
            index: thread.frames.nextIndex, kind: isFirst ? .programCounter : .returnAddress, address: row.isNative ? row.address : nil,
            range: range, printed: row.printed, isInlined: row.isInlined)
        if row.isNative, let name = row.printed?.name, let offset = row.printed?.offset, !row.isInlined {
            frame.imageLocation = .symbol(SymbolLocation(name: name, offset: offset))
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

    /// The source location follows the row, and a name replaces the question marks; inlined calls
    /// are rows above it, with its address.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: frame.range)
        guard let row = HotSpotMixedRow(text, isInStack: true), row.isNative else { return nil }
        let line = LogLine(around: frame.range, in: log)
        let start = frame.range.lowerBound + row.nameStart
        let head = log.clamped(to: line.range.lowerBound..<start).copied()
        var replacement: [UInt8] = []
        for function in result.functions {
            if !replacement.isEmpty { replacement += line.ending + head }
            // The containing function keeps the log's own text, so that the row is recognised
            // again.
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
        return TextEdit(range: start..<frame.range.upperBound, replacement: replacement)
    }
}

/// One row of a mixed stack, as `run` of `sun.jvm.hotspot.tools.PStack` (JDK's `jdk.hotspot.agent`)
/// prints it: the address, a tab, and what is there:
///
///     0x00007f1d35063f16	__futex_abstimed_wait_common + 0xc6          native code: the nearest symbol of an ELF file, as its table spells it
///     0x00007f1d35063f16	????????                                     native code without a symbol; a further tab comes before it
///     0x00007f1d1c4a83d0	* java.lang.Thread.sleep(long) bci:0 (Interpreted frame)
///                       	* Main.run() bci:4 line:12 (Compiled frame)  inlined into the row above: no address
///     0x00007f1d1c4a0671	<StubRoutines>
///     0x00007f1d1c4b1a35	java.lang.Object.wait(long) + 0x55 (Native method)
///
/// No file holds the code that the machine interprets, compiled or generated while it ran. This
/// package writes its result after a native row: ` at FILE:LINE`, and ` [inlined]`.
struct HotSpotMixedRow {
    var address: UInt64?
    var printed: PrintedSymbol?
    /// The row is of code that a file may hold.
    var isNative = false
    var isInlined = false
    /// After the address and the tabs.
    var nameStart: Int

    /// - Parameter isInStack: only then a row may lack the address.
    init?(_ row: Span<UInt8>, isInStack: Bool) {
        var rest = row
        if let value = rest.readAddress() {
            address = value
            // A tab; a copy may have blanks.
            guard rest.count > 0, isBlank(rest[0]) else { return nil }
        } else {
            rest.skipBlanks()
            guard isInStack, rest.count < row.count, rest.hasPrefix("* ") else { return nil }
        }
        rest.skipBlanks()
        nameStart = row.count - rest.count
        var text = rest.trimmed()
        guard text.count > 0 else { return nil }
        if text.consume("* ") || text.hasPrefix("<") || text.hasSuffix(" (Native method)") {
            printed = PrintedSymbol(name: HotSpotMixedRow.javaName(text))
            return
        }
        isNative = true
        guard !text.equals("????????") else { return }
        printed = HotSpotMixedRow.symbol(&text)
        isInlined = text.equals(" [inlined]")
    }

    /// `java.lang.Thread.sleep(long) bci:0 (Interpreted frame)`,
    /// `java.lang.Object.wait(long) + 0x55 (Native method)`
    private static func javaName(_ text: Span<UInt8>) -> String {
        let end = [" bci:", " + 0x", " (Native method)"].compactMap { text.firstRange(of: $0)?.lowerBound }.min() ?? text.count
        return text.upTo(end).text
    }

    /// `moor + 0x1e8`; the offset is left out where it is zero. What follows it stays in `text`.
    private static func symbol(_ text: inout Span<UInt8>) -> PrintedSymbol {
        var name = text
        text = text.from(text.count)
        if name.hasSuffix(" [inlined]") {
            text = name.from(name.count - " [inlined]".utf8.count)
            name = name.upTo(name.count - " [inlined]".utf8.count)
        }
        var symbol = PrintedSymbol(location: AddressToLineText.readLocation(atEndOf: &name))
        symbol.offset = name.readHexadecimal(atEndBehind: " + 0x") ?? 0
        symbol.name = name.trimmed().text
        return symbol
    }
}
