internal import BinaryPrimitives
package import CrashLogModel

/// Stacks in Unreal Engine's logs (UE 4 and 5), and those in its `CrashContext.runtime-xml`, as
/// `FGenericPlatformStackWalk::SymbolInfoToHumanReadableString` writes rows:
///
///     [2022.05.24-12.19.50:799][  0]LogCore: === Critical error: ===
///     Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x0000000000000000
///
///     [2022.05.24-12.19.50:799][  0]LogCore: Fatal error!
///
///     0x00007f571fcc9d12 libUE4Editor-Core.so!FUnixCrashContext::CaptureStackTrace() [/src/Private/Unix/UnixPlatformCrashContext.cpp:288]
///     0x0000000003a2a312 Blocks!UnknownFunction(0x382a312)
///
///     LogWindows: Error: [Callstack] 0x00007ffbbb2b50dd UnrealEditor-SlateCore.dll!UnknownFunction []
///
/// For a module without symbols, Linux prints the offset: with the address, it gives the module's
/// load address. The text in the brackets of Windows' modules is not read.
package struct UnrealCallstack: LineFormat {
    package static let name = "unreal"
    package static let summary = "Unreal Engine’s crash stacks (log, CrashContext.runtime-xml)"
    package static let triggers = [
        "=== Critical error: ===", "=== Handled ensure: ===", "[Callstack]", "!UnknownFunction", "<CallStack>", " libUE4",
        " libUnrealEditor",
    ]

    private enum Section {
        case head
        case rows
        /// Inside `<CallStack>`: rows without addresses, and modules alone.
        case element
        case tail
    }

    private var section = Section.head
    private var hasBegun = false
    private var report = CrashReport(format: name)
    private var frames: [Frame] = []
    private var rows: [UnrealRow] = []
    private var isCritical = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = UnrealLine(line)
        let rest = line.from(text.start)
        if rest.hasPrefix("=== Critical error: ===") || rest.hasPrefix("=== Handled ensure: ===") { return .certain }
        if text.isCallstack { return UnrealRow(rest) == nil ? .none : .certain }
        if rest.hasPrefix("<CallStack>") { return rest.contains("!") ? .certain : .possible }
        guard rest.hasPrefix("0x"), rest.contains("!UnknownFunction") || rest.contains(" libUE4") || rest.contains(" libUnrealEditor")
        else { return .none }
        return UnrealRow(rest) == nil ? .none : .certain
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let head = UnrealLine(line)
        var rest = line.from(head.start)
        var start = range.lowerBound + head.start
        if rest.hasPrefix("=== Critical error: ===") || rest.hasPrefix("=== Handled ensure: ===") {
            guard !hasBegun else { return .rejected }
            hasBegun = true
            isCritical = rest.hasPrefix("=== C")
            return .more
        }
        if rest.consume("<CallStack>") {
            guard frames.isEmpty else { return .rejected }
            section = .element
            start += "<CallStack>".utf8.count
        }
        var isLast = false
        if section == .element, let end = rest.firstRange(of: "</CallStack>") {
            rest = rest.upTo(end.lowerBound)
            isLast = true
        }
        hasBegun = true
        if let row = UnrealRow(rest, allowsModules: section == .element), frames.count < Limits.standard.framesPerThread, section != .tail {
            if section == .head { section = .rows }
            rows.append(row)
            frames.append(row.frame(index: frames.count, at: start..<start + rest.count))
            if isLast { section = .tail }
            return .more
        }
        if isLast { section = .tail }
        if rest.trimmed().count == 0 { return section == .rows ? .unknown : .more }
        if readField(rest) { return .more }
        return section == .rows ? .rejected : .unknown
    }

    private mutating func readField(_ text: Span<UInt8>) -> Bool {
        var rest = text
        rest.skipBlanks()
        guard rest.consume("<ErrorMessage>") else { return section == .head && readCause(rest) }
        let message = rest.upTo(rest.firstRange(of: "</ErrorMessage>")?.lowerBound ?? rest.count)
        if !readCause(message) {
            report.cause = CrashCause(kind: .other, message: message.text)
        }
        if let text = report.cause?.message, let decoded = HTMLEntity.decoded(Array(text.utf8).span) {
            report.cause?.message = String(decoding: decoded, as: UTF8.self)
        }
        return true
    }

    /// `Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x…`,
    /// `Unhandled Exception: EXCEPTION_ACCESS_VIOLATION reading address 0x…`,
    /// `Assertion failed: Index < Num [File:…] [Line: 178]`, `Fatal error: [File:…]`.
    private mutating func readCause(_ text: Span<UInt8>) -> Bool {
        var rest = text.trimmed()
        var cause = report.cause ?? CrashCause(kind: .other)
        if rest.consume("Unhandled Exception: ") {
            let end = rest.firstRange(of: ": ")?.lowerBound ?? rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.count
            cause.type = rest.upTo(end).text
            if rest.hasPrefix("SIG") {
                cause.kind = .signal
                cause.signal = cause.type
            }
            cause.message = text.trimmed().text
            if let address = rest.lastRange(of: "address ") {
                cause.address = rest.from(address.upperBound).leadingAddress.map { RuntimeAddress($0) }
            }
        } else if rest.hasPrefix("Assertion failed: ") || rest.hasPrefix("Ensure condition failed: ") || rest.hasPrefix("Fatal error") {
            // `Fatal error!` adds nothing to the exception.
            if rest.equals("Fatal error!"), cause.type != nil { return true }
            let colon = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.count
            cause.kind = .runtimeError
            cause.type = rest.upTo(colon).text
            cause.message = rest.from(colon + 1).trimmed().text
        } else {
            return false
        }
        report.cause = cause
        return true
    }

    package mutating func finish() -> [CrashReport] {
        // A list of modules alone may be the text of any element.
        guard rows.contains(where: { $0.nameStart > 0 }) else { return [] }
        var images = ImageTable()
        for (index, row) in rows.enumerated() { UnrealCallstack.locate(&frames[index], row, &images) }
        InlinedRows.mark(&frames)
        decideKinds()
        var cause = report.cause ?? CrashCause(kind: .other)
        if cause.type == nil { cause.type = isCritical ? "Critical error" : "Callstack" }
        report.cause = cause
        report.images = images.images
        // A row with a name does not show where its module is loaded, but another row of the module
        // may.
        var named: [String: Int] = [:]
        for (index, image) in report.images.enumerated() where named[image.name] == nil { named[image.name] = index }
        for index in frames.indices where frames[index].image == nil { frames[index].image = frames[index].imageName.flatMap { named[$0] } }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        if rows.contains(where: { $0.isWindows }) || section == .tail && !rows.contains(where: { $0.moduleOffset != nil || $0.isUnix }) {
            report.platform = "Windows"
            for index in report.images.indices { report.images[index].isNamedWithoutEnding = true }
        }
        return [report]
    }

    /// `Module!UnknownFunction(0x29d8f)`: the offset of the address that was looked up. Images
    /// begin at a page, so it also shows which address that was: the printed one, or one byte less.
    private static func locate(_ frame: inout Frame, _ row: UnrealRow, _ images: inout ImageTable) {
        guard let module = row.module else { return }
        guard let offset = row.moduleOffset else {
            // Windows' modules have names of their own; where they were loaded, their return addresses show.
            if row.isWindows, row.address != nil { frame.image = images.index(ofImageNamed: module, id: nil) }
            return
        }
        guard let address = row.address else {
            frame.kind = .exact
            frame.image = images.index(ofImageNamed: module, id: nil)
            frame.imageOffset = ImageOffset(offset)
            return
        }
        for adjustment: UInt64 in [1, 0] {
            let base = address &- adjustment &- offset
            guard base & 0xFFF == 0, base < address else { continue }
            frame.kind = adjustment == 1 ? .returnAddress : .programCounter
            frame.imageOffset = ImageOffset(address &- base)
            frame.image = images.index(ofImageAt: RuntimeAddress(base)) { BinaryImage(name: module) }
            return
        }
    }

    /// Addresses are printed raw; all but a crash's first are return addresses, from which the
    /// engine takes one byte before it looks them up (`FUnixPlatformStackWalk`). Rows with an
    /// offset say it themselves: `0x3a2a312 Blocks!UnknownFunction(0x382a312)` is the first, and
    /// `0x36c2c11 Blocks!UnknownFunction(0x34c2c10)` the second, of a program at 0x200000. Where
    /// the stack begins with the crash handler's own functions, what the signal interrupted is two
    /// rows below the last of them: between is the kernel's way back.
    private mutating func decideKinds() {
        let holders = frames.indices.filter { !frames[$0].isInlined }
        let handler = holders.lastIndex { index in
            let name = frames[index].printed?.name ?? ""
            return name.hasPrefix("PlatformCrashHandler(") || name.hasPrefix("ThreadStackWalker(")
        }
        let interrupted = handler.map { $0 + 2 } ?? (isCritical ? 0 : nil)
        var position = 0
        for index in frames.indices {
            if position == interrupted {
                frames[index].kind = .programCounter
            } else if frames[index].imageLocation == nil {
                frames[index].kind = .returnAddress
            }
            if !frames[index].isInlined { position += 1 }
        }
    }

    /// `Module!` is followed by the function and `[FILE:LINE]`, or `(+0xOFFSET)` if the location is
    /// not known. The engine does not print inlined calls; they become rows of the same address
    /// above.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = UnrealRow(log.clamped(to: frame.range)), row.nameStart > 0 else { return nil }
        let rows = RowResult(range: row.nameStart..<frame.range.count, functions: result.functions.map { text($0, of: frame) })
        return TextEdit.rows(rows, in: frame.range, of: log)
    }

    private static func text(_ function: FrameResult.Function, of frame: Frame) -> String {
        let name = PlainText.line(function.name)
        if let location = function.location { return name + " [\(PlainText.line(location.file)):\(location.line)]" }
        guard let offset = function.offset else { return name + " []" }
        // The engine counts to the address that it looked up.
        return name + "(+0x" + String(frame.kind == .returnAddress ? ReturnAddress.call(before: offset) : offset, radix: 16) + ")"
    }
}

/// Prefix of a line in Unreal's logs:
/// `[2022.09.22-08.08.48:756][ 0]LogWindows: Error: [Callstack] `.
struct UnrealLine {
    /// Offset of the text, in bytes from the line's start.
    var start = 0
    /// `[Callstack]` came before it.
    var isCallstack = false

    init(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        // The date, and the frame that the game was in.
        if rest.at(0) == UInt8(ascii: "["), isDigit(rest.at(1) ?? 0), let close = rest.upTo(32).firstIndex(of: UInt8(ascii: "]")) {
            rest = rest.from(close + 1)
            if rest.at(0) == UInt8(ascii: "["), let close = rest.upTo(16).firstIndex(of: UInt8(ascii: "]")) { rest = rest.from(close + 1) }
        }
        if rest.hasPrefix("Log"), let colon = rest.upTo(64).firstRange(of: ": ") { rest = rest.from(colon.upperBound) }
        for verbosity in ["Fatal: ", "Error: ", "Warning: ", "Display: ", "Log: "] where rest.consume(verbosity) { break }
        if rest.consume("[Callstack]") {
            isCallstack = true
            rest.skipBlanks()
            // Before 4.20, Linux numbered the rows.
            var number = rest
            if number.readDecimal() != nil, number.hasPrefix("  0x") { rest = number.from(2) }
        }
        start = line.count - rest.count
    }
}

/// One row of a stack.
///
///     0x00007ff9aeb40577 UE4Editor-Core.dll!FDebug::AssertFailed() [c:\src\assertionmacros.cpp:440]
///     0x00007f2b4e892830 libc.so.6!__libc_start_main(+0x7f)
///     0x0000733cf5c29d90 libc.so.6!UnknownFunction(0x29d8f)
///     UnrealEditor_Core!FDebug::CheckVerifyFailedImpl2() [D:\src\AssertionMacros.cpp:728]     in the crash reporter's file
///     kernel32
struct UnrealRow {
    var address: UInt64?
    var module: String?
    var moduleOffset: UInt64?
    var printed: PrintedSymbol?
    /// Offset of the end of the module in the row, after the `!`, and of the end of the row's text.
    var nameStart = 0
    /// The source location has a Windows path, or the module is a file of Windows.
    var isWindows = false
    var isUnix = false

    /// - Parameter allowsModules: a module alone is a row.
    init?(_ row: Span<UInt8>, allowsModules: Bool = false) {
        var rest = row
        rest.skipBlanks()
        if let address = rest.readAddress() {
            guard rest.consume(" ") else { return nil }
            self.address = address
            rest.skipBlanks()
        }
        var symbol = PrintedSymbol()
        var text = rest.trimmed()
        if text.hasSuffix("]"), let open = text.lastRange(of: " [") {
            symbol.location = UnrealRow.location(text.clamped(to: open.upperBound..<text.count - 1))
            text = text.upTo(open.lowerBound).trimmed()
        }
        guard let mark = text.firstIndex(of: UInt8(ascii: "!")), mark > 0 else {
            guard allowsModules, address == nil, UnrealRow.isModule(text) else { return nil }
            module = text.text
            return
        }
        guard UnrealRow.isModule(text.upTo(mark)) else { return nil }
        let name = text.upTo(mark).text
        module = name
        nameStart = row.count - rest.count + mark + 1
        var function = text.from(mark + 1)
        if function.consume("UnknownFunction") {
            if function.consume("("), let offset = function.readAddress(), function.equals(")") { moduleOffset = offset }
        } else {
            if function.hasSuffix(")"), let plus = function.lastRange(of: "(+0x") {
                var number = function.from(plus.upperBound)
                if let offset = number.readHexadecimal(), number.equals(")") {
                    symbol.offset = offset
                    function = function.upTo(plus.lowerBound)
                }
            }
            if function.count > 0 { symbol.name = function.text }
        }
        if symbol != PrintedSymbol() { printed = symbol }
        let lower = name.lowercased()
        isWindows = lower.hasSuffix(".dll") || lower.hasSuffix(".exe") || symbol.location?.file.contains("\\") == true
        isUnix = symbol.location?.file.hasPrefix("/") == true || lower.contains(".so")
    }

    /// `c:\src\a.cpp:440`; before 4.20 on Linux, `Runtime/Core/Stats2.h, line 1686`. `[]` where
    /// nothing is known.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard text.count > 0, !text.hasPrefix("UnknownFile") else { return nil }
        if let separator = text.lastRange(of: ", line ") {
            return SourceLocation(
                file: text.upTo(separator.lowerBound).text,
                line: text.from(separator.upperBound).leadingDecimal.flatMap { Int(exactly: $0) } ?? 0)
        }
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return SourceLocation(file: text.text, line: 0) }
        guard let line = text.from(colon + 1).decimal.flatMap({ Int(exactly: $0) }) else {
            return SourceLocation(file: text.text, line: 0)
        }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    /// A file's name without blanks and brackets; projects are named like identifiers.
    private static func isModule(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 255 else { return false }
        for index in 0..<text.count {
            let byte = text[index]
            guard isDigit(byte) || isLetter(byte) || byte >= 0x80 || isOne(byte, of: "._-+") else {
                return false
            }
        }
        return true
    }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, address: address, range: range, imageName: module, printed: printed)
    }
}
