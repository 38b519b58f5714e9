internal import BinaryPrimitives
internal import CrashLogModel

/// Reads the report of a sanitizer line by line. All are written by the same parts of the runtime:
///
///     ==9024==ERROR: AddressSanitizer: heap-use-after-free on address 0x604000000014 at pc 0x7ffff7fb3295 bp … sp …
///     READ of size 4 at 0x604000000014 thread T0
///         #0 0x7ffff7fb3294  (/src/libstore.so+0x1294)
///
///     0x604000000014 is located 4 bytes inside of 40-byte region [0x604000000010,0x604000000038)
///     freed by thread T0 here:
///         #0 0x7ffff78b76a8  (/lib/x86_64-linux-gnu/libasan.so.8+0xb76a8)
///
///     SUMMARY: AddressSanitizer: heap-use-after-free (/src/libstore.so+0x1294)
///     Shadow bytes around the buggy address:
///     ==9024==ABORTING
///
/// Every `#0` begins a stack, and the line above it is the stack's heading. The first stack is the
/// subject of the report; reports of leaks have no such stack.
package struct SanitizerReader: Sendable {
    let format: String
    let tool: SanitizerTool
    var cause: SanitizerCause?
    var pid: Int?
    private var hasBegun = false
    /// The rows began without a heading, and no line has shown yet that they belong to a report.
    var standsAlone = false
    private var isBehindBlank = false
    var stacks: [ThreadTrace] = []
    var images = SanitizerImages()
    /// Heading of the next stack, from the line above it.
    private var heading: String?
    /// A stack that the runtime could not walk.
    var hasEmptyStack = false
    private var isSummed = false
    /// After the summary of a signal, where the crashed thread was created.
    private var isInThreadCreation = false
    private var hasAborted = false
    var registers = SanitizerRegisters()
    /// Lines since the heading of undefined behaviour, which need not be followed by a stack.
    private var linesBeforeStack = 0
    var architecture: Architecture?

    init(_ tool: SanitizerTool, format: String) {
        self.tool = tool
        self.format = format
    }

    // MARK: Lines

    mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard line.firstIndex(of: 0x1B) == nil else {
            let plain = ANSIText(line)
            return consumePlain(plain.bytes.span, at: range)
        }
        return consumePlain(line, at: range)
    }

    private mutating func consumePlain(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if !hasBegun {
            hasBegun = true
            if begin(line) { return .more }
            standsAlone = true
        }
        if hasAborted { return readMap(line) ? .more : .rejected }
        let text = line.trimmed()
        if standsAlone {
            noteReportLine(text)
            // After a blank line only a report continues.
            if standsAlone, isBehindBlank { return .rejected }
            isBehindBlank = text.count == 0
        }
        if readMap(line) || (text.count == 0 && !isSummed) { return text.count == 0 && standsAlone ? .unknown : .more }
        if !isSummed || isInThreadCreation, let row = SanitizerRow(line) { return read(row, at: range) }
        if standsAlone { return .rejected }
        return read(text)
    }

    /// A line that only reports have between and below their stacks: the rows above it are of a report whose head is cut off
    /// (`asan_descriptions.cpp`): `0x604000000014 is located 4 bytes inside of 40-byte region …`, `freed by thread T0 here:`.
    private mutating func noteReportLine(_ text: Span<UInt8>) {
        var rest = text
        _ = SanitizerHeading.readProcess(&rest)
        let isOfAddress = rest.hasPrefix("0x") || rest.hasPrefix("Address 0x")
        if isOfAddress && (rest.contains(" is located ") || rest.contains(" is a wild pointer"))
            || rest.hasSuffix(" here:") && rest.contains(" by thread T") || rest.hasPrefix("Shadow bytes around ")
            || rest.hasPrefix("SUMMARY: " + tool.rawValue + ": ")
        {
            standsAlone = false
        }
    }

    /// Whether the rows of a stack without a heading are a sanitizer's: another tool's may look so, but name no module, and no function of
    /// the runtime.
    var hasOwnRows: Bool {
        let names = ["asan_", "__asan_", "__interceptor_", "___interceptor_", "__sanitizer_", "__lsan_", "__msan_", "__tsan_", "__ubsan_"]
        return stacks.contains { stack in
            stack.frames.contains { frame in
                frame.imageLocation != nil || frame.printed?.name.map { name in names.contains { name.hasPrefix($0) } } == true
            }
        }
    }

    private mutating func begin(_ line: Span<UInt8>) -> Bool {
        if let heading = SanitizerHeading(line), heading.tool == tool {
            cause = SanitizerCause(heading)
            pid = heading.pid
            return true
        }
        if tool == .undefinedBehavior, let line = UndefinedBehaviorLine(line) {
            cause = SanitizerCause(line)
            return true
        }
        return false
    }

    /// A line that is neither blank nor a row.
    private mutating func read(_ text: Span<UInt8>) -> LineVerdict {
        if SanitizerHeading(text) != nil { return .rejected }
        var rest = text
        let process = SanitizerHeading.readProcess(&rest)
        rest.skipBlanks()
        if rest.equals("ABORTING") {
            hasAborted = true
            // If modules were requested, Apple's runtimes list them after this line.
            return images.images.contains { $0.architecture != nil } ? .more : .done
        }
        if rest.consume("SUMMARY: ") { return readSummary(rest) }
        if isSummed { return readAfterSummary(text) }
        if registers.read(rest) { return .more }
        // `==1==WARNING: invalid path to external symbolizer!` and other warnings may be anywhere.
        if process != nil, rest.hasPrefix("WARNING: ") || rest.hasPrefix("***") || rest.hasPrefix("HINT: ") { return .more }
        if text.equals("<empty stack>") {
            hasEmptyStack = true
            return .more
        }
        if stacks.isEmpty, isDetail(rest) {
            cause?.add(detail: rest.text)
            return .more
        }
        if rest.hasPrefix("Cause: ") { cause?.add(detail: rest.text) }
        if isUndefinedBehavior { return readAfterUndefinedBehavior(text) }
        if isStackHeading(rest) {
            heading = rest.text
            return .more
        }
        if rest.equals("==================") { return stacks.isEmpty ? .more : .done }
        return process != nil || isKnown(rest) ? .more : .unknown
    }

    var isUndefinedBehavior: Bool { tool == .undefinedBehavior && cause?.cause.kind != .signal }

    /// Notes and the memory around the object, up to the stack:
    ///
    ///     0x15577a7fc900: note: object is of type net::QuicSession
    ///      00 00 00 00  38 f7 74 89 0e 7f 00 00  5c 9b 8c 07
    ///                   ^~~~~~~~~~~~~~~~~~~~~~~
    private mutating func readAfterUndefinedBehavior(_ text: Span<UInt8>) -> LineVerdict {
        linesBeforeStack += 1
        guard stacks.isEmpty, linesBeforeStack <= 8 else { return .rejected }
        let first = text.at(0) ?? 0
        let isMemory = text.at(2) == UInt8(ascii: " ") && hexadecimalValue(first) != nil && text.at(1).flatMap(hexadecimalValue) != nil
        if text.contains(": note: ") || text.hasPrefix("<memory cannot be printed>") || text.hasPrefix("vptr for ") || isMemory
            || first == UInt8(ascii: "^")
        {
            return .more
        }
        return .rejected
    }

    private mutating func readSummary(_ text: Span<UInt8>) -> LineVerdict {
        var rest = text
        guard let colon = rest.firstRange(of: ": ") else { return .unknown }
        if cause == nil, text.hasPrefix(tool.rawValue + ": ") {
            let heading = Array(("ERROR: " + text.text).utf8)
            cause = SanitizerHeading(heading.span).map { SanitizerCause($0) }
        }
        rest = rest.from(colon.upperBound)
        cause?.set(summary: rest.trimmed().text)
        isSummed = true
        switch tool {
        case .leak, .libFuzzer, .thread: return cause?.cause.kind == .signal ? .more : .done
        case .undefinedBehavior: return isUndefinedBehavior ? .done : .more
        case .address, .hardwareAddress, .memory: return .more
        }
    }

    /// Reads the lines after the summary: shadow memory, tags, registers, and the last messages.
    /// (`~ScopedInErrorReport` of `asan_report.cpp` describes the thread last.)
    private mutating func readAfterSummary(_ text: Span<UInt8>) -> LineVerdict {
        if text.count == 0 { return .more }
        isInThreadCreation = text.hasPrefix("Thread T") && text.hasSuffix(" here:")
        if isInThreadCreation {
            heading = text.text
            return .more
        }
        if text.equals("Exiting") { return .done }
        if registers.read(text) { return .more }
        // `Shadow bytes around the buggy address:`, ` 0x7c3a943dfd80: 00 00 …`,
        // `=>0x7c3a943e0000: fa fa …`, ` Heap left redzone: fa`.
        if text.hasPrefix("0x") || text.hasPrefix("=>0x") || text.hasPrefix("Shadow ") || text.hasPrefix("Memory tags ")
            || text.hasPrefix("Tags ")
        {
            return .more
        }
        return isLegend(text) ? .more : .rejected
    }

    /// `Partially addressable: 01 02 03 04 05 06 07`
    private func isLegend(_ text: Span<UInt8>) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
        var rest = text.from(colon + 1)
        rest.skipBlanks()
        var count = 0
        while rest.count > 0 {
            let token = rest.readToken()
            guard token.count == 2, hexadecimalValue(token[0]) != nil, hexadecimalValue(token[1]) != nil else { return false }
            count += 1
            rest.skipBlanks()
        }
        return count > 0
    }

    // MARK: Parts of the report

    private mutating func read(_ row: SanitizerRow, at range: Range<Int>) -> LineVerdict {
        // Fuchsia's inlined calls are above the frame that holds them with its number: `#0.1`,
        // `#0`.
        let continuesFrame = stacks.last?.frames.last.map { $0.isInlined && $0.index == 0 } ?? false
        if stacks.isEmpty || (row.index == 0 && !continuesFrame) { beginStack() }
        heading = nil
        let last = stacks.count - 1
        guard last >= 0, stacks[last].frames.count < Limits.standard.framesPerThread else { return .more }
        var frame = row.frame(at: range)
        if let module = row.module {
            frame.image = images.index(of: module)
            architecture = architecture ?? module.architecture
        }
        stacks[last].frames.append(frame)
        return .more
    }

    private mutating func beginStack() {
        guard stacks.count < Limits.standard.threads else { return }
        stacks.append(ThreadTrace(index: stacks.count, name: heading))
    }

    private mutating func readMap(_ line: Span<UInt8>) -> Bool {
        var text = line.trimmed()
        if images.section != nil, images.readRow(text) { return true }
        _ = SanitizerHeading.readProcess(&text)
        return images.readHeading(text)
    }

    /// Whether the line is a detail of the cause, above the first stack.
    private func isDetail(_ text: Span<UInt8>) -> Bool {
        if tool == .thread || tool == .leak { return tool == .thread && isStackHeading(text) }
        return ["READ of size ", "WRITE of size ", "ACCESS of size ", "The signal is caused by ", "Hint: ", "Cause: "].contains {
            text.hasPrefix($0)
        }
    }

    /// Whether a stack follows the line: `freed by thread T0 here:`,
    /// `Mutex M9 (0x5555555580c0) created at:`,
    /// `Direct leak of 8 byte(s) in 1 object(s) allocated from:`, `Address 0x7ffd is located in
    /// stack of thread T0 at offset 36 in frame`,
    /// `Uninitialized value was created by a heap allocation`.
    private func isStackHeading(_ text: Span<UInt8>) -> Bool {
        guard text.count > 1 else { return false }
        let origins = ["Uninitialized value was ", "Memory was marked ", "Member fields were ", "Virtual table ptr was "]
        return text.hasSuffix(":") || text.hasSuffix(" in frame") || (tool == .memory && origins.contains { text.hasPrefix($0) })
    }

    private func isKnown(_ text: Span<UInt8>) -> Bool {
        [
            "SCARINESS: ", "DEDUP_TOKEN: ", "NOTE: libFuzzer", "AddressSanitizer can not ", "HINT: ", "[0x", "0x", "=>0x",
            "This frame has ", "Location is ", "Thread T",
            "Combine libFuzzer ",
        ].contains { text.hasPrefix($0) }
    }

    /// The report so far; `nil` if there was no stack, unless the heading has all the information.
    func report() -> CrashReport? {
        guard stacks.contains(where: { !$0.frames.isEmpty }) || isUndefinedBehavior && cause != nil || hasEmptyStack else { return nil }
        guard !standsAlone || hasOwnRows else { return nil }
        var report = CrashReport(format: format)
        report.process.pid = pid
        report.cause = cause?.cause
        report.architecture = architecture
        report.images = images.images
        if standsAlone { report.notes.append("These rows are not inside a sanitizer's report.") }
        if hasEmptyStack { report.notes.append("The runtime could not walk a stack: it is empty.") }
        let sorted = SortedImages(report.images)
        for (index, stack) in stacks.enumerated() {
            var stack = stack
            InlinedRows.mark(&stack.frames)
            for index in stack.frames.indices where stack.frames[index].image == nil {
                stack.frames[index].image = stack.frames[index].address.flatMap { sorted.index(containing: $0) }
            }
            if index == 0, tool != .leak {
                var thread = ThreadTrace(index: cause?.thread ?? 0, name: cause?.threadName, crashed: !standsAlone, frames: stack.frames)
                let values = registers.values.isEmpty ? cause?.registers ?? [] : registers.values
                if !values.isEmpty { thread.registers = RegisterState(values: values) }
                report.threads = [thread]
            } else {
                stack.index = report.additionalBacktraces.count
                report.additionalBacktraces.append(stack)
            }
        }
        return report
    }
}

/// The registers that a report lists: `Register values:` and below it
/// `rax = 0x0000000000000000 rbx = 0x00007ca634368940 …` (`DumpAllRegisters`); of
/// HWAddressSanitizer `Registers where the failure occurred (pc 0x…):` and
/// ` x0 0000000000000000 x1 …`.
struct SanitizerRegisters {
    private(set) var values: [(name: String, value: UInt64)] = []
    private var isOpen = false

    /// More than any processor has.
    private static let limit = 256

    /// Takes the heading, or a row below it.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        if text.equals("Register values:") || text.hasPrefix("Registers where the failure occurred") {
            isOpen = true
            values = []
            return true
        }
        guard isOpen else { return false }
        isOpen = readRow(text)
        return isOpen
    }

    private mutating func readRow(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var isRow = false
        while values.count < Self.limit {
            rest.skipBlanks()
            let name = rest.readToken()
            guard name.count > 0, name.count <= 8, let first = name.at(0), isLetter(first) else { break }
            rest.skipBlanks()
            if rest.consume("=") { rest.skipBlanks() }
            guard let value = rest.readAddress() ?? rest.readHexadecimal() else { break }
            values.append((name.text, value))
            isRow = true
        }
        return isRow
    }
}
