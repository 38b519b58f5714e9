internal import BinaryPrimitives
package import CrashLogModel

/// The crash report of Swift's own backtracer, `swift-backtrace` (Swift 5.9 and later,
/// `SWIFT_BACKTRACE`), as text: its presets `full`, `medium` and `friendly`, with and without
/// colour, with and without symbols. Its JSON form is `SwiftBacktraceJSON`.
package struct SwiftBacktrace: LineFormat {
    package static let name = "swift-backtrace"
    package static let summary = "Swift’s own crash reports (SWIFT_BACKTRACE), text and JSON"
    package static let triggers = ["💣", "Program crashed: ", "Swift runtime failure: ", ": Backtracing from ", "crashed:"]

    private enum Section {
        case fresh
        case header
        case frames
        case registers
        case images
    }

    private var section = Section.fresh
    private var report = CrashReport(format: name)
    private var images = ImageTable()
    private var registers: [(name: String, value: UInt64)] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        // Bomb, colour or asterisks: nearly every other line is refused by its first byte.
        switch line.at(0) {
        case UInt8(ascii: "*"), 0xF0, 0x1B, UInt8(ascii: "\r"), UInt8(ascii: "T"): break
        default: return .none
        }
        let plain = ANSIText(line)
        let text = plain.bytes.span
        if crash(text) != nil { return .certain }
        if text.hasPrefix("*** Signal "), text.contains(": Backtracing from ") { return .possible }
        return SwiftBacktrace.heading(text)?.crashed == true ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let plain = ANSIText(line)
        let text = plain.bytes.span
        if text.trimmed().count == 0 { return section == .fresh ? .rejected : .more }
        if let description = SwiftBacktrace.crash(text) {
            // The next crash's report.
            guard report.threads.isEmpty else { return .rejected }
            section = .header
            readCause(text.from(description))
            return .more
        }
        if text.hasPrefix("*** Signal ") { return readSignal(text) }
        if section != .fresh, text.trimmed().hasPrefix("no context for thread ") { return .more }
        if text.hasPrefix("Backtrace took ") { return section == .fresh ? .rejected : .done }
        if let heading = SwiftBacktrace.heading(text) {
            guard report.threads.count < Limits.standard.threads else { return .rejected }
            closeRegisters()
            section = .frames
            report.threads.append(ThreadTrace(index: heading.index, name: heading.name, crashed: heading.crashed))
            return .more
        }
        switch section {
        case .fresh, .frames: return readFrame(text, at: range)
        case .header: return readHeader(text)
        case .registers: return readRegisters(text)
        case .images: return readImage(text)
        }
    }

    /// Offset of the description in the report's first line:
    /// `*** Program crashed: Illegal instruction at 0x… ***`, or, for a check that the compiler
    /// inserted, `*** Swift runtime failure: precondition failure ***`. In colour a bomb replaces
    /// the asterisks, and the line was printed over another.
    private static func crash(_ text: Span<UInt8>) -> Int? {
        let isPlain = text.hasPrefix("*** ")
        guard let start = isPlain ? 4 : text.lastRange(of: "💣 ")?.upperBound else { return nil }
        let rest = text.from(start)
        if rest.hasPrefix(runtimeFailure) { return start }
        return rest.hasPrefix("Program crashed: ") ? start + "Program crashed: ".utf8.count : nil
    }

    static let runtimeFailure = "Swift runtime failure: "

    /// `Illegal instruction at 0x00007f295476df7f ***`
    private mutating func readCause(_ text: Span<UInt8>) {
        var rest = text.trimmed()
        if rest.hasSuffix("***") { rest = rest.upTo(rest.count - 3).trimmed() }
        var address: RuntimeAddress?
        if let at = rest.lastRange(of: " at 0x") {
            address = AppleStack.faultAddress(rest)
            rest = rest.upTo(at.lowerBound)
        }
        let signal = report.cause?.signal
        report.cause = SwiftBacktrace.cause(description: rest.text)
        report.cause?.address = address
        report.cause?.signal = signal
    }

    /// `Bad pointer dereference`, or `Swift runtime failure: precondition failure`, which is the
    /// program's own doing.
    static func cause(description: String) -> CrashCause {
        guard description.hasPrefix(runtimeFailure) else {
            return CrashCause(kind: .signal, type: description)
        }
        return CrashCause(kind: .runtimeError, type: "Swift runtime failure", message: String(description.dropFirst(runtimeFailure.count)))
    }

    /// `*** Signal 4: Backtracing from 0x7fa843d6df7f... done ***`: printed while the backtracer
    /// works, in front of the report.
    private mutating func readSignal(_ text: Span<UInt8>) -> LineVerdict {
        guard section == .fresh else { return .rejected }
        guard let number = text.from("*** Signal ".utf8.count).leadingDecimal else { return .rejected }
        report.cause = CrashCause(kind: .signal, signal: "\(number)")
        section = .header
        return .more
    }

    /// `Thread 1 "oot.default-qos" crashed:`
    private static func heading(_ text: Span<UInt8>) -> (index: Int, name: String?, crashed: Bool)? {
        var rest = text
        guard rest.consume("Thread "), let number = rest.readDecimal(), let index = Int(exactly: number) else { return nil }
        guard rest.trimmed().hasSuffix(":") else { return nil }
        var name: String?
        if rest.consume(" \""), let close = rest.lastIndex(of: UInt8(ascii: "\"")) {
            name = rest.upTo(close).text
            rest = rest.from(close + 1)
        }
        switch rest.trimmed().text {
        case ":": return (index, name, false)
        case "crashed:": return (index, name, true)
        default: return nil
        }
    }

    private mutating func readHeader(_ text: Span<UInt8>) -> LineVerdict {
        var rest = text
        // The runtime's own warnings may come between.
        if rest.hasPrefix("swift-runtime: ") || rest.hasPrefix("warning: ") { return .more }
        // An ellipsis for lines that the author of the paste left out.
        if rest.trimmed().equals("...") || rest.trimmed().equals("…") { return .more }
        guard rest.consume("Platform: ") else { return .rejected }
        report.architecture = Architecture(rest.readToken().text)
        report.platform = rest.trimmed().text
        return .more
    }

    private mutating func readFrame(_ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if section == .frames, text.equals("Registers:") {
            section = .registers
            return .more
        }
        if section == .frames, SwiftBacktrace.isImagesHeading(text) {
            section = .images
            return .more
        }
        if section == .frames, SwiftBacktrace.isExcerpt(text) { return .more }
        guard let row = SwiftBacktraceRow(text) else {
            // With `registers=all`, each thread's registers are above its frames, without a
            // heading.
            let isAboveFrames = section == .frames && report.threads.last?.frames.isEmpty == true
            return isAboveFrames ? readRegisters(text) : .rejected
        }
        if report.threads.isEmpty {
            // A log that is forced to be of this format may begin with its rows.
            report.threads.append(ThreadTrace(index: 0, crashed: true))
            section = .frames
        }
        let last = report.threads.count - 1
        guard report.threads[last].frames.count < Limits.standard.framesPerThread else { return .rejected }
        if !registers.isEmpty {
            report.threads[last].registers = RegisterState(values: registers)
            registers = []
        }
        let next = report.threads[last].frames.last.map { $0.index &+ 1 } ?? 0
        report.threads[last].frames.append(row.frame(at: range, next: next))
        return .more
    }

    /// Source lines around a frame's location: ` * 2| code`, ` | ^`, in colour with `│`.
    private static func isExcerpt(_ text: Span<UInt8>) -> Bool {
        var rest = text
        rest.skipBlanks()
        if rest.consume("*") { rest.skipBlanks() }
        _ = rest.readDecimal()
        rest.skipBlanks()
        return rest.hasPrefix("|") || rest.hasPrefix("│")
    }

    private mutating func readRegisters(_ text: Span<UInt8>) -> LineVerdict {
        if SwiftBacktrace.isImagesHeading(text) {
            closeRegisters()
            section = .images
            return .more
        }
        var rest = text
        var count = 0
        // One register a line, or several selectors: `cs 0x0033  fs 0x0000  gs 0x0000`.
        while registers.count < 256 {
            rest.skipBlanks()
            let name = rest.readToken().text
            rest.skipBlanks()
            guard !name.isEmpty, let value = rest.readAddress() else { break }
            registers.append((name, value))
            count += 1
        }
        return count > 0 ? .more : .rejected
    }

    /// Registers below all threads are those of the crashed one.
    private mutating func closeRegisters() {
        guard !registers.isEmpty else { return }
        let crashed = report.threads.lastIndex { $0.crashed && $0.registers == nil }
        if let index = crashed ?? report.threads.indices.last { report.threads[index].registers = RegisterState(values: registers) }
        registers = []
    }

    /// `Images:`, `Images (12 omitted):`, and `Images (only mentioned):` where a program prints its
    /// own backtrace by the Runtime module.
    private static func isImagesHeading(_ text: Span<UInt8>) -> Bool {
        text.equals("Images:") || text.equals("Images (only mentioned):") || (text.hasPrefix("Images (") && text.hasSuffix(" omitted):"))
    }

    /// `0x0000555555554000–0x000055555616db60 bf961b… swift-format /usr/bin/swift-format`; between
    /// the addresses is an en dash.
    private mutating func readImage(_ text: Span<UInt8>) -> LineVerdict {
        var rest = text.trimmed()
        guard let base = rest.readAddress(), rest.consume("–") || rest.consume("-"), let end = rest.readAddress(), end >= base else {
            return .rejected
        }
        rest.skipBlanks()
        var id: ImageID?
        if rest.hasPrefix("<"), let close = rest.firstIndex(of: UInt8(ascii: ">")) {
            rest = rest.from(close + 1)
        } else {
            id = ImageID(text: rest.readToken().text)
        }
        rest.skipBlanks()
        // An image without a path has `<unknown>` there; on macOS, `sanitize` shortens the user's
        // folder to `~`.
        let slash = [" /", " ~/", " <unknown>"].compactMap { rest.firstRange(of: $0)?.lowerBound }.min() ?? rest.count
        var image = BinaryImage(name: rest.upTo(slash).trimmed().text)
        let path = rest.from(slash).trimmed()
        image.path = path.count > 0 && !path.equals("<unknown>") ? path.text : nil
        image.id = id
        image.base = RuntimeAddress(base)
        image.size = end - base
        image.architecture = report.architecture
        images.add(image)
        return .more
    }

    package mutating func finish() -> [CrashReport] {
        closeRegisters()
        guard report.threads.contains(where: { !$0.frames.isEmpty }) else { return [] }
        SwiftBacktrace.decideKinds(&report.threads)
        images.assign(to: &report)
        return [report]
    }

    /// Decides which frames are return addresses: the rows mark them with `[ra]`. A row without a
    /// mark is a program counter; `[async]` is the address at which a suspended function resumes,
    /// and the backtracer looks both up as they are (`adjustedProgramCounter` of the Runtime
    /// module). The preset `friendly` shows no attributes at all: then every frame but a thread's
    /// first is a return address. `...` between two rows replaces the frames whose numbers are
    /// missing; at the end of a stack it means that the stack was cut.
    private static func decideKinds(_ threads: inout [ThreadTrace]) {
        let showsAttributes = threads.contains { $0.frames.contains { $0.kind == .returnAddress || $0.kind == .asyncResumePoint } }
        for thread in threads.indices {
            var physical = 0
            for index in threads[thread].frames.indices {
                let frame = threads[thread].frames[index]
                if frame.kind == .truncated, index > 0, index + 1 < threads[thread].frames.count {
                    let left = threads[thread].frames[index + 1].index - threads[thread].frames[index - 1].index - 1
                    threads[thread].frames[index].kind = .omitted(count: max(0, left))
                }
                if !showsAttributes, physical > 0, frame.kind == .programCounter { threads[thread].frames[index].kind = .returnAddress }
                if !frame.isInlined { physical += 1 }
            }
        }
    }

    /// A row gets ` NAME + OFFSET in IMAGE at PATH:LINE:COLUMN` after its address. Inlined calls
    /// get rows of their own above it, with `[inlined]` and without an offset. They repeat the
    /// row's number, so that the numbers of all others stay. A coloured row is symbolicated in the
    /// backtracer's colours.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        let isApple = isApple(report)
        return ResultFilter.edits(of: report, results: results, in: log) { edit(of: $0, with: $1, isApple: isApple, in: $2) }
    }

    private static func edit(of frame: Frame, with result: FrameResult, isApple: Bool, in log: Span<UInt8>) -> TextEdit? {
        let rowRange = frame.range
        let text = log.clamped(to: rowRange)
        // One name, two forms: a frame of the JSON form is an object.
        if text.at(0) == UInt8(ascii: "{") { return SwiftBacktraceJSON.edit(of: frame, with: result, isApple: isApple, in: log) }
        let plain = ANSIText(text)
        guard let row = SwiftBacktraceRow(plain.bytes.span), row.address != nil else { return nil }
        let paint = Paint(isColored: plain.isColored)
        let symbols = result.functions.map {
            symbol($0, offset: printedOffset($0, of: frame, isApple: isApple), in: row.symbol.imageName ?? result.imageName, paint)
        }
        let numberEnd = rowRange.lowerBound + plain.positionBehind(row.indexEnd, in: text)
        let addressStart = rowRange.lowerBound + plain.positionAfter(row.addressStart)
        let addressEnd = rowRange.lowerBound + plain.positionBehind(row.addressEnd, in: text)
        let columns = result.functions.map { attributes($0, of: row) }
        guard symbols.count > 1 || columns.last != row.attributes else {
            return TextEdit(range: addressEnd..<rowRange.upperBound, replacement: Array((symbols.first ?? "").utf8))
        }

        // Number and address as the row has them; between them the attributes, as wide as the
        // row's.
        let line = LogLine(around: rowRange, in: log)
        let head = log.clamped(to: line.range.lowerBound..<numberEnd).copied()
        let address = log.clamped(to: addressStart..<addressEnd).copied()
        let width = max(0, row.addressStart - row.indexEnd - 2)
        var replacement: [UInt8] = []
        for (index, symbol) in symbols.enumerated() {
            if index > 0 { replacement += line.ending + head }
            replacement +=
                columns[index] == row.attributes
                ? log.clamped(to: numberEnd..<addressStart).copied() : Array(column(columns[index], width: width, paint).utf8)
            replacement += address + Array(symbol.utf8)
        }
        return TextEdit(range: numberEnd..<rowRange.upperBound, replacement: replacement)
    }

    /// ` [ra] [inlined] `
    private static func column(_ attributes: [String], width: Int, _ paint: Paint) -> String {
        let plainWidth = attributes.reduce(attributes.count - 1) { $0 + $1.utf8.count + 2 }
        let spaces = String(repeating: " ", count: max(0, width - plainWidth))
        return " " + attributes.map { paint.attribute("[\($0)]") }.joined(separator: " ") + spaces + " "
    }

    /// The row's attributes and those that the result adds, in the backtracer's order.
    private static func attributes(_ function: FrameResult.Function, of row: SwiftBacktraceRow) -> [String] {
        var attributes = row.attributes.filter { $0 == "ra" || $0 == "async" }
        if function.isInlined { attributes.append("inlined") }
        // A friendly report shows no attributes, and so only the one without which the row could
        // not be understood.
        guard row.addressStart > row.indexEnd + 1 else { return attributes }
        if SwiftFunctionKind.isThunk(function.mangledName) { attributes.append("thunk") }
        if SwiftFunctionKind.isSystem(function) { attributes.append("system") }
        return attributes
    }

    private static func symbol(_ function: FrameResult.Function, offset: UInt64?, in image: String, _ paint: Paint) -> String {
        var text = " " + paint.symbol(PlainText.line(function.name))
        if let offset, offset > 0 { text += paint.offset(" + \(offset)") }
        text += " in " + paint.image(PlainText.line(image))
        if let location = function.location { text += " at " + paint.location(SwiftSymbolText.text(location)) }
        return text
    }

    /// The number after `+`. On Linux the backtracer counts to the address that it looks up: for a
    /// return address, one byte less than the raw one. On Apple's systems it counts to the raw
    /// address (`originalProgramCounter` in `SymbolicatedBacktrace`). Inlined calls have no offset.
    static func printedOffset(_ function: FrameResult.Function, of frame: Frame, isApple: Bool) -> UInt64? {
        guard let offset = function.offset, !function.isInlined else { return nil }
        return frame.kind == .returnAddress && !isApple ? ReturnAddress.call(before: offset) : offset
    }

    static func isApple(_ report: CrashReport) -> Bool {
        guard let platform = report.platform else { return false }
        return ["macOS", "iOS", "tvOS", "watchOS", "visionOS"].contains { platform.hasPrefix($0) }
    }
}

/// The colours of swift-backtrace's standard theme.
private struct Paint {
    var isColored: Bool

    func symbol(_ text: String) -> String { paint(text, "96") }
    func offset(_ text: String) -> String { paint(text, "37") }
    func image(_ text: String) -> String { paint(text, "36") }
    func location(_ text: String) -> String { paint(text, "33") }
    func attribute(_ text: String) -> String { paint(text, "34") }

    private func paint(_ text: String, _ color: String) -> String { isColored ? "\u{1B}[\(color)m\(text)\u{1B}[39m" : text }
}

/// One row of a Swift backtrace: number, attributes, address, symbol.
///
///      3 [ra] 0x000055f83f78b233 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69
///     11 [ra] [inlined] [system] 0x0000555555e0ea5a specialized static ParsableCommand.main() in swift-format at …
///      3 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69       preset friendly: no attributes, and no address where the source is known
///     10      ...                                                   the rest is missing, with `symbolicate=off`
///     ...                                                           the same otherwise
struct SwiftBacktraceRow {
    enum Content {
        case frame
        /// `...`: frames are missing here.
        case gap
    }

    var content: Content
    var index: Int?
    var attributes: [String] = []
    var address: UInt64?
    var symbol: SwiftSymbolText
    /// Places in the row (without colours): after the number, where the address begins, after it.
    var indexEnd = 0
    var addressStart = 0
    var addressEnd = 0

    init?(_ row: Span<UInt8>) {
        symbol = SwiftSymbolText(row.upTo(0))
        var rest = row
        rest.skipBlanks()
        if rest.trimmed().equals("...") {
            content = .gap
            return
        }
        guard let number = rest.readDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        indexEnd = row.count - rest.count
        rest.skipBlanks()
        while rest.hasPrefix("["), let close = rest.firstIndex(of: UInt8(ascii: "]")), attributes.count < 8 {
            attributes.append(rest.clamped(to: 1..<close).text)
            rest = rest.from(close + 1)
            rest.skipBlanks()
        }
        if rest.trimmed().equals("...") {
            content = .gap
            return
        }
        content = .frame
        addressStart = row.count - rest.count
        let start = rest
        if let value = rest.readAddress(), rest.at(0).map(isBlank) ?? true {
            address = value
        } else {
            rest = start
        }
        addressEnd = row.count - rest.count
        symbol = SwiftSymbolText(rest)
        // A row without an address must have a source location.
        guard address != nil || (symbol.printed?.location != nil && symbol.imageName != nil) else { return nil }
    }

    var isReturnAddress: Bool { attributes.contains("ra") }
    var isAsync: Bool { attributes.contains("async") }
    var isInlined: Bool { attributes.contains("inlined") }

    func frame(at range: Range<Int>, next: Int) -> Frame {
        let kind: Frame.Kind =
            switch content {
            case .gap: .truncated
            case .frame: isReturnAddress ? .returnAddress : isAsync ? .asyncResumePoint : .programCounter
            }
        return Frame(
            index: index ?? next, kind: kind, address: address, range: range, imageName: symbol.imageName, printed: symbol.printed,
            isInlined: isInlined)
    }
}
