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

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
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
        case .header: return readHeader(text)
        case .callGraph:
            if text.count == 0 {
                if !threads.isEmpty { section = .tables }
                return .more
            }
            return readRow(line, at: range) ? .more : .rejected
        case .tables:
            let isTable = text.count == 0 || line.at(0).map(isBlank) ?? false || text.hasSuffix(":")
            return isTable ? .more : .rejected
        case .images:
            // `Sample analysis of process 5120 written to file /dev/stdout` follows without a blank
            // line.
            return images.readLastSection(text)
        }
    }

    private mutating func readHeader(_ text: Span<UInt8>) -> LineVerdict {
        if text.hasPrefix("Analysis of sampling ") {
            // The second is another report's: this one had no call graph.
            guard sampled.name == nil else { return .rejected }
            readTitle(text)
            return .more
        }
        guard text.count > 0, !text.equals("----") else { return .more }
        // `Physical footprint (peak):  680K` is not a key of a crash report.
        return header.read(text, isInformation: false) || text.contains(":  ") ? .more : .rejected
    }

    /// `Analysis of sampling Activity Monitor (pid 1740) every 1 millisecond`
    private mutating func readTitle(_ text: Span<UInt8>) {
        guard let pid = text.lastRange(of: " (pid ") else { return }
        sampled.pid = text.from(pid.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
        sampled.name = text.clamped(to: "Analysis of sampling ".utf8.count..<pid.lowerBound).text
    }

    // MARK: The call graph

    private mutating func readRow(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard let start = AppleSampleRow.count(of: line) else { return false }
        if line.from(start.end).hasPrefix(AppleSampleRow.thread) { return readThread(line.from(start.end), column: start.column) }
        guard !threads.isEmpty, let row = AppleSampleRow(line) else { return false }
        let frames = threads[threads.count - 1].frames
        guard frames.count < Limits.standard.framesPerThread else { return false }
        // An inlined call that cairn has written is in the column of its containing function, and
        // does not add a level.
        let last = frames.last?.depth ?? 0
        let depth = row.isInlined ? last : AppleCallTree.depth(column: row.column, firstColumn: threadColumn + 2, after: frames)
        if !row.isInlined { rows += 1 }
        let count = max(1, row.addresses.count)
        for index in 0..<count {
            let address = index < row.addresses.count ? row.addresses[index] : nil
            // The first address's range begins at the row's start; the last's ends at the row's
            // end.
            let lower = index == 0 ? 0 : address?.range.lowerBound ?? 0
            let upper = index == count - 1 ? line.count : address?.range.upperBound ?? line.count
            var frame = Frame(
                index: rows - 1, kind: .programCounter, address: address.map { RuntimeAddress($0.value) },
                range: range.lowerBound + lower..<range.lowerBound + upper)
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
    private mutating func readThread(_ text: Span<UInt8>, column: Int) -> Bool {
        guard threads.count < Limits.standard.threads else { return false }
        threadColumn = column
        rows = 0
        var rest = text.from(AppleSampleRow.thread.utf8.count)
        let number = rest.readDecimal().flatMap { Int(exactly: $0) }
        var thread = ThreadTrace(index: number ?? threads.count)
        thread.isCallTree = true
        let queue = rest.firstRange(of: "DispatchQueue_")
        var label = rest.upTo(queue?.lowerBound ?? rest.count)
        if label.consume(":"), label.trimmed().count > 0 { thread.name = label.trimmed().text }
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

    /// A row becomes what `sample` writes where it knows more:
    /// `main (in App) + 48 [0x101671e30] main.m:57`. Inlined calls, which `sample` does not show,
    /// follow as rows in the same column, with `[inlined]` after the name. They are outermost
    /// first, as all of the tree is. A column of their own would move every row below them.
    ///
    /// A row with several addresses is symbolicated only if all of them are resolved, in one
    /// function. Their offsets and lines are listed as the addresses are.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = ResultFilter(report)
        let found = Dictionary(results.map { ($0.frame.range.lowerBound, $0.result) }, uniquingKeysWith: { first, _ in first })
        var edits: [TextEdit] = []
        for thread in report.threads {
            var index = 0
            while index < thread.frames.count {
                var end = index + 1
                while end < thread.frames.count, thread.frames[end].samples == nil { end += 1 }
                let frames = thread.frames[index..<end]
                index = end
                let rowResults = frames.compactMap { found[$0.range.lowerBound] }
                guard rowResults.count == frames.count, zip(rowResults, frames).allSatisfy({ filter.isImprovement($0, for: $1) }),
                    let first = frames.first, let last = frames.last
                else { continue }
                let rowRange = first.range.lowerBound..<last.range.upperBound
                if let edit = edit(ofRow: rowRange, with: rowResults, in: log) { edits.add(edit) }
            }
        }
        return edits
    }

    private static func edit(ofRow rowRange: Range<Int>, with results: [FrameResult], in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: rowRange)
        guard let row = AppleSampleRow(text), let list = row.addressList, let result = results.first, let holder = result.functions.last,
            results.allSatisfy({ $0.functions.last?.mangledName == holder.mangledName && $0.functions.last?.name == holder.name })
        else { return nil }
        let image = "  (in " + PlainText.line(row.imageName ?? result.imageName) + ")"
        let addresses = text.clamped(to: list).text
        let more = addresses.hasSuffix(",...]") ? ",..." : ""
        var first = PlainText.line(holder.name) + image
        let offsets = results.compactMap { $0.functions.last?.offset }
        if offsets.count == results.count { first += " + " + offsets.map(String.init).joined(separator: ",") + more }
        first += "  " + addresses + self.location(of: results.compactMap { $0.functions.last?.location }, count: results.count, more: more)
        var lines = [first]
        if results.count == 1 {
            for function in result.functions.dropLast().reversed() {
                lines.append(
                    PlainText.line(function.name) + " [inlined]" + image + "  " + addresses
                        + self.location(of: function.location.map { [$0] } ?? [], count: 1, more: ""))
            }
        }
        return .rows(RowResult(range: row.nameStart..<rowRange.count, functions: lines), in: rowRange, of: log)
    }

    /// ` main.m:71`, or ` main.m:71,75` where the addresses are in several lines of one file;
    /// nothing where they are in several files.
    private static func location(of locations: [SourceLocation], count: Int, more: String) -> String {
        guard let first = locations.first, locations.count == count, locations.allSatisfy({ $0.file == first.file }) else { return "" }
        let file = "  " + PlainText.line(Path.foreignName(of: first.file)) + ":"
        if locations.allSatisfy({ $0.line == first.line }) { return file + "\(first.line)" }
        return file + locations.map { "\($0.line)" }.joined(separator: ",") + more
    }
}

/// One row of the call graph of `sample`:
///
///     +   2761 main  (in App) + 48  [0x101671e30]  main.m:57
///     + !     194 main  (in calc_1brc) + 680,640,...  [0x1058f15d1,0x1058f15a9,...]  main.m:71
///         2449 ???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]
///         12 ???  (in <unknown binary>)  [0x34a8da74e4e2]
///     +   2761 main (in App) (main.m:57) [0x101671e30]            as MacSymbolicator pastes atos' output
///     +   2761 inner() [inlined]  (in App)  [0x101671e30]  b.h:7  cairn's own, below the row that holds the call
///
/// The columns before the count show what a row is called by; the glyphs in them only help the eye.
struct AppleSampleRow {
    struct Address {
        var value: UInt64
        /// In bytes from the row's start.
        var range: Range<Int>
    }

    /// Column in which the count begins.
    var column: Int
    var samples: Int
    /// Offset of the text after the count.
    var nameStart: Int
    var name: String?
    var isInlined = false
    var imageName: String?
    /// Distance of the first address from the image's first byte, if the row gives that byte's
    /// address.
    var imageOffset: UInt64?
    /// `+ 680,640`: one for each address.
    var offsets: [UInt64] = []
    var location: SourceLocation?
    /// At most a few: `sample` lists two and appends `...`.
    var addresses: [Address] = []
    /// From `[` to the end of `]`; `nil` in rows without addresses.
    var addressList: Range<Int>?

    /// Text after the count in a thread's heading.
    static let thread = "Thread_"

    /// - Returns: `nil` for a line that has no count; also for the heading of a thread.
    init?(_ row: Span<UInt8>) {
        guard let start = AppleSampleRow.count(of: row) else { return nil }
        column = start.column
        samples = start.samples
        nameStart = start.end
        let text = row.from(start.end)
        guard text.count > 0, !text.hasPrefix(AppleSampleRow.thread) else { return nil }
        readAddresses(text, at: start.end)
        var before = row.clamped(to: start.end..<(addressList?.lowerBound ?? row.count)).trimmed()
        if let list = addressList { location = AppleSampleRow.location(row.from(list.upperBound).trimmed()) }
        if let image = AppleSampleRow.image(in: before) {
            imageName = before.clamped(to: image.name).text
            readPosition(before.from(image.end).trimmed())
            before = before.upTo(image.start).trimmed()
        } else if addressList == nil, let value = before.address {
            // `12 0x0`: nothing is known but the address.
            addresses = [Address(value: value, range: start.end..<start.end + before.count)]
            return
        }
        isInlined = before.consumeSuffix(" [inlined]")
        before = before.trimmed()
        if !before.equals("???"), before.count > 0 { name = before.text }
    }

    /// The count that begins a row or the heading of a thread: after blanks and the tree's glyphs,
    /// followed by a blank.
    /// - Returns: also where the text after it begins.
    static func count(of row: Span<UInt8>) -> (column: Int, samples: Int, end: Int)? {
        var column = 0
        while let byte = row.at(column), isTree(byte) { column += 1 }
        var rest = row.from(column)
        guard let value = rest.readDecimal(), let samples = Int(exactly: value), rest.at(0) == UInt8(ascii: " ") else { return nil }
        rest.skipBlanks()
        return (column, samples, row.count - rest.count)
    }

    private static func isTree(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "+"), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "|"): true
        default: false
        }
    }

    /// `[0x1058f15d1,0x1058f15a9,...]`
    private mutating func readAddresses(_ text: Span<UInt8>, at start: Int) {
        guard let found = text.lastRange(of: " [0x") else { return }
        var rest = text.from(found.lowerBound + 2)
        var list: [Address] = []
        while list.count < 64 {
            let from = start + text.count - rest.count
            guard let value = rest.readAddress() else { break }
            list.append(Address(value: value, range: from..<start + text.count - rest.count))
            guard rest.consume(",") else { break }
        }
        _ = rest.consume("...")
        guard rest.consume("]"), !list.isEmpty else { return }
        addresses = list
        addressList = start + found.lowerBound + 1..<start + text.count - rest.count
    }

    /// `(in Electron Helper (Renderer))`: the last in the row, for a function's name may hold the
    /// like.
    private static func image(in text: Span<UInt8>) -> (start: Int, name: Range<Int>, end: Int)? {
        guard let found = text.lastRange(of: " (in ") else { return nil }
        var depth = 1
        var index = found.upperBound
        while let byte = text.at(index) {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return (found.lowerBound, found.upperBound..<index, index + 1) }
            index += 1
        }
        return nil
    }

    /// Reads the text between the image and the addresses: `+ 680,640,...`,
    /// `load address 0x101671000 + 0xe30`, `(main.m:57)`.
    private mutating func readPosition(_ text: Span<UInt8>) {
        var rest = text
        if rest.consume("load address ") {
            guard let base = rest.readAddress(), let first = addresses.first?.value, base <= first else { return }
            imageOffset = first - base
            return
        }
        if rest.consume("+ ") {
            while offsets.count < 64, let offset = rest.readDecimal() {
                offsets.append(offset)
                guard rest.consume(",") else { break }
            }
            _ = rest.consume("...")
            rest = rest.trimmed()
        }
        if rest.hasPrefix("("), rest.hasSuffix(")") { location = AppleSampleRow.location(rest.from(1).upTo(rest.count - 2)) ?? location }
    }

    /// `main.m:71`; for several addresses possibly `main.m:71,75,...`, of which the first counts.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var digits = text.from(colon + 1)
        guard let number = digits.readDecimal(), digits.count == 0 || digits.hasPrefix(","), let line = Int(exactly: number) else {
            return nil
        }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    /// Function and location that the row already gives for its address number `index`.
    func printed(_ index: Int) -> PrintedSymbol? {
        let offset = index < offsets.count ? offsets[index] : nil
        guard name != nil || location != nil else { return nil }
        return PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
    }
}
