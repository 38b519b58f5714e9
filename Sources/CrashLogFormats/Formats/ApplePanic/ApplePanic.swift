internal import BinaryPrimitives
package import CrashLogModel

/// The panic log of Apple's kernel, of macOS, iOS and bridgeOS:
///
///     panic(cpu 0 caller 0xffffff801f3ada45): assertion failed: in6p == NULL, file: in6_mcast.c, line: 1905
///     Backtrace (CPU 0), Frame : Return Address
///     0xffffffb064dae750 : 0xffffff801daa0d75 mach_kernel : _handle_debugger_trap + 0x5d5
///           Kernel Extensions in backtrace:
///              com.apple.iokit.IOUSBFamily(900.4.2)[B3A7BE9C-…]@0xffffff7f9838c000->0xffffff7f98426fff
///     Process name corresponding to current thread: kernel_task
///     Kernel UUID: F4857C35-8D59-3CDF-BC96-2E1692409CB7
///     Kernel slide:      0x000000000fbf8000
///     Kernel text base:  0xffffff800fdf8000
///     loaded kexts:
///
/// Written by `panic` and `panic_display_*` in xnu's `osfmk/kern/debug.c` and the backtraces of
/// `osfmk/i386` and `osfmk/arm`.
package struct ApplePanic: LineFormat {
    package static let name = "apple-panic"
    package static let summary = "Panics of Apple’s kernel: macOS, iOS, bridgeOS"
    package static let triggers = [
        "(cpu ", "Unresolved kernel trap", "Unexpected kernel trap number", "Frame : Return Address", "Panicked task 0x",
        "anicked thread: 0x",
    ]

    private var cause: CrashCause?
    private var debuggerMessage: String?
    /// The address of the trap that the panic is about:
    /// `Kernel trap at 0xffffff80021020ba, type 14=page fault`.
    private var trap: UInt64?
    private var threads: [ThreadTrace] = []
    private var registers: [(name: String, value: UInt64)] = []
    private var extensions: [ApplePanicExtension] = []
    private var current = ProcessDescription()
    private var platform: String?
    private var device: String?
    private var kernelVersion: String?
    private var kernelID: ImageID?
    private var textBase: UInt64?
    /// The kernel's code is apart from its header.
    private var isSplit = false
    /// A key whose value is on the next line.
    private var pending: String?
    /// Lines since the last that was understood.
    private var unrecognizedLines = 0
    /// The reason continues until a line begins something else.
    private var isInReason = false
    /// Panic logs hold lists of cores, zones and times: this many lines in a row are passed over.
    private static let maxUnrecognizedLines = 64

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        return isPanic(text) || isCut(text) ? .certain : .none
    }

    private static func isPanic(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("panic(cpu ") || text.hasPrefix("(cpu ") { return text.contains(" caller 0x") }
        return text.hasPrefix("Unresolved kernel trap") || text.hasPrefix("Debugger: Unexpected kernel trap number")
    }

    /// Second line of a panic, which begins one whose first line is missing: `Backtrace (CPU 0), panicked thread: 0x…, Frame : Return Address`,
    /// `Panicked thread: 0xfffffe2156b22fe0, backtrace: 0xfffffe822f266a90, tid: 24357` (`panic_print_thread`, `panic_print_tasks` and the
    /// backtraces of xnu's `osfmk`).
    private static func isCut(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("Backtrace (CPU ") { return text.hasSuffix("Frame : Return Address") }
        if text.hasPrefix("Panicked thread: 0x") || text.hasPrefix("panicked thread: 0x") { return text.contains(", backtrace: 0x") }
        return text.hasPrefix("Panicked task 0x") && text.contains(" pid ")
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if ApplePanic.isPanic(text) { return readPanic(text) }
        let wasInReason = isInReason
        isInReason = false
        if let row = ApplePanicRow(line) { return read(row, at: range) }
        if readKnownLine(text) {
            unrecognizedLines = 0
            // Hundreds of extensions with their versions end the log.
            return text.hasPrefix("loaded kexts:") ? .done : .more
        }
        if readList(line, at: range) { return .more }
        if wasInReason, text.count > 0 { addToReason(text) }
        unrecognizedLines += 1
        return unrecognizedLines <= ApplePanic.maxUnrecognizedLines ? .more : .rejected
    }

    // MARK: What happened

    private mutating func readPanic(_ text: Span<UInt8>) -> LineVerdict {
        // A second panic is another report, unless the first had nothing but its reason
        // (`Debugger: …` comes before `panic(…`).
        if threads.contains(where: { !$0.frames.isEmpty }) { return .rejected }
        unrecognizedLines = 0
        if text.hasPrefix("panic(") || text.hasPrefix("(cpu ") {
            // A panic in a panic: the first has the reason.
            guard cause == nil, let end = text.firstRange(of: "): ") ?? text.firstRange(of: "):") else { return .more }
            readReason(text.from(end.upperBound))
        } else if text.hasPrefix("Debugger: ") {
            debuggerMessage = text.from("Debugger: ".utf8.count).text
        } else if cause == nil {
            readReason(text)
        }
        return .more
    }

    private mutating func readReason(_ text: Span<UInt8>) {
        var reason = CrashCause(kind: .other)
        reason.type = "panic"
        reason.message = text.trimmed().text
        cause = reason
        isInReason = true
        if let at = text.firstRange(of: "ernel trap at 0x") {
            trap = text.from(at.upperBound - 2).leadingAddress
        }
    }

    /// A reason may have several lines: `refcnt: overflow`, `(rc=0xfffffe1f3ec31274, count=17, max=16) @refcnt.c:68`. At most 2,000 bytes.
    private mutating func addToReason(_ text: Span<UInt8>) {
        guard let message = cause?.message, message.utf8.count + text.count < 2000 else { return }
        cause?.message = message + "\n" + text.text
        isInReason = true
    }

    /// `CR0: 0x000000008001003b, CR2: 0x0000000000000000, …`
    private mutating func readRegisters(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var hasRegisters = false
        while registers.count < 128, let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon <= 4 {
            let name = rest.upTo(colon)
            guard name.firstIndex(of: UInt8(ascii: " ")) == nil else { break }
            var value = rest.from(colon + 1)
            value.skipBlanks()
            guard let number = value.readAddress() else { break }
            registers.append((name.text, number))
            // For a page fault, CR2 is the address that was not mapped.
            if name.equals("CR2"), cause?.address == nil, number != 0 || trap != nil { cause?.address = RuntimeAddress(number) }
            hasRegisters = true
            rest = value
            _ = rest.consume(",")
            rest.skipBlanks()
        }
        return hasRegisters
    }

    // MARK: Frames

    private mutating func read(_ row: ApplePanicRow, at range: Range<Int>) -> LineVerdict {
        unrecognizedLines = 0
        append(
            Frame(index: 0, address: row.address, range: range, imageName: row.imageName, printed: row.printed, isInlined: row.isInlined))
        return .more
    }

    private mutating func append(_ frame: Frame) {
        if threads.isEmpty { threads.append(ThreadTrace(index: 0, crashed: true)) }
        threads[threads.count - 1].frames.addUnnumbered(frame)
    }

    /// PowerPC lists return addresses alone, several on a line: `0x000954F8 0x00095A10 0x00026898`.
    private mutating func readList(_ line: Span<UInt8>, at lineRange: Range<Int>) -> Bool {
        guard pending == "Backtrace" else { return false }
        var rest = line
        var found: [(value: UInt64, range: Range<Int>)] = []
        while true {
            rest.skipBlanks()
            if rest.count == 0 { break }
            let start = line.count - rest.count
            guard let value = rest.readAddress(), rest.at(0).map(isBlank) ?? true else { return false }
            found.append((value, start..<line.count - rest.count))
        }
        for entry in found {
            let range = lineRange.lowerBound + entry.range.lowerBound..<lineRange.lowerBound + entry.range.upperBound
            append(Frame(index: 0, kind: .returnAddress, address: RuntimeAddress(entry.value), range: range))
        }
        unrecognizedLines = 0
        return !found.isEmpty
    }

    // MARK: Keys

    private mutating func readKnownLine(_ text: Span<UInt8>) -> Bool {
        if let key = pending, key != "Backtrace" {
            pending = nil
            if text.count > 0 { readValue(key, text) }
            return true
        }
        if text.hasPrefix("Backtrace (CPU ") || text.hasPrefix("Panicked thread:") || text.hasPrefix("panicked thread:") {
            return openBacktrace(nil)
        }
        if text.equals("Backtrace:") { return openBacktrace("Backtrace") }
        if let found = ApplePanicExtension(text) {
            if !text.hasPrefix("dependency:"), extensions.count < Limits.standard.images { extensions.append(found) }
            return true
        }
        if text.hasPrefix("loaded kexts:") || text.hasPrefix("Kernel Extensions in backtrace") || text.hasPrefix("dependency:") {
            return true
        }
        if text.hasPrefix("Panicked task ") { return readTask(text) }
        if text.hasPrefix("Process name corresponding to current thread")
            || text.hasPrefix("BSD process name corresponding to current thread")
        {
            if let colon = text.firstRange(of: ": ") { current.name = text.from(colon.upperBound).trimmed().text }
            return true
        }
        if readRegisters(text) { return true }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon <= 32 else { return false }
        let value = text.from(colon + 1).trimmed()
        let key = text.upTo(colon).text
        guard ApplePanic.keys.contains(key) else { return false }
        if value.count == 0 { pending = key } else { readValue(key, value) }
        return true
    }

    private static let keys: Set<String> = [
        "Mac OS version", "OS version", "Kernel version", "Kernel UUID", "Kernel slide", "Kernel text base", "Kernel text exec base",
        "Kernel text exec slide", "KernelCache slide", "KernelCache base", "Kernel cache base", "Kernel Cache UUID", "KernelCache UUID",
        "Fileset Kernelcache UUID", "Boot args", "System model name", "Debugger message", "__HIB  text base",
    ]

    private mutating func readValue(_ key: String, _ value: Span<UInt8>) {
        var number = value
        switch key {
        case "Mac OS version", "OS version": platform = value.text
        case "System model name": device = number.readToken().text
        case "Kernel version": kernelVersion = value.text
        case "Kernel UUID": kernelID = ImageID(text: value.text)
        case "Kernel text base": textBase = number.readAddress()
        case "Kernel text exec base": isSplit = true
        default: break
        }
    }

    private mutating func openBacktrace(_ key: String?) -> Bool {
        pending = key
        guard threads.count < Limits.standard.threads else { return true }
        if threads.last?.frames.isEmpty != true { threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty)) }
        return true
    }

    /// `Panicked task 0xffffff811d67bdc0: 78 pages, 1 threads: pid 748: cl0ver`
    private mutating func readTask(_ text: Span<UInt8>) -> Bool {
        guard let pid = text.firstRange(of: " pid ") else { return true }
        var rest = text.from(pid.upperBound)
        current.pid = rest.readDecimal().flatMap { Int(exactly: $0) }
        if rest.consume(":"), rest.trimmed().count > 0 { current.name = rest.trimmed().text }
        return true
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        guard cause != nil || debuggerMessage != nil || threads.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: ApplePanic.name)
        report.process.name = "kernel"
        var reason = cause ?? CrashCause(kind: .other)
        reason.type = "panic"
        reason.codes = debuggerMessage
        report.cause = reason
        report.platform = platform
        report.device = device
        report.architecture = kernelVersion.flatMap(ApplePanic.architecture)
        report.threads = threads.filter { !$0.frames.isEmpty }
        let images = ApplePanicImages(kernelID: kernelID, textBase: textBase, isSplit: isSplit, extensions: extensions)
        report.images = images.images
        for thread in report.threads.indices {
            ApplePanic.decideKinds(&report.threads[thread].frames, trap: trap)
            for frame in report.threads[thread].frames.indices {
                report.threads[thread].frames[frame].image = images.image(of: report.threads[thread].frames[frame])
            }
        }
        if !report.threads.isEmpty {
            if let name = current.name { report.threads[0].name = name + (current.pid.map { " [\($0)]" } ?? "") }
            if !registers.isEmpty { report.threads[0].registers = RegisterState(values: registers) }
        }
        report.notes += images.notes
        return [report]
    }

    /// All rows are return addresses, as their heading says: the first is inside the function that
    /// walks the stack. If the kernel trapped, the frame below its handler holds the trapping
    /// instruction itself; the reason names its address.
    private static func decideKinds(_ frames: inout [Frame], trap: UInt64?) {
        for index in frames.indices {
            frames[index].kind = trap != nil && frames[index].address?.value == trap ? .programCounter : .returnAddress
        }
    }

    /// `Darwin Kernel Version 22.1.0: …; root:xnu-8792.41.9~2/RELEASE_X86_64`,
    /// `…/RELEASE_ARM64_T8112`
    private static func architecture(_ version: String) -> Architecture? {
        for (mark, architecture) in [("_X86_64", Architecture.x86_64), ("_I386", .i386), ("_ARM64", .arm64), ("_PPC", .ppc)]
        where version.contains(mark) {
            return architecture
        }
        return nil
    }

    /// A row gets what the kernel prints if it has kept its symbols, and the line after it:
    /// `mach_kernel : panic + 0x54 (debug.c:94)`. Inlined calls become rows above it, with
    /// `[inlined]`. Addresses that are alone on a line (PowerPC) have no position for a result.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = ApplePanicRow(log.clamped(to: frame.range)) else { return nil }
        let image = " " + PlainText.line(row.imageName ?? result.imageName) + " : "
        let rows = RowResult(range: row.resultStart..<frame.range.count, functions: result.functions.map { image + symbolText($0) })
        return .rows(rows, in: frame.range, of: log)
    }

    private static func symbolText(_ function: FrameResult.Function) -> String {
        var text = RowResult.name(function)
        if let offset = function.offset { text += " + 0x" + hexadecimal(offset, digits: 0) }
        guard let location = function.location else { return text }
        return text + " (" + PlainText.line(Path.foreignName(of: location.file)) + ":\(location.line))"
    }
}

/// One frame of the kernel's backtrace:
///
///     0xffffffb064dae750 : 0xffffff801daa0d75 mach_kernel : _handle_debugger_trap + 0x5d5      x86_64, with `keepsyms=1`
///     0xffffffb04918f680 : 0xffffff80021020ba
///     0x2e5d3bc8 : 0x12b4c6 (0x45f91c 0x2e5d3bfc 0x133243 0x0)                                 i386: with what may be arguments
///     lr: 0xfffffff00e7ca1cc  fp: 0xffffffe80438ac80                                           arm64
///
/// The frame's address on the stack, and where it returns to (`i386_backtrace` in xnu's
/// `osfmk/i386/AT386/model_dep.c`, `print_one_backtrace` in `osfmk/arm/model_dep.c`).
struct ApplePanicRow {
    var address: UInt64
    /// Offset at which the result is written: after the addresses.
    var resultStart: Int
    /// `mach_kernel`, or an extension's identifier.
    var imageName: String?
    var printed: PrintedSymbol?
    var isInlined = false

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        if rest.consume("lr:") {
            rest.skipBlanks()
            guard let value = rest.readAddress() else { return nil }
            address = value
            rest.skipBlanks()
            guard rest.consume("fp:") else { return nil }
            rest.skipBlanks()
            guard rest.readAddress() != nil else { return nil }
        } else {
            guard rest.readAddress() != nil, rest.consume(" : "), let value = rest.readAddress() else { return nil }
            address = value
            // Hexadecimal values from the stack, in parentheses, are not names.
            var arguments = rest
            if arguments.consume(" (0x"), let close = arguments.firstIndex(of: UInt8(ascii: ")")),
                ApplePanicRow.isHexadecimalList(arguments.upTo(close))
            {
                rest = arguments.from(close + 1)
            }
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return nil }
        resultStart = line.count - rest.count
        readSymbol(rest.trimmed())
    }

    private static func isHexadecimalList(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count where hexadecimalValue(text[index]) == nil && text[index] != UInt8(ascii: "x") && !isBlank(text[index])
        { return false }
        return true
    }

    /// `mach_kernel : _panic + 0x54`; cairn's own `mach_kernel : panic + 0x54 (debug.c:94)`,
    /// `… : inner [inlined] (b.h:7)`
    private mutating func readSymbol(_ text: Span<UInt8>) {
        guard let colon = text.firstRange(of: " : ") else { return }
        imageName = text.upTo(colon.lowerBound).trimmed().text
        var rest = text.from(colon.upperBound).trimmed()
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " ("),
            let location = SourceLocationText.readLine(rest.clamped(to: open.upperBound..<rest.count - 1))
        {
            symbol.location = location
            rest = rest.upTo(open.lowerBound).trimmed()
        }
        isInlined = rest.consumeSuffix(" [inlined]")
        rest = rest.trimmed()
        symbol.offset = rest.readHexadecimal(atEndBehind: " + 0x")
        rest = rest.trimmed()
        guard rest.count > 0 else { return }
        symbol.name = rest.text
        printed = symbol
    }
}

/// An extension that has a frame in the backtrace:
///
///     com.apple.iokit.IOUSBFamily(900.4.2)[B3A7BE9C-2002-3891-B7D1-A84CEA0AC9E0]@0xffffff7f9838c000->0xffffff7f98426fff
///
/// Before OS X 10.7 without the identity. Those that it depends on follow, indented, and hold no
/// frames.
struct ApplePanicExtension {
    var name: String
    var id: ImageID?
    var start: UInt64
    /// The last byte.
    var end: UInt64

    init?(_ text: Span<UInt8>) {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")), let open = text.firstIndex(of: UInt8(ascii: "(")), open > 0, open < at else {
            return nil
        }
        var range = text.from(at + 1)
        guard let start = range.readAddress(), range.consume("->"), let end = range.readAddress(), end >= start else { return nil }
        let name = text.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        self.name = name.text
        self.start = start
        self.end = end
        if let bracket = text.firstIndex(of: UInt8(ascii: "["), from: open),
            let close = text.firstIndex(of: UInt8(ascii: "]"), from: bracket), close < at
        {
            id = ImageID(text: text.clamped(to: bracket + 1..<close).text)
        }
    }

    var size: UInt64 { end - start == .max ? .max : end - start + 1 }
}
