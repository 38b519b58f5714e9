internal import BinaryPrimitives
package import CrashLogModel

/// Stacks as Microsoft's debuggers (cdb, WinDbg, kd) print them: `k` and its variants, and the
/// `STACK_TEXT` of `!analyze -v`.
///
///     (a24.784): Integer divide-by-zero - code c0000094 (first chance)
///     STACK_TEXT:
///     0915b084 6eefc617 0915b098 6eefc5a0 6eee765b MSHTML!ForStatementNode::VerifySelf+0x46
///
///     Child-SP          RetAddr           Call Site
///     00000000`04f13f70 000007fe`ef2eba34 MSHTML!Ordinal101+0x10102
///
/// Stacks of Unity's crash handler and of Visual Studio's window have no heading of columns (`WindowsPastedRow`).
///
/// Names and lines come from PDB files, which are not read here. `ferry+0x1234`, which the debugger has no symbols for, counts from the
/// module's first byte: a program that MinGW, Rust or Go made has DWARF instead. Such a row and the address that the row above returns
/// to give the module's load address, and so the other rows of the module.
package struct WindowsDebugger: LineFormat {
    package static let name = "windows-cdb"
    package static let summary = "stacks of Microsoft’s debuggers (k, !analyze -v), Visual Studio, Unity on Windows"
    package static let triggers = [
        "RetAddr", "STACK_TEXT:", "Exception Analysis", " chance", "Call Site", "OUTPUTTING STACK TRACE", "0x00007FF", ".dll!", ".exe!",
        ".DLL!",
    ]

    private var report = CrashReport(format: name)
    private var stack: Stack?
    /// The heading of the thread whose stack comes next: `~*k` prints one above each.
    private var heading: (index: Int, isCurrent: Bool)?

    /// Rows without a heading of columns.
    private var pasted: [Frame] = []

    private struct Stack {
        var name: String
        var layout: WindowsStackRow.Layout
        var frames: [Frame] = []
        /// The address that the last row's call returns to: the next row's frame is there.
        var returnAddress: UInt64?
        /// The last row, as long as it may continue in the next line.
        var cutRow: [UInt8] = []
    }

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if WindowsStackRow.Layout(heading: line) != nil || line.hasPrefix("STACK_TEXT:") || isBanner(line) { return .certain }
        if line.contains("= OUTPUTTING STACK TRACE =") { return .certain }
        if exception(line) != nil { return .possible }
        let mayBeRow = ["0x00007FF", ".dll!", ".exe!", ".DLL!"].contains { line.contains($0) }
        return mayBeRow && WindowsPastedRow(line) != nil ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if line.hasPrefix("quit:") { return report.threads.isEmpty && stack == nil ? .rejected : .done }
        if stack != nil {
            if readRow(line, at: range) { return .more }
            closeStack()
        }
        if let row = WindowsPastedRow(line) {
            read(row, at: range)
            return .more
        }
        if line.contains("= OUTPUTTING STACK TRACE =") {
            guard pasted.isEmpty else { return .rejected }
            return .more
        }
        if !pasted.isEmpty, WindowsPastedRow.isBetweenRows(line) { return .more }
        if let layout = WindowsStackRow.Layout(heading: line) {
            stack = Stack(name: "k", layout: layout)
            return .more
        }
        if line.hasPrefix("STACK_TEXT:") {
            stack = Stack(name: "STACK_TEXT", layout: WindowsStackRow.Layout(returnColumn: 1))
            // Some versions print the first row after it on the same line.
            _ = readRow(line.from("STACK_TEXT:".utf8.count).trimmed(), at: range)
            return .more
        }
        return readField(line) ? .more : .unknown
    }

    // MARK: Rows

    private mutating func read(_ row: WindowsPastedRow, at range: Range<Int>) {
        guard pasted.count < Limits.standard.framesPerThread else { return }
        pasted.append(
            Frame(
                index: pasted.count, kind: .returnAddress, address: row.address, range: range,
                imageName: row.module, printed: row.name.map { PrintedSymbol(name: $0, location: row.location) }))
    }

    /// Whether the line belongs to the open stack.
    private mutating func readRow(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard var open = stack else { return false }
        // Held by one variable only; otherwise each row that is added copies all rows before it.
        stack = nil
        defer { stack = open }
        // The debugger's opinion of the rows that follow:
        // `WARNING: Frame IP not in any known module. Following frames may be wrong.`
        if line.hasPrefix("WARNING: ") || line.hasPrefix("*** ") { return true }
        if line.trimmed().count == 0 { return open.frames.isEmpty }
        guard open.frames.count < Limits.standard.framesPerThread else { return false }
        if let row = WindowsStackRow(line, open.layout) {
            let address = row.isInline ? nil : open.returnAddress
            open.frames.append(row.frame(index: open.frames.count, address: address, at: range))
            if !row.isInline { open.returnAddress = row.returnAddress }
            open.cutRow = line.count == WindowsDebugger.width ? line.copied() : []
            return true
        }
        // A row as wide as the console continues in the next line.
        guard !open.cutRow.isEmpty, let last = open.frames.indices.last else { return false }
        let joined = open.cutRow + line.copied()
        open.cutRow = []
        guard let row = WindowsStackRow(joined.span, open.layout) else { return false }
        open.frames[last].printed = row.printed
        open.frames[last].imageName = row.module
        open.frames[last].range = open.frames[last].range.lowerBound..<range.upperBound
        return true
    }

    /// The width of a Windows console, at which captured output is broken.
    private static let width = 80

    private mutating func closeStack() {
        guard var closed = stack else { return }
        stack = nil
        guard !closed.frames.isEmpty else { return }
        WindowsDebugger.decideKinds(&closed.frames)
        if let heading {
            guard report.threads.count < Limits.standard.threads else { return }
            report.threads.append(ThreadTrace(index: heading.index, crashed: heading.isCurrent, frames: closed.frames))
        } else if report.threads.isEmpty {
            report.threads.append(ThreadTrace(index: 0, crashed: true, frames: closed.frames))
        } else {
            report.additionalBacktraces.append(
                ThreadTrace(index: report.additionalBacktraces.count, name: closed.name, frames: closed.frames))
        }
        heading = nil
    }

    /// The first row is where the thread is; each further row is where the call of the row above it
    /// returns to, which that row prints (`RetAddr`). Inlined functions have no address.
    private static func decideKinds(_ frames: inout [Frame]) {
        var isFirst = true
        for index in frames.indices where !frames[index].isInlined {
            frames[index].kind = isFirst ? .programCounter : .returnAddress
            isFirst = false
        }
    }

    // MARK: Facts

    private static func isBanner(_ line: Span<UInt8>) -> Bool { line.hasPrefix("*") && line.contains("  Exception Analysis  ") }

    /// `Integer divide-by-zero` and `c0000094` of
    /// `(a24.784): Integer divide-by-zero - code c0000094 (first chance)`; the number in front is
    /// the process, hexadecimal.
    private static func exception(_ line: Span<UInt8>) -> (type: String, code: String, pid: Int?)? {
        var rest = line
        guard line.contains(" chance"), rest.consume("("), let pid = rest.readHexadecimal(), rest.consume("."),
            rest.readHexadecimal() != nil,
            rest.consume("): "),
            let code = rest.firstRange(of: " - code ")
        else { return nil }
        let type = rest.upTo(code.lowerBound).text
        rest = rest.from(code.upperBound)
        return (type, rest.readToken().text, Int(exactly: pid))
    }

    private mutating func readField(_ line: Span<UInt8>) -> Bool {
        if let exception = WindowsDebugger.exception(line) {
            report.cause = CrashCause(kind: .other, type: exception.type, codes: exception.code)
            report.process.pid = exception.pid
            return true
        }
        if WindowsDebugger.isBanner(line) {
            return true
        }
        var rest = line
        rest.skipBlanks()
        if rest.consume("PROCESS_NAME:") {
            report.process.name = rest.trimmed().text
        } else if rest.consume("ExceptionCode: ") {
            let code = rest.readToken().text
            let typeText = rest.trimmed()
            var cause = report.cause ?? CrashCause(kind: .other)
            cause.codes = code
            if typeText.hasPrefix("("), typeText.hasSuffix(")") { cause.type = typeText.clamped(to: 1..<typeText.count - 1).text }
            report.cause = cause
        } else if rest.consume("Attempt to "), let from = rest.firstRange(of: " address ") {
            var number = rest.from(from.upperBound)
            report.cause?.message = line.trimmed().text
            report.cause?.address = number.readHexadecimal().map { RuntimeAddress($0) }
        } else {
            return readThreadHeading(line)
        }
        return true
    }

    /// `. 0 Id: 14a8.c04 Suspend: 1 Teb: 7f95e000 Unfrozen`: above each stack of `~*k`; a point
    /// marks the current thread, `#` the one that raised the exception.
    private mutating func readThreadHeading(_ line: Span<UInt8>) -> Bool {
        var rest = line
        let isCurrent = rest.at(0) == UInt8(ascii: ".") || rest.at(0) == UInt8(ascii: "#")
        if isCurrent { rest = rest.from(1) }
        rest.skipBlanks()
        guard let number = rest.readDecimal(), let index = Int(exactly: number) else { return false }
        rest.skipBlanks()
        guard rest.hasPrefix("Id: "), rest.contains(" Suspend: ") else { return false }
        heading = (index, isCurrent)
        return true
    }

    package mutating func finish() -> [CrashReport] {
        closeStack()
        // One row may be anything.
        if pasted.count > 1, report.threads.isEmpty {
            WindowsDebugger.decideKinds(&pasted)
            report.threads = [ThreadTrace(index: 0, crashed: true, frames: pasted)]
        }
        guard !report.threads.isEmpty else { return [] }
        report.platform = "Windows"
        assignImages()
        return [report]
    }

    /// Gives the frames of modules without symbols their position, and those of a module whose load address is known their address.
    private mutating func assignImages() {
        var images: [BinaryImage] = []
        var numbers: [String: Int] = [:]
        var bases: [Int: Set<UInt64>] = [:]
        func number(_ frame: Frame) -> Int? {
            guard let name = frame.imageName else { return nil }
            if let known = numbers[name] { return known }
            guard images.count < Limits.standard.images else { return nil }
            numbers[name] = images.count
            var image = BinaryImage(name: name)
            image.isNamedWithoutEnding = true
            images.append(image)
            return images.count - 1
        }
        var stacks = report.stacks
        for stack in stacks.indices {
            for index in stacks[stack].frames.indices where !stacks[stack].frames[index].isInlined {
                let frame = stacks[stack].frames[index]
                guard let image = number(frame) else { continue }
                stacks[stack].frames[index].image = image
                guard case .offset(let offset)? = frame.imageLocation else { continue }
                // Windows loads a module at a multiple of 64 KB.
                if let address = frame.address?.value, address >= offset.value, (address - offset.value) & 0xFFFF == 0 {
                    bases[image, default: []].insert(address - offset.value)
                }
            }
        }
        for (image, known) in bases where known.count == 1 { images[image].base = known.first.map { RuntimeAddress($0) } }
        // A row with a name, in a module whose load address is not known, says all that it can.
        for stack in stacks.indices {
            for index in stacks[stack].frames.indices {
                guard let image = stacks[stack].frames[index].image, stacks[stack].frames[index].imageLocation == nil,
                    images[image].base == nil || stacks[stack].frames[index].address == nil
                else { continue }
                stacks[stack].frames[index].image = nil
            }
        }
        report.images = images
        var next = stacks.makeIterator()
        report.changeStacks { stack in if let changed = next.next() { stack = changed } }
    }

    // MARK: Results

    /// `ferry+0x1234` becomes `ferry!winch_follow+0x1e [d:\ferry\winch.c @ 20]`; inlined calls are rows above.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let row = log.clamped(to: frame.range)
        let module = PlainText.line(frame.imageName ?? result.imageName)
        guard let symbol = row.firstRange(of: module + "!") ?? row.lastRange(of: module + "+0x") ?? row.lastRange(of: " 0x") else {
            return nil
        }
        let start = row[symbol.lowerBound] == UInt8(ascii: " ") ? symbol.lowerBound + 1 : symbol.lowerBound
        let line = LogLine(around: frame.range, in: log)
        let head = log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
        // `00 `: the row's number.
        var rest = row
        _ = rest.readHexadecimal()
        let number = row.count - rest.count < 8 && rest.at(0).map(isBlank) == true ? row.upTo(row.count - rest.count + 1).copied() : []
        let notes = row.clamped(to: WindowsStackRow.notes(row)).copied()
        var text: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            let isLast = index == result.functions.count - 1
            let offset = isLast ? function.offset.map { "+0x" + String($0, radix: 16) } ?? "" : ""
            let location = function.location.map { " [\(PlainText.line($0.file)) @ \($0.line)]" } ?? ""
            // The first row of a stack has no address of its own.
            var position = ""
            if isLast, frame.address == nil, case .offset(let own)? = frame.imageLocation {
                position = " (\(module)+0x\(String(own.value, radix: 16)))"
            }
            let written = Array("\(module)!\(PlainText.line(function.name))\(offset)\(position)".utf8)
            if isLast {
                text += row.upTo(start).copied() + written + notes + Array(location.utf8)
            } else {
                text += number + Array("(Inline Function) --------`-------- ".utf8) + written + Array(location.utf8) + line.ending + head
            }
        }
        return TextEdit(range: frame.range, replacement: text)
    }
}
