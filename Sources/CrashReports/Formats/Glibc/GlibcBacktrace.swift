internal import BinaryPrimitives

/// Stacks that programs print with `backtrace_symbols(3)` of glibc, and glibc's own reports of old (before 2.26), with the process's memory map:
///
///     *** glibc detected *** ./a.out: double free or corruption (fasttop): 0x0804b008 ***
///     ======= Backtrace: =========
///     /lib/libc.so.6(cfree+0x96)[0xb7e9a1b6]
///     ./a.out[0x804847d]
///     ======= Memory map: ========
///     08048000-08049000 r-xp 00000000 08:01 1311768    /tmp/a.out
///
/// Also a stack that an abort handler prints below a failed assertion.
public struct GlibcBacktrace: LineFormat {
    public static let name = "glibc-backtrace"
    public static let summary = "backtrace_symbols(3) of glibc: its rows, “*** glibc detected ***” with a memory map, failed assertions"
    public static let triggers = [
        "[0x", "*** glibc detected ***", "*** Error in `", " detected ***: ", "======= Backtrace: ", "Assertion `",
    ]

    private enum Section {
        /// A reason was given, and the stack has not begun.
        case heading
        case stack
        case map
    }

    private var section = Section.heading
    private var heading: GlibcHeading?
    private var isTitled = false
    /// Lines behind the reason that are no part of it.
    private var strange = 0
    private var frames: [Frame] = []
    private var rows: [GlibcBacktraceRow] = []
    private var map = MemoryMap()

    /// What a program may say between the reason and the stack.
    private static let patience = 4

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.hasPrefix("======= Backtrace: ") || text.hasPrefix("*** glibc detected ***") { return .certain }
        return GlibcHeading(text) != nil || GlibcBacktraceRow(line) != nil ? .possible : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if section != .map, takeRow(line, text, at: place) { return .more }
        if text.hasPrefix("======= Backtrace: "), section == .heading, !isTitled {
            isTitled = true
            return .more
        }
        if text.hasPrefix("======= Memory map: "), section == .stack {
            section = .map
            return .more
        }
        switch section {
        case .heading:
            if heading == nil, let found = GlibcHeading(text) {
                heading = found
                return .more
            }
            strange += 1
            return strange <= GlibcBacktrace.patience ? .unknown : .rejected
        case .stack: return .rejected
        case .map:
            guard let row = MemoryMapRow(line) else { return .rejected }
            map.add(row)
            return .more
        }
    }

    private mutating func takeRow(_ line: Span<UInt8>, _ text: Span<UInt8>, at place: Range<Int>) -> Bool {
        if section == .stack, text.hasPrefix(AddressToLineText.inlinedBy), let last = frames.indices.last {
            // The frame's own function follows what was inlined into it.
            frames[last].isInlined = true
            var outer = frames[last]
            outer.isInlined = false
            outer.place = place
            let words = text.from(AddressToLineText.inlinedBy.utf8.count)
            outer.printed = AddressToLineText.symbol(words) ?? PrintedSymbol(name: words.text)
            append(outer, rows[last])
            return true
        }
        guard let row = GlibcBacktraceRow(line), frames.count < Limits.standard.framesPerThread else { return false }
        section = .stack
        var frame = Frame(index: (frames.last?.index ?? -1) + 1, kind: .returnAddress, address: RuntimeAddress(row.address), place: place)
        frame.imageName = row.module.map(lastPathComponent)
        frame.printed = row.printed ?? row.symbol.map { PrintedSymbol(name: $0, offset: row.offset) }
        append(frame, row)
        return true
    }

    private mutating func append(_ frame: Frame, _ row: GlibcBacktraceRow) {
        frames.append(frame)
        rows.append(row)
    }

    // MARK: The report

    public mutating func finish() -> [CrashReport] {
        // One row that could be anything is no stack.
        guard !frames.isEmpty, isTitled || heading != nil || rows.count > 1 || !rows[0].isPlain else { return [] }
        var report = CrashReport(format: GlibcBacktrace.name)
        report.cause = heading?.cause
        report.process.name = heading?.processName.map(lastPathComponent)
        GlibcBacktrace.decideKinds(&frames, rows)
        let images = map.isEmpty ? GlibcImages(&frames, rows).images : map.all
        if !map.isEmpty { tellPlaces() }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        var table = ImageTable()
        for image in images { table.add(image) }
        table.assign(to: &report)
        return [report]
    }

    public var shortfall: String {
        guard frames.count == 1, heading == nil, !isTitled else {
            return "looks like the beginning of \(Self.name), but no stack follows it."
        }
        return "looks like a frame of \(Self.name), but a single row without a heading is not read as a stack."
    }

    /// With a memory map, an address tells the place; and where the row has an offset from the load bias, that does, too, without the map.
    private mutating func tellPlaces() {
        for index in frames.indices where rows[index].symbol == nil {
            frames[index].imagePlace = rows[index].offset.map { .linkAddress(LinkAddress($0)) }
        }
    }

    /// Every frame is a return address: `backtrace(3)` unwinds from inside itself, so that its first entry is where it returns to. But what a signal interrupted was not called: it stands behind
    /// the trampoline that the kernel lets a handler return to. That has no dynamic symbol in glibc, so it is known only where the vDSO or a static symbol names it.
    private static func decideKinds(_ frames: inout [Frame], _ rows: [GlibcBacktraceRow]) {
        for index in frames.indices {
            let isInterrupted = index > 0 && SignalFrame.isHandler(rows[index - 1].symbol.map { PrintedSymbol(name: $0) })
            frames[index].kind = isInterrupted ? .programCounter : .returnAddress
        }
    }
}
