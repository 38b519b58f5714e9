internal import BinaryPrimitives
package import CrashLogModel

/// The fatal error log of OpenJDK's HotSpot machine, `hs_err_pid1234.log` (`VMError::report` of
/// `utilities/vmError.cpp`), since JDK 6: the file, its header alone (which goes to the console as
/// well), and its stack alone, as people quote it.
///
/// The file is made of sections; those that are read here are the header, the thread, its native
/// and its Java frames, the registers and the libraries.
package struct HotSpotError: LineFormat {
    package static let name = "jvm-hserr"
    package static let summary = "the Java machine’s fatal error logs (hs_err_pid*.log)"
    package static let triggers = [
        "Java Runtime Environment", "HotSpot Virtual Machine", "Native frames: (", "# Problematic frame:", "V  [", "C  [",
    ]

    private enum Section {
        /// Nothing was read.
        case fresh
        /// Lines with `#`, and the lines after them that are not part of a file.
        case header
        case problematic
        /// A file whose section is not read.
        case file
        case native
        case java
        case registers
        case libraries
        /// Rows without a heading.
        case bare
    }

    private var section = Section.fresh
    private var header = HotSpotHeader()
    private var thread = ThreadTrace(index: 0, crashed: true)
    private var problematic: [Frame] = []
    private var java: [Frame] = []
    private var registers: [(name: String, value: UInt64)] = []
    private var images = HotSpotImages()
    private var system: String?
    private var time: String?
    private var mainClass: String?
    private var hasHeader = false
    /// It has the rulers of a file.
    private var isFile = false
    private var isBare = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        switch line.at(0) {
        case UInt8(ascii: "#"): HotSpotHeader.begins(line) || line.hasPrefix("# Problematic frame:") ? .certain : .none
        case UInt8(ascii: "N"): line.hasPrefix("Native frames: (J=") ? .certain : .none
        case UInt8(ascii: "C"), UInt8(ascii: "V"): HotSpotRow.isNative(line) ? .possible : .none
        default: .none
        }
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if line.at(0) == UInt8(ascii: "#") { return readHeader(line, at: range) }
        if line.trimmed().count == 0 { return readBlankLine() }
        if section != .bare, let next = HotSpotError.section(line) {
            guard next != .native || thread.frames.isEmpty else { return .rejected }
            if next == .file { isFile = true }
            section = next
            return .more
        }
        switch section {
        case .fresh, .bare: return readBareRow(line, at: range)
        case .native, .java: readFrame(line, at: range)
        case .registers: readRegisters(line)
        case .libraries: images.add(line)
        case .header, .problematic:
            // The console shows no more than the header.
            guard readField(line) else { return .unknown }
            section = .file
        case .file:
            if line.trimmed().equals("END.") || line.hasPrefix("elapsed time: ") { return .done }
            // A part of a file, as people quote it, ends anywhere.
            if !readField(line), !isFile { return .unknown }
        }
        return .more
    }

    private mutating func readBlankLine() -> LineVerdict {
        switch section {
        case .fresh: return .rejected
        case .bare, .header, .problematic: return .unknown
        case .native, .java, .registers, .libraries: section = .file
        case .file: return isFile ? .more : .unknown
        }
        return .more
    }

    /// The headings of the sections that are read, and of the file's parts.
    private static func section(_ line: Span<UInt8>) -> Section? {
        if line.hasPrefix("Native frames: (") { return .native }
        if line.hasPrefix("Java frames: (") { return .java }
        if line.hasPrefix("Registers:") { return .registers }
        if line.hasPrefix("Dynamic libraries:") { return .libraries }
        return line.hasPrefix("---------------") ? .file : nil
    }

    private mutating func readHeader(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if HotSpotHeader.begins(line) {
            // Another crash.
            guard section == .fresh || section == .header, !hasHeader else { return .rejected }
            hasHeader = true
        }
        if section == .bare { return .rejected }
        if section == .fresh { section = .header }
        guard section == .header || section == .problematic else { return .more }
        if line.hasPrefix("# Problematic frame:") {
            section = .problematic
        } else if section == .problematic, let row = HotSpotRow(line.from(2)), line.at(1) == UInt8(ascii: " ") {
            append(row, at: range.lowerBound + 2..<range.upperBound, to: \.problematic)
        } else {
            section = .header
            header.read(line)
        }
        return .more
    }

    /// Rows without a heading end at the first line that is not a row.
    private mutating func readBareRow(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard let row = HotSpotRow(line), section == .bare || row.library != nil else { return .rejected }
        section = .bare
        isBare = true
        append(row, at: range, to: \.thread.frames)
        return .more
    }

    private mutating func readFrame(_ line: Span<UInt8>, at range: Range<Int>) {
        guard let row = HotSpotRow(line) else { return }
        if section == .java { append(row, at: range, to: \.java) } else { append(row, at: range, to: \.thread.frames) }
    }

    private mutating func append(_ row: HotSpotRow, at range: Range<Int>, to frames: WritableKeyPath<HotSpotError, [Frame]>) {
        self[keyPath: frames].add(row.frame(index: self[keyPath: frames].nextIndex, at: range))
    }

    /// `RAX=0x00000000c5448e8f, RBX=…`, `R8 =0x…`, ` x0=0x…  x1=0x…`
    private mutating func readRegisters(_ line: Span<UInt8>) {
        var rest = line
        while registers.count < 256, let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest.upTo(equals).trimmed()
            rest = rest.from(equals + 1)
            guard let value = rest.readAddress(), name.count > 0, name.count < 8 else { return }
            registers.append((name.text, value))
            _ = rest.consume(",")
            rest.skipBlanks()
        }
    }

    /// The lines of the file that are read one by one.
    /// - Returns: whether the line is one that only the file has.
    private mutating func readField(_ line: Span<UInt8>) -> Bool {
        var rest = line
        if rest.consume("Current thread (") {
            readThread(rest)
        } else if rest.consume("siginfo:") {
            readSignal(rest.trimmed())
        } else if rest.consume("Host: ") {
            if let comma = rest.lastRange(of: ", ") { system = rest.from(comma.upperBound).trimmed().text }
        } else if rest.consume("OS:") {
            if rest.trimmed().count > 0 { system = system ?? rest.trimmed().text }
        } else if rest.consume("Time: ") || rest.consume("time: ") {
            time = time ?? rest.upTo(rest.firstRange(of: " elapsed time: ")?.lowerBound ?? rest.count).trimmed().text
        } else if rest.consume("java_command: ") {
            mainClass = rest.readToken().text
        } else {
            return line.hasPrefix("Stack: [") || line.hasPrefix("Command Line:")
        }
        return true
    }

    /// `0x00007fa940009800): JavaThread "main" daemon [_thread_in_native, id=2424, stack(…)]`,
    /// `…): GCTaskThread [stack: …] [id=9]`
    private mutating func readThread(_ text: Span<UInt8>) {
        guard let colon = text.firstRange(of: "): ") else { return }
        var rest = text.from(colon.upperBound).trimmed()
        if let bracket = rest.firstRange(of: " [") { rest = rest.upTo(bracket.lowerBound).trimmed() }
        if let open = rest.firstIndex(of: UInt8(ascii: "\"")), let close = rest.lastIndex(of: UInt8(ascii: "\"")), open < close {
            rest = rest.clamped(to: open + 1..<close)
        }
        thread.name = rest.text
    }

    /// `si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x…`; older ones with `=`;
    /// Windows: `EXCEPTION_ACCESS_VIOLATION (0xc0000005), reading address 0x…`
    private mutating func readSignal(_ text: Span<UInt8>) {
        var cause = header.cause ?? CrashCause(kind: .signal)
        if let code = text.firstRange(of: "si_code"), let open = text.firstIndex(of: UInt8(ascii: "("), from: code.upperBound),
            let close = text.firstIndex(of: UInt8(ascii: ")"), from: open)
        {
            cause.codes = text.clamped(to: open + 1..<close).text
        }
        for label in ["si_addr: ", "si_addr=", " address "] {
            guard let found = text.lastRange(of: label) else { continue }
            if let address = text.from(found.upperBound).leadingAddress { cause.address = RuntimeAddress(address) }
        }
        header.cause = cause
    }

    package mutating func finish() -> [CrashReport] {
        guard !thread.frames.isEmpty || !problematic.isEmpty || !java.isEmpty else { return [] }
        var report = CrashReport(format: HotSpotError.name)
        report.cause = header.cause
        report.process.pid = header.pid
        report.process.identifier = mainClass
        report.process.version = header.version
        report.architecture = header.architecture
        report.platform = system ?? header.machine
        report.timestamp = time.map { Timestamp($0) }
        if !registers.isEmpty { thread.registers = RegisterState(values: registers) }
        decideKinds()
        if !thread.frames.isEmpty || thread.name != nil || thread.registers != nil { report.threads = [thread] }
        if !problematic.isEmpty {
            report.additionalBacktraces.append(ThreadTrace(index: 0, name: "Problematic frame", crashed: true, frames: problematic))
        }
        if !java.isEmpty { report.additionalBacktraces.append(ThreadTrace(index: 0, name: "Java frames", frames: java)) }
        if isBare { report.notes.append("The head of the log, with the cause, is missing.") }
        images.assign(to: &report)
        return [report]
    }

    /// Rows hold the program counters that the stack's walker found
    /// (`VMError::print_native_stack`): where a signal came, the first is the instruction that it
    /// interrupted, and so is the one that the header names; the others are return addresses. Where
    /// the machine stopped by its own decision (`Internal Error`, `Out of Memory Error`) the walk
    /// begins in `os::current_frame`, and the first row is a return address as well; a debug build,
    /// whose checks fault on purpose, then prints registers, and is a signal's. Below the C
    /// library's or the system's own frame of a signal handler is what that signal interrupted.
    private mutating func decideKinds() {
        for index in problematic.indices { problematic[index].kind = .programCounter }
        thread.frames.decideKinds(isFirstExact: !header.isOwnDecision || !registers.isEmpty) { SignalFrame.isHandler($0.printed) }
    }

    /// As the machine writes rows whose debug information it finds: name, offset and the file's
    /// name without its folder; inlined calls, which it leaves out, as rows above.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = HotSpotRow(log.clamped(to: frame.range)), row.isNative else { return nil }
        let rows = RowResult(range: row.resultStart..<frame.range.count, functions: result.functions.map(text))
        return .rows(rows, in: frame.range, of: log)
    }

    private static func text(_ function: FrameResult.Function) -> String {
        let locationText = SourceLocationText.shortText(function.location).map { "  (" + $0 + ")" } ?? ""
        return "  " + RowResult.symbol(function) + locationText
    }
}

/// One row of a stack in HotSpot's fatal error logs (`frame::print_on_error`,
/// `frame::print_C_frame` of `runtime/frame.cpp`, `VMError::print_native_stack`):
///
///     C  [libdiv.so+0x6a3]  Java_demo1_NativeDiv_div+0x3
///     V  [libjvm.so+0x5f8ac9]  JavaCalls::call_helper(JavaValue*, Thread*)+0x299  (javaCalls.cpp:415)      JDK 18 and later, where it finds debug information
///     V  [jvm.dll+0x31667a]
///     C  0x0000000001fd4750                                                                               in no library
///     J 728 c1 sun.misc.Unsafe.getLong(J)J (0 bytes) @ 0x00007fa287303dce [0x00007fa287303d00+0xce]
///     j  Tank.empty(I)I+1
///     v  ~StubRoutines::call_stub 0x00007fffe4400fa6
///
/// `V` is the Java machine's own code, `C` other native code; the rest (`J`, `j`, `A`, `v`) is code
/// that the machine compiled, interprets or made while it ran: no file holds it, so that such rows
/// have a name and no address.
struct HotSpotRow {
    /// The file's name in brackets.
    var library: String?
    var offset: UInt64?
    /// The address in a row without a library.
    var address: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// Offset at which the result is written: after the bracket or the address.
    var resultStart: Int

    var isNative: Bool { library != nil || address != nil }

    init?(_ row: Span<UInt8>) {
        guard let letter = row.at(0), let blank = row.at(1), blank == UInt8(ascii: " ") else { return nil }
        resultStart = row.count
        switch letter {
        case UInt8(ascii: "C"), UInt8(ascii: "V"):
            guard readNative(row) else { return nil }
        case UInt8(ascii: "J"), UInt8(ascii: "j"), UInt8(ascii: "A"), UInt8(ascii: "v"):
            guard let name = HotSpotRow.javaName(row.from(2)) else { return nil }
            printed = PrintedSymbol(name: name)
        default: return nil
        }
    }

    /// Whether the row is certain to be native code's in a library: `C  [libc.so.6+0x3c050]`.
    static func isNative(_ row: Span<UInt8>) -> Bool { HotSpotRow(row)?.library != nil }

    private mutating func readNative(_ row: Span<UInt8>) -> Bool {
        var rest = row.from(1)
        guard rest.consume("  ") else { return false }
        if rest.consume("[") {
            guard let end = HotSpotRow.symbolOffsetEnd(rest) else { return false }
            library = rest.upTo(end.name).text
            offset = end.offset
            rest = rest.from(end.end)
        } else {
            guard let value = rest.readAddress() else { return false }
            address = value
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return false }
        resultStart = row.count - rest.count
        readSymbol(rest.trimmed())
        return true
    }

    /// `libstdc++.so.6+0x9d]`: where the name ends, the offset, and where the bracket's end is.
    private static func symbolOffsetEnd(_ text: Span<UInt8>) -> (name: Int, offset: UInt64, end: Int)? {
        var from = 0
        while let plus = text.firstRange(of: "+0x", from: from) {
            var rest = text.from(plus.upperBound)
            if let offset = rest.readHexadecimal(), rest.at(0) == UInt8(ascii: "]"), plus.lowerBound > 0 {
                return (plus.lowerBound, offset, text.count - rest.count + 1)
            }
            from = plus.lowerBound + 1
        }
        return nil
    }

    /// `JavaMain+0x7e9`, `f(char*, int) [clone .part.28]+0x1b (file.cpp:12)`; cairn's own
    /// `inner [inlined] (b.hpp:7)`
    private mutating func readSymbol(_ text: Span<UInt8>) {
        var rest = text
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: "  ("),
            let location = SourceLocationText.read(rest.clamped(to: open.upperBound..<rest.count - 1)), location.line > 0
        {
            symbol.location = location
            rest = rest.upTo(open.lowerBound).trimmed()
        }
        isInlined = rest.consumeSuffix(" [inlined]")
        rest = rest.trimmed()
        symbol.offset = rest.readHexadecimal(atEndBehind: "+0x")
        if rest.count > 0 { symbol.name = rest.text }
        printed = symbol
    }

    /// `728 c1 sun.misc.Unsafe.getLong(J)J (0 bytes) @ …` → `sun.misc.Unsafe.getLong(J)J`. A method
    /// is named with its signature; code that the machine made for itself, with a tilde.
    private static func javaName(_ text: Span<UInt8>) -> String? {
        var rest = text.trimmed()
        var first: String?
        while rest.count > 0 {
            let word = rest.readToken()
            if word.contains("(") && word.at(0) != UInt8(ascii: "(") || word.at(0) == UInt8(ascii: "~") { return word.text }
            if first == nil, word.count > 2 { first = word.text }
            rest.skipBlanks()
        }
        return first
    }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, address: address, range: range, imageName: library, imageOffset: offset, printed: printed, isInlined: isInlined)
    }
}
