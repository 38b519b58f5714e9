internal import BinaryPrimitives
package import CrashLogModel

/// The report of `leaks` (report versions 2 to 4), and the stacks of malloc_history: where the
/// memory was allocated that nothing points to any more.
///
///     Process:         App [14968]
///     Analysis Tool:   /usr/bin/leaks
///
///     leaks Report Version: 4.0, multi-line stacks
///     Process 14968: 2 leaks for 64 total leaked bytes.
///
///     STACK OF 1 INSTANCE OF 'ROOT LEAK: <malloc in push>':
///     1   leak_demo                             0x1024e4804 push + 28  leak_demo.c:28
///     0   libsystem_malloc.dylib                0x1024e4518 malloc + 184
///     ====
///         1 (32 bytes) ROOT LEAK: <malloc in push 0x74ff02c040> [32]
///
///     Binary Images:
///
/// leaks(1) and malloc_history(1) describe them. A report without stacks (`MallocStackLogging` was
/// not set) is recognised and has none.
package struct AppleLeaks: LineFormat {
    package static let name = "apple-leaks"
    package static let summary = "The stacks of leaks and malloc_history: where memory was allocated"
    package static let triggers = ["leaks Report Version:", "STACK OF ", "Call stack: [thread 0x", ": thread_"]

    private enum Section {
        case header
        case stack
        case body
        case images
    }

    private var section = Section.header
    private var header = AppleCrashHeader()
    private var isLeaks = false
    /// `2 leaks for 64 total leaked bytes.`
    private var sum: String?
    private var stacks: [ThreadTrace] = []
    /// Number of frames in the stacks that are on one line.
    private var frameCount = 0
    /// The memory block of the next one-line stack: `Leak: 0x1118c0e60  size=32`.
    private var block: String?
    private var images = AppleImageList()

    package init() {}

    /// A report whose header another format has begun to read, which looks like that of a crash.
    init(header: AppleCrashHeader) { self.header = header }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if line.hasPrefix("leaks Report Version:") || isHeading(line) { return .certain }
        guard AppleLeaksList.start(of: line) != nil else { return .none }
        return AppleLeaksList(line).map { $0.elements.count > 1 } == true ? .possible : .none
    }

    /// `STACK OF 3 INSTANCES OF 'ROOT LEAK: malloc<176>':`
    private static func isHeading(_ line: Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("STACK OF "), rest.readDecimal() != nil else { return false }
        return rest.hasPrefix(" INSTANCE OF ") || rest.hasPrefix(" INSTANCES OF ")
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if AppleLeaks.isHeading(line) {
            guard stacks.count < Limits.standard.threads else { return .rejected }
            stacks.append(ThreadTrace(index: stacks.count, name: text.upTo(text.count - (text.hasSuffix(":") ? 1 : 0)).text))
            section = .stack
            return .more
        }
        if text.equals("Binary Images:"), section != .images {
            section = .images
            return .more
        }
        switch section {
        case .header:
            if readTotal(text) || readList(line, at: range) { return .more }
            if text.count == 0 || text.equals("----") { return .more }
            if line.hasPrefix("Leak: ") { return readBody(line, text) }
            return header.read(text, isInformation: false) || text.contains(":  ") ? .more : .rejected
        case .stack:
            if let row = AppleLeaksRow(line) {
                if let last = stacks.indices.last { stacks[last].frames.add(row.frame(at: range)) }
                return .more
            }
            section = .body
            return readBody(line, text)
        case .body: return readList(line, at: range) ? .more : readBody(line, text)
        case .images:
            return images.readLastSection(text)
        }
    }

    /// `leaks Report Version: 4.0`, `Process 14968: 2 leaks for 64 total leaked bytes.`
    private mutating func readTotal(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("leaks Report Version:") {
            isLeaks = true
            return true
        }
        guard text.hasPrefix("Process "), let colon = text.firstRange(of: ": ") else { return false }
        if text.contains(" total leaked bytes") { sum = text.from(colon.upperBound).text }
        return true
    }

    /// The blocks, what points to them and what they hold: all indented, but for the first line of
    /// each block of older versions.
    private mutating func readBody(_ line: Span<UInt8>, _ text: Span<UInt8>) -> LineVerdict {
        if line.hasPrefix("Leak: ") {
            section = .body
            block = text.upTo(text.firstRange(of: "  zone:")?.lowerBound ?? text.count).text
            return .more
        }
        // `56 leaks excluded (not printed)` is not indented either.
        return text.count == 0 || text.equals("====") || text.contains(" leaks excluded") || line.at(0).map(isBlank) == true
            || readTotal(text) ? .more : .rejected
    }

    private mutating func readList(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        // Each line may be a whole stack.
        guard stacks.count < Limits.standard.threads, frameCount < Limits.standard.framesPerReport, let list = AppleLeaksList(line) else {
            return false
        }
        frameCount += list.elements.count
        // malloc_history gives the block on the same line.
        var name = block
        if name == nil, let colon = line.firstRange(of: ": thread_") { name = line.upTo(colon.lowerBound).trimmed().text }
        stacks.append(ThreadTrace(index: stacks.count, name: name, frames: list.frames(at: range)))
        block = nil
        section = .body
        return true
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        guard isLeaks || stacks.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: AppleLeaks.name)
        header.apply(to: &report)
        if let sum {
            report.cause = CrashCause(kind: .other, type: "leaks", message: sum)
        }
        for var stack in stacks where !stack.frames.isEmpty {
            // Frames are innermost first in a report. A list of one line came so already.
            if let first = stack.frames.first, let last = stack.frames.last, first.range.lowerBound < last.range.lowerBound {
                stack.frames.reverse()
            }
            // All frames are return addresses: the stack is walked by code that malloc calls, so even the innermost frame is where a call
            // returns to.
            report.additionalBacktraces.append(stack)
        }
        if report.additionalBacktraces.isEmpty { report.notes.append("The report has no stacks: MallocStackLogging was not set.") }
        images.assign(to: &report, isExpected: !report.additionalBacktraces.isEmpty)
        return [report]
    }

    /// A row becomes what `leaks` writes where it finds a dSYM: `push + 28 leak_demo.c:28` after
    /// the address. Outermost frames come first in its stacks, so inlined calls follow as rows
    /// below the one that holds them. In a stack of one line an address is followed by image, name
    /// and line, as report version 3 has them: `| 0x106eba614 (App) main AppDelegate.swift:12 |`.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = ResultFilter(report)
        var edits: [TextEdit] = []
        // In the order of their positions, which is the reverse of the stacks'.
        for (frame, result) in results.sorted(by: { $0.frame.range.lowerBound < $1.frame.range.lowerBound })
        where filter.isImprovement(result, for: frame) {
            if let edit = edit(ofRow: frame, with: result, in: log) ?? edit(ofElement: frame, with: result, in: log) { edits.add(edit) }
        }
        return edits
    }

    private static func edit(ofRow frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleLeaksRow(log.clamped(to: frame.range)) else { return nil }
        let functions = result.functions.reversed().map { " " + symbolText($0, hasOffset: true) }
        // Blanks at the row's end stay behind the last.
        let rowRange = frame.range.lowerBound..<frame.range.lowerBound + row.end
        return .rows(RowResult(range: row.row.addressEnd..<row.end, functions: functions), in: rowRange, of: log)
    }

    private static func edit(ofElement frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let address = log.clamped(to: frame.range).leadingAddress else { return nil }
        let head = "0x" + hexadecimal(address, digits: 0) + " (" + PlainText.line(frame.imageName ?? result.imageName) + ") "
        let elements = result.functions.reversed().map { head + withoutBlanksBeforeBars(symbolText($0, hasOffset: false)) }
        return TextEdit(range: frame.range, replacement: Array(elements.joined(separator: " | ").utf8))
    }

    /// `closure #2 in ContentView.body.getter + 161 ContentView.swift:34`; in a list one blank
    /// before the file and no offset.
    private static func symbolText(_ function: FrameResult.Function, hasOffset: Bool) -> String {
        var text = RowResult.name(function)
        if hasOffset, let offset = function.offset { text += " + \(offset)" }
        guard let location = function.location else { return text }
        return text + (hasOffset ? "  " : " ") + PlainText.line(Path.foreignName(of: location.file)) + ":\(location.line)"
    }

    /// A blank before a bar would end the element.
    private static func withoutBlanksBeforeBars(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "|")) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "|"), bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// One frame of a stack as `leaks` prints it on a line of its own, outermost first:
///
///     32  dyld                                  0x1109ff51e start + 462
///     30  dev.mobile.MemoryLeakingApp           0x10d3b1b6e 0x10d3af000 + 11118
///     3   dev.mobile.DevToolTester              0x103ddfce1 closure #2 in ContentView.body.getter + 161  ContentView.swift:34
///
/// The columns are those of a crash report; file and line follow after two blanks.
struct AppleLeaksRow {
    var row: AppleRow
    /// Function and location after the address.
    var printed: PrintedSymbol?
    var imageOffset: UInt64?
    var isInlined = false
    /// Offset after the last byte that is not a blank.
    var end: Int

    init?(_ line: Span<UInt8>) {
        guard isDigit(line.at(0) ?? 0), let row = AppleRow(line) else { return nil }
        self.row = row
        end = line.count
        while end > row.addressEnd, let byte = line.at(end - 1), isBlank(byte) { end -= 1 }
        var text = line.clamped(to: row.addressEnd..<end).trimmed()
        var location: SourceLocation?
        if let blanks = text.lastRange(of: "  "), let found = SourceLocationText.readLine(text.from(blanks.upperBound)) {
            location = found
            text = text.upTo(blanks.lowerBound).trimmed()
        }
        isInlined = text.consumeSuffix(" [inlined]")
        text = text.trimmed()
        let symbol = SymbolText(text, imageName: row.imageName, address: row.address)
        printed = symbol.printed
        imageOffset = symbol.imageOffset
        if let location {
            printed = printed ?? PrintedSymbol()
            printed?.location = location
        }
    }

    func frame(at range: Range<Int>) -> Frame {
        var frame = row.frame(at: range)
        frame.printed = printed
        frame.imageOffset = imageOffset.map { ImageOffset($0) }
        frame.isInlined = isInlined
        return frame
    }
}

/// A stack on one line, outermost first, as older `leaks` and malloc_history print it:
///
///     Call stack: [thread 0x7fff70126be0]: | 0x100001e84 | NSApplicationMain | main DumpRenderTree.mm:835 | malloc
///     ALLOC 0x3c2010-0x3c201f [size=16]: thread_a000d1ac |start | 0x106eba614 (App) main AppDelegate.swift:12 | malloc
///
/// Before version 3, entries with a name have no address: there is nothing to look up, and the name
/// stays.
struct AppleLeaksList {
    struct Element {
        /// In bytes from the line's start, without blanks around it.
        var range: Range<Int>
        var address: UInt64?
        /// Just after the address.
        var addressEnd: Int
        var imageName: String?
        var printed: PrintedSymbol?
        var isInlined = false
    }

    /// Outermost first.
    var elements: [Element] = []

    init?(_ line: Span<UInt8>) {
        guard let start = AppleLeaksList.start(of: line) else { return nil }
        var position = start
        while position < line.count, elements.count < Limits.standard.framesPerThread {
            let end = line.firstRange(of: " |", from: position)?.lowerBound ?? line.count
            read(line, position..<end)
            position = end + 2
        }
        guard !elements.isEmpty else { return nil }
    }

    /// After the bar that follows the thread.
    static func start(of line: Span<UInt8>) -> Int? {
        let isLeaks = line.contains("Call stack: [thread 0x")
        guard isLeaks || line.contains(": thread_"), let bar = line.firstRange(of: " |") else { return nil }
        return bar.upperBound
    }

    private mutating func read(_ line: Span<UInt8>, _ range: Range<Int>) {
        var lower = range.lowerBound
        while let byte = line.at(lower), lower < range.upperBound, isBlank(byte) { lower += 1 }
        let text = line.clamped(to: lower..<max(lower, range.upperBound)).trimmed()
        guard text.count > 0 else { return }
        var rest = text
        var element = Element(range: lower..<lower + text.count, address: rest.readAddress(), addressEnd: 0)
        element.addressEnd = lower + text.count - rest.count
        // A name that begins like an address is not an address.
        guard element.address == nil || rest.count == 0 || isBlank(rest[0]) else { return }
        rest = rest.trimmed()
        if element.address != nil, rest.hasPrefix("("), let close = rest.firstRange(of: ") ")?.lowerBound ?? closing(rest) {
            element.imageName = rest.clamped(to: 1..<close).text
            rest = rest.from(close + 1).trimmed()
        }
        var symbol = PrintedSymbol()
        if let blank = rest.lastIndex(of: UInt8(ascii: " ")), let location = SourceLocationText.readLine(rest.from(blank + 1)) {
            symbol.location = location
            rest = rest.upTo(blank).trimmed()
        }
        element.isInlined = rest.consumeSuffix(" [inlined]")
        rest = rest.trimmed()
        if rest.count > 0, !rest.equals("???") { symbol.name = rest.text }
        if symbol != PrintedSymbol() { element.printed = symbol }
        elements.append(element)
    }

    private func closing(_ text: Span<UInt8>) -> Int? { text.hasSuffix(")") ? text.count - 1 : nil }

    /// The stack as frames, innermost first.
    func frames(at lineRange: Range<Int>) -> [Frame] {
        var frames: [Frame] = []
        for element in elements.reversed() {
            let range = lineRange.lowerBound + element.range.lowerBound..<lineRange.lowerBound + element.range.upperBound
            frames.append(
                Frame(
                    index: frames.nextIndex, address: element.address, range: range, imageName: element.imageName, printed: element.printed,
                    isInlined: element.isInlined))
        }
        return frames
    }
}
