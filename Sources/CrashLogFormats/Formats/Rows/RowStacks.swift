internal import BinaryPrimitives
internal import CrashLogModel

/// Stacks made of rows, whoever printed them: the families that have a card (`StackCards`), and, as
/// the last resort, any lines that read as the rows of one stack:
///
///     worker 3: (Harbour::moor()+0x1e) [0x5622e9d06e7e]
///     worker 3: (Harbour::berth()+0x729) [0x5622e9f6dfb9]
///
/// Without a card two rows make a stack, which agree in their prefix, in how they are numbered, and
/// in how they write the address.
package struct RowStacks: LineFormat {
    package static let name = "stack-rows"
    package static let summary =
        "rows with addresses that no other format claims: numbers, addresses, modules, functions and places in any order"
    package static let triggers = StackCards.triggers + ["0x", " 0000", "\t0000", "\n0000", "\"0000", "[<0000"]
    package static let families: [(name: String, summary: String)] = StackCards.all.map { ($0.name, $0.summary) } + [(name, summary)]

    var card: StackCard?
    var isForced = false
    var stacks: [RowStack] = []
    var current = RowStack()
    var report = CrashReport(format: name)
    /// Lines since the heading, or since the last row, that meant nothing.
    private var unrecognizedLines = 0
    private var isReversed = false
    /// A line of the trace was read that is no row.
    var isHeaded = false
    private var hasHeading = false
    /// The first row's text is that of the family.
    var isClaimed = false
    /// The process's memory map, which the family prints below its stack.
    var map = MemoryMap()
    private var isInMap = false

    package init() {}

    package init(family: String) {
        card = StackCards.all.first { $0.name == family }
        isForced = true
    }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if let opened = StackCards.opened(by: line) { return opened.isCertain ? .certain : .possible }
        let line = line.upTo(lengthWithoutAnswer(line))
        guard RowSearch.firstPlace(in: line) != nil else { return .none }
        let row = RowSearch.row(in: line)
        if StackCards.card(claimingIn: line, row) != nil { return .possible }
        return row.map { isWorthy($0, in: line) } == true ? .weak : .none
    }

    /// How much a line says that it is a part of a stack (`WriterPrefix.learn`): a family's certain heading as much as a report's, another or a row
    /// 60 and more, any other row 11,
    /// because it is found behind any prefix; a little more for a row that begins the line, and no more for one that has taken words of a
    /// prefix for its own; 0 for nothing.
    package static func worth(of line: Span<UInt8>) -> Int {
        if let opened = StackCards.opened(by: line) { return opened.isCertain ? certainWorth : 60 }
        let line = line.upTo(lengthWithoutAnswer(line))
        guard RowSearch.firstPlace(in: line) != nil else { return 0 }
        if StackCards.claimsText(of: line) { return 72 }
        guard let row = RowSearch.row(in: line) else { return 0 }
        guard row.isApart(from: line) else { return 10 }
        let position = (0..<row.start).contains { RowSearch.isLetterOrDigit(line[$0]) } ? 1 : 2
        if StackCards.card(claimingIn: line, row) != nil { return 70 + position }
        return isWorthy(row, in: line) ? 10 + position : 0
    }

    /// The worth of a family's certain heading.
    package static let certainWorth = 80

    /// Whether a row begins with the first byte of a line that is no blank, and with no number; nor does a box's border.
    package static func isFirst(in line: Span<UInt8>) -> Bool {
        guard let first = line.at(line.indent), !isDigit(first), first < 0x80, first != UInt8(ascii: "|") else { return false }
        return [12, 72].contains(worth(of: line))
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if !isForced, !isHeaded, stacks.isEmpty, current.isEmpty, card == nil {
            let plain = line.upTo(RowStacks.lengthWithoutAnswer(line))
            card = StackCards.card(for: line) ?? StackCards.card(claimingIn: plain)
            isClaimed = card?.claimsLine?(plain.trimmed()) == true
        }
        takeNextHeading(line)
        if let verdict = readLine(line, at: place) { return verdict }
        switch takeRow(line, at: place) {
        case .taken: return more()
        case .beginsAnother: return .rejected
        case .none: break
        }
        if takeContinuation(line, at: place) { return more() }
        if current.isEmpty, stacks.isEmpty, card?.opening(line, line.trimmed()) != nil {
            isHeaded = true
            return more()
        }
        return takeUnrecognized(line)
    }

    /// Below a heading another one may follow: LLVM's `Stack dump:` below a failed assertion, whose
    /// message stays the cause.
    private mutating func takeNextHeading(_ line: Span<UInt8>) {
        guard !isForced, isHeaded, stacks.isEmpty, current.isEmpty, let next = StackCards.opened(by: line), next.isCertain,
            next.card.name != card?.name
        else { return }
        card = next.card
    }

    private mutating func more() -> LineVerdict {
        unrecognizedLines = 0
        return .more
    }

    // MARK: Lines that are no rows

    /// What the family's own reader makes of the line.
    private mutating func readLine(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict? {
        if isInMap {
            guard let row = MemoryMapRow(line) else { return .rejected }
            map.add(row)
            return more()
        }
        guard let read = card?.read, let found = read(line) else { return nil }
        isHeaded = true
        return take(found, line, at: place)
    }

    private mutating func take(_ found: StackLine, _ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        switch found {
        case .skipped: break
        case .heading(let isAbove):
            guard current.isEmpty, stacks.isEmpty, !hasHeading else { return .rejected }
            hasHeading = !isAbove
        case .fact(let change): change(&report)
        case .rowsFollow:
            guard current.isEmpty, stacks.isEmpty else { return .rejected }
            unrecognizedLines = card?.maxUnrecognizedLines ?? 0
            return .more
        case .holder(let name):
            guard !current.isEmpty, current.entries.count < Limits.standard.framesPerThread else { return takeUnrecognized(line) }
            current.addHolder(line.clamped(to: name), at: place)
        case .location(let location):
            guard !current.isEmpty else { return takeUnrecognized(line) }
            current.locate(location, to: place.upperBound)
        case .registers(let values): current.registers += values.prefix(64 - min(64, current.registers.count))
        case .several(let parts):
            for part in parts {
                let verdict = take(part, line, at: place)
                guard verdict == .more else { return verdict }
            }
        case .cause(let cause, let process):
            // glog prints the program counter first.
            guard current.entries.allSatisfy(\.row.isProgramCounter), stacks.isEmpty || report.cause == nil else { return .rejected }
            note(cause)
            report.process.name = report.process.name ?? process.map(Path.foreignName)
        case .note(let cause): note(cause)
        case .causeBelow(let cause): report.cause = report.cause ?? cause
        case .faultAddress(let address): if report.cause?.address == nil { report.cause?.address = RuntimeAddress(address) }
        case .mapFollows: isInMap = true
        case .process(let name, let pid):
            report.process.name = report.process.name ?? name
            report.process.pid = report.process.pid ?? pid
        case .program(let id, let base): addProgram(id, base)
        case .architecture(let architecture): report.architecture = architecture
        case .image(let image): add(image)
        case .module(let name): current.setModule(name)
        case .address(let value): current.setAddress(value)
        case .rows(let rows):
            if rows.first?.number == 0, current.entries.contains(where: { $0.row.number == 0 }) {
                // The registers of another crash.
                if rows[0].kind == .programCounter { return .rejected }
                // Another task's stack; one that has been walked is more than the registers above
                // it.
                if current.entries[0].row.kind == .programCounter { current = RowStack() } else { endStack() }
            }
            for row in rows where current.entries.count < Limits.standard.framesPerThread {
                current.append(row, line.upTo(row.end), at: place, prefix: 0)
            }
        case .thread(let number, let name, let isCrashed, let cause, let rule):
            endStack()
            if let cause, report.cause == nil { report.cause = cause }
            current.number = number
            current.name = name
            current.isCrashed = isCrashed
            current.rule = rule
        case .stack(let name):
            endStack()
            current.name = name
            current.isAdditional = true
        case .outermostFirst: isReversed = true
        case .last: return .done
        case .other: return .rejected
        }
        return more()
    }

    /// A heading may have several lines: the second says in more words what the first says.
    private mutating func note(_ cause: CrashCause) {
        var known = report.cause ?? cause
        known.type = known.type ?? cause.type
        known.signal = known.signal ?? cause.signal
        known.message = known.message ?? cause.message
        known.codes = known.codes ?? cause.codes
        known.address = known.address ?? cause.address
        report.cause = known
    }

    /// A module may have two lines, one below the other: its package's, and its identity's.
    private mutating func add(_ image: BinaryImage) {
        if let last = report.images.indices.last, image.base == nil, report.images[last].name == image.name,
            image.path == report.images[last].path
        {
            report.images[last].id = report.images[last].id ?? image.id
        } else if report.images.count < Limits.standard.images {
            report.images.append(image)
        }
    }

    private mutating func addProgram(_ id: ImageID?, _ base: RuntimeAddress?) {
        if report.images.isEmpty { report.images.append(BinaryImage(name: report.process.name ?? RowFrames.unnamed)) }
        report.images[0].id = report.images[0].id ?? id
        report.images[0].base = report.images[0].base ?? base
    }

    private mutating func takeUnrecognized(_ line: Span<UInt8>) -> LineVerdict {
        let text = line.trimmed()
        // Another program's trace.
        if !isForced, !current.isEmpty || !stacks.isEmpty, let other = StackCards.card(for: line), other.name != card?.name {
            return .rejected
        }
        guard !current.isEmpty else {
            guard let card else { return .rejected }
            // Rust's heading has glibc's rows below it where the program printed its stack itself.
            if card.hasOwnRows, stacks.isEmpty, let row = RowSearch.row(in: line), StackCards.card(claiming: row, in: line) != nil {
                return .rejected
            }
            unrecognizedLines += 1
            if card.hasMessageBelow, isHeaded, text.count > 0, report.cause?.message == nil { report.cause?.message = text.text }
            return unrecognizedLines <= card.maxUnrecognizedLines ? .unknown : .rejected
        }
        // Rows that somebody left out.
        if isElision(text) { return .more }
        guard let last = current.last, let number = last.row.number else {
            unrecognizedLines += 1
            // Zig, backward-cpp and others quote the source below a row.
            let quoted = current.last?.location == nil || text.count == 0 ? 0 : 3
            return unrecognizedLines <= max(card?.maxUnrecognizedLinesInside ?? 0, quoted) ? .unknown : .rejected
        }
        if let found = RowNumber(line, from: line.indent), found.style == last.row.style, abs(found.value - number) <= 1,
            found.value != number, card?.hasOwnRows != true
        {
            current.missed(line)
        }
        unrecognizedLines += 1
        return unrecognizedLines <= max(RowStacks.maxUnrecognizedLines, card?.maxUnrecognizedLines ?? 0) ? .unknown : .rejected
    }

    /// Lines of others between numbered rows.
    private static let maxUnrecognizedLines = 8

    /// `...`, `…`, `<snip>`, `[...]`
    private func isElision(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 64 else { return false }
        return (0..<text.count).allSatisfy { isOne(text[$0], of: ".[]()<> \u{2026}") } || text.equals("<snip>") || text.equals("[snip]")
    }

    mutating func endStack() {
        if !current.isEmpty {
            current.isReversed = isReversed
            // A debugger shows the thread's first frame where it stops, and then the thread.
            if let number = current.number, let earlier = stacks.firstIndex(where: { $0.number == number }),
                stacks[earlier].entries.count == 1
            {
                stacks.remove(at: earlier)
            }
            stacks.append(current)
        }
        current = RowStack()
    }

    package var shortfall: String {
        // A line that could be a row of anything is no near miss.
        guard let card, card.takesOneRow || isHeaded else { return "" }
        return stacks.isEmpty || isHeaded
            ? "looks like the beginning of \(card.name), but no stack follows it."
            : "looks like a frame of \(card.name), but a single row without a heading is not read as a stack."
    }
}
