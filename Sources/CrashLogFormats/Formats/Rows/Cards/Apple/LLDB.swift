internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Backtraces that lldb prints for `bt`, for `thread backtrace all`, and when it stops:
    ///
    ///     * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BREAKPOINT (code=1, subcode=0x104a383d4)
    ///       * frame #0: 0x0000000104a383d4 Demo`boom + 12
    ///         frame #1: 0x0000000104a383f8 Demo`outer [inlined] step(n=3) at demo.c:6:3 [opt]
    ///       thread #2, name = 'worker'
    ///         frame #0: 0x00000001c1dd8000 libsystem_pthread.dylib`start_wqthread
    ///
    /// `frame-format` and `thread-stop-format` of lldb's `source/Core/CoreProperties.td` define the order.
    /// `${frame.pc}` is the program counter of frame 0 and of a frame that a signal interrupted, else the return
    /// address (`StackFrame::GetFrameCodeAddress`; for names and lines lldb itself looks up the byte before). `*` marks
    /// the selected thread and frame. Inlined calls have their own rows with the address of the frame that contains
    /// them. Xcode 26 prints no addresses: ``frame #0: Demo`boom + 12``.
    ///
    /// The output of `image list`, which people add so that others can symbolicate, has the UUIDs and load addresses
    /// (`CommandObjectTargetModulesList`):
    ///
    ///     [  0] 4C4C44F6-5555-3144-A1C7-8F23AF66DDA8 0x0000000104a38000 /private/tmp/Demo
    static let lldb = StackCard(
        name: "lldb-bt",
        summary: "lldb: bt, thread backtrace all",
        openings: [
            .start("* thread #"), .anywhere("frame #0: 0x"), .anywhere(", stop reason = "),
            .inLine("frame #0: ") { LLDBText.row($0) != nil }, .inLine("thread #") { LLDBText.isNamedThread($0) },
            .inLine("[  0] ") { LLDBText.image($0.trimmed()) != nil },
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        claims: {
            $0.style == .frame && $0.addressBracket == 0 && $0.address != nil
                && ($0.isBare || $0.module != nil && $0.moduleOffset == nil || $0.hasUnknownName)
        },
        read: { LLDBText.thread($0.trimmed()) ?? LLDBText.image($0.trimmed()) },
        readRow: { LLDBText.row($0) })
}

/// The lines of lldb's backtraces.
enum LLDBText {
    // MARK: Threads

    /// Reads the heading of a thread: `* thread #1, name = 'harbour', stop reason = signal SIGSEGV`; before 2016
    /// `* thread #1: tid = 0x161ef6, 0x… lib`fn + 10, queue = 'x', stop reason = …`
    static func thread(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        if rest.consume("*") { rest.skipBlanks() }
        guard rest.consume("thread #"), let number = rest.readDecimal(), rest.count == 0 || rest.hasPrefix(",") || rest.hasPrefix(":")
        else { return nil }
        let name = rest.text(between: "name = '", and: "'") ?? rest.text(between: "queue = '", and: "'")
        var cause: CrashCause?
        if let reason = rest.firstRange(of: "stop reason = ") { cause = LLDBText.cause(rest.from(reason.upperBound).trimmed()) }
        return .thread(number: Int(exactly: number), name: name, isCrashed: cause != nil, cause: cause)
    }

    /// Whether the line is the heading of a thread with a name:
    /// `thread #18, name = 'Task 36', queue = 'com.apple.root.default-qos'`.
    static func isNamedThread(_ line: Span<UInt8>) -> Bool {
        guard line.contains(", name = '") || line.contains(", queue = '") else { return false }
        return thread(line.trimmed()) != nil
    }

    /// Reads an image: `[  0] 4C4C44F6-5555-3144-A1C7-8F23AF66DDA8 0x0000000104a38000 /private/tmp/Demo`.
    static func image(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        guard rest.consume("[") else { return nil }
        rest.skipBlanks()
        guard rest.readDecimal() != nil, rest.consume("] "), let id = ImageID(text: rest.readToken()) else { return nil }
        rest.skipBlanks()
        guard let base = rest.readAddress() else { return nil }
        let path = rest.trimmed()
        guard path.hasPrefix("/") || RowLexer.isDrive(path) else { return nil }
        return .image(BinaryImage(name: Path.foreignName(of: path.text), path: path.text, id: id, base: RuntimeAddress(base)))
    }

    /// Reads a stop reason: `EXC_BAD_ACCESS (code=1, address=0x0)`,
    /// `signal SIGSEGV: invalid address (fault address: 0x6a6f00)`, `breakpoint 1.1`.
    static func cause(_ text: Span<UInt8>) -> CrashCause {
        var rest = text
        if rest.consume("signal ") {
            var cause = CrashCause(kind: .signal)
            let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.count
            cause.signal = rest.upTo(end).text
            let description = rest.from(end + 1).trimmed()
            cause.type =
                description.count > 0
                ? description.upTo(description.firstRange(of: " (")?.lowerBound ?? description.count).text : cause.signal
            cause.address = (rest.address(after: "fault address: ") ?? rest.address(after: "fault address=")).map { RuntimeAddress($0) }
            return cause
        }
        var cause = CrashCause(kind: text.hasPrefix("EXC_") ? .machException : .other)
        if text.hasPrefix("EXC_"), let open = text.firstRange(of: " ("), text.hasSuffix(")") {
            cause.type = text.upTo(open.lowerBound).text
            cause.codes = text.clamped(to: open.upperBound..<text.count - 1).text
            cause.address = text.address(after: "address=").map { RuntimeAddress($0) }
        } else {
            cause.type = text.text
        }
        return cause
    }

    // MARK: Rows

    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .frame else { return nil }
        var rest = line.from(number.end)
        let address = rest.readAddress()
        var indent = line
        RowNumber.skipBullets(&indent)
        var row = StackRow(
            number: number.value, style: .frame, in: line.count - indent.count..<line.count, address: address,
            addressRange: address.map { _ in number.end..<line.count - rest.count })
        var end = line.count
        while end > 0, isBlank(line[end - 1]) { end -= 1 }
        row.readResult(in: line, end: &end)
        for mark in [" [artificial]", " [opt]"] where line.upTo(end).hasSuffix(mark) { end -= mark.utf8.count }
        rest.skipBlanks()
        let start = line.count - rest.count
        guard start < end else { return address == nil ? nil : row }
        // Other programs number their rows in the same way, but have no file before a backtick.
        guard line.clamped(to: start..<end).firstIndex(of: UInt8(ascii: "`")) != nil else { return nil }
        readLocation(&row, line, start, &end)
        readNames(&row, line, start..<end)
        row.countFromImage(in: line)
        return row.isLocated || row.file != nil ? row : nil
    }

    /// Reads a source location: ` at demo.c:6:3`.
    private static func readLocation(_ row: inout StackRow, _ line: Span<UInt8>, _ start: Int, _ end: inout Int) {
        guard let at = line.upTo(end).lastRange(of: " at "), at.lowerBound > start, row.file == nil,
            let location = SourceLocationText.read(line.clamped(to: at.upperBound..<end))
        else { return }
        row.set(location, at: at.upperBound)
        end = at.lowerBound
    }

    /// Reads the module and the function: ``Demo`outer [inlined] step(n=3) + 12``.
    private static func readNames(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        guard let tick = line.firstIndex(of: UInt8(ascii: "`"), from: range.lowerBound), tick < range.upperBound else { return }
        row.module = range.lowerBound..<tick
        var start = tick + 1
        var end = range.upperBound
        if let plus = line.upTo(end).lastRange(of: " + "), plus.lowerBound >= start {
            if let offset = line.clamped(to: plus.upperBound..<end).decimal {
                row.symbol.offset = offset
                end = plus.lowerBound
            }
        }
        if let mark = line.upTo(end).lastRange(of: " [inlined] "), mark.lowerBound >= start {
            row.isInlined = true
            start = mark.upperBound
        }
        end = withoutArguments(line, start..<end)
        guard start < end, !line.clamped(to: start..<end).hasPrefix("___lldb_unnamed_symbol") else {
            row.hasUnknownName = true
            row.symbol.offset = nil
            return
        }
        row.symbol.name = start..<end
    }

    /// Length of the name without arguments and their values: `boom(argc=1, argv=0x00007fff5fbff8b8)`.
    private static func withoutArguments(_ line: Span<UInt8>, _ range: Range<Int>) -> Int {
        let text = line.clamped(to: range)
        guard text.hasSuffix(")"), let equals = text.firstIndex(of: UInt8(ascii: "=")), equals > 0, text[equals - 1] != UInt8(ascii: "r"),
            let open = text.upTo(equals).lastIndex(of: UInt8(ascii: "("))
        else { return range.upperBound }
        return range.lowerBound + open
    }
}
