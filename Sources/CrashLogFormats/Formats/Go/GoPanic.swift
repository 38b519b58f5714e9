internal import BinaryPrimitives
package import CrashLogModel

/// Output of Go's runtime when a program dies by a panic, a fatal error or a signal, and reports of
/// its race detector (`runtime/panic.go`, `signal_unix.go`, `traceback.go`; `tsan_report.cpp` for
/// Go).
///
/// Go frames come with name, file and line, because every Go program carries its line table. Only C
/// is left to resolve: the address that a signal interrupted, and the frames of
/// `runtime.SetCgoTraceback`. Addresses are printed only for fatal errors, or with
/// `GOTRACEBACK=system` and `crash`; otherwise a frame is given by its function's name and the
/// offset from its entry.
package struct GoPanic: LineFormat {
    package static let name = "go-panic"
    package static let summary = "Go’s panics, fatal errors and data races"
    package static let triggers =
        ["panic: ", "fatal error: ", "goroutine ", "[signal SIG", "[signal 0xc", "WARNING: DATA RACE"]
        + GoHeading.signals.map { "\($0.name): \($0.message)" }

    private var report = CrashReport(format: name)
    private var target = Target.none
    private var function: (line: GoFunctionLine, range: Range<Int>)?
    private var registers: [(name: String, value: UInt64)] = []
    private var signalPC: UInt64?
    private var hasSignal = false
    private var isRace = false
    /// The first panic is the runtime's own, of a signal: its stack is the one that holds the frame
    /// which the signal interrupted.
    private var isSignalFirst = false
    private var unrecognizedLines = 0

    /// Which stack frames go to.
    private enum Target {
        case none
        case goroutine
        case additional
    }

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        switch GoHeading(line) {
        case .goroutine, .race: return .certain
        // Indented, it follows another panic.
        case .panic, .fatalError: return line.at(0).map(isBlank) == false ? .possible : .none
        case .signal: return .possible
        default: return line.hasPrefix("[signal ") && GoSignalLine(line) != nil ? .possible : .none
        }
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let verdict = read(line, at: range)
        if verdict == .more { unrecognizedLines = 0 }
        return verdict
    }

    private mutating func read(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let pending = function, target != .none {
            function = nil
            if let row = GoLocationLine(line) {
                append(pending.line, row, at: pending.range.lowerBound..<range.upperBound)
                return .more
            }
        }
        if let heading = GoHeading(line) { return read(heading) }
        if let row = GoSignalLine(line) { return read(row, at: range) }
        let text = line.trimmed()
        if text.count == 0 || text.equals("==================") {
            // The race detector's report ends with a second rule.
            return isRace && text.count > 0 && target != .none ? .done : .unknown
        }
        guard target != .none else { return countUnrecognizedLine() }
        if readCFrame(text, at: range) || readRegister(text) { return .more }
        if let count = GoPanic.elided(text) {
            append(Frame(index: next, kind: count.map { .omitted(count: $0) } ?? .truncated, address: nil, range: range))
            return .more
        }
        if let line = GoFunctionLine(line) {
            function = (line, range)
            return line.isCertain ? .more : .unknown
        }
        return text.hasPrefix("goroutine running on other thread") || text.hasPrefix("exit status ") ? .more : countUnrecognizedLine()
    }

    /// A message of several lines, or another writer's line. Nothing but a message comes above the
    /// first stack.
    private mutating func countUnrecognizedLine() -> LineVerdict {
        unrecognizedLines += 1
        return target == .none && unrecognizedLines > 16 ? .rejected : .unknown
    }

    private mutating func read(_ heading: GoHeading) -> LineVerdict {
        switch heading {
        case .panic(let message): return begin(CrashCause(kind: .languageException), "panic", message)
        case .fatalError(let message): return begin(CrashCause(kind: .runtimeError), "fatal error", message)
        case .signal(let name, let message):
            guard target == .none, report.cause?.signal == nil else { return .rejected }
            let cause = CrashCause(kind: .signal, signal: name)
            return begin(cause, name, message)
        case .race:
            guard target == .none, !isRace else { return .rejected }
            isRace = true
            return begin(CrashCause(kind: .runtimeError), "DATA RACE", nil)
        case .goroutine(let index, let state):
            guard !report.threads.contains(where: { $0.index == index }), !isRace, report.threads.count < Limits.standard.threads else {
                return .rejected
            }
            report.threads.append(ThreadTrace(index: index, name: state, crashed: report.threads.isEmpty))
            target = .goroutine
            return .more
        case .stack(let name):
            guard report.additionalBacktraces.count < Limits.standard.threads else { return .rejected }
            report.additionalBacktraces.append(ThreadTrace(index: report.additionalBacktraces.count, name: name, crashed: false))
            target = .additional
            return .more
        }
    }

    /// Begins the report with a cause; a cause that comes after stacks begins the next crash.
    private mutating func begin(_ cause: CrashCause, _ type: String, _ message: String?) -> LineVerdict {
        guard target == .none else { return .rejected }
        if report.cause == nil || (cause.kind == .signal && report.cause?.type == nil) {
            report.cause = cause
            report.cause?.type = type
            report.cause?.message = message
            isSignalFirst = message.map { $0.hasPrefix("runtime error: ") || $0.hasPrefix("unexpected ") || $0.hasPrefix("fault") } ?? false
        } else if let message, let before = report.cause?.message, before.utf8.count < 4096 {
            report.cause?.message = before + "\n" + message
        }
        return .more
    }

    private mutating func read(_ row: GoSignalLine, at range: Range<Int>) -> LineVerdict {
        guard target == .none, !hasSignal else { return .rejected }
        hasSignal = true
        signalPC = row.pc
        var cause = report.cause ?? CrashCause(kind: .signal)
        cause.signal = row.signal ?? cause.signal
        cause.type = cause.type ?? row.signal ?? row.exception.flatMap { WindowsException.names[$0] }
        cause.codes = cause.codes ?? row.exception.map { String($0, radix: 16) }
        cause.message = cause.message ?? row.message
        cause.address = row.address.map { RuntimeAddress($0) }
        cause.signalCode = SignalName.code(row.code, of: cause.signal)
        report.cause = cause
        guard let pc = row.pc else { return .more }
        let frame = Frame(index: 0, kind: .programCounter, address: pc, range: range, printed: row.printed)
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: report.cause.map(GoPanic.label), crashed: true, frames: [frame]))
        return .more
    }

    /// `SIGSEGV: segmentation violation`
    private static func label(_ cause: CrashCause) -> String {
        let name = cause.signal ?? "signal"
        return GoHeading.signals.first { $0.name == name }.map { "\(name): \($0.message)" } ?? name
    }

    /// `non-Go function at pc=0x462746`: a frame of C code in a program without a symbolizer for
    /// it.
    private mutating func readCFrame(_ text: Span<UInt8>, at range: Range<Int>) -> Bool {
        var rest = text
        guard rest.consume("non-Go function at pc="), let pc = rest.readAddress(), rest.count == 0 else { return false }
        append(Frame(index: next, kind: .returnAddress, address: RuntimeAddress(pc), range: range))
        return true
    }

    /// `rax    0x0`
    private mutating func readRegister(_ text: Span<UInt8>) -> Bool {
        var rest = text
        let name = rest.readToken()
        guard name.count <= 6, rest.count > 0 else { return false }
        rest.skipBlanks()
        guard let value = rest.readAddress(), rest.count == 0, registers.count < 256 else { return false }
        registers.append((name.text, value))
        return true
    }

    /// `...additional frames elided...`, `...23 frames elided...`
    private static func elided(_ text: Span<UInt8>) -> Int?? {
        guard text.hasPrefix("..."), text.hasSuffix(" frames elided...") else { return nil }
        return .some(text.from(3).leadingDecimal.flatMap { Int(exactly: $0) })
    }

    // MARK: Frames

    private var next: Int {
        let frames = target == .goroutine ? report.threads.last?.frames : report.additionalBacktraces.last?.frames
        return frames?.count ?? 0
    }

    private mutating func append(_ frame: Frame) {
        switch target {
        case .none: break
        case .goroutine: report.threads[report.threads.count - 1].frames.add(frame)
        case .additional: report.additionalBacktraces[report.additionalBacktraces.count - 1].frames.add(frame)
        }
    }

    private mutating func append(_ line: GoFunctionLine, _ row: GoLocationLine, at range: Range<Int>) {
        var frame = Frame(index: next, kind: .returnAddress, address: row.pc.map { RuntimeAddress($0) }, range: range)
        if line.name != nil || row.location != nil {
            frame.printed = PrintedSymbol(name: line.name, offset: row.offset, location: row.location)
        }
        frame.isInlined = line.isInlined && row.offset == nil
        // A program that is not position-independent, as Go links them by default, is loaded below
        // 4 GiB, where it was linked: its program counter suffices. A position-independent one can
        // be anywhere; then the name and the offset give the address, and so they do if no pc is
        // printed.
        if let offset = row.offset, let symbol = line.symbol, row.pc.map({ $0 >> 32 != 0 }) ?? true {
            frame.imageLocation = .symbol(SymbolLocation(name: symbol, offset: offset))
        }
        // Without an offset, a function that is not inlined is at its first instruction (`traceback2`: `if
        // u.frame.pc > f.entry()`), where nothing returns to.
        if row.offset == nil, row.pc == nil, line.hasArguments, !line.isInlined, let symbol = line.symbol {
            frame.imageLocation = .symbol(SymbolLocation(name: symbol, offset: 0))
            frame.kind = .programCounter
        }
        append(frame)
    }

    package mutating func finish() -> [CrashReport] {
        guard target != .none else { return [] }
        if !registers.isEmpty, !report.threads.isEmpty { report.threads[0].registers = RegisterState(values: registers) }
        if report.cause == nil { report.notes.append("The lines above the goroutines, with the cause, are missing.") }
        decideKinds()
        let isRace = isRace
        report.changeStacks { stack in
            GoPanic.setInlinedCallAddresses(&stack.frames)
            // A race's stacks are what happened: none of them is the crash alone.
            if isRace { stack.crashed = false }
        }
        return [report]
    }

    /// An inlined call is where the frame is that it was inlined into. Those of C, which a
    /// program's symbolizer has added, have the same pc as the next row and another name.
    private static func setInlinedCallAddresses(_ frames: inout [Frame]) {
        for index in frames.indices.dropLast() {
            let (inner, outer) = (frames[index], frames[index + 1])
            guard let pc = inner.address, pc == outer.address, inner.printed?.offset == nil, outer.printed?.offset == nil else { continue }
            if let name = inner.printed?.name, let other = outer.printed?.name, name != other { frames[index].isInlined = true }
        }
        var number = 0
        for index in frames.indices {
            frames[index].index = number
            if !frames[index].isInlined { number += 1 }
        }
        var holder: Frame?
        for index in frames.indices.reversed() {
            if !frames[index].isInlined {
                holder = frames[index]
            } else if let holder, frames[index].address == nil {
                frames[index].address = holder.address
                frames[index].imageLocation = holder.imageLocation
                frames[index].kind = holder.kind
            }
        }
    }

    /// The runtime prints program counters as they are, and names and lines for the one before
    /// (`symPC`): return addresses, but for the frame that a signal interrupted. That is the frame
    /// whose pc is the signal's, and the one under `runtime.sigpanic`; traces hide that row by
    /// default, and then it is the first, or the one under the first panic's row. The race detector
    /// has already subtracted (`GetPreviousInstructionPc` before `go_runtime_cb`).
    private mutating func decideKinds() {
        if isRace {
            report.changeStacks { stack in for index in stack.frames.indices { stack.frames[index].kind = .exact } }
            return
        }
        let pc = signalPC
        report.changeStacks { stack in
            var isUnderSignal = false
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                if isUnderSignal || frame.address.map({ $0.value == pc }) == true, frame.kind == .returnAddress {
                    stack.frames[index].kind = .programCounter
                }
                if !frame.isInlined { isUnderSignal = frame.printed?.name == "runtime.sigpanic" }
            }
        }
        guard hasSignal, let frames = report.threads.first?.frames, !frames.contains(where: { $0.kind == .programCounter }) else { return }
        let panics = frames.indices.filter { frames[$0].printed?.name == "panic" }
        let above = isSignalFirst ? panics.last : nil
        let start = above.map { $0 + 1 } ?? 0
        guard frames.indices.contains(start), !frames.contains(where: { $0.printed?.name == "runtime.cgocall" }) else { return }
        if let index = frames[start...].firstIndex(where: { !$0.isInlined }) { report.threads[0].frames[index].kind = .programCounter }
    }

    /// Go's own frames already have everything that a result contains. C frames without a name are
    /// written as the runtime writes those that a program's symbolizer resolves: two lines with
    /// name, location and pc, inlined calls with the same pc above. The line of a signal has no
    /// such form. The result follows it in one line.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.range)
        if let signal = GoSignalLine(bytes) {
            let text = " " + oneLine(result)
            return TextEdit(range: frame.range.lowerBound + signal.resultStart..<frame.range.upperBound, replacement: Array(text.utf8))
        }
        // A Go frame has an offset in its second line.
        guard let address = frame.address, frame.printed?.offset == nil else { return nil }
        let line = LogLine(around: frame.range.lowerBound..<frame.range.lowerBound, in: log)
        let head = log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
        var replacement: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { replacement += line.ending + head }
            replacement +=
                Array(PlainText.line(function.name).utf8) + line.ending + head + Array(locationLine(function, address).utf8)
        }
        return TextEdit(range: frame.range, replacement: replacement)
    }

    private static func locationLine(_ function: FrameResult.Function, _ address: RuntimeAddress) -> String {
        var text = "\t"
        if let location = function.location, location.line > 0 { text += SourceLocationText.text(location) + " " }
        return text + "pc=0x" + String(address.value, radix: 16)
    }

    private static func oneLine(_ result: FrameResult) -> String {
        result.functions.map { function in
            var text = PlainText.line(function.name)
            if function.isInlined { text += " [inlined]" }
            if let location = function.location, location.line > 0 { text += " (\(SourceLocationText.text(location)))" }
            if let offset = function.offset, !function.isInlined { text += " +0x" + String(offset, radix: 16) }
            return text
        }.joined(separator: " in ")
    }
}

/// The lines of a Go crash that are not frames.
enum GoHeading {
    /// `panic: MESSAGE`, `panic: MESSAGE [recovered]`, indented where a panic followed another
    case panic(String)
    /// `fatal error: all goroutines are asleep - deadlock!`
    case fatalError(String)
    /// `SIGQUIT: quit`, above `PC=0x…`
    case signal(String, String)
    /// `goroutine 1 [running, locked to thread]:`, `goroutine 7 gp=0xc000002380 m=0 mp=0x5a2ee0
    /// [chan receive, 2 minutes]:`
    case goroutine(Int, String)
    /// `runtime stack:`, `[originating from goroutine 7]:`, and the race detector's
    /// `Read at 0x00c0000141 by goroutine 8:`, `Goroutine 8 (running) created at:`
    case stack(String)
    case race

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        guard let first = rest.at(0) else { return nil }
        switch first {
        case UInt8(ascii: "p") where rest.consume("panic: "): self = .panic(rest.text)
        case UInt8(ascii: "f") where rest.consume("fatal error: "): self = .fatalError(rest.text)
        case UInt8(ascii: "r") where rest.consume("runtime: goroutine stack exceeds "): self = .fatalError(line.trimmed().text)
        case UInt8(ascii: "r") where rest.equals("runtime stack:"): self = .stack("runtime stack")
        case UInt8(ascii: "["):
            guard rest.hasPrefix("[originating from goroutine "), rest.hasSuffix("]:") else { return nil }
            self = .stack(rest.clamped(to: 1..<rest.count - 2).text)
        case UInt8(ascii: "S"):
            guard let found = GoHeading.signals.first(where: { rest.equals("\($0.name): \($0.message)") }) else { return nil }
            self = .signal(found.name, found.message)
        case UInt8(ascii: "W"):
            guard rest.equals("WARNING: DATA RACE") else { return nil }
            self = .race
        case UInt8(ascii: "g"):
            guard rest.consume("goroutine "), let number = rest.readDecimal(), let index = Int(exactly: number), rest.hasSuffix("]:"),
                let open = rest.firstRange(of: " ["), open.lowerBound == 0 || rest.hasPrefix(" gp=") || rest.hasPrefix(" m=")
            else { return nil }
            self = .goroutine(index, rest.clamped(to: open.upperBound..<rest.count - 2).text)
        case UInt8(ascii: "R"), UInt8(ascii: "P"), UInt8(ascii: "A"), UInt8(ascii: "G"), UInt8(ascii: "a"):
            // `Read at …`, `Write at …`, `Previous write at …`, `Atomic read at …`,
            // `As if synchronized via sleep:`, `Goroutine 8 (running) created at:`
            guard rest.hasSuffix(":"),
                rest.contains(" by goroutine ") || rest.contains(" by main goroutine") || rest.hasSuffix(" created at:")
            else { return nil }
            self = .stack(rest.upTo(rest.count - 1).text)
        default: return nil
        }
    }

    /// `sigtable` of `runtime/sigtab_linux_generic.go` and the others: what ends a program.
    static let signals: [(name: String, message: String)] = [
        ("SIGSEGV", "segmentation violation"), ("SIGABRT", "abort"), ("SIGQUIT", "quit"), ("SIGBUS", "bus error"),
        ("SIGILL", "illegal instruction"),
        ("SIGFPE", "floating-point exception"), ("SIGTRAP", "trace trap"), ("SIGSYS", "bad system call"), ("SIGSTKFLT", "stack fault"),
        ("SIGEMT", "emulate instruction executed"),
    ]
}

/// A frame of a Go stack is two lines (`traceback2`, `printOneCgoTraceback` of
/// `runtime/traceback.go`; the race detector indents both):
///
///     main.(*tank).drain(0x40463c?, 0xc00004af70?)
///     	tank/main.go:13 +0x5 fp=0xc00004af28 sp=0xc00004af20 pc=0x462425
///     main.pour(...)                                                           inlined: no offset
///     	tank/main.go:15
///     created by main.start in goroutine 1
///     	tank/main.go:30 +0x25
///     leak                                                                     C, where the program has a symbolizer for it
///     	/src/tank.c:12 pc=0x462746
///
/// C code of which that knows nothing is called `non-Go function`, and is one line without a
/// symbolizer, `non-Go function at pc=0x462746`.
struct GoFunctionLine {
    /// Name as the table of functions has it: without arguments. `nil` for `non-Go function`, which
    /// the program's symbolizer did not resolve.
    var name: String?
    var isInlined: Bool
    var isCreator: Bool
    /// The row has arguments, or a word before it: only Go frames have that form.
    var isCertain: Bool
    /// The row has arguments, of a call that may be inlined: `main.pour(...)`.
    var hasArguments: Bool { isCertain && !isCreator && name != nil }

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        isCreator = rest.consume("created by ")
        if isCreator {
            if let goroutine = rest.lastRange(of: " in goroutine ") { rest = rest.upTo(goroutine.lowerBound) }
            guard rest.count > 0 else { return nil }
            (name, isInlined, isCertain) = (rest.text, false, true)
            return
        }
        if rest.equals("non-Go function") {
            (name, isInlined, isCertain) = (nil, false, true)
            return
        }
        guard rest.count > 0, rest.firstIndex(of: UInt8(ascii: ":")) == nil || rest.hasSuffix(")") else { return nil }
        guard rest.hasSuffix(")"), let open = rest.lastIndex(of: UInt8(ascii: "(")), open > 0, GoFunctionLine.isName(rest.upTo(open)) else {
            guard GoFunctionLine.isName(rest) else { return nil }
            (name, isInlined, isCertain) = (rest.text, false, false)
            return
        }
        (name, isInlined, isCertain) = (rest.upTo(open).text, rest.from(open).equals("(...)"), true)
    }

    /// `encoding/json.(*decodeState).object`: no blanks outside of brackets. (C++ names, which a
    /// program's own symbolizer may give, have them.)
    private static func isName(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "{"): depth &+= 1
            case UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "}"): depth &-= 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"): if depth <= 0 { return false }
            default: break
            }
        }
        return text.count > 0
    }

    /// The symbol table's name; `nil` if the line does not have it: the runtime writes `f[...]` for
    /// every instance of a generic function.
    var symbol: String? {
        guard let name, !name.contains("[...]") else { return nil }
        return name == "panic" ? "runtime.gopanic" : name
    }
}

/// The second line.
struct GoLocationLine {
    var location: SourceLocation?
    /// From the function's entry.
    var offset: UInt64?
    var pc: UInt64?

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        if let found = rest.lastRange(of: "pc=0x"), found.lowerBound == 0 || isBlank(rest[found.lowerBound - 1]) {
            guard let value = rest.from(found.upperBound).hexadecimal else { return nil }
            pc = value
            rest = rest.upTo(found.lowerBound).trimmed()
        }
        for label in [" sp=0x", " fp=0x"] {
            guard let found = rest.lastRange(of: label) else { continue }
            guard rest.from(found.upperBound).hexadecimal != nil else { return nil }
            rest = rest.upTo(found.lowerBound)
        }
        offset = rest.readHexadecimal(atEndBehind: " +0x")
        location = SourceLocationText.read(rest)
        guard location != nil || (pc != nil && rest.count == 0) else { return nil }
    }
}

/// The lines above the goroutines that show where a signal came, as the only ones to do so where
/// that was in C:
///
///     [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x462746]
///     PC=0x462746 m=0 sigcode=1 addr=0x0
///     [signal 0xc0000005 code=0x1 addr=0x0 pc=0x490132]           Windows: the exception's code
///
/// cairn's result follows it: ` fill (/src/tank.c:12) +0x6`, inlined calls as
/// ` pour [inlined] (/src/tank.c:6) in fill (…`.
struct GoSignalLine {
    var pc: UInt64?
    var address: UInt64?
    /// `SIGSEGV`; the second form has it in the line above.
    var signal: String?
    var message: String?
    /// The code of Windows' exception.
    var exception: UInt32?
    /// `code=0x1`: `si_code`.
    var code: UInt64?
    /// Offset in the line at which the result is written.
    var resultStart: Int
    var printed: PrintedSymbol?

    init?(_ line: Span<UInt8>) {
        var rest = line
        if rest.consume("[signal ") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let inner = rest.upTo(close)
            let signalText = inner.upTo(inner.firstRange(of: " code=")?.lowerBound ?? inner.count)
            if let colon = signalText.firstRange(of: ": ") {
                signal = signalText.upTo(colon.lowerBound).text
                message = signalText.from(colon.upperBound).text
            } else {
                guard signalText.hasPrefix("0x"), let code = signalText.from(2).hexadecimal else { return nil }
                exception = UInt32(truncatingIfNeeded: code)
            }
            pc = inner.address(after: " pc=")
            address = inner.address(after: " addr=")
            code = inner.address(after: " code=")
            rest = rest.from(close + 1)
        } else {
            guard rest.consume("PC="), let value = rest.readAddress(), rest.hasPrefix(" m=") else { return nil }
            pc = value
            address = rest.address(after: " addr=")
            // Numbers with labels, up to the first token that has another form.
            while rest.count > 0 {
                var next = rest
                next.skipBlanks()
                guard let equals = next.firstIndex(of: UInt8(ascii: "=")), equals < 16,
                    next.upTo(equals).firstIndex(of: UInt8(ascii: " ")) == nil
                else { break }
                _ = next.readToken()
                rest = next
            }
        }
        resultStart = line.count - rest.count
        printed = GoSignalLine.symbol(rest.trimmed())
    }

    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard text.count > 0 else { return nil }
        var rest = text
        var symbol = PrintedSymbol()
        symbol.offset = rest.readHexadecimal(atEndBehind: " +0x")
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (") {
            symbol.location = SourceLocationText.read(rest.clamped(to: open.upperBound..<rest.count - 1))
            if symbol.location != nil { rest = rest.upTo(open.lowerBound) }
        }
        if let outer = rest.lastRange(of: ") in ") { rest = rest.from(outer.upperBound) }
        symbol.name = rest.text
        return symbol
    }
}
