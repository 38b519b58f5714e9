internal import BinaryPrimitives
package import CrashLogModel

/// What Go's runtime prints when a program dies, by a panic, a fatal error or a signal, and what
/// its race detector does (`runtime/panic.go`, `signal_unix.go`, `traceback.go`; `tsan_report.cpp`
/// for Go).
///
/// Go frames come with name, file and line, because every Go program carries its line table. What
/// is left to resolve is C: the place that a signal interrupted, and the frames of
/// `runtime.SetCgoTraceback`. Addresses are printed only for fatal errors, or with
/// `GOTRACEBACK=system` and `crash`; elsewhere a frame's place is its function's name and the
/// offset from its entry.
package struct GoPanic: LineFormat {
    package static let name = "go-panic"
    package static let summary = "Go’s panics, fatal errors and data races"
    package static let triggers =
        ["panic: ", "fatal error: ", "goroutine ", "[signal SIG", "WARNING: DATA RACE"]
        + GoHeading.signals.map { "\($0.name): \($0.words)" }

    private var report = CrashReport(format: name)
    private var target = Target.none
    private var function: (line: GoFunctionLine, place: Range<Int>)?
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
        default: return line.hasPrefix("[signal SIG") && GoSignalLine(line) != nil ? .possible : .none
        }
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let verdict = take(line, at: place)
        if verdict == .more { unrecognizedLines = 0 }
        return verdict
    }

    private mutating func take(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let pending = function, target != .none {
            function = nil
            if let row = GoPlaceLine(line) {
                append(pending.line, row, at: pending.place.lowerBound..<place.upperBound)
                return .more
            }
        }
        if let heading = GoHeading(line) { return take(heading) }
        if let row = GoSignalLine(line) { return take(row, at: place) }
        let text = line.trimmed()
        if text.count == 0 || text.equals("==================") {
            // The race detector's report ends with a second rule.
            return isRace && text.count > 0 && target != .none ? .done : .unknown
        }
        guard target != .none else { return takeUnrecognized() }
        if takeCode(text, at: place) || takeRegister(text) { return .more }
        if let count = GoPanic.elided(text) {
            append(Frame(index: next, kind: count.map { .omitted(count: $0) } ?? .truncated, address: nil, place: place))
            return .more
        }
        if let line = GoFunctionLine(line) {
            function = (line, place)
            return line.isCertain ? .more : .unknown
        }
        return text.hasPrefix("goroutine running on other thread") || text.hasPrefix("exit status ") ? .more : takeUnrecognized()
    }

    /// A message of several lines, or another writer's line. Nothing but a message comes above the
    /// first stack.
    private mutating func takeUnrecognized() -> LineVerdict {
        unrecognizedLines += 1
        return target == .none && unrecognizedLines > 16 ? .rejected : .unknown
    }

    private mutating func take(_ heading: GoHeading) -> LineVerdict {
        switch heading {
        case .panic(let message): return begin(CrashCause(kind: .languageException), "panic", message)
        case .fatalError(let message): return begin(CrashCause(kind: .runtimeError), "fatal error", message)
        case .signal(let name, let words):
            guard target == .none, report.cause?.signal == nil else { return .rejected }
            let cause = CrashCause(kind: .signal, signal: name)
            return begin(cause, name, words)
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

    /// What happened; after stacks, it is the next crash.
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

    private mutating func take(_ row: GoSignalLine, at place: Range<Int>) -> LineVerdict {
        guard target == .none, !hasSignal else { return .rejected }
        hasSignal = true
        signalPC = row.pc
        var cause = report.cause ?? CrashCause(kind: .signal)
        cause.signal = row.signal ?? cause.signal
        cause.type = cause.type ?? row.signal
        cause.message = cause.message ?? row.message
        cause.address = row.address.map { RuntimeAddress($0) }
        cause.signalCode = SignalName.code(row.code, of: cause.signal)
        report.cause = cause
        guard let pc = row.pc else { return .more }
        let frame = Frame(index: 0, kind: .programCounter, address: pc, place: place, printed: row.printed)
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: report.cause.map(GoPanic.words), crashed: true, frames: [frame]))
        return .more
    }

    /// `SIGSEGV: segmentation violation`
    private static func words(_ cause: CrashCause) -> String {
        let name = cause.signal ?? "signal"
        return GoHeading.signals.first { $0.name == name }.map { "\(name): \($0.words)" } ?? name
    }

    /// `non-Go function at pc=0x462746`: a frame of C code in a program without a symbolizer for
    /// it.
    private mutating func takeCode(_ text: Span<UInt8>, at place: Range<Int>) -> Bool {
        var rest = text
        guard rest.take("non-Go function at pc="), let pc = rest.takeAddress(), rest.count == 0 else { return false }
        append(Frame(index: next, kind: .returnAddress, address: RuntimeAddress(pc), place: place))
        return true
    }

    /// `rax    0x0`
    private mutating func takeRegister(_ text: Span<UInt8>) -> Bool {
        var rest = text
        let name = rest.takeToken()
        guard name.count <= 6, rest.count > 0 else { return false }
        rest.skipBlanks()
        guard let value = rest.takeAddress(), rest.count == 0, registers.count < 256 else { return false }
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

    private mutating func append(_ line: GoFunctionLine, _ row: GoPlaceLine, at place: Range<Int>) {
        var frame = Frame(index: next, kind: .returnAddress, address: row.pc.map { RuntimeAddress($0) }, place: place)
        if line.name != nil || row.location != nil {
            frame.printed = PrintedSymbol(name: line.name, offset: row.offset, location: row.location)
        }
        frame.isInlined = line.isInlined && row.offset == nil
        // A program that is not position-independent, as Go links them by default, is below 4 GiB
        // where it was linked, and its program counter says all. A position-independent one can be
        // anywhere; then the name and the offset give the place, and so they do where no pc is
        // printed.
        if let offset = row.offset, let symbol = line.symbol, row.pc.map({ $0 >> 32 != 0 }) ?? true {
            frame.imagePlace = .symbol(SymbolPlace(name: symbol, offset: offset))
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
            GoPanic.placeInlinedCalls(&stack.frames)
            // A race's stacks are what happened: none of them is the crash alone.
            if isRace { stack.crashed = false }
        }
        return [report]
    }

    /// An inlined call is where the frame is that it was inlined into. Those of C, which a
    /// program's symbolizer has added, have the same pc as the next row and another name.
    private static func placeInlinedCalls(_ frames: inout [Frame]) {
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
                frames[index].imagePlace = holder.imagePlace
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

    /// Go's own frames have all that a result says. C frames without a name are written as the
    /// runtime writes those that a program's symbolizer knows: two lines with name, place and pc,
    /// inlined calls with the same pc above. The line of a signal has no such form. The result
    /// follows it in one line.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.place)
        if let signal = GoSignalLine(bytes) {
            let text = " " + oneLine(answer)
            return TextEdit(range: frame.place.lowerBound + signal.answerStart..<frame.place.upperBound, replacement: Array(text.utf8))
        }
        // A Go frame has an offset in its second line.
        guard let address = frame.address, frame.printed?.offset == nil else { return nil }
        let line = LogLine(around: frame.place.lowerBound..<frame.place.lowerBound, in: log)
        let head = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += line.ending + head }
            replacement +=
                Array(PlainText.line(function.name).utf8) + line.ending + head + Array(place(function, address).utf8)
        }
        return TextEdit(range: frame.place, replacement: replacement)
    }

    private static func place(_ function: FrameAnswer.Function, _ address: RuntimeAddress) -> String {
        var text = "\t"
        if let location = function.location, location.line > 0 { text += SourceLocationText.text(location) + " " }
        return text + "pc=0x" + String(address.value, radix: 16)
    }

    private static func oneLine(_ answer: FrameAnswer) -> String {
        answer.functions.map { function in
            var text = PlainText.line(function.name)
            if function.isInlined { text += " [inlined]" }
            if let location = function.location, location.line > 0 { text += " (\(SourceLocationText.text(location)))" }
            if let offset = function.offset, !function.isInlined { text += " +0x" + String(offset, radix: 16) }
            return text
        }.joined(separator: " in ")
    }
}
