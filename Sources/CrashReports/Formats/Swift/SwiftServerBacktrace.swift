internal import BinaryPrimitives

/// What the package swift-server/swift-backtrace prints (`import Backtrace`, `Backtrace.install()`; Swift 4 to 5.8 on Linux, the backtracer's forerunner), row by row from its `Backtrace.swift`:
///
///     Received signal 11. Backtrace:
///     0x55f9abdef472, Backtrace.(printBacktrace in _B82A…)(signal: Swift.Int32) -> () at /app/.build/checkouts/swift-backtrace/Sources/Backtrace/Backtrace.swift:66
///     0x7f66da7c741f
///     0x55f9ab8f1485, App.Controller.addLog(Swift.String) -> () at /app/Sources/App/Controller.swift:459
///
/// Releases before 1.2 print the rows without the heading: there the package's own functions, which are the first of every stack, tell the beginning.
/// Nothing tells which image an address is in, or where images lie. A program whose debug information cannot be read gets a sentence for each frame instead.
public struct SwiftServerBacktrace: LineFormat {
    public static let name = "swift-server-backtrace"
    public static let summary = "the package swift-server/swift-backtrace: “Received signal 4. Backtrace:”"
    public static let triggers = [". Backtrace:", "Backtrace.(printBacktrace in ", " in static Backtrace.Backtrace.install("]

    private var hasBegun = false
    private var signal: String?
    private var frames: [Frame] = []
    private var errors = 0

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        if signal(line) != nil { return .certain }
        guard line.hasPrefix("0x"), triggers.dropFirst().contains(where: { line.contains($0) }) else { return .none }
        return SwiftServerRow(line) == nil ? .none : .certain
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let signal = SwiftServerBacktrace.signal(line) {
            guard !hasBegun else { return .rejected }
            hasBegun = true
            self.signal = signal
            return .more
        }
        if line.hasPrefix("SwiftBacktrace ERROR: ") {
            guard hasBegun else { return .rejected }
            errors += 1
            return .more
        }
        guard let row = SwiftServerRow(line), frames.count < Limits.standard.framesPerThread else { return .rejected }
        hasBegun = true
        frames.append(row.frame(index: frames.count, at: place))
        return .more
    }

    public mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: SwiftServerBacktrace.name)
        report.cause = CrashCause(kind: .signal)
        report.cause?.type = signal.map { "signal " + $0 }
        report.cause?.signal = signal
        SwiftServerBacktrace.decideKinds(&frames)
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        if errors > 0 { report.notes.append("The program could not read its own debug information: \(errors) frames are missing.") }
        return [report]
    }

    /// Every address is the one to look up. The package walks the stack by libbacktrace's `backtrace_full`, whose `unwind` takes one byte off each address, unless
    /// `_Unwind_GetIPInfo` says that it is no return address (the frame that the signal interrupted), before it prints it.
    private static func decideKinds(_ frames: inout [Frame]) {
        for index in frames.indices { frames[index].kind = .exact }
        // libbacktrace calls back for each inlined call.
        InlinedRows.mark(&frames)
    }

    /// The number in `Received signal 11. Backtrace:`.
    private static func signal(_ line: Span<UInt8>) -> String? {
        var rest = line
        guard rest.take("Received signal "), let number = rest.takeDecimal(), rest.trimmed().equals(". Backtrace:") else { return nil }
        return "\(number)"
    }
}

/// `0x55f9ab8f1485, App.Controller.addLog(Swift.String) -> () at /app/Sources/App/Controller.swift:459`: the name and the place are there where libbacktrace knows them.
struct SwiftServerRow {
    var address: UInt64
    var printed: PrintedSymbol?

    init?(_ row: Span<UInt8>) {
        var rest = row.trimmed()
        guard let address = rest.takeAddress() else { return nil }
        self.address = address
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        // A path may hold blanks, and a name the word “at”: the last one is taken that a place in the source follows.
        if let at = rest.lastRange(of: " at ") {
            let location = SwiftSymbolText.location(rest.from(at.upperBound))
            if location.line > 0 || rest.hasSuffix(":0") {
                symbol.location = location
                rest = rest.upTo(at.lowerBound)
            }
        }
        if rest.take(", "), rest.count > 0 { symbol.name = rest.text } else if rest.count > 0 { return nil }
        printed = symbol
    }

    func frame(index: Int, at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .exact, address: RuntimeAddress(address), place: place)
        frame.printed = printed
        return frame
    }
}
