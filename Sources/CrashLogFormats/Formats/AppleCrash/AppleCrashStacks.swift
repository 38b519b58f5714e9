internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of a crash report while it is read: of its threads, and of exceptions.
struct AppleCrashStacks {
    var threads: [ThreadTrace] = []
    /// The numbers of those that have a frame: a hostile log has thousands of headings.
    private var threadsWithFrames: Set<Int> = []
    /// A thread or an exception has a frame.
    private(set) var hasFrames = false
    /// `Last Exception Backtrace` and `Application Specific Backtrace`, with the headings that name
    /// them.
    private var exceptions: [(name: String, frames: [Frame])] = []
    private var target = Target.none
    /// `Thread 4 name:  WebThread` comes before `Thread 4:`.
    private var pendingName: (index: Int, name: String)?
    /// Inside the parentheses of a list of bare addresses.
    private(set) var isInList = false
    /// The latest row, while the next line may be its rest.
    private var broken = AppleBrokenRow()

    private static let lastException = "Last Exception Backtrace"
    private static let unnumbered = "Thread without a number"

    /// What the next frames belong to.
    private enum Target {
        case none
        case thread
        case exception
    }

    var isEmpty: Bool { threads.isEmpty && exceptions.isEmpty }
    var isOpen: Bool { target != .none }
    /// Rows without any heading, which may be of any stack.
    var areRowsAlone: Bool { threads.isEmpty && !exceptions.isEmpty && exceptions.allSatisfy { $0.name == AppleCrashStacks.unnumbered } }

    func hasFrames(ofThread index: Int) -> Bool { threadsWithFrames.contains(index) }

    // MARK: Headings

    mutating func name(_ heading: AppleHeading) { pendingName = (heading.index, heading.name ?? "") }

    /// - Returns: whether there was room for it.
    mutating func openThread(_ heading: AppleHeading) -> Bool {
        guard threads.count < Limits.standard.threads else { return false }
        var thread = ThreadTrace(index: heading.index, name: heading.name, crashed: heading.crashed)
        if let pendingName, pendingName.index == heading.index, thread.name == nil, !pendingName.name.isEmpty {
            thread.name = pendingName.name
        }
        pendingName = nil
        threads.append(thread)
        target = .thread
        return true
    }

    mutating func openException(_ name: String) {
        exceptions.append((name, []))
        target = .exception
    }

    /// No further frames belong to the stack.
    mutating func close() { target = .none }

    /// The next line is no rest of a row.
    mutating func endRow() { broken.end() }

    // MARK: Frames

    /// A log whose head is cut off may begin inside a thread.
    mutating func takeRowWithoutHeading(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard AppleRow(line) != nil else { return false }
        openException(AppleCrashStacks.unnumbered)
        return takeFrame(line, at: place)
    }

    mutating func takeFrame(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        if let row = AppleRow(line) {
            append(row.frame(at: place))
            broken.begin(line, at: place, row: row)
            return true
        }
        let text = line.trimmed()
        if target == .exception, text.hasPrefix("("), exceptions.last?.frames.isEmpty == true {
            isInList = true
            takeList(line.from(line.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? 0), at: place)
            return true
        }
        if let whole = broken.join(line, at: place) {
            let frame = whole.row.frame(at: whole.place)
            if broken.isFrame { changeLastFrame { $0 = frame } } else { append(frame) }
            broken.end()
            return true
        }
        if AppleCrashStacks.isRowWithoutAddress(text) { broken.begin(line, at: place, row: nil) }
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
    mutating func takeQuotedStack(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard AppleRow(line) != nil || line.trimmed().hasPrefix("(0x") else { return false }
        if target != .exception { openException("Application Specific Information") }
        return takeFrame(line, at: place)
    }

    /// `(0x30b55640 0x34670c5c 0x140e1)`: an exception's stack that nobody has symbolicated.
    /// symbolicatecrash turns it into rows.
    mutating func takeList(_ line: Span<UInt8>, at place: Range<Int>) {
        var rest = line
        while true {
            rest.skipBlanks()
            if rest.count == 0 { return }
            let start = place.upperBound - rest.count
            guard let value = rest.takeAddress() else {
                isInList = false
                return
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

    // MARK: The report

    mutating func apply(to report: inout CrashReport, crashedThread: Int?) {
        markCrashed(crashedThread)
        for index in threads.indices {
            AppleStack.markInlined(&threads[index].frames)
            AppleStack.decideKinds(&threads[index].frames, origin: .thread)
        }
        report.threads = threads
        // Of several, the one that the reporter itself calls the exception's; else the first.
        exceptions.removeAll(where: \.frames.isEmpty)
        let last =
            exceptions.firstIndex { $0.name == AppleCrashStacks.lastException }
            ?? exceptions.firstIndex { $0.name != AppleCrashStacks.unnumbered }
        for (index, var exception) in exceptions.enumerated() {
            AppleStack.markInlined(&exception.frames)
            let isThread = exception.name == AppleCrashStacks.unnumbered && exception.frames.first?.index == 0
            AppleStack.decideKinds(&exception.frames, origin: isThread ? .thread : .exception)
            if index == last {
                report.exceptionBacktrace = ThreadTrace(index: 0, name: exception.name, crashed: true, frames: exception.frames)
            } else {
                report.additionalBacktraces.append(
                    ThreadTrace(index: report.additionalBacktraces.count, name: exception.name, frames: exception.frames))
            }
        }
    }

    private mutating func markCrashed(_ crashed: Int?) {
        guard !threads.contains(where: { $0.crashed }), let crashed, let index = threads.firstIndex(where: { $0.index == crashed }) else {
            return
        }
        threads[index].crashed = true
    }
}
