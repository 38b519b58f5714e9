internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of PowerPC code in a report of Rosetta's, below its images: a heading and rows for
/// each thread (`AppleTranslatedRow`).
struct AppleTranslatedStacks {
    private var threads: [ThreadTrace] = []

    /// Reads a line.
    /// - Returns: whether it is a heading or a row of such a stack.
    mutating func read(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        if let heading = AppleTranslatedRow.heading(line) {
            guard threads.count < Limits.standard.threads else { return false }
            threads.append(
                ThreadTrace(index: heading.index, name: "Translated code, thread \(heading.index)", crashed: heading.crashed))
            return true
        }
        guard let last = threads.indices.last, let row = AppleTranslatedRow(line) else { return false }
        threads[last].frames.add(row.frame(threads[last].frames.count, at: range))
        return true
    }

    /// The stacks with frames; each begins at the program counter.
    var stacks: [ThreadTrace] {
        threads.filter { !$0.frames.isEmpty }.map { thread in
            var thread = thread
            AppleStack.decideKinds(&thread.frames, origin: .thread)
            return thread
        }
    }
}

/// A frame of PowerPC code that Rosetta ran on an Intel Mac (10.4 to 10.6). A report of
/// `Code Type: PPC (Translated)` shows the translator's own threads as all reports do, and below
/// its images, under `Translated Code Information:`, the program's (Technical Note TN2123):
///
///     Thread 0: Crashed (0xb7fff9d0, 0xb80bc8c8)
///     0x40400000: No symbol
///     0x00001e18: /Applications/TextEdit.app/Contents/MacOS/TextEdit : start + 444
struct AppleTranslatedRow {
    var address: UInt64
    var path: String?
    var symbol: PrintedSymbol?
    /// Offset in the row after the path, or after the address if there is no path, in bytes.
    private var headEnd: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard let address = rest.readAddress(), rest.consume(":") else { return nil }
        self.address = address
        headEnd = row.count - rest.count
        let text = rest.trimmed()
        guard !text.equals("No symbol") else { return }
        guard let colon = text.firstRange(of: " : ") ?? (text.hasSuffix(" :") ? text.count - 2..<text.count : nil) else { return nil }
        path = text.upTo(colon.lowerBound).trimmed().text
        var start = rest
        start.skipBlanks()
        headEnd = row.count - start.count + colon.lowerBound
        symbol = SymbolText(text.from(colon.upperBound), imageName: nil, address: address).printed
    }

    /// The heading above such rows; the addresses in parentheses are the translator's own.
    static func heading(_ line: Span<UInt8>) -> (index: Int, crashed: Bool)? {
        var rest = line.trimmed()
        guard rest.consume("Thread "), let number = rest.readDecimal(), let index = Int(exactly: number), rest.consume(":") else {
            return nil
        }
        rest.skipBlanks()
        let crashed = rest.consume("Crashed")
        rest.skipBlanks()
        return rest.hasPrefix("(0x") && rest.hasSuffix(")") ? (index, crashed) : nil
    }

    func frame(_ index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, address: address, range: range, imageName: path.map(Path.foreignName), printed: symbol)
    }

    /// `0x00001e18: /path : main + 24 (main.m:9)`; an inlined call is a row of its own above it.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleTranslatedRow(log.clamped(to: frame.range)) else { return nil }
        let image = row.path == nil ? " " + PlainText.line(result.imageName) : ""
        return AppleRow.edit(at: frame.range, from: row.headEnd, separator: image + " : ", with: result, in: log)
    }
}
