internal import BinaryPrimitives

/// What Rust's standard library prints when a thread panics (`default_hook` of `std/src/panicking.rs`) with `RUST_BACKTRACE`, and what a program prints of a `std::backtrace::Backtrace`
/// or the backtrace crate's by itself, with `{}` or `{:?}`.
///
///     thread 'main' (3429) panicked at src/main.rs:1:33:
///     index out of bounds: the len is 1 but the index is 5
///     stack backtrace:
///        0: __rustc::rust_begin_unwind
///
/// There is no list of images: addresses, which only the full form has, mean something in a program that lies where it was linked.
public struct RustPanic: LineFormat {
    public static let name = "rust-panic"
    public static let summary = "Rust’s panics and backtraces (RUST_BACKTRACE)"
    public static let triggers = ["' panicked at ", ") panicked at ", "stack backtrace:", "Stack backtrace:", "   0: ", "{ fn: "]

    private var hasHeading = false
    private var cause: CrashCause?
    private var threadName: String?
    private var frames: [Frame] = []
    private var isListing = false
    private var isDebug = false
    /// Of the last row's address column.
    private var width = 0
    private var messageLines = 0

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        switch text.at(0) {
        case UInt8(ascii: "t"): return RustPanicHeading(text) == nil ? .none : .certain
        case UInt8(ascii: "s"), UInt8(ascii: "S"): return isBacktraceHeading(text) ? .possible : .none
        case UInt8(ascii: "0"): return isFirstRow(line) ? .possible : .none
        default: return text.contains("{ fn: ") && !RustDebugSymbols(text).symbols.isEmpty ? .possible : .none
        }
    }

    private static func isBacktraceHeading(_ text: Span<UInt8>) -> Bool {
        text.equals("stack backtrace:") || text.equals("Stack backtrace:")
    }

    /// `   0:     0x55da17234e8a - name`, or a name of Rust's.
    private static func isFirstRow(_ line: Span<UInt8>) -> Bool {
        guard line.hasPrefix("   0: "), let row = RustRow(line) else { return false }
        return row.address != nil || row.name?.contains("::") == true
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if let heading = RustPanicHeading(text) {
            guard !hasHeading, frames.isEmpty else { return .rejected }
            hasHeading = true
            cause = heading.cause
            threadName = heading.threadName
            return .more
        }
        if RustPanic.isBacktraceHeading(text) {
            guard frames.isEmpty, !isListing else { return .rejected }
            isListing = true
            return .more
        }
        if let verdict = takeDebug(text, at: place) { return verdict }
        if text.count == 0 { return frames.isEmpty && hasHeading ? .unknown : .rejected }
        guard isListing || RustPanic.isFirstRow(line) else { return takeMessage(text) }
        isListing = true
        return takeFrame(line, at: place)
    }

    /// The message stands below the heading (in it, before Rust 1.73), in any number of lines; then perhaps what tells how to get a backtrace.
    private mutating func takeMessage(_ text: Span<UInt8>) -> LineVerdict {
        guard hasHeading, messageLines < 64 else { return .rejected }
        messageLines += 1
        if text.hasPrefix("note: run with `RUST_BACKTRACE=") { return .done }
        if cause?.message == nil { cause?.message = text.text }
        return .unknown
    }

    private mutating func takeFrame(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        guard frames.count < Limits.standard.framesPerThread else { return .rejected }
        if let row = RustRow(line) {
            // Another backtrace.
            guard row.index > frames.last?.index ?? -1 else { return .rejected }
            width = row.width
            var frame = Frame(index: row.index, kind: .returnAddress, address: row.address.map { RuntimeAddress($0) }, place: place)
            if let name = row.name { frame.printed = PrintedSymbol(name: name) }
            frames.append(frame)
            return .more
        }
        guard let last = frames.last else { return .rejected }
        if let location = RustRow.location(line) {
            guard last.printed?.location == nil else { return .rejected }
            var printed = last.printed ?? PrintedSymbol()
            printed.location = location
            frames[frames.count - 1].printed = printed
            frames[frames.count - 1].place = last.place.lowerBound..<place.upperBound
            return .more
        }
        if let count = RustRow.omitted(line) {
            frames.append(Frame(index: last.index, kind: .omitted(count: count), address: nil, place: place))
            return .more
        }
        if takeContinuation(line, of: last, at: place) { return .more }
        return line.trimmed().hasPrefix("note: Some details are omitted") ? .done : .rejected
    }

    /// A row without a number, its name in the column of the others': the backtrace crate's `Backtrace` writes what a call was inlined into as parts of one frame.
    private mutating func takeContinuation(_ line: Span<UInt8>, of last: Frame, at place: Range<Int>) -> Bool {
        var rest = line
        rest.skipBlanks()
        let indentation = width == 0 ? 6 : width + 9
        guard line.count - rest.count == indentation, last.kind == .returnAddress, last.address != nil || width == 0 else { return false }
        frames[frames.count - 1].isInlined = true
        var frame = last
        frame.isInlined = false
        frame.place = place
        frame.printed = RustRow.name(rest).map { PrintedSymbol(name: $0) }
        frames.append(frame)
        return true
    }

    /// `Backtrace [{ fn: "main::f", file: "src/main.rs", line: 3 }, …]` in one line or in many: names without addresses.
    private mutating func takeDebug(_ text: Span<UInt8>, at place: Range<Int>) -> LineVerdict? {
        if text.contains("{ fn: "), !isListing {
            isDebug = true
            let found = RustDebugSymbols(text)
            for symbol in found.symbols where frames.count < Limits.standard.framesPerThread {
                var frame = Frame(index: frames.count, kind: .returnAddress, address: nil, place: place)
                frame.printed = symbol
                frames.append(frame)
            }
            return found.isLast ? .done : .more
        }
        return isDebug ? (text.hasPrefix("]") ? .done : .rejected) : nil
    }

    public mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: RustPanic.name)
        report.cause = cause
        if cause == nil { report.notes.append("The rows stand alone, without the lines above them that say what happened.") }
        markInlinedCalls()
        decideKinds()
        report.threads = [ThreadTrace(index: 0, name: threadName, crashed: true, frames: frames)]
        return [report]
    }

    /// The standard library's own printer gives each call that was inlined a number of its own: rows that follow one another with one address and different names. (Equal names are a recursion,
    /// whose frames all return to the same place.)
    private mutating func markInlinedCalls() {
        for index in frames.indices.dropLast() {
            guard let address = frames[index].address, address == frames[index + 1].address, let name = frames[index].printed?.name,
                let next = frames[index + 1].printed?.name
            else { continue }
            if name != next { frames[index].isInlined = true }
        }
    }

    /// Rows print what `_Unwind_GetIP` gives: all are return addresses, the first one too, because the walk begins inside the function that walks; names and lines are those of one byte less
    /// (`adjust_ip`). A program that prints a backtrace in a signal handler has the frame that the signal interrupted below the trampoline's row: that one is exact.
    private mutating func decideKinds() {
        var isExact = false
        for index in frames.indices where frames[index].kind == .returnAddress {
            if isExact { frames[index].kind = .programCounter }
            if !frames[index].isInlined { isExact = SignalFrame.isHandler(frames[index].printed) }
        }
    }
}
