internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Backtraces of Rust: those of the standard library when a thread panics with `RUST_BACKTRACE` (`default_hook` of
    /// `std/src/panicking.rs`), and a `std::backtrace::Backtrace` or one of the backtrace crate that a program prints
    /// itself, with `{}` or `{:?}`. The rows are those of `BacktraceFrameFmt::print_raw_generic`, short and full:
    ///
    ///     thread 'main' (3429) panicked at src/main.rs:1:33:
    ///     index out of bounds: the len is 1 but the index is 5
    ///     stack backtrace:
    ///        0: core::panicking::panic_fmt
    ///                  at /rustc/59807616e1/library/core/src/panicking.rs:80:14
    ///        4:     0x55da17244bca - <core[c1f1a4ba060b9bfa]::fmt::rt::Argument>::fmt
    ///                                    at /rustc/59807616e1/library/core/src/fmt/rt.rs:152:76
    ///                                outer::function                         the frame goes on: what the call above was inlined into
    ///       [... omitted 1 frame ...]
    ///
    /// An error that `main` returns, and the message of a panic about an error, may have causes (`ErrorCauses`).
    ///
    /// There is no list of images. Only the full form has addresses, and they are only useful for a program that runs
    /// at the address that it is linked at.
    ///
    /// Rows have the values of `_Unwind_GetIP`: all are return addresses, the first one too, because the walk begins
    /// inside the walking function. Names and lines are those of the byte before (`adjust_ip`). The standard library's
    /// own printer gives each inlined call a separate number.
    static let rust = StackCard(
        name: "rust-panic",
        summary: "Rust’s panics and backtraces (RUST_BACKTRACE)",
        openings: [
            .inLine("' panicked at ", isCertain: true) { RustPanicHeading($0.trimmed()) != nil },
            .inLine(") panicked at ", isCertain: true) { RustPanicHeading($0.trimmed()) != nil },
            .inLine("tack backtrace:") { RustText.announcesRows($0.trimmed()) },
            .inLine("Caused by:") { $0.equals("Caused by:") },
            .inLine("   0: ") { RustText.isFirstRow($0) },
            .inLine("{ fn: ") { !RustText.debugRows($0).rows.isEmpty },
        ],
        maxUnrecognizedLines: 64,
        hasMessageBelow: true,
        // `BacktraceStyle::Short` leaves out the frames that have no name, which are all of a stripped program.
        missingRowsAdvice: "To get it, also from a stripped program, run the program with RUST_BACKTRACE=full.",
        hasOneStack: true,
        hasOwnRows: true,
        read: RustText.read,
        readRow: RustText.row,
        edit: RustText.edit,
        finish: { report in
            if report.cause == nil { report.notes.append("The lines above the rows, with the cause, are missing.") }
            report.changeStacks { InlinedRows.mark(&$0.frames) }
        })
}

enum RustText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if let heading = RustPanicHeading(text) {
            let thread = StackLine.thread(number: nil, name: heading.threadName, isCrashed: true)
            return .several([.heading(), .cause(heading.cause), thread])
        }
        if announcesRows(text) { return .rowsFollow }
        if line.equals("Caused by:") { return .causesFollow }
        if text.hasPrefix("note: run with `RUST_BACKTRACE=") || text.hasPrefix("note: Some details are omitted") { return .last }
        if text.contains("{ fn: ") {
            let found = debugRows(line)
            return .several([.rows(found.rows)] + (found.isLast ? [.last] : []))
        }
        let start = line.indent
        if start >= 9, text.hasPrefix("at ") { return SourceLocationText.read(text.from(3)).map { .location($0) } }
        // A name in the column of the other names, after an address of 18 or 10 letters or without one, belongs to the
        // frame above (`HEX_WIDTH`).
        guard start == 27 || start == 19 || start == 6, !isDigit(text.at(0) ?? 0), text.at(0) != UInt8(ascii: "[") else { return nil }
        return .enclosingFunction(start..<start + text.count)
    }

    static func announcesRows(_ text: Span<UInt8>) -> Bool { text.equals("stack backtrace:") || text.equals("Stack backtrace:") }

    /// Whether the line is the first row of a stack: `   0:     0x55da17234e8a - name`, or one with a name of Rust.
    static func isFirstRow(_ line: Span<UInt8>) -> Bool {
        guard line.hasPrefix("   0: "), let row = row(line) else { return false }
        return row.address != nil || row.symbol.name.map { line.clamped(to: $0).contains("::") } == true
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let start = line.count - rest.count
        if rest.consume("[... omitted "), let count = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.hasPrefix(" frame") {
            return StackRow(number: nil, style: .colon, in: start..<line.count, kind: .omitted(count: count))
        }
        guard start > 0, let value = rest.readDecimal(), let number = Int(exactly: value), rest.consume(":"), rest.consume(" ") else {
            return nil
        }
        var row = StackRow(number: number, style: .colon, in: start..<line.count)
        var full = rest
        full.skipBlanks()
        let address = line.count - full.count
        if let value = full.readAddress(), full.consume(" - ") {
            row.address = value
            row.addressRange = address..<line.count - full.count - 3
            rest = full
        }
        guard rest.count > 0, !isBlank(rest[0]) else { return nil }
        let name = line.count - rest.count
        if !rest.trimmed().equals("<unknown>") { row.symbol.name = name..<name + rest.trimmed().count }
        return row
    }

    // MARK: Lists

    /// Reads the symbols in a line of a `Backtrace` that was printed with `{:?}` or `{:#?}`
    /// (`Debug for BacktraceSymbol` of `std/src/backtrace.rs`): `{ fn: "main::f", file: "src/main.rs", line: 3 }`,
    /// `{ fn: <unknown> }`; and whether the list ends with them.
    static func debugRows(_ line: Span<UInt8>) -> (rows: [StackRow], isLast: Bool) {
        var rows: [StackRow] = []
        var rest = line
        while let start = rest.firstRange(of: "{ fn: "), rows.count < Limits.standard.framesPerThread {
            rest = rest.from(start.upperBound)
            var row = StackRow(number: nil, in: line.count - rest.count - "{ fn: ".utf8.count..<line.count)
            if rest.hasPrefix("\"") {
                guard let name = quoted(&rest, in: line) else { break }
                row.symbol.name = name
            } else if !rest.consume("<unknown>") {
                break
            }
            // The path is quoted; some versions quote it twice.
            if rest.consume(", file: "), let file = quoted(&rest, in: line), rest.consume(", line: "), let number = rest.readDecimal() {
                (row.file, row.line) = (file, Int(clamping: number))
            }
            guard rest.consume(" }") else { break }
            row.end = line.count - rest.count
            rows.append(row)
        }
        return (rows, rest.trimmed().hasPrefix("]"))
    }

    private static func quoted(_ rest: inout Span<UInt8>, in line: Span<UInt8>) -> Range<Int>? {
        while rest.consume("\"") || rest.consume("\\\"") {}
        guard let close = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let start = line.count - rest.count
        let range = start..<start + close - (rest.upTo(close).hasSuffix("\\") ? 1 : 0)
        rest = rest.from(close)
        while rest.consume("\"") || rest.consume("\\\"") {}
        return range
    }

    // MARK: Results

    /// Writes results as the backtrace crate writes its `Backtrace`: the name, below it `at` and the source location,
    /// and the functions that a call was inlined into as further rows of the same frame, without a number. (std numbers
    /// all rows consecutively, so that rows cannot be inserted in its form.)
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let line = LogLine(around: frame.range, in: log)
        // The number ends in the fourth column.
        var text = log.clamped(to: frame.range)
        let digits = text.count
        guard text.readDecimal() != nil else { return nil }
        let start = max(line.range.lowerBound, frame.range.lowerBound - max(0, 4 - (digits - text.count)))
        guard let address = row(log.clamped(to: start..<frame.range.upperBound))?.addressRange else { return nil }
        let head = line.ending + log.clamped(to: line.range.lowerBound..<start).copied()
        let column = address.upperBound + " - ".utf8.count
        func blanks(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: count) }
        var replacement: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { replacement += head + blanks(column) }
            replacement += Array(PlainText.line(function.name).utf8)
            if let location = function.location, location.line > 0 {
                replacement += head + blanks(column + 4) + Array(("at " + SourceLocationText.text(location, withColumn: true)).utf8)
            }
        }
        return TextEdit(range: start + column..<frame.range.upperBound, replacement: replacement)
    }
}

/// The first line of a panic:
///
///     thread 'main' (3429) panicked at src/main.rs:1:33:                  since Rust 1.73; the thread's number since 1.91
///     thread '<unnamed>' panicked at 'it works!', src/lib.rs:22:17        before
struct RustPanicHeading {
    var threadName: String
    var cause: CrashCause

    init?(_ text: Span<UInt8>) {
        var rest = text
        guard rest.consume("thread '"), let marker = rest.firstRange(of: " panicked at ") else { return nil }
        var head = rest.upTo(marker.lowerBound)
        if head.hasSuffix(")"), let open = head.lastRange(of: "' (") { head = head.upTo(open.lowerBound + 1) }
        guard head.hasSuffix("'") else { return nil }
        threadName = head.upTo(head.count - 1).text
        cause = CrashCause(kind: .languageException, type: "panic")
        rest = rest.from(marker.upperBound)
        // `codes` is the source location at which the panic was raised, as the program prints it.
        if rest.consume("'"), let close = rest.lastRange(of: "', ") {
            cause.message = rest.upTo(close.lowerBound).text
            cause.codes = rest.from(close.upperBound).trimmed().text
        } else {
            cause.codes = (rest.hasSuffix(":") ? rest.upTo(rest.count - 1) : rest).trimmed().text
        }
    }
}
