internal import BinaryPrimitives
package import CrashLogModel

/// Crashes of Fuchsia's programs and of its kernel Zircon, as the crash service, the kernel and the
/// tools of the time write them. (Since 2018 they write symbolizer markup, which is a format of its
/// own.)
///
///     <== fatal exception: process /tmp/syz-executor[31717] thread pthread_t:0x1184f772cb38[61384]
///     <== fatal page fault, PC at 0xd8af19736ef
///      CS:                   0 RIP:      0xd8af19736ef EFL:            0x10246 CR2:     0x6fe5cd59a000
///     dso: id=1496e1863bc310a7322542c41969d8ca90d92878 base=0xd8af0615000 name=app:/tmp/syz-executor
///     bt#01: pc 0xd8af19736ef sp 0x6ef13e3cf6b8 (app:/tmp/syz-executor,0x135e6ef)
///     bt#14: end
package struct FuchsiaCrash: LineFormat {
    package static let name = "fuchsia-crash"
    package static let summary = "Fuchsia: its crash service, panics of its kernel Zircon"
    package static let triggers = [
        "ZIRCON KERNEL PANIC", "<== fatal exception: process", "<== CRASH: process ", "[[[ELF module #0x", "recursion in interrupt handler",
        "bt#00: ", "bt#01: ",
    ]

    private var cause: CrashCause?
    private var isCertain = false
    private var process = ProcessDescription()
    private var architecture: Architecture?
    private var threads: [ThreadTrace] = []
    private var isClosed = true
    private var images: [BinaryImage] = []
    private var trap: UInt64?
    private var registers: [(name: String, value: UInt64)] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.equals("ZIRCON KERNEL PANIC") || text.equals("recursion in interrupt handler") { return .certain }
        if text.hasPrefix("<== fatal exception: process ") || text.hasPrefix("<== CRASH: process ") { return .certain }
        // Fuchsia's symbolizer writes this for the modules of the markup; in other programs'
        // reports it is indented.
        if line.hasPrefix("[[[ELF module #0x0 "), text.contains(" BuildID=") { return .possible }
        guard text.hasPrefix("bt#00: ") || text.hasPrefix("bt#01: ") else { return .none }
        return FuchsiaRow(text, isInStack: false) != nil ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        guard text.count > 0 else { return .unknown }
        if let row = FuchsiaRow(line, isInStack: !images.isEmpty) {
            append(row, at: range)
            return .more
        }
        if text.hasPrefix("bt#"), text.hasSuffix(": end") {
            isClosed = true
            return .more
        }
        if readReason(text) || readImage(text) || readRegisters(text) { return .more }
        return .unknown
    }

    // MARK: What happened

    private mutating func readReason(_ text: Span<UInt8>) -> Bool {
        var rest = text
        if rest.consume("<== fatal exception: process ") || rest.consume("<== CRASH: process ") {
            if let open = rest.firstIndex(of: UInt8(ascii: "[")) {
                process.name = Path.foreignName(of: rest.upTo(open).text)
                process.path = rest.hasPrefix("/") ? rest.upTo(open).text : nil
                rest = rest.from(open + 1)
                process.pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            }
            note("exception", nil)
            return true
        }
        if rest.consume("<== "), let at = rest.firstRange(of: ", PC at ") {
            note("exception", rest.upTo(at.lowerBound).text)
            trap = rest.from(at.upperBound).leadingAddress
            return true
        }
        if text.equals("ZIRCON KERNEL PANIC") {
            note("Zircon panic", nil)
            return true
        }
        if text.equals("recursion in interrupt handler") {
            note("panic", "recursion in interrupt handler")
            return true
        }
        if text.hasPrefix("panic (caller "), let end = text.firstRange(of: "): ") {
            if cause?.message == nil { note("panic", text.from(end.upperBound).text) }
            return true
        }
        if text.hasPrefix("<PAGE FAULT> Instruction Pointer"), let colon = text.lastIndex(of: UInt8(ascii: ":")) {
            rest = text.from(colon + 1)
            if trap == nil { trap = rest.readAddress() }
            return true
        }
        if text.hasPrefix("<PAGE FAULT> Fault Linear Address"), let equals = text.firstRange(of: "= ") {
            rest = text.from(equals.upperBound)
            let address = rest.readAddress().map { RuntimeAddress($0) }
            if cause == nil { cause = CrashCause(kind: .other) }
            if cause?.address == nil { cause?.address = address }
            return true
        }
        if rest.consume("arch: ") {
            architecture = rest.equals("x86_64") ? .x86_64 : rest.equals("aarch64") ? .arm64 : nil
            return true
        }
        return false
    }

    private mutating func note(_ type: String, _ message: String?) {
        isCertain = true
        var reason = cause ?? CrashCause(kind: .other)
        reason.type = reason.type ?? type
        reason.message = reason.message ?? message
        cause = reason
    }

    /// ` CS: 0 RIP: 0xd8af19736ef EFL: 0x10246 CR2: 0x6fe5cd59a000`
    private mutating func readRegisters(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var found: [(String, UInt64)] = []
        while rest.count > 0, found.count < 8 {
            guard let colon = rest.upTo(8).firstIndex(of: UInt8(ascii: ":")), colon > 1 else { break }
            let name = rest.upTo(colon)
            guard (0..<name.count).allSatisfy({ isDigit(name[$0]) || name[$0] &- UInt8(ascii: "A") < 26 }) else { break }
            rest = rest.from(colon + 1)
            rest.skipBlanks()
            guard let value = rest.readAddress() ?? rest.readDecimal() else { break }
            found.append((name.text, value))
            rest.skipBlanks()
        }
        guard found.count > 1 else { return false }
        for (name, value) in found where registers.count < 64 && !registers.contains(where: { $0.name == name }) {
            registers.append((name, value))
        }
        return true
    }

    // MARK: Images

    /// `dso: id=63914be467c5f24aad721d5d496d022559a0562d base=0x77ed616e3000 name=libc.so`, `[[[ELF
    /// module #0x1 "libstd.so" BuildID=0d14913e113ab46b 0x40f531922000]]]`
    private mutating func readImage(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var image: BinaryImage
        if rest.consume("dso: id="), let base = rest.firstRange(of: " base="), let name = rest.firstRange(of: " name=") {
            let id = ImageID(text: rest.upTo(base.lowerBound).text)
            var address = rest.from(base.upperBound)
            let whole = rest.from(name.upperBound).text
            image = BinaryImage(name: Path.foreignName(of: FuchsiaCrash.plain(whole)))
            if FuchsiaCrash.plain(whole).hasPrefix("/") { image.path = FuchsiaCrash.plain(whole) }
            (image.id, image.base) = (id, address.readAddress().map { RuntimeAddress($0) })
        } else if rest.consume("[[[ELF module #0x"), let open = rest.firstRange(of: " \""), let close = rest.firstRange(of: "\" BuildID=") {
            let name = rest.clamped(to: open.upperBound..<close.lowerBound).text
            image = BinaryImage(name: name.isEmpty ? "program" : name)
            rest = rest.from(close.upperBound)
            image.id = ImageID(text: rest.readToken().text)
            rest.skipBlanks()
            image.base = rest.readAddress().map { RuntimeAddress($0) }
        } else {
            return false
        }
        isClosed = true
        isCertain = true
        if images.count < Limits.standard.images { images.append(image) }
        return true
    }

    /// `app:/tmp/syz-executor` is the process's own program.
    private static func plain(_ name: String) -> String { name.hasPrefix("app:") ? String(name.dropFirst(4)) : name }

    // MARK: Frames

    /// Rows are return addresses; the address that the exception names is exact.
    private func kind(of row: FuchsiaRow) -> Frame.Kind { trap != nil && row.address == trap ? .programCounter : .returnAddress }

    private mutating func append(_ row: FuchsiaRow, at range: Range<Int>) {
        if isClosed {
            guard threads.count < Limits.standard.threads else { return }
            threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty))
            isClosed = false
        }
        threads[threads.count - 1].frames.add(
            Frame(
                index: row.index, kind: kind(of: row), address: row.address, range: range,
                imageName: row.imageName.map { Path.foreignName(of: FuchsiaCrash.plain($0)) }, imageOffset: row.imageOffset,
                printed: row.printed, isInlined: row.isInlined))
    }

    package mutating func finish() -> [CrashReport] {
        guard isCertain || !threads.isEmpty else { return [] }
        // A panic that continues as symbolizer markup is reported there.
        guard !threads.isEmpty || cause?.message != nil else { return [] }
        var report = CrashReport(format: FuchsiaCrash.name)
        report.process = process
        var reason = cause ?? CrashCause(kind: .other)
        reason.type = reason.type ?? "backtrace"
        report.cause = reason
        report.platform = "Fuchsia"
        report.architecture = architecture ?? (registers.contains { $0.name == "RIP" } ? .x86_64 : nil)
        report.threads = threads
        report.images = images
        let images = images
        report.changeStacks { stack in
            stack.setInlinedCallAddresses()
            for index in stack.frames.indices {
                guard let address = stack.frames[index].address else { continue }
                // The image whose base the row's address and offset give; a row without an offset
                // is in the kernel, the only image of its log.
                let base = stack.frames[index].imageOffset.flatMap { offset in
                    address.value >= offset.value ? address.value - offset.value : nil
                }
                stack.frames[index].image = images.firstIndex { image in
                    base.map { image.base?.value == $0 } ?? (images.count == 1 && image.base.map { $0 <= address } ?? false)
                }
            }
        }
        if !report.threads.isEmpty, !registers.isEmpty { report.threads[0].registers = RegisterState(values: registers) }
        return [report]
    }

    /// A row `bt#01: …` is followed by name, file and line, and inlined calls get rows above, as
    /// syzkaller writes them (`pkg/report/fuchsia.go`):
    ///
    ///     bt#02: [ inline ] fbl::Canary::Assert object/port_dispatcher.cpp:159
    ///     bt#02: 0xffffffff0015ad92 PortDispatcher::Queue object/port_dispatcher.cpp:258
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = FuchsiaRow(log.clamped(to: frame.range), isInStack: true), row.isOwn, row.printed == nil,
            let outer = result.functions.last
        else {
            return nil
        }
        return .rows(
            above: result.functions.dropLast().map { "[ inline ]" + symbolText($0) },
            frame.range.lowerBound + row.numberEnd..<frame.range.upperBound, followedBy: symbolText(outer), in: log)
    }

    private static func symbolText(_ function: FrameResult.Function) -> String {
        var text = " " + PlainText.line(function.name)
        if let location = function.location { text += " " + PlainText.line(location.file) + ":\(location.line)" }
        return text
    }
}

/// A row of a Fuchsia stack, as it was written or as the tools of its time have symbolicated it:
///
///     bt#01: pc 0xd8af19736ef sp 0x6ef13e3cf6b8 (app:/tmp/syz-executor,0x135e6ef)       Zircon's crash service
///     bt#00: 0xffffffff00105e46                                                         its kernel
///     bt#00: 0x00105e46 platform_halt platform/pc/power.cpp:122                         the same, symbolicated by syzkaller; the upper half of the address is lost
///     bt#04: [ inline ] size_to_index_freeing lib/heap/cmpctmalloc/cmpctmalloc.c:303
///     #12   0x000040f5319c2016 in std::sys_common::… library/std/src/backtrace.rs:171 <libstd-f42.so>+0xa0016        Fuchsia's symbolizer
///     #4 core::fmt::write(…) • library/core/src/fmt/mod.rs:1169                         its short form, and where it has no symbols:
///     #30 0x026d14377e79 <VMO#139113>(5f6ac44089fc254a4911e3b55cdaa6d10c4f8174)+0x63e79
struct FuchsiaRow {
    var index: Int
    var address: UInt64?
    var imageName: String?
    var imageOffset: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// A row that no tool has symbolicated: `bt#` without a name, or without symbols.
    var isOwn = false
    /// Offset after the number, at which the row of an inlined call continues.
    var numberEnd = 0

    /// - Parameter isInStack: rows that begin with a mere number count only after a heading.
    init?(_ row: Span<UInt8>, isInStack: Bool) {
        var rest = row
        rest.skipBlanks()
        isOwn = rest.consume("bt#")
        guard isOwn || (isInStack && rest.consume("#")), let number = rest.readDecimal(), let index = Int(exactly: number) else {
            return nil
        }
        self.index = index
        if isOwn {
            guard rest.consume(": ") else { return nil }
            numberEnd = row.count - rest.count
            guard !rest.trimmed().equals("end") else { return nil }
            isInlined = rest.consume("[ inline ] ")
            if rest.consume("pc ") {
                guard readProgram(&rest) else { return nil }
            } else if !isInlined {
                guard let value = rest.readAddress() else { return nil }
                address = value
                rest.skipBlanks()
            }
            printed = FuchsiaRow.printed(rest)
            if isInlined, printed == nil { return nil }
        } else {
            // `#3.1`: a call that was inlined into frame 3.
            if rest.consume(".") { guard rest.readDecimal() != nil else { return nil } }
            numberEnd = row.count - rest.count + 1
            guard rest.at(0).map(isBlank) ?? false else { return nil }
            rest.skipBlanks()
            if rest.hasPrefix("[ inline ] ") {
                isInlined = true
                rest = rest.from("[ inline ] ".utf8.count)
                printed = FuchsiaRow.printed(rest)
                guard printed?.location != nil else { return nil }
                return
            }
            if let value = rest.readAddress() {
                address = value
                if rest.hasPrefix(" <") {
                    guard readUnknownSymbol(&rest) else { return nil }
                    printed = FuchsiaRow.printed(rest)
                    return
                }
                guard rest.consume(" in ") else { return nil }
                if let image = rest.lastRange(of: " <") {
                    readImage(rest.from(image.upperBound))
                    rest = rest.upTo(image.lowerBound)
                }
                printed = FuchsiaRow.printed(rest)
            } else if let bullet = rest.firstRange(of: " • ") {
                let location = KernelSymbolTail.location(rest.from(bullet.upperBound).trimmed())
                printed = PrintedSymbol(name: rest.upTo(bullet.lowerBound).text, location: location)
            } else {
                return nil
            }
        }
    }

    /// ` <VMO#139113>(5f6ac44089fc254a4911e3b55cdaa6d10c4f8174)+0x63e79`
    private mutating func readUnknownSymbol(_ rest: inout Span<UInt8>) -> Bool {
        guard rest.consume(" <"), let close = rest.firstRange(of: ">("), let end = rest.firstRange(of: ")+") else { return false }
        guard close.upperBound <= end.lowerBound else { return false }
        imageName = rest.upTo(close.lowerBound).text
        rest = rest.from(end.upperBound)
        imageOffset = rest.readAddress()
        isOwn = true
        return imageOffset != nil
    }

    /// `0xd8af19736ef sp 0x6ef13e3cf6b8 (app:/tmp/syz-executor,0x135e6ef)`
    private mutating func readProgram(_ rest: inout Span<UInt8>) -> Bool {
        guard let value = rest.readAddress(), rest.consume(" sp "), rest.readAddress() != nil, rest.consume(" (") else { return false }
        guard let close = rest.firstIndex(of: UInt8(ascii: ")")), let comma = rest.lastIndex(of: UInt8(ascii: ","), before: close) else {
            return false
        }
        address = value
        imageName = rest.upTo(comma).text
        imageOffset = rest.clamped(to: comma + 1..<close).leadingAddress
        rest = rest.from(close + 1)
        rest.skipBlanks()
        return true
    }

    /// `libstd-f42.so>+0xa0016`
    private mutating func readImage(_ text: Span<UInt8>) {
        guard let close = text.firstRange(of: ">+") else { return }
        imageName = text.upTo(close.lowerBound).text
        imageOffset = text.from(close.upperBound).leadingAddress
    }

    /// `name file:line`: the name may hold blanks.
    private static func printed(_ text: Span<UInt8>) -> PrintedSymbol? {
        let text = text.trimmed()
        guard text.count > 0 else { return nil }
        guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0, let location = KernelSymbolTail.location(text.from(blank + 1))
        else {
            return PrintedSymbol(name: text.text)
        }
        return PrintedSymbol(name: text.upTo(blank).text, location: location)
    }
}
