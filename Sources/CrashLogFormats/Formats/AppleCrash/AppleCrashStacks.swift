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
    /// Rows without addresses and offsets, with the indices of their threads in `threads`.
    private var named: [(thread: Int, frame: Frame)] = []
    /// Numbered lines that could not be read.
    private var hasUnreadRows = false
    /// Load addresses that rows have instead of the address (`AppleRow.base`), by the images'
    /// names.
    private var bases: [String: UInt64] = [:]
    /// The latest row, while the next line may be its rest.
    private var broken = AppleBrokenRow()

    private static let lastException = "Last Exception Backtrace"
    private static let unnumbered = "Thread without a number"

    /// The stack to which the next frames belong.
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

    mutating func name(_ heading: AppleHeading) {
        pendingName = (heading.index, heading.name ?? "")
        close()
    }

    /// Sentry's `Thread 0 name: com.apple.main-thread` has the rows below it, and no other heading.
    mutating func openNamedThread(above line: Span<UInt8>) -> Bool {
        guard let pendingName, AppleRow(line) != nil, !hasFrames(ofThread: pendingName.index) else { return false }
        var heading = AppleHeading(thread: pendingName.index)
        heading.name = pendingName.name.isEmpty ? nil : pendingName.name
        return openThread(heading)
    }

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

    /// Marks the next line as not being the rest of a row.
    mutating func endRow() { broken.end() }

    // MARK: Frames

    /// A log whose head is cut off may begin inside a thread.
    mutating func readRowWithoutHeading(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard AppleRow(line) != nil else { return false }
        openException(AppleCrashStacks.unnumbered)
        return readFrame(line, at: range)
    }

    mutating func readFrame(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        if let row = AppleRow(line) {
            if let base = row.base, let image = row.imageName { bases[image] = base }
            append(row.frame(at: range))
            broken.begin(line, at: range, row: row)
            return true
        }
        let text = line.trimmed()
        if target == .exception, text.hasPrefix("("), exceptions.last?.frames.isEmpty == true {
            isInList = true
            readList(line.from(line.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? 0), at: range)
            return true
        }
        if let whole = broken.join(line, at: range) {
            let frame = whole.row.frame(at: whole.range)
            if broken.isFrame { changeLastFrame { $0 = frame } } else { append(frame) }
            broken.end()
            return true
        }
        if AppleCrashStacks.isRowWithoutAddress(text) {
            if target == .thread, let frame = AppleCrashStacks.namedRow(line, at: range) {
                named.append((threads.count - 1, frame))
                return true
            }
            hasUnreadRows = true
            broken.begin(line, at: range, row: nil)
        }
        return false
    }

    /// `4  Demo  report`: what people leave of a row, its number, image and function.
    private static func namedRow(_ line: Span<UInt8>, at range: Range<Int>) -> Frame? {
        var rest = line.trimmed()
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), !rest.contains("0x"), !rest.contains(" + ") else { return nil }
        rest.skipBlanks()
        let image = rest.readToken()
        guard image.count > 0, rest.hasPrefix("  ") || rest.hasPrefix("\t"), rest.trimmed().count > 0 else { return nil }
        return Frame(index: number, address: nil, range: range, imageName: image.text, printed: PrintedSymbol(name: rest.trimmed().text))
    }

    /// Rows with names alone are the stack where it has no others.
    mutating func addNamedRows() {
        guard !hasFrames, !hasUnreadRows, named.count > 1 else { return }
        for (thread, frame) in named where threads.indices.contains(thread) { threads[thread].frames.add(frame) }
        hasFrames = true
    }

    /// `5   com.example.an-identifier-that-fills-the-line`: its address may be on the next line.
    private static func isRowWithoutAddress(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard rest.readDecimal() != nil, let blank = rest.at(0), isBlank(blank) else { return false }
        return true
    }

    /// Reads a row of a stack that is quoted in the process' last message: that may be the
    /// console's message of an exception, stack included.
    mutating func readQuotedStack(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard AppleRow(line) != nil || line.trimmed().hasPrefix("(0x") else { return false }
        if target != .exception { openException("Application Specific Information") }
        return readFrame(line, at: range)
    }

    /// Reads `(0x30b55640 0x34670c5c 0x140e1)`: an exception's stack that has not been
    /// symbolicated. symbolicatecrash turns it into rows.
    mutating func readList(_ line: Span<UInt8>, at range: Range<Int>) {
        var rest = line
        while true {
            rest.skipBlanks()
            if rest.count == 0 { return }
            let start = range.upperBound - rest.count
            guard let value = rest.readAddress() else {
                isInList = false
                return
            }
            let index = exceptions.last?.frames.count ?? 0
            append(Frame(index: index, kind: .returnAddress, address: RuntimeAddress(value), range: start..<range.upperBound - rest.count))
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
        if !bases.isEmpty { dropBases() }
        for index in threads.indices {
            AppleStack.markInlined(&threads[index].frames)
            AppleStack.decideKinds(&threads[index].frames, origin: .thread)
        }
        report.threads = threads
        // If there are several, the one that the reporter itself calls the exception's; else the
        // first.
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

    /// A row of Measure that has a name has no address beside its image's: `0x0000000104a38000   main   (demo.c:7)`.
    private mutating func dropBases() {
        for thread in threads.indices {
            for index in threads[thread].frames.indices {
                let frame = threads[thread].frames[index]
                guard frame.imageOffset == nil, let name = frame.imageName, frame.address?.value == bases[name] else { continue }
                threads[thread].frames[index].address = nil
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

/// A row that mail may have broken over several lines, put together while its lines come:
///
///     0   libSystem.B.dylib             	0xffff0e35 __memcpy + 1685
///     (cpu_capabilities.h:246)
///
/// Mailers break at a blank. So the break may be anywhere after the row's number: before the
/// address, inside a name that holds blanks, before the offset or the file.
struct AppleBrokenRow {
    /// A row's rest may be in two more lines at most: a row of 200 characters at 72 to a line.
    private static let lines = 2

    private var bytes: [UInt8] = []
    private var range = 0..<0
    private var joined = 0
    /// The row's first line was a frame already: what is joined to it changes that frame.
    private(set) var isFrame = false
    private var address: UInt64?

    /// A line that is a row, whole or not.
    mutating func begin(_ line: Span<UInt8>, at range: Range<Int>, row: AppleRow?) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(copying: line)
        self.range = range
        joined = 0
        isFrame = row != nil
        address = row?.address
    }

    mutating func end() { bytes.removeAll(keepingCapacity: true) }

    /// Reads a line that is not a row by itself, as the continuation of a broken row.
    /// - Returns: the whole row and its range, if it contains more with this line than before;
    ///   `nil` if the line is not part of it, or not its last.
    mutating func join(_ line: Span<UInt8>, at range: Range<Int>) -> (row: AppleRow, range: Range<Int>)? {
        let text = line.trimmed()
        guard !bytes.isEmpty, text.count > 0, joined < Self.lines else { return nil }
        // Nothing follows a row's file and line but `[inlined]`.
        let before = AppleRow(bytes.span)
        if before?.symbol.printed?.location != nil, !text.equals("[inlined]") { return nil }
        // After name and offset only the source location can follow.
        if before?.symbol.isComplete == true, !text.hasPrefix("("), !text.equals("[inlined]") { return nil }
        bytes.append(UInt8(ascii: " "))
        bytes.append(copying: text)
        joined += 1
        guard let row = AppleRow(bytes.span), address == nil || row.address == address, row.symbol.isComplete else { return nil }
        let end = range.upperBound - (line.count - (text.count + line.indent))
        return (row, self.range.lowerBound..<max(end, self.range.upperBound))
    }
}
