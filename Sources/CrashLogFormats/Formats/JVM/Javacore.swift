internal import BinaryPrimitives
package import CrashLogModel

/// The javacore of OpenJ9 and IBM's Java machines, `javacore.20240825.155509.12345.0001.txt`
/// (`JavaCoreDumpWriter` of OpenJ9's `rasdump/javadump.cpp`): each line begins with a tag for its
/// kind. Native stacks are below each thread's Java stack.
package struct Javacore: LineFormat {
    package static let name = "jvm-javacore"
    package static let summary = "OpenJ9’s and IBM’s javacores (javacore.*.txt)"
    package static let triggers = ["TITLE subcomponent dump routine", JavacoreRow.tag]

    private var report = CrashReport(format: name)
    private var hasTitle = false
    private var current: String?
    private var javaFrames: [Frame] = []
    private var registers: [(name: String, value: UInt64)] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if line.hasPrefix("0SECTION"), line.hasSuffix("TITLE subcomponent dump routine") { return .certain }
        return line.hasPrefix(JavacoreRow.tag) && JavacoreRow(line) != nil ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard let first = line.at(0), isDigit(first) || line.hasPrefix("NULL") else {
            return line.trimmed().count == 0 ? .unknown : .rejected
        }
        if line.contains(" END OF DUMP ") { return .done }
        if line.hasPrefix("0SECTION"), line.hasSuffix("TITLE subcomponent dump routine") {
            // The next javacore.
            guard !hasTitle, report.threads.isEmpty else { return .rejected }
            hasTitle = true
            return .more
        }
        var rest = line
        let tag = rest.readToken()
        guard tag.count > 3 else { return .rejected }
        rest = rest.trimmed()
        if tag.equals(JavacoreRow.tag) {
            readFrame(line, at: range)
        } else if tag.equals("4XESTACKTRACE") {
            readJavaFrame(rest, at: range)
        } else if tag.equals("3XMTHREADINFO") {
            beginThread(rest)
        } else {
            readField(tag, rest)
        }
        return .more
    }

    /// `"main" J9VMThread:0x…, omrthread_t:0x…, java/lang/Thread:0x…, state:CW, prio=5`,
    /// `Anonymous native thread`
    private mutating func beginThread(_ text: Span<UInt8>) {
        endJavaStack()
        guard report.threads.count < Limits.standard.threads else { return }
        var name = text
        if text.at(0) == UInt8(ascii: "\""), let end = text.lastIndex(of: UInt8(ascii: "\"")), end > 0 { name = text.clamped(to: 1..<end) }
        report.threads.append(ThreadTrace(index: report.threads.count, name: name.text))
    }

    private mutating func readFrame(_ line: Span<UInt8>, at range: Range<Int>) {
        guard let row = JavacoreRow(line) else { return }
        if report.threads.isEmpty { report.threads.append(ThreadTrace(index: 0)) }
        let last = report.threads.count - 1
        report.threads[last].frames.add(row.frame(index: report.threads[last].frames.nextIndex, at: range))
    }

    /// `at com/example/CrashingApp.main(CrashingApp.java:15(Compiled Code))`: named and placed by
    /// the machine, at no address.
    private mutating func readJavaFrame(_ text: Span<UInt8>, at range: Range<Int>) {
        var rest = text
        if rest.consume("at ") { javaFrames.add(.returnAddress, JavaTraceRow.symbol(rest), at: range) }
    }

    private mutating func endJavaStack() {
        guard !javaFrames.isEmpty else { return }
        let name = report.threads.last?.name.map { "Java callstack of \($0)" } ?? "Java callstack"
        report.additionalBacktraces.append(ThreadTrace(index: report.threads.last?.index ?? 0, name: name, frames: javaFrames))
        javaFrames = []
    }

    private mutating func readField(_ tag: Span<UInt8>, _ text: Span<UInt8>) {
        var rest = text
        switch tag.text {
        case "1TISIGINFO":
            if let event = text.text(between: "\"", and: "\"") {
                report.cause = CrashCause(kind: event == "gpf" || event == "abort" ? .signal : .other, type: event, message: text.text)
            }
        case "1TIDATETIME": if rest.consume("Date: ") { report.timestamp = Timestamp(rest.trimmed().text) }
        case "2XHOSLEVEL": report.platform = Javacore.value(text)
        case "3XHCPUARCH": report.architecture = Javacore.value(text).map { Architecture(writtenName: $0) }
        case "1CIPROCESSID":
            if rest.consume("Process ID: ") { report.process.pid = rest.readDecimal().flatMap { Int(exactly: $0) } }
        case "1CIJAVAVERSION": report.process.version = text.text
        case "1XMCURTHDINFO": current = text.text(between: "\"", and: "\"")
        case "1XHEXCPCODE":
            if rest.consume("Signal_Number: "), let number = rest.readHexadecimal() { report.cause?.signal = "\(number)" }
            if rest.consume("Inaccessible_Address: "), let address = rest.readHexadecimal() {
                report.cause?.address = RuntimeAddress(address)
            }
        case "2XHREGISTER":
            if let colon = text.firstRange(of: ": "), registers.count < 256 {
                if let value = text.from(colon.upperBound).leadingHexadecimal {
                    registers.append((text.upTo(colon.lowerBound).text, value))
                }
            }
        default: break
        }
    }

    /// `OS Level         : AIX 7.2`
    private static func value(_ text: Span<UInt8>) -> String? {
        guard let colon = text.firstRange(of: ": ") else { return nil }
        return text.from(colon.upperBound).trimmed().text
    }

    package mutating func finish() -> [CrashReport] {
        endJavaStack()
        guard !report.additionalBacktraces.isEmpty || report.threads.contains(where: { !$0.frames.isEmpty }) else { return [] }
        if let index = report.threads.firstIndex(where: { current == nil ? report.cause?.kind == .signal : $0.name == current }) {
            report.threads[index].crashed = true
            if !registers.isEmpty { report.threads[index].registers = RegisterState(values: registers) }
        }
        if !hasTitle { report.notes.append("The head of the javacore, with the cause, is missing.") }
        decideKinds()
        var images = ImageTable()
        images.assign(to: &report)
        return [report]
    }

    /// All are return addresses: threads are stopped by a signal, and each walks its own stack from
    /// inside the handler (`backtrace(3)`, or the port library's own walk), whose rows come first.
    /// The interrupted frame is exact: the row under the trampoline, if the trampoline has its
    /// name, and the row at the program counter of the register section.
    private mutating func decideKinds() {
        let counters = registers.filter { ["RIP", "EIP", "PC", "IAR", "psw1"].contains($0.name) }.map(\.value)
        for thread in report.threads.indices {
            var isExact = false
            for index in report.threads[thread].frames.indices {
                let frame = report.threads[thread].frames[index]
                if isExact || frame.address.map({ counters.contains($0.value) }) == true {
                    report.threads[thread].frames[index].kind = .programCounter
                }
                if !frame.isInlined { isExact = SignalFrame.isHandler(frame.printed) }
            }
        }
    }

    /// As the port library writes rows whose lines it knows; inlined calls as rows above.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = JavacoreRow(log.clamped(to: frame.range)) else { return nil }
        let rows = RowResult(range: row.symbolStart..<row.addressStart, functions: result.functions.map(text))
        return .rows(rows, in: frame.range, of: log)
    }

    private static func text(_ function: FrameResult.Function) -> String {
        let locationText = SourceLocationText.shortText(function.location).map { $0 + ", " } ?? ""
        return RowResult.symbol(function) + " (" + locationText
    }
}

/// One native frame of a javacore (`omrintrospect_backtrace_symbols` of OMR's port library):
///
///     4XENATIVESTACK               (0x00007F8B7C0B3D7D [libcrash.so+0x1d7d])
///     4XENATIVESTACK               j9thread_park+0x11b (0x00002AAAABA8953B [libj9thr24.so+0x553b])
///     4XENATIVESTACK               j9shsem_wait+0x94 (j9shsem.c:233, 0x7460C394 [J9PRT26+0xc394])      Windows, which has the lines
struct JavacoreRow {
    var address: UInt64
    var library: String?
    var offset: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// The row's parts: where the symbol begins (after the tag and its blanks), and where the
    /// address does.
    var symbolStart: Int
    var addressStart: Int

    static let tag = "4XENATIVESTACK"

    init?(_ row: Span<UInt8>) {
        var rest = row
        guard rest.consume(JavacoreRow.tag), let blank = rest.at(0), isBlank(blank) else { return nil }
        rest.skipBlanks()
        symbolStart = row.count - rest.count
        let text = rest.trimmed()
        guard text.hasSuffix(")"), let open = JavacoreRow.open(text) else { return nil }
        var inner = text.clamped(to: open + 1..<text.count - 1)
        var location: SourceLocation?
        if let comma = inner.lastRange(of: ", 0x") {
            location = SourceLocationText.read(inner.upTo(comma.lowerBound))
            inner = inner.from(comma.lowerBound + 2)
        }
        addressStart = symbolStart + (text.count - 1 - inner.count)
        guard let address = inner.readAddress() else { return nil }
        self.address = address
        if inner.consume(" ["), inner.consumeSuffix("]"), let offset = inner.readHexadecimal(atEndBehind: "+0x"), inner.count > 0 {
            library = inner.text
            self.offset = offset
        }
        readSymbol(text.upTo(open).trimmed(), location)
    }

    /// The bracket that holds the address: a symbol may have brackets of its own before it.
    private static func open(_ text: Span<UInt8>) -> Int? {
        guard let address = text.lastRange(of: "0x", before: text.lastRange(of: " [")?.lowerBound) else { return nil }
        return text.lastIndex(of: UInt8(ascii: "("), before: address.lowerBound)
    }

    private mutating func readSymbol(_ text: Span<UInt8>, _ location: SourceLocation?) {
        var rest = text
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol(location: location)
        isInlined = rest.consumeSuffix(" [inlined]")
        if !isInlined { symbol.offset = rest.readHexadecimal(atEndBehind: "+0x") }
        if rest.count > 0 { symbol.name = rest.text }
        printed = symbol
    }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, address: address, range: range, imageName: library, imageOffset: offset, printed: printed, isInlined: isInlined)
    }
}
