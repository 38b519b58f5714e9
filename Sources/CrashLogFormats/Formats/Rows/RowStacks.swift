internal import BinaryPrimitives
package import CrashLogModel

/// Reads stacks made of rows: those of the families that have a card (`StackCards`), and, as the last resort, any lines
/// that read as the rows of one stack:
///
///     worker 3: (Harbour::moor()+0x1e) [0x5622e9d06e7e]
///     worker 3: (Harbour::berth()+0x729) [0x5622e9f6dfb9]
///
/// Without a card, a stack needs two rows that agree in their prefix, in their numbering, and in their form of the
/// address.
package struct RowStacks: LineFormat {
    package static let name = "stack-rows"
    package static let summary =
        "rows with addresses that no other format claims: numbers, addresses, modules, functions and places in any order"
    package static let triggers = StackCards.triggers + ["0x", " 0000", "\t0000", "\n0000", "\"0000", "[<0000"]
    package static var isDecidedByShape: Bool { true }
    package static let families: [(name: String, summary: String)] = StackCards.all.map { ($0.name, $0.summary) } + [(name, summary)]

    private var card: StackCard?
    private var isForced = false
    private var stacks: [RowStack] = []
    private var current = RowStack()
    private var report = CrashReport(format: name)
    /// Number of unrecognized lines since the heading or the last row.
    private var unrecognizedLines = 0
    private var isReversed = false
    /// A line of the trace was read that is not a row.
    private var isHeaded = false
    private var hasHeading = false
    /// The family claims the text of the first row.
    private var isClaimed = false
    /// The process's memory map, which the family prints below its stack.
    private var map = MemoryMap()
    private var isInMap = false
    /// The causes of the error, while they are read; afterwards `nil`.
    private var causes: ErrorCauses?

    package init() {}

    package init(family: String) {
        card = StackCards.all.first { $0.name == family }
        isForced = true
    }

    // MARK: Recognition

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if let opened = StackCards.opened(by: line) { return opened.isCertain ? .certain : .possible }
        let line = line.upTo(lengthWithoutResult(line))
        guard RowSearch.firstAddressOrOffset(in: line) != nil else { return .none }
        let row = RowSearch.row(in: line)
        if StackCards.card(claimingIn: line, row) != nil { return .possible }
        return row.map { canBeginStack($0, in: line) } == true ? .weak : .none
    }

    /// Weight of the line as evidence of a stack (`WriterPrefix.learn`): `certainWorth` for a family's certain heading,
    /// the same as for a report's; 60 and more for another heading or for a row of a family; 11 for any other row,
    /// because it is found behind any prefix. A row that begins the line weighs 1 more. A row that has absorbed text of
    /// a prefix weighs 10, and any other line 0.
    package static func worth(of line: Span<UInt8>) -> Int {
        if let opened = StackCards.opened(by: line) { return opened.isCertain ? certainWorth : 60 }
        let line = line.upTo(lengthWithoutResult(line))
        guard RowSearch.firstAddressOrOffset(in: line) != nil else { return 0 }
        if StackCards.claimsText(of: line) { return 72 }
        guard let row = RowSearch.row(in: line) else { return 0 }
        guard row.hasNoPrefixText(from: line) else { return 10 }
        let position = (0..<row.start).contains { RowSearch.isLetterOrDigit(line[$0]) } ? 1 : 2
        if StackCards.card(claimingIn: line, row) != nil { return 70 + position }
        return canBeginStack(row, in: line) ? 10 + position : 0
    }

    /// The weight of a family's certain heading.
    package static let certainWorth = 80

    /// Whether a row begins at the first byte of the line that is not a blank, if that is neither a digit nor the
    /// border of a box.
    package static func isFirst(in line: Span<UInt8>) -> Bool {
        guard let first = line.at(line.indent), !isDigit(first), first < 0x80, first != UInt8(ascii: "|") else { return false }
        return [12, 72].contains(worth(of: line))
    }

    /// Whether a row without a card has enough fields to begin a stack: an address and a name, or an offset in a file.
    private static func canBeginStack(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        if let address = row.addressRange, let register = RegisterNames.name(before: address.lowerBound, in: line) {
            // `rip:0000000140001011 … eflags:00010202 (  R- --  I   - - - )`
            let hasName =
                row.symbol.name.map { $0 != register && !isRegister(line.clamped(to: $0)) } ?? (row.module != nil || row.file != nil)
            guard hasName, RegisterNames.isOfCode(line.clamped(to: register)) else { return false }
        }
        if row.number == nil, isRecord(line.from(row.start)) || isMember(line) || isAddressInFile(row, in: line) || isEntry(row, in: line) {
            return false
        }
        // `DW_CFA_advance_loc: 6 to 000000000002f026`
        if let name = row.symbol.name, row.symbol.offset == nil, RowNames.isPreposition(line.clamped(to: name)) { return false }
        guard !row.isBare || row.hasUnknownName || row.style == .hash || row.style == .frame || row.style == .hashColon else {
            return row.moduleOffset != nil
        }
        // `name + 24` may be arithmetic, and `name: 0x1234` a setting.
        if row.address == nil {
            return row.module != nil && (row.moduleOffset != nil || row.symbol.offset != nil) && row.hasHexadecimal
                || row.style != .none && row.symbol.size != nil
        }
        if row.moduleOffset != nil || row.symbol.offset != nil || row.addressBracket != 0 || row.module != nil { return true }
        // `01 class 0x060400` is not an address: addresses are long, or padded.
        return row.address.map { $0 >= 0x100_0000 } == true || row.addressRange.map { $0.count >= 10 } == true
    }

    /// Whether the text is a register and its value: `eflags:00010202`.
    private static func isRegister(_ text: Span<UInt8>) -> Bool {
        text.firstIndex(of: UInt8(ascii: ":")).map { RegisterNames.contains(text.upTo($0)) } ?? false
    }

    /// Whether the line is a member of a JSON object: `"symbolAddress" : "0x0000000102c443b0",`.
    private static func isMember(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        guard rest.consume("\""), let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return false }
        rest = rest.from(quote + 1)
        rest.skipBlanks()
        return rest.at(0) == UInt8(ascii: ":")
    }

    /// Whether the row is an entry of a list of values or symbols: a name followed by a value without a keyword between
    /// them, or the letter of nm before a name.
    ///
    ///     #define GL_RED 0x1903
    ///     STRTAB            0x00000000000141e0
    ///     000000000015fa40 W std::basic_string<char>::basic_string()
    private static func isEntry(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        // A comment may follow: `#define RX_CLS_LOC_SPECIAL 0x80000000 /* flag */`.
        if line.trimmed().hasPrefix("#define") { return true }
        guard let name = row.symbol.name, let address = row.addressRange, row.addressBracket == 0, row.moduleOffset == nil,
            row.symbol.offset == nil, row.module == nil, row.file == nil
        else { return false }
        if name.lowerBound > address.lowerBound {
            return name.count > 2 && isBlank(line[name.lowerBound + 1]) && RowSearch.isLetterOrDigit(line[name.lowerBound])
        }
        // `moor at 0x5622e9d06e7e`
        return (name.upperBound..<address.lowerBound).allSatisfy { !RowSearch.isLetterOrDigit(line[$0]) }
    }

    /// Whether the row is only an address and the file that it is in:
    /// `running initializer 0x102c4439c in /private/tmp/Long`, as `DYLD_PRINT_INITIALIZERS` prints (`Loader.cpp` of
    /// dyld; formerly `calling initializer function`). Rows of stacks have a function or an offset between the two.
    private static func isAddressInFile(_ row: StackRow, in line: Span<UInt8>) -> Bool {
        guard let module = row.module, row.moduleOffset == nil, row.file == nil, !row.hasUnknownName,
            line.upTo(module.lowerBound).hasSuffix(" in "), line.clamped(to: module).hasPrefix("/")
        else { return false }
        return row.symbol.name.map { line.clamped(to: $0).hasSuffix("initializer") || line.clamped(to: $0).hasSuffix("function") } ?? true
    }

    /// Whether the line is a record of a table: fields separated by commas, without blanks.
    private static func isRecord(_ line: Span<UInt8>) -> Bool {
        guard line.firstIndex(of: UInt8(ascii: " ")) == nil else { return false }
        var (commas, index) = (0, 0)
        while let comma = line.firstIndex(of: UInt8(ascii: ","), from: index) { (commas, index) = (commas + 1, comma + 1) }
        return commas >= 3
    }

    /// The length of the line without the result that this package wrote after a mark.
    private static func lengthWithoutResult(_ line: Span<UInt8>) -> Int {
        line.firstRange(of: RowLexer.resultMark)?.lowerBound ?? line.count
    }

    // MARK: Lines

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if !isForced, !isHeaded, stacks.isEmpty, current.isEmpty, card == nil {
            let plain = line.upTo(RowStacks.lengthWithoutResult(line))
            card = StackCards.card(for: line) ?? StackCards.card(claimingIn: plain)
            isClaimed = card?.claimsLine?(plain.trimmed()) == true
        }
        // The causes of wasmtime's errors have the stack, which is another family's.
        if causes != nil, line.contains("wasm backtrace:") { return .rejected }
        if causes?.read(line) == true { return more() }
        endCauses()
        applyNextHeading(line)
        if let verdict = readLine(line, at: range) { return verdict }
        switch appendRow(line, at: range) {
        case .appended: return more()
        case .beginsAnother: return .rejected
        case .none: break
        }
        if readContinuation(line, at: range) { return more() }
        if current.isEmpty, stacks.isEmpty, card?.opening(line, line.trimmed()) != nil {
            isHeaded = true
            return more()
        }
        return countUnrecognized(line)
    }

    /// Changes to the card of a second heading below the first: LLVM's `Stack dump:` below a failed assertion, whose
    /// message stays the cause.
    private mutating func applyNextHeading(_ line: Span<UInt8>) {
        guard !isForced, isHeaded, stacks.isEmpty, current.isEmpty, let next = StackCards.opened(by: line), next.isCertain,
            next.card.name != card?.name, card?.read?(line) == nil
        else { return }
        card = next.card
    }

    private mutating func more() -> LineVerdict {
        unrecognizedLines = 0
        return .more
    }

    // MARK: Rows

    private enum RowVerdict { case none, appended, beginsAnother }

    private mutating func appendRow(_ line: Span<UInt8>, at range: Range<Int>) -> RowVerdict {
        guard let row = readRow(line) else { return .none }
        // The rows before may have fitted no family.
        if card == nil, !isForced { card = StackCards.card(claiming: row, in: line) }
        let prefix = RowSearch.key(ofPrefix: line.upTo(row.start).trimmed())
        if !current.isEmpty, !current.isContinued(by: row, prefix: prefix, isHeaded: isHeaded) {
            // The row begins another stack of the same writer.
            guard let card, !card.hasOneStack, isHeaded, row.number.map({ $0 <= 1 }) ?? false, stacks.count < Limits.standard.threads else {
                let isOwn = current.prefix == prefix || isOtherNumbering(row) || StackCards.card(claiming: row, in: line) != nil
                return row.isLocated && isOwn ? .beginsAnother : .none
            }
            endStack()
        }
        guard current.entries.count < Limits.standard.framesPerThread else { return .none }
        current.append(row, line, at: range, prefix: prefix, isInlined: !row.isLocated && row.number == nil && card?.hasOwnRows != true)
        return .appended
    }

    /// Whether the row is numbered in another style than the row before. Rows of one stack have one style.
    private func isOtherNumbering(_ row: StackRow) -> Bool {
        guard let last = current.last else { return false }
        return row.style != last.row.style && row.number != nil && last.row.number != nil
    }

    private func readRow(_ line: Span<UInt8>) -> StackRow? {
        guard let mark = line.firstRange(of: RowLexer.resultMark) else { return readPlainRow(line) }
        var row = readPlainRow(line.upTo(mark.lowerBound))
        row?.symbolizedName = mark.upperBound..<line.count
        return row
    }

    private func readPlainRow(_ line: Span<UInt8>) -> StackRow? {
        if let own = card?.readRow?(line) { return own }
        if card?.hasOwnRows == true { return nil }
        let text = line.trimmed()
        for prefix in card?.rowPrefixes ?? [] where text.hasPrefix(prefix) {
            let start = line.indent + prefix.utf8.count
            return StackRow(line, from: start, isLenient: true)
        }
        if let row = RowSearch.row(in: line), accepts(row, line) { return row }
        guard card != nil || !current.isEmpty else { return nil }
        return lenientRow(line)
    }

    private func accepts(_ row: StackRow, _ line: Span<UInt8>) -> Bool {
        // The line below a heading may be its message: `unrecognized selector sent to instance 0x1f0e8c430`.
        if isHeaded, current.isEmpty, row.number == nil, row.addressBracket == 0, row.moduleOffset == nil, row.symbol.offset == nil,
            row.start > line.indent
        {
            return false
        }
        guard card != nil || !current.isEmpty else { return RowStacks.canBeginStack(row, in: line) }
        if let card, row.isBare, !row.hasUnknownName, row.number == nil, row.addressBracket == 0 { return card.allowsBareAddresses }
        return true
    }

    /// Reads a row that is recognized only by its number or by the rows around it: `5: main()`,
    /// `libruby.so.3.1(rb_vm_bugreport) vm_dump.c:1045`.
    private func lenientRow(_ line: Span<UInt8>) -> StackRow? {
        guard let row = StackRow(line, isLenient: true) else { return nil }
        guard let last = current.last else { return row.isLocated && row.number != nil && !row.hasUnassignedFields ? row : nil }
        if let number = row.number, let before = last.row.number {
            guard row.style == last.row.style, number == before + 1 || number == before - 1 || number == before && row.address == nil else {
                return nil
            }
            // Only a name: `5: main()`. Ceph's and Boost's rows may have no address.
            return row.isLocated || row.symbol.name.map { RowNames.isName(line.clamped(to: $0)) } == true ? row : nil
        }
        // An address in the same column as in the row above is enough for a row.
        if row.number == nil, last.row.number == nil, row.startsWithAddress, last.row.startsWithAddress,
            row.addressBracket == last.row.addressBracket
        {
            return row
        }
        // Ruby since 2.6 (addr2line.c) prints an inlined call without its address.
        return last.row.number == nil && row.module != nil && row.symbol.name != nil && row.file != nil && !row.hasUnassignedFields
            ? row : nil
    }

    /// Reads the source location on the line below the row, as gfortran (`at /src/a.f90:12`), folly (`/src/a.cpp:449`)
    /// and Rust print it.
    private mutating func readContinuation(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard !current.isEmpty else { return false }
        var text = line.trimmed()
        if text.consume(AddressToLineText.inlinedBy) {
            current.addEnclosingFunction(text, at: range)
            return true
        }
        // Behind the prefix of the rows.
        if let mark = line.firstRange(of: AddressToLineText.inlinedBy),
            RowSearch.key(ofPrefix: line.upTo(mark.lowerBound).trimmed()) == current.prefix
        {
            current.addEnclosingFunction(
                line.from(mark.upperBound).trimmed(), at: range.lowerBound + mark.lowerBound - 1..<range.upperBound)
            return true
        }
        _ = text.consume("at ")
        guard let location = SourceLocationText.read(text), RowLexer.isFile(Array(location.file.utf8).span),
            text.firstIndex(of: UInt8(ascii: " ")) == nil || text.hasPrefix("/")
        else { return false }
        current.locate(location)
        return true
    }

    // MARK: Other lines

    /// Reads the line with the family's own reader.
    private mutating func readLine(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict? {
        if isInMap {
            guard let row = MemoryMapRow(line) else { return .rejected }
            map.add(row)
            return more()
        }
        guard let read = card?.read, let found = read(line) else { return nil }
        isHeaded = true
        return apply(found, line, at: range)
    }

    private mutating func apply(_ found: StackLine, _ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        switch found {
        case .skipped: break
        case .heading(let isAbove):
            guard current.isEmpty, stacks.isEmpty, !hasHeading else { return .rejected }
            hasHeading = !isAbove
        case .fact(let change): change(&report)
        case .causesFollow:
            guard current.isEmpty, stacks.isEmpty, report.rootCause == nil else { return .rejected }
            causes = ErrorCauses()
        case .rowsFollow:
            guard current.isEmpty, stacks.isEmpty else { return .rejected }
            unrecognizedLines = card?.maxUnrecognizedLines ?? 0
            return .more
        case .enclosingFunction(let name):
            guard !current.isEmpty, current.entries.count < Limits.standard.framesPerThread else { return countUnrecognized(line) }
            current.addEnclosingFunction(line.clamped(to: name), at: range)
        case .location(let location):
            guard !current.isEmpty else { return countUnrecognized(line) }
            current.locate(location, to: range.upperBound)
        case .registers(let values): current.registers += values.prefix(64 - min(64, current.registers.count))
        case .several(let parts):
            for part in parts {
                let verdict = apply(part, line, at: range)
                guard verdict == .more else { return verdict }
            }
        case .cause(let cause, let process):
            // glog prints the program counter first, before the heading with the cause.
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
        case .rows(let rows): guard append(rows, of: line, at: range) else { return .rejected }
        case .thread(let number, let name, let isCrashed, let cause, let rule):
            endStack()
            report.cause = report.cause ?? cause
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

    /// Appends the rows of a line that has several.
    /// - Returns: `false` if they belong to another crash.
    private mutating func append(_ rows: [StackRow], of line: Span<UInt8>, at range: Range<Int>) -> Bool {
        if rows.first?.number == 0, current.entries.contains(where: { $0.row.number == 0 }) {
            // These are the registers of another crash.
            if rows[0].kind == .programCounter { return false }
            // This is another task's stack. A stack that was walked replaces the registers above it.
            if current.entries[0].row.kind == .programCounter { current = RowStack() } else { endStack() }
        }
        for row in rows where current.entries.count < Limits.standard.framesPerThread {
            current.append(row, line.upTo(row.end), at: range, prefix: 0)
        }
        return true
    }

    /// Makes the innermost cause the report's root cause. A program that ends with an error prints its stack below the
    /// causes, so that the error's own line is above the trace: then the cause stands alone.
    private mutating func endCauses() {
        guard let message = causes?.innermost else { return }
        causes = nil
        if let panic = report.cause {
            report.rootCause = RootCause(cause: CrashCause(kind: panic.kind, type: panic.type, message: message), stacks: [])
        } else {
            report.cause = CrashCause(kind: .languageException, type: "Error", message: message)
        }
    }

    /// `Caused by:` alone is a line of many programs.
    package var yieldsToOtherFormats: Bool {
        !hasHeading && current.isEmpty && stacks.isEmpty && (causes != nil || report.cause?.type == "Error")
    }

    /// Adds the parts of a cause that are still missing. A heading may have several lines, of which the second has more
    /// details.
    private mutating func note(_ cause: CrashCause) {
        var known = report.cause ?? cause
        known.complete(with: cause)
        report.cause = known
    }

    /// Adds an image, or its ID to the image before. A module may have two lines: one with its package, and one with
    /// its ID.
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

    private mutating func countUnrecognized(_ line: Span<UInt8>) -> LineVerdict {
        let text = line.trimmed()
        // The line begins a trace of another program.
        if !isForced, !current.isEmpty || !stacks.isEmpty, let other = StackCards.card(for: line), other.name != card?.name {
            return .rejected
        }
        guard !current.isEmpty else {
            guard let card else { return .rejected }
            // Rust's heading has glibc's rows below it if the program printed its stack itself.
            if card.hasOwnRows, stacks.isEmpty, let row = RowSearch.row(in: line), StackCards.card(claiming: row, in: line) != nil {
                return .rejected
            }
            unrecognizedLines += 1
            if card.hasMessageBelow, isHeaded, text.count > 0, report.cause?.message == nil { report.cause?.message = text.text }
            return unrecognizedLines <= card.maxUnrecognizedLines ? .unknown : .rejected
        }
        // Rows were left out by hand.
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
            current.addUnparsedRow(line)
        }
        unrecognizedLines += 1
        return unrecognizedLines <= max(RowStacks.maxUnrecognizedLines, card?.maxUnrecognizedLines ?? 0) ? .unknown : .rejected
    }

    /// Maximum number of lines of other writers between numbered rows.
    private static let maxUnrecognizedLines = 8

    /// Whether the line marks rows that were left out: `...`, `…`, `<snip>`, `[...]`.
    private func isElision(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 64 else { return false }
        return (0..<text.count).allSatisfy { isOne(text[$0], of: ".[]()<> \u{2026}") } || text.equals("<snip>") || text.equals("[snip]")
    }

    // MARK: End of the trace

    private mutating func endStack() {
        if !current.isEmpty {
            current.isReversed = isReversed
            // A debugger shows the thread's first frame when it stops, and then the thread.
            if let number = current.number, let earlier = stacks.firstIndex(where: { $0.number == number }),
                stacks[earlier].entries.count == 1
            {
                stacks.remove(at: earlier)
            }
            stacks.append(current)
        }
        current = RowStack()
    }

    package var incompleteTraceMessage: String {
        // A line that could be a row of any program is not a near miss.
        guard let card, card.allowsSingleRow || isHeaded, !yieldsToOtherFormats else { return "" }
        return stacks.isEmpty || isHeaded
            ? "looks like the beginning of \(card.name), but no stack follows it." + (card.missingRowsAdvice.map { " " + $0 } ?? "")
            : "looks like a frame of \(card.name), but a single row without a heading is not read as a stack."
    }

    package mutating func finish() -> [CrashReport] {
        endStack()
        guard isStack else { return [] }
        // One writer printed all stacks.
        if stacks.contains(where: { $0.rule == .movedBack }) { for index in stacks.indices { stacks[index].rule = .movedBack } }
        report.format = card?.name ?? RowStacks.name
        // The program's name may be below its build ID.
        if report.images.first?.name == RowFrames.unnamed, let name = report.process.name { report.images[0].name = name }
        report.architecture = report.architecture ?? card?.architecture
        var frames = RowFrames(card, images: report.images)
        for (index, stack) in stacks.enumerated() {
            let isCrashed = stack.isCrashed || (stacks.count == 1 || index == 0 && !stacks.contains(where: \.isCrashed))
            let index = stack.number ?? index
            var rows = frames.frames(of: stack)
            if !map.isEmpty { RowFrames.clearImagesForMap(&rows, stack) }
            var trace = ThreadTrace(index: index, name: stack.name, crashed: isCrashed && !stack.isAdditional, frames: rows)
            if !stack.registers.isEmpty { trace.registers = RegisterState(values: stack.registers) }
            if stack.isAdditional { report.additionalBacktraces.append(trace) } else { report.threads.append(trace) }
            for row in stack.unparsedRows { report.notes.append("A row of this stack could not be parsed: \(row)") }
        }
        var table = ImageTable(map.isEmpty ? frames.images : map.all)
        table.assign(to: &report)
        card?.finish?(&report)
        return [report]
    }

    /// Whether there are enough rows. Without a card: two rows of one kind that are not a table of symbols or of load
    /// addresses.
    private var isStack: Bool {
        guard let first = stacks.first, card?.hasOwnRows == true || stacks.contains(where: { $0.entries.contains { $0.row.isLocated } })
        else {
            return false
        }
        if let card, isHeaded || isForced || isClaimed && card.allowsRowWithoutHeading, card.allowsSingleRow { return true }
        guard
            stacks.count > 1 || first.locatedRowCount > 1
                || card.map({ $0.allowsSingleRow && $0.allowsRowWithoutHeading }) == true && first.entries[0].row.hasSecondField
        else { return false }
        guard card == nil else { return true }
        let addresses = first.entries.compactMap(\.row.address)
        // The addresses are load addresses: `libc.so.6 => /lib/libc.so.6 (0x7f1c2a000000)`.
        if addresses.count > 1, addresses.allSatisfy({ $0 & 0xFFF == 0 }) { return false }
        let names = Set(first.entries.map(\.symbol))
        return !isTable(first.entries, addresses) && !(names.count == 1 && StackRow.areOfOneMessage(first.entries.map(\.row)))
    }

    /// Whether the rows are a table of symbols. Such tables are sorted: linker maps and gdb's `info functions` by
    /// address, those of nm by name. Rows with more fields than a table's may also rise for a while.
    private func isTable(_ entries: [RowStack.Entry], _ addresses: [UInt64]) -> Bool {
        guard entries.allSatisfy({ $0.row.number == nil }), addresses.count > 1 else { return false }
        // These are uses of one symbol: relocations, jumps.
        if addresses.allSatisfy({ $0 == addresses[0] }), entries.allSatisfy({ !$0.isInlined }) { return true }
        let full = entries.count { $0.row.hasSecondField || $0.row.addressBracket != 0 || $0.module != nil }
        let rising = zip(addresses, addresses.dropFirst()).count { $0 < $1 }
        if full * 2 > entries.count { return addresses.count > 5 && rising == addresses.count - 1 }
        if rising * 8 > (addresses.count - 1) * 7 { return true }
        // Several names of one address: `data_start` and `__data_start`.
        let hasAliases = zip(entries, entries.dropFirst()).contains {
            $0.row.address == $1.row.address && $0.symbol != $1.symbol && !$0.isInlined && !$1.isInlined
        }
        if full == 0, hasAliases, zip(addresses, addresses.dropFirst()).allSatisfy({ $0 <= $1 }) { return true }
        let names = entries.compactMap(\.symbol)
        guard full == 0, names.count == entries.count else { return false }
        let inOrder = zip(names, names.dropFirst()).count { $0 < $1 }
        // A few names are in order by chance; few programs are below 16 MB.
        if names.count < 6 { return names.count > 3 && inOrder == names.count - 1 && addresses.allSatisfy { $0 < 0x100_0000 } }
        return inOrder * 8 > (names.count - 1) * 7
    }

    // MARK: Results

    /// Appends results to the rows, in the form of `addr2line -pfi`. The row itself stays unchanged:
    ///
    ///     2: (Harbour::moor()+0x91) [0x562cbdfcaa61] Harbour::moor() at /src/harbour.cc:91
    ///      (inlined by) main at /src/main.cc:12
    ///     @     0x562cbdfcaa61 Harbour::moor() ==> Harbour::moor() at /src/harbour.cc:91
    ///
    /// If no bracket closes the row, a mark separates it from the result. Rows of Darwin's `backtrace_symbols(3)` get
    /// the form of Apple's reports.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        // Rows of a particular family may have more fields after the bracket.
        let endsInBracket = report.format == RowStacks.name || report.format == StackCards.glibc.name
        let card = StackCards.all.first { $0.name == report.format }
        return ResultFilter.edits(of: report, results: results, in: log) { frame, result, log in
            let rowText = log.clamped(to: frame.range)
            if let edit = card?.edit { return edit(frame, result, log) }
            let row = StackRow(rowText, isLenient: true)
            if let own = card?.writeResult, row?.style != .bare {
                return own(rowText, result).map { TextEdit.rows($0, in: frame.range, of: log) }
            }
            let line = LogLine(around: frame.range, in: log)
            if sharesLine(frame, line, log) {
                return wholeLineFamilies.contains(report.format) ? nil : edit(in: frame.range, result)
            }
            guard let row else { return nil }
            let hasDarwinsForm = row.style == .bare && (row.module != nil || card?.writeResult != nil) && row.addressBracket == 0
            if hasDarwinsForm, report.format != StackCards.glibc.name,
                let edit = AppleRow.edit(of: frame, with: result, in: log)
            {
                return edit
            }
            let prefix = log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
            let end =
                endsInBracket && row.addressBracket == UInt8(ascii: "[") && row.symbolizedName == nil && row.file == nil
                ? row.addressEnd(in: rowText) : nil
            var replacement: [UInt8] = []
            for (index, function) in result.functions.enumerated() {
                if index > 0 { replacement += line.ending + prefix }
                let mark = index > 0 ? " " + AddressToLineText.inlinedBy : end == nil ? RowLexer.resultMark : " "
                replacement += Array((mark + AddressToLineText.text(function)).utf8)
            }
            return TextEdit(range: frame.range.lowerBound + (end ?? rowText.count)..<frame.range.upperBound, replacement: replacement)
        }
    }

    /// Families whose readers need the whole line, so that results cannot be put between rows that share a line.
    private static let wholeLineFamilies: Set<String> = [StackCards.seastar.name, StackCards.clickhouse.name, StackCards.illumos.name]

    /// Whether other rows follow in the line: `Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450`.
    private static func sharesLine(_ frame: Frame, _ line: LogLine, _ log: Span<UInt8>) -> Bool {
        log.clamped(to: frame.range.upperBound..<max(frame.range.upperBound, line.range.upperBound)).trimmed().count > 0
    }

    /// Puts all functions of a result into the line itself, because separate lines would split it.
    private static func edit(in range: Range<Int>, _ result: FrameResult) -> TextEdit {
        let text = result.functions.map { AddressToLineText.text($0) }.joined(separator: " " + AddressToLineText.inlinedBy)
        return TextEdit(range: range.upperBound..<range.upperBound, replacement: Array((RowLexer.resultMark + text).utf8))
    }
}

extension StackRow {
    /// End of the brackets around the address, if only a name follows in the row: a result replaces that name.
    fileprivate func addressEnd(in row: Span<UInt8>) -> Int? {
        guard var end = addressRange?.upperBound else { return nil }
        while row.at(end) == UInt8(ascii: "]") { end += 1 }
        return module.map { $0.lowerBound > end } == true || id != nil ? nil : end
    }
}
