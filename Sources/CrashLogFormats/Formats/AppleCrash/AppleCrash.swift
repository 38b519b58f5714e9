internal import BinaryPrimitives
package import CrashLogModel

/// Apple's crash report as text, by CrashReporter and ReportCrash from Mac OS X 10.1 to today
/// (report versions 1–12 on the Mac, 101–105 and more on iOS), and by those who write the same:
/// PLCrashReporter, KSCrash, lldb, Xcode's organizer.
///
/// A header of `Key: value` lines, stacks under `Thread 0 Crashed:` or `Last Exception Backtrace:`,
/// registers, and `Binary Images:`, with which the trace ends. Sections may be missing, and their
/// order has changed over the years, so every line is judged by itself.
package struct AppleCrash: LineFormat {
    package static let name = "apple-crash"
    package static let summary = "Apple’s crash reports as text (.crash), every version; PLCrashReporter and KSCrash write it, too"
    package static let triggers = ["Thread ", "Last Exception Backtrace:"] + AppleCrashHeader.firstKeys

    private enum Section {
        case header
        /// `Application Specific Information:` and other free text.
        case information
        case stack
        case registers
        case images
        /// Text that means nothing here: instruction streams, memory regions.
        case other
    }

    private var section = Section.header
    private var report = CrashReport(format: name)
    private var header = AppleCrashHeader()
    private var stacks = AppleCrashStacks()
    private var registers = AppleRegisters()
    private var images = AppleImageList()
    /// A report of another kind that begins as a crash report does, once a line has shown it.
    private var successor: (any LineFormat)?
    /// Lines below the heading of the image list that could not be read.
    private var unreadImages = 0
    /// The reporter states that it found no stack.
    private var hasNoBacktrace = false
    /// The stacks of PowerPC code on an Intel Mac.
    private var translated = AppleTranslatedStacks()

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        // `Incident Identifier:`, `Process:`, `Command:`, `Host Name:`, `Date/Time:`,
        // `Hardware Model:`, `Exception Type:`, `Thread 0 Crashed:`, `Last Exception Backtrace:`
        switch line.at(0) {
        case UInt8(ascii: "I"), UInt8(ascii: "P"), UInt8(ascii: "C"), UInt8(ascii: "H"), UInt8(ascii: "D"), UInt8(ascii: "T"),
            UInt8(ascii: "L"), UInt8(ascii: "E"), UInt8(ascii: "O"):
            break
        default: return .none
        }
        if line.trimmed().equals("Last Exception Backtrace:") { return .certain }
        if let heading = AppleHeading(line) {
            return (heading.kind == .thread || heading.kind == .threadName) && !heading.isBare ? .possible : .none
        }
        return AppleCrashHeader.begins(line) ? .possible : .none
    }

    /// A row as ReportCrash pads it, with the tab before its address.
    package static func beginsCut(_ line: Span<UInt8>) -> Bool {
        guard let row = AppleRow(line), row.imageName != nil, let address = line.firstRange(of: "0x"), row.symbol.isComplete else {
            return false
        }
        var end = address.lowerBound
        while end > 0, line[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return line.at(end - 1) == UInt8(ascii: "\t")
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let verdict = successor?.consume(line, at: range) { return verdict }
        let text = line.trimmed()
        if section == .header, stacks.isEmpty, let kind = AppleReportKind(heading: text) {
            guard let format = kind.format(header) else { return .rejected }
            successor = format
            return successor?.consume(line, at: range) ?? .rejected
        }
        if text.count == 0 { return readBlankLine() }
        if stacks.isInList {
            stacks.readList(line, at: range)
            return .more
        }
        if header.isTranslated, section != .images, !images.isEmpty, translated.read(line, at: range) { return .more }
        if AppleCrash.isFence(text) {
            // The end of what was pasted; without a stack, its rest may be in another part.
            if stacks.hasFrames { return .rejected }
            section = .header
            return .unknown
        }
        if let heading = AppleHeading(line), !heading.isBare || header.isReport || stacks.hasFrames { return read(heading) }
        if section == .header, stacks.isEmpty, stacks.readRowWithoutHeading(line, at: range) {
            section = .stack
            return .more
        }
        if text.equals("Binary Images:") || text.equals("Binary Images Description:") {
            section = .images
            stacks.close()
            return .more
        }
        if text.equals("Backtrace not available") { hasNoBacktrace = true }
        switch section {
        case .images: return readImage(text)
        case .stack: if stacks.readFrame(line, at: range) { return .more }
        case .registers: if registers.read(text) { return .more }
        case .header, .information, .other: break
        }
        if AppleCrash.beginsAnother(text), !stacks.isEmpty { return .rejected }
        // After a stack, only keys that are known are a report's: `Current stack trace:` and its
        // like are not.
        if header.read(text, isInformation: section == .information || !stacks.isEmpty) {
            if section != .information || header.opensInformation { section = header.opensInformation ? .information : .header }
            return .more
        }
        return readUnknownLine(line, at: range)
    }

    /// Several stacks without heads in one text: a thread's number comes again, or threads follow
    /// the images.
    private func beginsAnother(_ heading: AppleHeading) -> Bool {
        guard stacks.hasFrames, !header.isTranslated else { return false }
        return section == .images || stacks.hasFrames(ofThread: heading.index)
    }

    /// Three backticks or tildes: Markdown's code, of which the report is.
    private static func isFence(_ text: Span<UInt8>) -> Bool { text.equals("```") || text.equals("~~~") }

    /// The first line of another report.
    private static func beginsAnother(_ text: Span<UInt8>) -> Bool {
        // 10.2 to 10.4 write one report below the other, with ten asterisks between.
        text.hasPrefix("Incident Identifier:") || text.hasPrefix("Exception Type:  ") || text.equals("**********")
            || text.hasPrefix("Process:  ") || text.hasPrefix("Command:  ")
            || text.hasPrefix("Host Name:  ")
    }

    private mutating func readBlankLine() -> LineVerdict {
        stacks.endRow()
        switch section {
        // The blank line after the images ends the report: what follows (memory regions, model,
        // displays) holds no address of code. Only Rosetta adds stacks.
        case .images:
            if images.isEmpty { return .more }
            guard header.isTranslated else { return .done }
            section = .other
            return .more
        case .registers, .stack:
            section = .other
            return .more
        case .header, .information, .other: return .more
        }
    }

    private mutating func readUnknownLine(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if section == .information {
            if !stacks.readQuotedStack(line, at: range) { header.addInformation(line) }
            return .more
        }
        if section == .header, header.readContinuation(line.trimmed()) { return .more }
        // A blank line inside a stack.
        if section == .other, stacks.isOpen || stacks.openNamedThread(above: line), stacks.readFrame(line, at: range) {
            section = .stack
            return .more
        }
        // Consoles export rows without addresses: those are read by another format, and the whole
        // stack is shown to it.
        if section == .stack, !stacks.hasFrames, RowNumber(line, from: 0)?.style == .bare { return .unknown }
        // Once it is sure that this is a report, any line may be in it: memory regions, a row that
        // a mailer broke, a new kind of section. Before, a line that no report has ends the
        // attempt.
        return header.isReport || stacks.hasFrames ? .unknown : .rejected
    }

    // MARK: Stacks

    private mutating func read(_ heading: AppleHeading) -> LineVerdict {
        stacks.endRow()
        switch heading.kind {
        case .threadName:
            stacks.name(heading)
            section = .other
        case .thread:
            guard !beginsAnother(heading), stacks.openThread(heading) else { return .rejected }
            section = .stack
        case .exception:
            // `Last Exception: NSRangeException: reason` of old PLCrashReporters is not a heading,
            // but KSCrash repeats its heading.
            stacks.openException(heading.name ?? "")
            section = .stack
        case .registers:
            registers.end(&stacks.threads)
            registers.begin(thread: heading.index >= 0 ? heading.index : nil)
            section = .registers
            stacks.close()
        case .ignored:
            section = .other
            stacks.close()
        }
        return .more
    }

    // MARK: Images

    private mutating func readImage(_ text: Span<UInt8>) -> LineVerdict {
        // Code fragments of Mac OS 9's kind (`PEF binary: CarbonLibpwpc`): no file of ours is for
        // them, and symbolicatecrash leaves them out, too.
        if text.contains("PEF binary:") { return .more }
        if images.read(text) { return .more }
        guard images.isEmpty else { return .rejected }
        unreadImages += 1
        return .unknown
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        if let reports = successor?.finish() { return reports }
        registers.end(&stacks.threads)
        stacks.addNamedRows()
        // Without any stack it is a report if a line states that, or if all other parts of a report
        // are there. Rows alone may be of any stack.
        if images.isEmpty, stacks.areRowsAlone { return [] }
        guard
            stacks.hasFrames || header.isLowMemory || header.hasException && (hasNoBacktrace || header.hasLoaderMessage || !images.isEmpty)
        else { return [] }
        header.apply(to: &report)
        stacks.apply(to: &report, crashedThread: header.crashedThread)
        report.additionalBacktraces += translated.stacks
        if !stacks.hasFrames { report.notes.append("The report has no stack" + reasonWithoutStack) }
        images.assign(to: &report, isExpected: !header.isLowMemory, unread: images.isEmpty ? unreadImages : 0)
        images.assignOpenEnded(to: &report)
        return [report]
    }

    private var reasonWithoutStack: String {
        if header.isLowMemory { return ": it lists what each process held in memory when the system ended one for its use of memory." }
        return hasNoBacktrace ? ": its reporter could take none." : "."
    }

    /// Rows are symbolicated as `AppleRow` has it: `name + offset (File.m:94)` after the address. A
    /// list of bare addresses under `Last Exception Backtrace:` becomes rows, as symbolicatecrash
    /// turns it into rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        AppleAddressList.edits(.report, of: report, results: results, in: log) { frame, result, log in
            AppleRow.edit(of: frame, with: result, in: log) ?? AppleTranslatedRow.edit(of: frame, with: result, in: log)
        }
    }
}

/// Kind of report for a header that begins as a crash report's does: the tools that look at a
/// living process print the same lines first.
enum AppleReportKind {
    /// `sample` and the tools for memory name themselves: `Analysis Tool:   /usr/bin/sample`.
    case sample
    case leaks
    /// spindump and the watchdogs print why and how often they sampled: `Event: hang`,
    /// `Data Source: Stackshots`, `Steps: 101`; and of each process `Num samples: 101 (1-101)`.
    case spindump
    /// A report without stacks, of another tool: heap, vmmap.
    case other

    init?(heading line: Span<UInt8>) {
        let isSpindump =
            line.hasPrefix("Event:  ") || line.hasPrefix("Steps:  ") || line.hasPrefix("Data Source:  ") || line.hasPrefix("Num samples:  ")
        if isSpindump || line.hasPrefix("Microstackshots: ") {
            self = .spindump
            return
        }
        // Mac OS X 10.6 names no tool above the report's version.
        if line.hasPrefix("leaks Report Version:") {
            self = .leaks
            return
        }
        guard line.hasPrefix("Analysis Tool:") else { return nil }
        if line.hasSuffix("/sample") {
            self = .sample
        } else {
            // Xcode and Instruments look for leaks through an agent.
            let isLeaks = line.hasSuffix("/leaks") || line.hasSuffix("/LeakAgent") || line.hasSuffix("/malloc_history")
            self = isLeaks ? .leaks : .other
        }
    }

    /// The format that reads the rest of the report; `nil` if there is none.
    func format(_ header: AppleCrashHeader) -> (any LineFormat)? {
        switch self {
        case .sample: AppleSample(header: header)
        case .leaks: AppleLeaks(header: header)
        case .spindump: AppleSpindump(header: header)
        case .other: nil
        }
    }
}
