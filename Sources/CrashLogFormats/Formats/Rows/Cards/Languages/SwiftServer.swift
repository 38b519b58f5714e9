internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the package swift-server/swift-backtrace prints (`import Backtrace`, `Backtrace.install()`; Swift 4
    /// to 5.8 on Linux, the predecessor of Swift's backtracer); the rows are those of its `Backtrace.swift`:
    ///
    ///     Received signal 11. Backtrace:
    ///     0x55f9abdef472, Backtrace.(printBacktrace in _B82A…)(signal: Swift.Int32) -> () at /app/.build/checkouts/swift-backtrace/Sources/Backtrace/Backtrace.swift:66
    ///     0x7f66da7c741f
    ///     0x55f9ab8f1485, App.Controller.addLog(Swift.String) -> () at /app/Sources/App/Controller.swift:459
    ///
    /// Releases before 1.2 print the rows without the heading: their stacks begin with the package's own functions,
    /// which are the first of every stack. The log has neither the image of an address nor a list of images. A program
    /// whose debug information cannot be read gets a sentence for each frame instead.
    ///
    /// Every address is the one to look up. The package walks the stack by libbacktrace's `backtrace_full`, whose
    /// `unwind` subtracts one byte from each address before it is printed, unless `_Unwind_GetIPInfo` reports that it
    /// is not a return address (the frame that the signal interrupted). libbacktrace calls back for each inlined call.
    static let swiftServer = StackCard(
        name: "swift-server-backtrace",
        summary: "the package swift-server/swift-backtrace: “Received signal 4. Backtrace:”",
        openings: [
            .inLine(". Backtrace:", isCertain: true) { SwiftServerText.signal($0) != nil },
            .inLine("Backtrace.(printBacktrace in ", isCertain: true) { SwiftServerText.isFirstRow($0) },
            .inLine(" in static Backtrace.Backtrace.install(", isCertain: true) { SwiftServerText.isFirstRow($0) },
        ],
        rule: .movedBack,
        hasOwnRows: true,
        read: { line in
            if let signal = SwiftServerText.signal(line) { return .several([.heading(), .cause(signal)]) }
            return line.hasPrefix("SwiftBacktrace ERROR: ") ? .fact { $0.notes.append(SwiftServerText.missing) } : nil
        },
        readRow: SwiftServerText.row,
        writeResult: { text, result in
            guard let end = SwiftServerText.row(text)?.addressRange?.upperBound else { return nil }
            return RowResult(range: end..<text.count, functions: result.functions.map { ", " + AddressToLineText.text($0) })
        },
        finish: SwiftServerText.finish)
}

enum SwiftServerText {
    fileprivate static let missing = "The program could not read its own debug information: "

    /// The number in `Received signal 11. Backtrace:`.
    static func signal(_ line: Span<UInt8>) -> CrashCause? {
        var rest = line
        guard rest.consume("Received signal "), let number = rest.readDecimal(), rest.trimmed().equals(". Backtrace:") else { return nil }
        return CrashCause(kind: .signal, type: "signal \(number)", signal: "\(number)")
    }

    static func isFirstRow(_ line: Span<UInt8>) -> Bool {
        line.hasPrefix("0x") && (line.contains("Backtrace.(printBacktrace in ") || line.contains(" in static Backtrace.Backtrace.install("))
            && row(line) != nil
    }

    /// Reads a row. It has the name and the source location if libbacktrace knows them. A path may have blanks, and a
    /// name the word “at”: the last “at” before a source location separates the two.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let address = rest.readAddress() else { return nil }
        var row = StackRow(number: nil, in: start..<line.count, address: address, addressRange: start..<line.count - rest.count)
        let remaining = row.readTrailingLocation(.at, in: line, line.count - rest.count..<line.count)
        guard !remaining.isEmpty else { return row }
        guard line.clamped(to: remaining).hasPrefix(", ") else { return nil }
        row.symbol.name = remaining.lowerBound + 2..<remaining.upperBound
        return row
    }

    fileprivate static func finish(_ report: inout CrashReport) {
        report.cause = report.cause ?? CrashCause(kind: .signal)
        report.changeStacks { InlinedRows.mark(&$0.frames) }
        let count = report.notes.count { $0 == missing }
        report.notes.removeAll { $0 == missing }
        if count > 0 { report.notes.append(missing + "\(count) frames are missing.") }
    }
}
