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
    private var threads: [ThreadTrace] = []
    /// The numbers of those that have a frame: a hostile log has thousands of headings.
    private var threadsWithFrames: Set<Int> = []
    /// A thread or an exception has a frame.
    private var hasFrames = false
    /// `Last Exception Backtrace` and `Application Specific Backtrace`, with the headings that name
    /// them.
    private var exceptions: [(name: String, frames: [Frame])] = []
    private var target = Target.none
    /// `Thread 4 name:  WebThread` comes before `Thread 4:`.
    private var pendingName: (index: Int, name: String)?
    private var registers = AppleRegisters()
    private var images = AppleImageList()
    /// Inside the parentheses of a list of bare addresses.
    private var isInList = false
    /// A report of another kind that begins as a crash report does, once a line has shown it.
    private var successor: (any LineFormat)?
    /// The latest row, while the next line may be its rest.
    private var broken = AppleBrokenRow()
    /// Lines below the heading of the image list that could not be read.
    private var unreadImages = 0
    /// The reporter says that it found no stack.
    private var hasNoBacktrace = false
    /// The stacks of PowerPC code on an Intel Mac.
    private var translated = AppleTranslatedStacks()

    private static let lastException = "Last Exception Backtrace"

    /// What the next frames belong to.
    private enum Target {
        case none
        case thread
        case exception
    }

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        // `Incident Identifier:`, `Process:`, `Command:`, `Host Name:`, `Date/Time:`,
        // `Hardware Model:`, `Exception Type:`, `Thread 0 Crashed:`, `Last Exception Backtrace:`
        switch line.at(0) {
        case UInt8(ascii: "I"), UInt8(ascii: "P"), UInt8(ascii: "C"), UInt8(ascii: "H"), UInt8(ascii: "D"), UInt8(ascii: "T"),
            UInt8(ascii: "L"), UInt8(ascii: "E"):
            break
        default: return .none
        }
        if line.trimmed().equals("Last Exception Backtrace:") { return .certain }
        if let heading = AppleHeading(line) { return heading.kind == .thread || heading.kind == .threadName ? .possible : .none }
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

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let verdict = successor?.consume(line, at: place) { return verdict }
        let text = line.trimmed()
        if section == .header, !hasStack, let kind = AppleReportKind(heading: text) {
            guard let format = kind.format(header) else { return .rejected }
            successor = format
            return successor?.consume(line, at: place) ?? .rejected
        }
        if text.count == 0 { return takeBlank() }
        if isInList { return takeList(line, at: place) }
        if header.isTranslated, section != .images, !images.isEmpty, translated.take(line, at: place) { return .more }
        if AppleCrash.isFence(text) {
            // The end of what was pasted; without a stack, its rest may be in another part.
            if hasFrames { return .rejected }
            section = .header
            return .unknown
        }
        if let heading = AppleHeading(line) { return take(heading) }
        if section == .header, !hasStack, takeRowWithoutHeading(line, at: place) { return .more }
        if text.equals("Binary Images:") || text.equals("Binary Images Description:") {
            section = .images
            target = .none
            return .more
        }
        if text.equals("Backtrace not available") { hasNoBacktrace = true }
        switch section {
        case .images: return takeImage(text)
        case .stack: if takeFrame(line, at: place) { return .more }
        case .registers: if registers.take(text) { return .more }
        case .header, .information, .other: break
        }
        if AppleCrash.beginsAnother(text), hasStack { return .rejected }
        // After a stack, only keys that are known are a report's: `Current stack trace:` and its
        // like are not.
        if header.take(text, isInformation: section == .information || hasStack) {
            if section != .information || header.opensInformation { section = header.opensInformation ? .information : .header }
            return .more
        }
        return takeUnknown(line, at: place)
    }

    private var hasStack: Bool { !threads.isEmpty || !exceptions.isEmpty }

    /// Several stacks without heads in one text: a thread's number comes again, or threads follow
    /// the images.
    private func beginsAnother(_ heading: AppleHeading) -> Bool {
        guard hasFrames, !header.isTranslated else { return false }
        return section == .images || threadsWithFrames.contains(heading.index)
    }

    /// Three backticks or tildes: Markdown's code, of which the report is.
    private static func isFence(_ text: Span<UInt8>) -> Bool { text.equals("```") || text.equals("~~~") }

    /// A log whose head is cut off may begin inside a thread.
    private mutating func takeRowWithoutHeading(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard AppleRow(line) != nil else { return false }
        exceptions.append((AppleCrash.unnumbered, []))
        target = .exception
        section = .stack
        return takeFrame(line, at: place)
    }

    private static let unnumbered = "Thread without a number"

    /// The first line of another report.
    private static func beginsAnother(_ text: Span<UInt8>) -> Bool {
        // 10.2 to 10.4 write one report below the other, with ten asterisks between.
        text.hasPrefix("Incident Identifier:") || text.hasPrefix("Exception Type:  ") || text.equals("**********")
            || text.hasPrefix("Process:  ") || text.hasPrefix("Command:  ")
            || text.hasPrefix("Host Name:  ")
    }

    private mutating func takeBlank() -> LineVerdict {
        broken.end()
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

    private mutating func takeUnknown(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if section == .information {
            if !takeQuotedStack(line, at: place) { header.addInformation(line) }
            return .more
        }
        if section == .header, header.takeRest(line.trimmed()) { return .more }
        // A blank line inside a stack.
        if section == .other, target != .none, takeFrame(line, at: place) {
            section = .stack
            return .more
        }
        // Consoles export rows without addresses: those are read by another format, and the whole
        // stack is shown to it.
        if section == .stack, !hasFrames, RowNumber(line, from: 0)?.style == .bare { return .unknown }
        // Once it is sure that this is a report, any line may be in it: memory regions, a row that
        // a mailer broke, a new kind of section. Before, a line that no report has ends the
        // attempt.
        return header.isReport || hasFrames ? .unknown : .rejected
    }

    // MARK: Stacks

    private mutating func take(_ heading: AppleHeading) -> LineVerdict {
        broken.end()
        switch heading.kind {
        case .threadName:
            pendingName = (heading.index, heading.name ?? "")
            section = .other
        case .thread:
            guard threads.count < Limits.standard.threads, !beginsAnother(heading) else { return .rejected }
            var thread = ThreadTrace(index: heading.index, name: heading.name, crashed: heading.crashed)
            if let pendingName, pendingName.index == heading.index, thread.name == nil, !pendingName.name.isEmpty {
                thread.name = pendingName.name
            }
            pendingName = nil
            threads.append(thread)
            section = .stack
            target = .thread
        case .exception:
            // `Last Exception: NSRangeException: reason` of old PLCrashReporters is no heading, but
            // KSCrash repeats its heading.
            exceptions.append((heading.name ?? "", []))
            section = .stack
            target = .exception
        case .registers:
            registers.end(&threads)
            registers.begin(thread: heading.index >= 0 ? heading.index : nil)
            section = .registers
            target = .none
        case .ignored:
            section = .other
            target = .none
        }
        return .more
    }

    private mutating func takeFrame(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        if let row = AppleRow(line) {
            append(row.frame(at: place))
            broken.begin(line, at: place, row: row)
            return true
        }
        let text = line.trimmed()
        if target == .exception, text.hasPrefix("("), exceptions.last?.frames.isEmpty == true {
            isInList = true
            _ = takeList(line.from(line.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? 0), at: place, isOpening: true)
            return true
        }
        if let whole = broken.join(line, at: place) {
            let frame = whole.row.frame(at: whole.place)
            if broken.isFrame { changeLastFrame { $0 = frame } } else { append(frame) }
            broken.end()
            return true
        }
        if AppleCrash.isRowWithoutAddress(text) { broken.begin(line, at: place, row: nil) }
        return false
    }

    /// `5   com.example.an-identifier-that-fills-the-line`: its address may be on the next line.
    private static func isRowWithoutAddress(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard rest.takeDecimal() != nil, let blank = rest.at(0), isBlank(blank) else { return false }
        return true
    }

    /// What the process said at its end may hold the console's message of an exception, stack
    /// included.
    private mutating func takeQuotedStack(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard AppleRow(line) != nil || line.trimmed().hasPrefix("(0x") else { return false }
        if target != .exception {
            exceptions.append(("Application Specific Information", []))
            target = .exception
        }
        return takeFrame(line, at: place)
    }

    /// `(0x30b55640 0x34670c5c 0x140e1)`: an exception's stack that nobody has symbolicated.
    /// symbolicatecrash turns it into rows.
    private mutating func takeList(_ line: Span<UInt8>, at place: Range<Int>, isOpening: Bool = false) -> LineVerdict {
        var rest = line
        while true {
            rest.skipBlanks()
            if rest.count == 0 { return .more }
            let start = place.upperBound - rest.count
            guard let value = rest.takeAddress() else {
                isInList = false
                return .more
            }
            let index = exceptions.last?.frames.count ?? 0
            append(Frame(index: index, kind: .returnAddress, address: RuntimeAddress(value), place: start..<place.upperBound - rest.count))
        }
    }

    private mutating func append(_ frame: Frame) {
        switch target {
        case .thread where !threads.isEmpty && threads[threads.count - 1].frames.count < Limits.standard.framesPerThread:
            threads[threads.count - 1].frames.append(frame)
            threadsWithFrames.insert(threads[threads.count - 1].index)
            hasFrames = true
        case .exception where !exceptions.isEmpty && exceptions[exceptions.count - 1].frames.count < Limits.standard.framesPerThread:
            exceptions[exceptions.count - 1].frames.append(frame)
            hasFrames = true
        case .none, .thread, .exception: break
        }
    }

    private mutating func changeLastFrame(_ change: (inout Frame) -> Void) {
        switch target {
        case .thread:
            if let last = threads.last?.frames.indices.last { change(&threads[threads.count - 1].frames[last]) }
        case .exception:
            if let last = exceptions.last?.frames.indices.last { change(&exceptions[exceptions.count - 1].frames[last]) }
        case .none: break
        }
    }

    // MARK: Images

    private mutating func takeImage(_ text: Span<UInt8>) -> LineVerdict {
        // Code fragments of Mac OS 9's kind (`PEF binary: CarbonLibpwpc`): no file of ours is for
        // them, and symbolicatecrash leaves them out, too.
        if text.contains("PEF binary:") { return .more }
        if images.take(text) { return .more }
        guard images.isEmpty else { return .rejected }
        unreadImages += 1
        return .unknown
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        if let reports = successor?.finish() { return reports }
        registers.end(&threads)
        // Without any stack it is a report if it says so, or has all else that a report has.
        // Rows alone may be of any stack.
        if threads.isEmpty, images.isEmpty, exceptions.allSatisfy({ $0.name == AppleCrash.unnumbered }), !exceptions.isEmpty { return [] }
        guard hasFrames || header.isLowMemory || header.hasException && (hasNoBacktrace || header.hasLoaderMessage || !images.isEmpty)
        else { return [] }
        header.apply(to: &report)
        AppleCrash.markCrashed(&threads, header.crashedThread)
        for index in threads.indices {
            AppleStack.markInlined(&threads[index].frames)
            AppleStack.decideKinds(&threads[index].frames, origin: .thread)
        }
        report.threads = threads
        // Of several, the one that the reporter itself calls the exception's; else the first.
        exceptions.removeAll(where: \.frames.isEmpty)
        let last =
            exceptions.firstIndex { $0.name == AppleCrash.lastException } ?? exceptions.firstIndex { $0.name != AppleCrash.unnumbered }
        for (index, var exception) in exceptions.enumerated() {
            AppleStack.markInlined(&exception.frames)
            let isThread = exception.name == AppleCrash.unnumbered && exception.frames.first?.index == 0
            AppleStack.decideKinds(&exception.frames, origin: isThread ? .thread : .exception)
            if index == last {
                report.exceptionBacktrace = ThreadTrace(index: 0, name: exception.name, crashed: true, frames: exception.frames)
            } else {
                report.additionalBacktraces.append(
                    ThreadTrace(index: report.additionalBacktraces.count, name: exception.name, frames: exception.frames))
            }
        }
        report.additionalBacktraces += translated.stacks
        if !hasFrames { report.notes.append("The report has no stack" + reasonWithoutStack) }
        images.assign(to: &report, isExpected: !header.isLowMemory, unread: images.isEmpty ? unreadImages : 0)
        images.assignOpenEnded(to: &report)
        return [report]
    }

    private var reasonWithoutStack: String {
        if header.isLowMemory { return ": it lists what each process held in memory when the system ended one for its use of memory." }
        return hasNoBacktrace ? ": its reporter could take none." : "."
    }

    private static func markCrashed(_ threads: inout [ThreadTrace], _ crashed: Int?) {
        guard !threads.contains(where: { $0.crashed }), let crashed, let index = threads.firstIndex(where: { $0.index == crashed }) else {
            return
        }
        threads[index].crashed = true
    }
}
