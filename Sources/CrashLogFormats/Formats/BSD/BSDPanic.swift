internal import BinaryPrimitives
package import CrashLogModel

/// The panics of FreeBSD, NetBSD, OpenBSD and DragonFly, with the stacks of their kernels'
/// debuggers:
///
///     Fatal trap 12: page fault while in kernel mode
///     instruction pointer	= 0x20:0xffffffff8102fe62
///     current process		= 3094 (syz-executor0)
///     panic: page fault
///     KDB: stack backtrace:
///     #0 0xffffffff80aada97 at kdb_backtrace+0x67
///
/// Written by `panic`, `trap_fatal` and the backtraces of `sys/kern/subr_kdb.c`, `sys/ddb` and
/// `sys/*/db_trace.c`.
package struct BSDPanic: LineFormat {
    package static let name = "bsd-panic"
    package static let summary = "panics of FreeBSD, NetBSD and OpenBSD, with their debuggers’ stacks"
    package static let triggers = [
        "panic: ", "Fatal trap ", "uvm_fault(0x", "fatal page fault in ", "UBSan: Undefined Behavior in ", "KDB: stack backtrace:",
        ": Begin traceback...",
        "Stopped at ", "db> ", "db{",
    ]

    private var cause: CrashCause?
    private var isCertain = false
    private var threads: [ThreadTrace] = []
    private var hasTrace = false
    private var stopped: Frame?
    private var process = ProcessDescription()
    private var hasFreeBSDLines = false
    private var isOpenBSD = false
    /// Program counter at the trap.
    private var trap: UInt64?
    private var registers: [(name: String, value: UInt64)] = []
    private var isListingRegisters = false
    /// Image name of rows that do not name the kernel, until the log shows which system's kernel it
    /// is.
    private static let kernel = "kernel"

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let reason = reason(line)
        guard reason != .certain else { return reason }
        let text = line.trimmed()
        if text.equals("KDB: stack backtrace:") || text.hasSuffix(": Begin traceback...") || asksForTrace(text) { return .certain }
        if text.hasPrefix("Stopped at ") {
            let symbolText = text.from("Stopped at ".utf8.count).trimmed()
            if KernelSymbol(symbolText, needsSize: false) != nil { return .certain }
        }
        return reason
    }

    /// Whether a line is the debugger's command for a stack: `ddb{0}> trace` (OpenBSD), `db{1}> bt/t` (NetBSD), `db> bt` (FreeBSD).
    private static func asksForTrace(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard skipPrompt(&rest) else { return false }
        let command = rest.readToken()
        let word = command.upTo(command.firstIndex(of: UInt8(ascii: "/")) ?? command.count)
        return ["trace", "tr", "bt", "backtrace", "where"].contains { word.equals($0) }
    }

    private static func skipPrompt(_ text: inout Span<UInt8>) -> Bool {
        var rest = text
        _ = rest.consume("d")
        guard rest.consume("db") else { return false }
        if rest.consume("{") { guard rest.readDecimal() != nil, rest.consume("}") else { return false } }
        guard rest.consume("> ") else { return false }
        text = rest
        return true
    }

    /// Whether the line gives the reason of a panic.
    private static func reason(_ line: Span<UInt8>) -> Confidence {
        var text = line.trimmed()
        // A console that waited for somebody's name.
        _ = text.consume("login: ")
        if text.hasPrefix("Fatal trap "), text.contains(" while in kernel mode") { return .certain }
        // OpenBSD's and NetBSD's.
        if text.hasPrefix("uvm_fault(0x"), text.contains(" -> ") { return .certain }
        if text.hasPrefix("fatal page fault in supervisor mode") { return .certain }
        if text.hasPrefix("UBSan: Undefined Behavior in ") { return .certain }
        // Words of these kernels alone: `kern_assert` and `lockdebug_abort` of NetBSD, `pool(9)` of
        // OpenBSD.
        for own in ["panic: kernel diagnostic assertion ", "panic: lock error: ", "panic: pool_do_"] where text.hasPrefix(own) {
            return .certain
        }
        // Go and others print this text, too: the stack decides.
        return text.hasPrefix("panic: ") ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var text = line.trimmed()
        _ = text.consume("login: ")
        if BSDPanic.reason(line) != .none { return readReason(text) }
        if let row = BSDPanicRow(line) {
            append(frame(row, at: range))
            isCertain = true
            return .more
        }
        if readStopLine(line, at: range) || readKnownLine(text) {
            isCertain = true
            return .more
        }
        if isListingRegisters, readRegister(text) { return .more }
        return .unknown
    }

    private mutating func readReason(_ text: Span<UInt8>) -> LineVerdict {
        // A panic follows what trapped; after a stack it is the next one.
        if !threads.isEmpty { return .rejected }
        if BSDPanic.reason(text) == .certain { isCertain = true }
        guard cause == nil || cause?.type != "panic" else { return .more }
        var reason = cause ?? CrashCause(kind: .other)
        if text.hasPrefix("panic: ") {
            if cause == nil { reason.message = text.from("panic: ".utf8.count).text }
            reason.type = "panic"
        } else {
            reason.type = text.hasPrefix("UBSan") ? "UBSan" : "trap"
            reason.message = text.text
        }
        cause = reason
        return .more
    }

    // MARK: Frames

    private func frame(_ row: BSDPanicRow, at range: Range<Int>) -> Frame {
        var frame = Frame(index: 0, kind: .returnAddress, address: row.address.map { RuntimeAddress($0) }, range: range)
        if !row.isInlined {
            frame.imageLocation = .symbol(SymbolLocation(name: row.name, offset: row.offset ?? 0))
            frame.imageName = row.module.map { $0 == "netbsd" ? $0 : $0 + ".kmod" } ?? BSDPanic.kernel
        }
        frame.isInlined = row.isInlined
        frame.printed = PrintedSymbol(name: row.name, offset: row.isInlined ? nil : row.offset ?? 0, location: row.location)
        return frame
    }

    private mutating func append(_ frame: Frame) {
        if threads.isEmpty || !hasTrace {
            guard threads.count < Limits.standard.threads else { return }
            threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty))
            hasTrace = true
        }
        threads[threads.count - 1].frames.addUnnumbered(frame)
    }

    /// `Stopped at vn_writechk+0x13: testb $0x1,0x50(%rax)`: where ddb was entered, which is the
    /// debugger itself after a panic.
    private mutating func readStopLine(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        let text = line.trimmed()
        guard text.hasPrefix("Stopped at") else { return false }
        var rest = line.from((line.firstRange(of: "Stopped at")?.upperBound ?? 0))
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let symbol = KernelSymbol(rest, needsSize: false) else { return true }
        if !["db_enter", "kdb_enter", "Debugger", "breakpoint"].contains(symbol.name) {
            var frame = Frame(
                index: 0, kind: .programCounter, address: nil, range: range.lowerBound + start..<range.lowerBound + start + symbol.length)
            frame.imageLocation = .symbol(SymbolLocation(name: symbol.name, offset: symbol.offset))
            frame.imageName = BSDPanic.kernel
            frame.printed = PrintedSymbol(name: symbol.name, offset: symbol.offset)
            stopped = frame
        }
        return true
    }

    /// Rows are return addresses, as the debuggers find them on the stack, also those that are a
    /// function's first byte: a call that does not return is the last of its function, and the
    /// address after it is the next one's (`snprintf() at netbsd:snprintf` after `panic`). The
    /// exception is where the kernel trapped, which FreeBSD's `instruction pointer` names.
    private func kind(of frame: Frame) -> Frame.Kind {
        if let trap, frame.address?.value == trap { return .programCounter }
        return .returnAddress
    }

    // MARK: Other content

    private mutating func readKnownLine(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("KDB: ") || text.hasPrefix("--- syscall (") && text.contains("FreeBSD") { hasFreeBSDLines = true }
        if text.hasPrefix("end trace frame: ") || text.contains("www.openbsd.org") { isOpenBSD = true }
        if BSDPanic.asksForTrace(text), text.hasPrefix("ddb") { isOpenBSD = true }
        if text.hasSuffix("stack backtrace:") || text.contains("Begin traceback...") || BSDPanic.asksForTrace(text)
            || text.hasPrefix("ddb{")
        {
            hasTrace = false
            isListingRegisters = false
            return true
        }
        if text.hasPrefix("ddb> show registers") {
            isListingRegisters = true
            return true
        }
        // `fault virtual address<tab>= 0x8`; a copy may have a blank.
        let keys = ["fault virtual address", "instruction pointer", "current process"]
        if let equals = text.firstRange(of: "= "),
            text.upTo(equals.lowerBound).contains("\t") || keys.contains(where: { text.hasPrefix($0) })
        {
            let key = text.upTo(equals.lowerBound).trimmed()
            var value = text.from(equals.upperBound)
            if key.equals("fault virtual address") {
                cause?.address = value.readAddress().map { RuntimeAddress($0) }
            } else if key.equals("instruction pointer"), let colon = value.firstIndex(of: UInt8(ascii: ":")) {
                value = value.from(colon + 1)
                trap = value.readAddress()
            } else if key.equals("current process"), let pid = value.readDecimal() {
                process.pid = Int(exactly: pid)
                if let open = value.firstIndex(of: UInt8(ascii: "(")), let close = value.lastIndex(of: UInt8(ascii: ")")), open < close {
                    process.name = value.clamped(to: open + 1..<close).text
                }
            }
            return true
        }
        return ["KDB: ", "cpuid = ", "time = ", "--- ", "end of kernel", "end trace frame: ", "Uptime: ", "kernel: "].contains {
            text.hasPrefix($0)
        }
            || text.contains(": End traceback...")
    }

    /// `rbp               0xffff80000e379180`
    private mutating func readRegister(_ text: Span<UInt8>) -> Bool {
        var rest = text
        let name = rest.readToken()
        rest.skipBlanks()
        guard name.count >= 2, name.count <= 6, registers.count < 128, let value = rest.readAddress() ?? rest.readDecimal() else {
            isListingRegisters = false
            return false
        }
        registers.append((name.text, value))
        return true
    }

    package mutating func finish() -> [CrashReport] {
        if let stopped, threads.isEmpty { append(stopped) }
        guard isCertain, cause != nil || !threads.isEmpty else { return [] }
        var report = CrashReport(format: BSDPanic.name)
        // FreeBSD's kernel is a file called `kernel`, OpenBSD's is `bsd`; NetBSD's rows name it.
        let isFreeBSD = hasFreeBSDLines || threads.contains { $0.frames.contains { $0.address != nil } }
        let isNetBSD = threads.contains { $0.frames.contains { $0.imageName == "netbsd" } }
        report.platform = isFreeBSD ? "FreeBSD" : isNetBSD ? "NetBSD" : isOpenBSD ? "OpenBSD" : nil
        report.process = process
        report.cause = cause ?? CrashCause(kind: .other)
        report.cause?.type = cause?.type ?? "backtrace"
        report.threads = threads
        var images = ImageTable()
        report.changeStacks { stack in
            stack.setInlinedCallAddresses()
            for index in stack.frames.indices {
                if stack.frames[index].kind != .programCounter { stack.frames[index].kind = kind(of: stack.frames[index]) }
                if isOpenBSD, stack.frames[index].imageName == BSDPanic.kernel { stack.frames[index].imageName = "bsd" }
                stack.frames[index].image = stack.frames[index].imageName.flatMap { images.index(ofImageNamed: $0, id: nil) }
            }
        }
        report.images = images.images
        report.architecture = registers.contains { $0.name == "rip" } ? .x86_64 : nil
        if !report.threads.isEmpty, !registers.isEmpty { report.threads[0].registers = RegisterState(values: registers) }
        return [report]
    }

    /// File and line follow the address, and inlined calls become rows above with `[inline]`,
    /// nearly as syzkaller writes them (`pkg/report/bsd.go`; it leaves the outer address in the
    /// rows of inlined calls as well):
    /// `pool_put(ffffff0016933440) at pool_put+0x37 sys/kern/subr_pool.c:700`.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard result.functions.contains(where: { $0.location != nil }) else { return nil }
        guard let row = BSDPanicRow(log.clamped(to: frame.range)), row.location == nil else { return nil }
        return .rows(
            above: result.functions.dropLast().map { PlainText.line($0.name) + KernelSourcePath.text($0.location) + " [inline]" },
            frame.range.lowerBound + row.nameStart..<frame.range.lowerBound + row.addressEnd,
            followedBy: KernelSourcePath.text(result.functions.last?.location), in: log)
    }
}

/// A row of a BSD kernel's stack, in the ways of its debuggers:
///
///     #3 0xffffffff80edf832 at trap_fatal+0x322                                             FreeBSD, `KDB: stack backtrace:` (`subr_kdb.c`)
///     vpanic() at vpanic+0x1e0/frame 0xfffffe004b9db6b0                                     FreeBSD's ddb
///     pmap_destroy() at netbsd:pmap_destroy+0x265                                           NetBSD's ddb
///     pool_put(ffffff0016933440,ffff80000e3793e8) at pool_put+0x37                          OpenBSD's ddb
///
/// ddb names the function a second time after ` at `, with the offset that the frame is at; kernel
/// modules come before it with a colon.
struct BSDPanicRow {
    var address: UInt64?
    var name: String
    var offset: UInt64?
    var location: SourceLocation?
    var isInlined = false
    /// The module that the name is in, as NetBSD writes it: `netbsd` is the kernel.
    var module: String?
    /// Offset at which the address and FreeBSD's frame pointer end in the row; the file and line of
    /// a result are written there.
    var addressEnd: Int
    /// Offset of the name.
    var nameStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        if rest.consume("#") {
            guard rest.readDecimal() != nil, rest.consume(" "), let value = rest.readAddress(), rest.consume(" at ") else { return nil }
            address = value
        } else {
            // `name(arguments) at symbol+offset`
            guard let at = rest.firstRange(of: ") at "), let open = rest.firstIndex(of: UInt8(ascii: "(")), open > 0, open < at.lowerBound
            else { return nil }
            for index in 0..<open where !KernelSymbol.isNameByte(rest[index]) { return nil }
            rest = rest.from(at.upperBound)
        }
        if rest.trimmed().hasSuffix(" [inline]") {
            // A row that symbolication has inserted above another: the name may contain blanks.
            let text = rest.trimmed().upTo(rest.trimmed().count - " [inline]".utf8.count)
            guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0, let found = KernelSymbolTail.location(text.from(blank + 1))
            else { return nil }
            name = text.upTo(blank).text
            (location, isInlined) = (found, true)
            (nameStart, addressEnd) = (row.count - rest.count, row.count)
            return
        }
        var length = 0
        while let byte = rest.at(length), KernelSymbol.isNameByte(byte), length < 1024 { length += 1 }
        if length > 0, rest.at(length) == UInt8(ascii: ":"), let next = rest.at(length + 1), KernelSymbol.isNameByte(next), !isDigit(next) {
            module = rest.upTo(length).text
            rest = rest.from(length + 1)
            length = 0
            while let byte = rest.at(length), KernelSymbol.isNameByte(byte), length < 1024 { length += 1 }
        }
        guard length > 0 else { return nil }
        nameStart = row.count - rest.count
        name = rest.upTo(length).text
        rest = rest.from(length)
        if rest.consume("+") {
            guard let value = rest.readAddress() else { return nil }
            offset = value
        }
        if rest.consume("/frame ") { _ = rest.readAddress() }
        addressEnd = row.count - rest.count
        rest.skipBlanks()
        // The location that symbolication adds.
        if let found = KernelSymbolTail.location(rest.readToken()) { location = found }
    }
}
