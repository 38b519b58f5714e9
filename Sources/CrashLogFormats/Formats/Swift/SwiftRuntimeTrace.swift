internal import BinaryPrimitives
package import CrashLogModel

/// Stack printed by the Swift runtime itself if the backtracer is off: `dumpStackTraceEntry` of
/// `stdlib/public/runtime/Errors.cpp`, with `%-4u %-34s 0x%0.16lx %s + %td`.
///
///     Current stack trace:
///     0    libswiftCore.so                    0x00007f6d82f5f130 swift_reportError + 33
///     5    crashD                             0x000055cdb9349233 <unavailable> + 4659
///
/// The two kinds of rows mean different things. With a name, the address printed is the **symbol's
/// start**, and the frame is at address + offset. Without, the address printed is the frame's, and
/// the offset is its distance from the image's **load address**: 0x55cdb9349233 − 4659 =
/// 0x55cdb9348000. There is no list of images; the second kind of rows gives the load address of
/// each.
///
/// Exclusivity.cpp prints such rows below two lines of its own:
///
///     Simultaneous accesses to 0x102c48000, but modification requires exclusive access.
///     Previous access (a modification) started at Long`report + 140 (0x102c4443c).
///     Current access (a modification) started at:
package struct SwiftRuntimeTrace: LineFormat {
    package static let name = "swift-runtime-trace"
    package static let summary = "the Swift runtime’s “Current stack trace:” (backtracer off)"
    package static let triggers = ["Current stack trace:", "Fatal error", "Simultaneous accesses to 0x", "Current access ("]

    static let fatalError = "Fatal error"

    private var hasBegun = false
    /// The message in the line above the trace.
    private var message: String?
    /// The message reports an exclusivity violation.
    private var isConflict = false
    private var frames: [Frame] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if isHeading(line) || isConflict(line) { return .certain }
        return message(line) == nil ? .none : .possible
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if !hasBegun, SwiftRuntimeTrace.isHeading(line) {
            hasBegun = true
            return .more
        }
        if !hasBegun, message == nil, SwiftRuntimeTrace.isConflict(line) {
            (message, isConflict) = (line.trimmed().text, true)
            return .more
        }
        if isConflict, !hasBegun, line.trimmed().hasPrefix("Previous access (") { return .more }
        if !hasBegun, message == nil, let text = SwiftRuntimeTrace.message(line) {
            message = text
            return .more
        }
        // Nothing but the message: the backtracer is on, and prints its own report.
        guard hasBegun || message == nil else { return .rejected }
        guard let row = SwiftRuntimeRow(line), frames.count < Limits.standard.framesPerThread else { return .rejected }
        hasBegun = true
        frames.append(row.frame(at: range))
        return .more
    }

    package mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: SwiftRuntimeTrace.name)
        report.cause = CrashCause(
            kind: .runtimeError, type: message.map { _ in isConflict ? "Simultaneous accesses" : Self.fatalError }, message: message)
        // Every frame is a return address: the stack is walked from inside the runtime's own function, by `backtrace(3)`, whose first entry
        // is where that call returns to.
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        var images = ImageTable()
        images.assign(to: &report)
        // A named row does not have its image's base; another row of the same image may
        // (`RecoveredBases`).
        return [report]
    }

    private static func isHeading(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return text.equals("Current stack trace:") || text.hasPrefix("Current access (") && text.hasSuffix(") started at:")
    }

    private static func isConflict(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return text.hasPrefix("Simultaneous accesses to 0x") && text.hasSuffix(", but modification requires exclusive access.")
    }

    /// Reads the message: `Index out of range` in
    /// `Swift/Array.swift:692: Fatal error: Index out of range`, or in
    /// `Fatal error: Index out of range: file Swift/Array.swift, line 692` before Swift 5.5.
    /// Returns `nil` for other lines. A program's `fatalError()` has an empty message, which is
    /// then described by its location.
    static func message(_ line: Span<UInt8>) -> String? {
        let text = line.trimmed()
        guard let range = text.firstRange(of: "Fatal error") else { return nil }
        let prefix = text.upTo(range.lowerBound)
        guard prefix.count == 0 || prefix.hasSuffix(": ") else { return nil }
        var rest = text.from(range.upperBound)
        guard rest.consume(": ") else { return rest.count == 0 ? text.text : nil }
        return rest.text
    }

    /// The row is rewritten from its address on, in the format's own meaning: the symbol's start,
    /// the name and the offset from it, so that a reader of the row finds the same frame. The
    /// source location follows as the backtracer writes it. Inlined calls become rows above it;
    /// they have no start of their own and print the frame's address, without an offset.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = SwiftRuntimeRow(log.clamped(to: frame.range)) else { return nil }
        let rows = RowResult(range: row.addressStart..<frame.range.count, functions: result.functions.map { text($0, at: row) })
        return TextEdit.rows(rows, in: frame.range, of: log)
    }

    private static func text(_ function: FrameResult.Function, at row: SwiftRuntimeRow) -> String {
        let offset = function.isInlined ? nil : function.offset.flatMap { $0 <= row.programCounter ? $0 : nil }
        var text =
            "0x" + hexadecimal(row.programCounter - (offset ?? 0), digits: row.addressDigits) + " " + PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset { text += " + \(offset)" }
        if let location = function.location { text += " at " + SwiftSymbolText.text(location) }
        return text
    }
}

/// One row: number, image, address, name and offset; after them, if this package has symbolicated
/// it, ` at FILE:LINE:COLUMN`.
struct SwiftRuntimeRow {
    var index: Int
    var imageName: String
    var programCounter: UInt64
    /// For a row without a name, how far the frame is from its image's load address.
    var imageOffset: UInt64?
    var symbol: SwiftSymbolText
    var isInlined = false
    /// Offset in the row at which the address begins, and the number of its hexadecimal digits.
    var addressStart: Int
    var addressDigits: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        guard let number = rest.readDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        rest.skipBlanks()
        let name = rest
        guard let start = name.firstRange(of: " 0x")?.lowerBound else { return nil }
        imageName = name.upTo(start).trimmed().text
        rest = name.from(start + 1)
        addressStart = row.count - rest.count
        let addressText = rest
        guard !imageName.isEmpty, let address = rest.readAddress(), rest.at(0).map(isBlank) ?? true else { return nil }
        addressDigits = addressText.count - rest.count - 2
        rest = rest.trimmed()
        let isUnavailable = rest.hasPrefix("<unavailable>")
        if let marker = rest.firstRange(of: " [inlined]") {
            isInlined = true
            let tail = rest.from(marker.upperBound)
            symbol = SwiftSymbolText(Array((rest.upTo(marker.lowerBound).text + tail.text).utf8).span, hasImage: false)
        } else {
            symbol = SwiftSymbolText(rest, hasImage: false)
        }
        let offset = symbol.printed?.offset ?? 0
        if isUnavailable {
            programCounter = address
            imageOffset = offset <= address ? offset : nil
            symbol.printed = nil
        } else {
            let (sum, overflow) = address.addingReportingOverflow(offset)
            guard !overflow, symbol.printed?.name != nil else { return nil }
            programCounter = sum
        }
    }

    func frame(at range: Range<Int>) -> Frame {
        Frame(
            index: index, address: programCounter, range: range, imageName: imageName, imageOffset: imageOffset, printed: symbol.printed,
            isInlined: isInlined)
    }
}
