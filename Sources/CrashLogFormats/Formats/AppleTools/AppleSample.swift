internal import BinaryPrimitives
package import CrashLogModel

/// The report of `sample`, and of Activity Monitor's “Sample Process”, which runs it (report
/// version 7): a header as that of a crash report, a call graph for each thread, tables that sum it
/// up, and the images.
///
///     Analysis of sampling App (pid 1828) every 1 millisecond
///     Process:         App [1828]
///
///     Call graph:
///         2449 Thread_16614993   DispatchQueue_1: com.apple.main-thread  (serial)
///         + 2449 start  (in dyld) + 462  [0x1077c151e]
///         +   2449 ???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]
///
///     Total number in stack (recursive counted multiple, when >=5):
///     Sort by top of stack, same collapsed (when >= 5):
///             __psynch_mutexwait  (in libsystem_kernel.dylib)        2449
///
///     Binary Images:
///
/// The grammar is that of sample(1) on macOS 10.15, 12 and 13; its manual page explains the
/// columns. The tables hold no addresses of calls and are left as they are.
package struct AppleSample: LineFormat {
    package static let name = "apple-sample"
    package static let summary = "The call trees of sample, also from Activity Monitor’s “Sample Process”"
    package static let triggers = ["Analysis of sampling ", callGraph]

    private static let callGraph = "Call graph:"

    private enum Section {
        case header
        case callGraph
        case tables
        case images
    }

    private var section = Section.header
    private var header = AppleCrashHeader()
    private var sampled = ProcessDescription()
    private var threads: [ThreadTrace] = []
    /// The column in which the thread's own count begins.
    private var threadColumn = 0
    private var rows = 0
    private var images = AppleImageList()

    package init() {}

    /// A report whose header another format has begun to read, which looks like that of a crash.
    init(header: AppleCrashHeader) { self.header = header }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if line.hasPrefix("Analysis of sampling "), line.contains(" (pid ") { return .certain }
        return line.trimmed().equals(callGraph) ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if text.equals(AppleSample.callGraph) {
            // A second one is another report's.
            guard threads.isEmpty else { return .rejected }
            section = .callGraph
            return .more
        }
        if text.equals("Binary Images:"), section != .images {
            section = .images
            return .more
        }
        switch section {
        case .header: return takeHeader(text)
        case .callGraph:
            if text.count == 0 {
                if !threads.isEmpty { section = .tables }
                return .more
            }
            return takeRow(line, at: place) ? .more : .rejected
        case .tables:
            let isTable = text.count == 0 || line.at(0).map(isBlank) ?? false || text.hasSuffix(":")
            return isTable ? .more : .rejected
        case .images:
            // `Sample analysis of process 5120 written to file /dev/stdout` follows without a blank
            // line.
            return images.takeLast(text)
        }
    }

    private mutating func takeHeader(_ text: Span<UInt8>) -> LineVerdict {
        if text.hasPrefix("Analysis of sampling ") {
            // The second is another report's: this one had no call graph.
            guard sampled.name == nil else { return .rejected }
            takeTitle(text)
            return .more
        }
        guard text.count > 0, !text.equals("----") else { return .more }
        // `Physical footprint (peak):  680K` is no key of a crash report.
        return header.take(text, isInformation: false) || text.contains(":  ") ? .more : .rejected
    }

    /// `Analysis of sampling Activity Monitor (pid 1740) every 1 millisecond`
    private mutating func takeTitle(_ text: Span<UInt8>) {
        guard let pid = text.lastRange(of: " (pid ") else { return }
        sampled.pid = text.from(pid.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
        sampled.name = text.clamped(to: "Analysis of sampling ".utf8.count..<pid.lowerBound).text
    }

    // MARK: The call graph

    private mutating func takeRow(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard let start = AppleSampleRow.count(of: line) else { return false }
        if line.from(start.end).hasPrefix(AppleSampleRow.thread) { return takeThread(line.from(start.end), column: start.column) }
        guard !threads.isEmpty, let row = AppleSampleRow(line) else { return false }
        let frames = threads[threads.count - 1].frames
        guard frames.count < Limits.standard.framesPerThread else { return false }
        // An inlined call that cairn has written is in its holder's column, and is no level of its
        // own.
        let last = frames.last?.depth ?? 0
        let depth = row.isInlined ? last : AppleCallTree.depth(column: row.column, firstColumn: threadColumn + 2, after: frames)
        if !row.isInlined { rows += 1 }
        let count = max(1, row.addresses.count)
        for index in 0..<count {
            let address = index < row.addresses.count ? row.addresses[index] : nil
            // The first address's place is the row up to it; the last's goes on to the row's end.
            let lower = index == 0 ? 0 : address?.range.lowerBound ?? 0
            let upper = index == count - 1 ? line.count : address?.range.upperBound ?? line.count
            var frame = Frame(
                index: rows - 1, kind: .programCounter, address: address.map { RuntimeAddress($0.value) },
                place: place.lowerBound + lower..<place.lowerBound + upper)
            frame.depth = depth
            frame.samples = index == 0 ? row.samples : nil
            frame.imageName = row.imageName.flatMap { $0 == "<unknown binary>" ? "???" : $0 }
            if index == 0 { frame.imageOffset = row.imageOffset.map { ImageOffset($0) } }
            frame.printed = row.printed(index)
            frame.isInlined = row.isInlined
            threads[threads.count - 1].frames.append(frame)
        }
        return true
    }

    /// `Thread_16614993 DispatchQueue_1: com.apple.main-thread (serial)`,
    /// `Thread_18068449: JS Helper`, `Thread_<multiple> DispatchQueue_86: …`
    private mutating func takeThread(_ text: Span<UInt8>, column: Int) -> Bool {
        guard threads.count < Limits.standard.threads else { return false }
        threadColumn = column
        rows = 0
        var rest = text.from(AppleSampleRow.thread.utf8.count)
        let number = rest.takeDecimal().flatMap { Int(exactly: $0) }
        var thread = ThreadTrace(index: number ?? threads.count)
        thread.isCallTree = true
        let queue = rest.firstRange(of: "DispatchQueue_")
        var label = rest.upTo(queue?.lowerBound ?? rest.count)
        if label.take(":"), label.trimmed().count > 0 { thread.name = label.trimmed().text }
        if thread.name == nil, let queue, let colon = rest.firstIndex(of: UInt8(ascii: ":"), from: queue.upperBound) {
            var name = rest.from(colon + 1).trimmed()
            if let kind = name.lastRange(of: "  (") { name = name.upTo(kind.lowerBound) }
            if name.count > 0 { thread.name = name.text }
        }
        threads.append(thread)
        return true
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        guard threads.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: AppleSample.name)
        header.apply(to: &report)
        report.process.name = report.process.name ?? sampled.name
        report.process.pid = report.process.pid ?? sampled.pid
        for index in threads.indices { AppleCallTree.decideKinds(&threads[index].frames) }
        report.threads = threads
        images.assign(to: &report)
        return [report]
    }
}
