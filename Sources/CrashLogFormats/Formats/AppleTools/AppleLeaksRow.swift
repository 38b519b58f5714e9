internal import BinaryPrimitives
internal import CrashLogModel

/// One frame of a stack as `leaks` prints it on a line of its own, outermost first:
///
///     32  dyld                                  0x1109ff51e start + 462
///     30  dev.mobile.MemoryLeakingApp           0x10d3b1b6e 0x10d3af000 + 11118
///     3   dev.mobile.DevToolTester              0x103ddfce1 closure #2 in ContentView.body.getter + 161  ContentView.swift:34
///
/// The columns are those of a crash report; file and line follow after two blanks.
struct AppleLeaksRow {
    var row: AppleRow
    /// What the row has after the address.
    var printed: PrintedSymbol?
    var imageOffset: UInt64?
    var isInlined = false
    /// Just after the last byte that is no blank.
    var end: Int

    init?(_ line: Span<UInt8>) {
        guard isDigit(line.at(0) ?? 0), let row = AppleRow(line) else { return nil }
        self.row = row
        end = line.count
        while end > row.addressEnd, let byte = line.at(end - 1), isBlank(byte) { end -= 1 }
        var text = line.clamped(to: row.addressEnd..<end).trimmed()
        var location: SourceLocation?
        if let blanks = text.lastRange(of: "  "), let found = SourceLocationText.readLine(text.from(blanks.upperBound)) {
            location = found
            text = text.upTo(blanks.lowerBound).trimmed()
        }
        isInlined = text.takeLast(" [inlined]")
        text = text.trimmed()
        let symbol = SymbolText(text, imageName: row.imageName, address: row.address)
        printed = symbol.printed
        imageOffset = symbol.imageOffset
        if let location {
            printed = printed ?? PrintedSymbol()
            printed?.location = location
        }
    }

    func frame(at place: Range<Int>) -> Frame {
        var frame = row.frame(at: place)
        frame.printed = printed
        frame.imageOffset = imageOffset.map { ImageOffset($0) }
        frame.isInlined = isInlined
        return frame
    }
}

/// A stack on one line, outermost first, as older `leaks` and malloc_history print it:
///
///     Call stack: [thread 0x7fff70126be0]: | 0x100001e84 | NSApplicationMain | main DumpRenderTree.mm:835 | malloc
///     ALLOC 0x3c2010-0x3c201f [size=16]: thread_a000d1ac |start | 0x106eba614 (App) main AppDelegate.swift:12 | malloc
///
/// What has a name has no address before version 3: there is nothing to look up, and the name
/// stays.
struct AppleLeaksList {
    struct Element {
        /// In bytes from the line's start, without blanks around it.
        var range: Range<Int>
        var address: UInt64?
        /// Just after the address.
        var addressEnd: Int
        var imageName: String?
        var printed: PrintedSymbol?
        var isInlined = false
    }

    /// Outermost first.
    var elements: [Element] = []

    init?(_ line: Span<UInt8>) {
        guard let start = AppleLeaksList.start(of: line) else { return nil }
        var position = start
        while position < line.count, elements.count < Limits.standard.framesPerThread {
            let end = line.firstRange(of: " |", from: position)?.lowerBound ?? line.count
            take(line, position..<end)
            position = end + 2
        }
        guard !elements.isEmpty else { return nil }
    }

    /// After the bar that follows the thread.
    static func start(of line: Span<UInt8>) -> Int? {
        let isLeaks = line.contains("Call stack: [thread 0x")
        guard isLeaks || line.contains(": thread_"), let bar = line.firstRange(of: " |") else { return nil }
        return bar.upperBound
    }

    private mutating func take(_ line: Span<UInt8>, _ range: Range<Int>) {
        var lower = range.lowerBound
        while let byte = line.at(lower), lower < range.upperBound, isBlank(byte) { lower += 1 }
        let text = line.clamped(to: lower..<max(lower, range.upperBound)).trimmed()
        guard text.count > 0 else { return }
        var rest = text
        var element = Element(range: lower..<lower + text.count, address: rest.takeAddress(), addressEnd: 0)
        element.addressEnd = lower + text.count - rest.count
        // A name that begins like an address is none.
        guard element.address == nil || rest.count == 0 || isBlank(rest[0]) else { return }
        rest = rest.trimmed()
        if element.address != nil, rest.hasPrefix("("), let close = rest.firstRange(of: ") ")?.lowerBound ?? closing(rest) {
            element.imageName = rest.clamped(to: 1..<close).text
            rest = rest.from(close + 1).trimmed()
        }
        var symbol = PrintedSymbol()
        if let blank = rest.lastIndex(of: UInt8(ascii: " ")), let location = SourceLocationText.readLine(rest.from(blank + 1)) {
            symbol.location = location
            rest = rest.upTo(blank).trimmed()
        }
        element.isInlined = rest.takeLast(" [inlined]")
        rest = rest.trimmed()
        if rest.count > 0, !rest.equals("???") { symbol.name = rest.text }
        if symbol != PrintedSymbol() { element.printed = symbol }
        elements.append(element)
    }

    private func closing(_ text: Span<UInt8>) -> Int? { text.hasSuffix(")") ? text.count - 1 : nil }

    /// The stack as frames, innermost first.
    func frames(at place: Range<Int>) -> [Frame] {
        var frames: [Frame] = []
        for element in elements.reversed() {
            let range = place.lowerBound + element.range.lowerBound..<place.lowerBound + element.range.upperBound
            frames.append(
                Frame(
                    index: frames.nextIndex, address: element.address, place: range, imageName: element.imageName, printed: element.printed,
                    isInlined: element.isInlined))
        }
        return frames
    }
}
