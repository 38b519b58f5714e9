internal import BinaryPrimitives
package import CrashLogModel

/// The text of spindump, and of the reports that the system makes with it: hangs, shutdown stalls,
/// and the watchdogs' `cpu usage`, `wakeups` and `disk writes`, which sum up microstackshots
/// (`Powerstats for:`).
///
///     Date/Time:        2022-10-29 16:19:34.990 -0700
///     Event:            shutdown stall
///     Steps:            101 (10ms sampling interval)
///     Heaviest stack for the target process:
///       18  ??? (apfs_defragd + 18536) [0x104f30868]
///     Process:          assistantd [517]
///       Thread 0xeac    DispatchQueue "com.apple.main-thread"(1)    101 samples (1-101)    priority 31 (base 31)
///       101  start + 2432 (dyld + 25360) [0x7ff806675310]
///       Binary Images:
///            0x10bd00000 -        0x10c393fff  assistantd (3201.19.2)  <072957A7-0B68-3113-BA22-38410EBBDB49>  /System/…/assistantd
///       *0xffffff80002dc000 - 0xffffff8000cdbfff  kernel (8792.41.9)  <BF7C9676-EF23-3E8D-A2E2-25DAC63091B6>  /System/Library/Kernels/kernel
///
/// One report for each process. The grammar is that of report versions 18 to 72 (OS X 10.9 to macOS
/// 26), of which spindump(8) explains the columns. What follows the processes (extensions, frame
/// rates, the binary form in base 64) holds no rows and is left as it is.
package struct AppleSpindump: LineFormat {
    package static let name = "apple-spindump"
    package static let summary = "spindump’s text: hangs, stalls, and the watchdogs’ reports about CPU, wakeups and disk writes"
    package static let triggers = ["Powerstats for:", "Heaviest stack for the ", " samples (", ") [0x"]

    private enum Section {
        case header
        /// `Heaviest stack for the target process:`
        case heaviest
        /// `Key: value` lines of a process, and the trees below them.
        case process
        case images
        /// After a process's images.
        case between
    }

    private var section = Section.header
    private var header = AppleCrashHeader()
    /// The process that the header describes, if it describes one.
    private var target = AppleSpindumpProcess()
    private var cause: CrashCause?
    private var processes: [AppleSpindumpProcess] = []
    /// Names of functions and images come again and again: each is kept once.
    private var names: Set<String> = []
    /// Offset at which the report began. After `partLength` bytes it ends before the next process,
    /// so that memory is bounded: the rest is recognised by its processes alone, without the
    /// header's date and event.
    private var start: Int?
    var partLength = 32 << 20

    package init() {}

    /// A report whose header another format has begun to read, which looks like that of a crash.
    init(header: AppleCrashHeader) {
        self.header = header
        var report = CrashReport(format: AppleSpindump.name)
        header.apply(to: &report)
        target.description = report.process
        // `Process:` with the number of samples below it is a section of the middle of a report.
        if header.hasProcessLine {
            processes = [target]
            target = AppleSpindumpProcess()
            section = .process
        }
    }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.hasPrefix("Powerstats for:") || text.hasPrefix("Heaviest stack for the ") { return .certain }
        return isThread(line) || isRow(line) ? .possible : .none
    }

    /// `8  ??? (libxpc.dylib + 132696) [0x19761f658]`: no other program prints a count, a name, an image with a decimal offset and an
    /// address.
    private static func isRow(_ line: Span<UInt8>) -> Bool {
        guard let row = AppleSpindumpRow(line), row.address != nil, row.imageName != nil, row.imageOffset != nil else { return false }
        return row.name == nil || row.offset != nil
    }

    /// Whether the line is a thread's heading: in the second part of a long report it is the first
    /// line that shows the kind of the rows.
    private static func isThread(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return text.hasPrefix("Thread 0x") && text.contains(" samples (")
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        let start = start ?? range.lowerBound
        self.start = start
        if line.hasPrefix("Process:") || text.hasPrefix("Powerstats for:") {
            return processes.isEmpty || range.lowerBound - start < partLength ? readProcess(text) : .rejected
        }
        if text.hasPrefix("Heaviest stack for the "), section == .header {
            var list = AppleSpindumpProcess.Tree(ThreadTrace(index: 0, name: text.upTo(text.count - (text.hasSuffix(":") ? 1 : 0)).text))
            list.isList = true
            target.heaviest = list
            section = .heaviest
            return .more
        }
        if section == .header, processes.isEmpty, AppleSpindump.isThread(line) || AppleSpindump.isRow(line) {
            processes = [AppleSpindumpProcess()]
            section = .process
        }
        switch section {
        case .header: return readHeader(text)
        case .heaviest:
            if text.count == 0 { return .more }
            if readRow(line, at: range) { return .more }
            // Between the list and the first process.
            return text.hasPrefix("-") || text.firstIndex(of: UInt8(ascii: ":")) != nil ? .more : .rejected
        case .process: return readTree(line, text, at: range)
        case .images:
            if text.count == 0 {
                section = .between
                return .more
            }
            return processes.isEmpty || !processes[processes.count - 1].readImage(text) ? .rejected : .more
        case .between: return text.count == 0 ? .more : .rejected
        }
    }

    // MARK: The header

    private mutating func readHeader(_ text: Span<UInt8>) -> LineVerdict {
        // Lines of dashes frame a remark: `Timeline format: stacks are sorted chronologically`,
        // `Use -i and -heavy to re-report with count sorting`.
        if text.count == 0 || text.hasPrefix("-----") || text.hasPrefix("Use ") { return .more }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon <= 64 else { return .rejected }
        let value = text.from(colon + 1).trimmed()
        switch text.upTo(colon).text {
        case "Event":
            var event = CrashCause(kind: .other)
            event.type = value.text
            cause = event
        case "CPU", "Wakeups", "Writes", "Duration":
            // The first of them gives the limit and how it was exceeded.
            if cause?.message == nil { cause?.message = value.text }
        default:
            if !header.read(text, isInformation: false) { return colon > 0 ? .more : .rejected }
            _ = target.readKey(text)
        }
        return .more
    }

    private mutating func readProcess(_ text: Span<UInt8>) -> LineVerdict {
        guard processes.count < Limits.standard.threads else { return .rejected }
        var process = AppleSpindumpProcess()
        _ = process.readKey(text)
        processes.append(process)
        section = .process
        return .more
    }

    // MARK: Trees

    private mutating func readTree(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard !processes.isEmpty else { return .rejected }
        let last = processes.count - 1
        // `<process frontmost, thread QoS user interactive, IO tier 0>` is below a thread's
        // heading.
        if text.count == 0 || text.hasPrefix("<") { return .more }
        if readRow(line, at: range) { return .more }
        if text.hasPrefix("Thread 0x") {
            guard processes[last].trees.count < Limits.standard.threads else { return .rejected }
            processes[last].trees.append(AppleSpindumpProcess.Tree(AppleSpindump.thread(text)))
            return .more
        }
        if text.equals("Binary Images:") {
            section = .images
            return .more
        }
        // Keys come before the first thread; what is indented may be of a newer system.
        if processes[last].trees.isEmpty, processes[last].readKey(text) { return .more }
        return line.at(0).map(isBlank) ?? false ? .more : .rejected
    }

    /// `Thread 0xeac DispatchQueue "com.apple.main-thread"(1) Thread name "x" 101 samples (1-101)
    /// priority 31 (base 31)`: named by its own name, else by its queue's.
    private static func thread(_ text: Span<UInt8>) -> ThreadTrace {
        var rest = text.from("Thread ".utf8.count)
        let number = rest.readAddress().flatMap { Int(exactly: $0) }
        var thread = ThreadTrace(index: number ?? 0)
        thread.name = rest.text(between: "Thread name \"", and: "\"") ?? rest.text(between: "DispatchQueue \"", and: "\"")
        return thread
    }

    private mutating func readRow(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard let row = AppleSpindumpRow(line) else { return false }
        if section == .heaviest {
            guard var list = target.heaviest else { return false }
            target.heaviest = nil
            append(row, to: &list, at: range)
            target.heaviest = list
            return true
        }
        guard var process = processes.popLast() else { return false }
        // Microstackshots belong to no thread.
        if process.trees.isEmpty {
            var tree = AppleSpindumpProcess.Tree(ThreadTrace(index: 0))
            tree.isAlone = process.description.name == nil
            process.trees.append(tree)
        }
        append(row, to: &process.trees[process.trees.count - 1], at: range)
        processes.append(process)
        return true
    }

    private mutating func append(_ row: AppleSpindumpRow, to tree: inout AppleSpindumpProcess.Tree, at range: Range<Int>) {
        guard tree.trace.frames.count < Limits.standard.framesPerThread else { return }
        let above = tree.trace.frames.last?.depth
        if tree.trace.frames.isEmpty { tree.firstColumn = row.column }
        if !row.isInlined { tree.rows += 1 }
        var frame = Frame(
            index: max(0, tree.rows - 1), kind: .programCounter, address: row.address.map { RuntimeAddress($0) }, range: range)
        if row.isInlined {
            // An inlined call that cairn has written is in the column of its containing function,
            // and does not add a level.
            frame.depth = above ?? 0
        } else if tree.isList {
            frame.depth = above.map { $0 + 1 } ?? 0
        } else {
            frame.depth = AppleCallTree.depth(column: row.column, firstColumn: tree.firstColumn, after: tree.trace.frames)
        }
        frame.samples = row.samples
        if row.isTruncated { frame.kind = .truncated }
        frame.imageName = row.imageName.map { shared($0) } ?? (row.address == nil ? nil : "???")
        frame.imageOffset = row.imageOffset.map { ImageOffset($0) }
        frame.printed = row.printed
        if let name = frame.printed?.name { frame.printed?.name = shared(name) }
        frame.isInlined = row.isInlined
        if row.isKernel { tree.kernelRows.insert(tree.trace.frames.count) }
        tree.trace.frames.append(frame)
    }

    private mutating func shared(_ name: String) -> String { names.insert(name).memberAfterInsert }

    // MARK: The reports

    package mutating func finish() -> [CrashReport] {
        names = []
        // The header's heaviest stack is of the process that it names, whose images are listed
        // further below.
        let isTarget = { [target] (process: AppleSpindumpProcess) in
            process.description.pid != nil && process.description.pid == target.description.pid
        }
        let hasTarget = target.description.name != nil || target.heaviest != nil
        if target.heaviest != nil {
            if let index = processes.firstIndex(where: isTarget) ?? (processes.isEmpty ? nil : 0) {
                processes[index].heaviest = target.heaviest
            } else {
                processes = [target]
            }
        }
        var reports: [CrashReport] = []
        for var process in processes where process.hasFrames {
            // The cause belongs to the process that the header names; without such a name, to the
            // system.
            let isOwn = !hasTarget || process.heaviest != nil || isTarget(process)
            reports.append(process.report(header: header, cause: isOwn ? cause : nil))
        }
        return reports
    }

    /// A row becomes what spindump writes where it finds a dSYM:
    /// `main + 20 (main.m:12,5 in App + 1234) [0x…]`; the count, the address and what follows it
    /// stay. Inlined calls, which spindump does not show, follow as rows in the same column, with
    /// `[inlined]` after the name. They are outermost first, as all of the tree is.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleSpindumpRow(log.clamped(to: frame.range)) else { return nil }
        let rows = RowResult(
            range: row.nameStart..<row.resultEnd, functions: result.functions.reversed().map { resultText($0, row, result) })
        return .rows(rows, in: frame.range, of: log)
    }

    /// `main + 20 (main.m:12,5 in App + 1234)`; a column that is not known is left out.
    private static func resultText(_ function: FrameResult.Function, _ row: AppleSpindumpRow, _ result: FrameResult) -> String {
        var text = RowResult.name(function)
        if let offset = function.offset { text += " + \(offset)" }
        text += " ("
        if let location = function.location {
            text += PlainText.line(Path.foreignName(of: location.file))
            if location.line > 0 { text += ":\(location.line)" + (location.column > 0 ? ",\(location.column)" : "") }
            text += " in "
        }
        text += PlainText.line(row.imageName ?? result.imageName)
        if let offset = row.imageOffset { text += " + \(offset)" }
        return text + ")"
    }
}
