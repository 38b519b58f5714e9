internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that Wine's debugger prints: “Show Details” of its window, and `winedbg --auto`. Rows are those of
    /// `stack_print_addr_and_args` (`programs/winedbg/stack.c`).
    ///
    ///     Unhandled exception: page fault on read access to 0x00000010 in 32-bit code (0x038e0040).
    ///     Backtrace:
    ///     =>0 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)                       no symbol: how far it is from the module's first byte; the frame pointer
    ///       1 0x7b463dae moor+0x1d(rope=0x11) [/src/wine/moor.c:12] in kernel32 (0x0033ffec)
    ///     Modules:
    ///     Module	Address			Debug info	Name (3 modules)
    ///     PE	  400000- 3985000	Export          harbour
    ///     ELF	7b400000-7b7f0000	Dwarf           kernel32<elf>
    ///
    /// The modules of Wine itself are ELF files if it is not built with MinGW, and so are programs that winelib links.
    /// Modules of Windows are listed without the ending of their file, in small letters (`module_fill_module` of
    /// `dlls/dbghelp/module.c`). The debugger prints the addresses that it unwinds (`StackWalk`): the program counter, and return
    /// addresses.
    static let wine = StackCard(
        name: "winedbg",
        summary: "Wine’s debugger: crashes of Windows programs",
        openings: [
            .inLine("Unhandled exception: ", isCertain: true) { WineText.exception($0) != nil },
            .inLine("=>0 0x", isCertain: true) { $0.hasPrefix("=>0 0x") && WineText.row($0)?.module != nil },
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 64,
        hasOwnRows: true,
        read: WineText.read,
        readRow: WineText.row,
        edit: { frame, result, log in
            WineText.writeResult(log.clamped(to: frame.range), result).map { .rows($0, in: frame.range, of: log) }
        },
        finish: WineText.assignImages)
}

private enum WineText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        if let found = exception(line) { return .several([.heading(), .cause(found.cause), .architecture(found.architecture)]) }
        if let image = module(line) { return .image(image) }
        let text = line.trimmed()
        // LLVM's stack has the same heading.
        let isHeading =
            text.equals("Stack dump:") || text.equals("Backtrace:") || text.equals("Modules:") || text.hasPrefix("Module\tAddress")
        return isHeading || isMemory(text) ? .skipped : nil
    }

    /// Whether the line is one of the stack dump, or the instruction below the rows (`memory_examine`, `memory_disasm_one_insn` of
    /// `programs/winedbg/memory.c`).
    ///
    ///     0x0000000021fdb8:  0000000140001069 0000000000000000
    ///     0x00000140001011 berth+0x1011: idivl\t%r9d,%eax
    private static func isMemory(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard rest.hasPrefix("0x"), rest.readAddress() != nil else { return false }
        return rest.hasPrefix(":  ") || rest.at(0) == UInt8(ascii: " ") && rest.contains(": ")
    }

    /// Reads the cause: `Unhandled exception: page fault on read access to 0x00000010 in 32-bit code (0x038e0040).`
    /// (`dbg_handle_exception` of `programs/winedbg/tgt_active.c`)
    static func exception(_ line: Span<UInt8>) -> (cause: CrashCause, architecture: Architecture)? {
        var rest = line.trimmed()
        guard rest.consume("Unhandled exception: "), let code = rest.lastRange(of: "-bit code (") else { return nil }
        let head = rest.upTo(code.lowerBound)
        let isWide = head.hasSuffix(" in 64")
        guard isWide || head.hasSuffix(" in 32") || head.hasSuffix(" in wow64 32") else { return nil }
        var cause = CrashCause(kind: .other)
        let message = rest.upTo(rest.firstRange(of: " in ")?.lowerBound ?? code.lowerBound)
        // `page fault` on read access; `divide by zero`
        let type = message.upTo(message.firstRange(of: " on ")?.lowerBound ?? message.count)
        cause.type = type.text
        if type.count < message.count { cause.message = message.text }
        cause.address = message.address(after: " access to ").map { RuntimeAddress($0) }
        return (cause, isWide ? .x86_64 : .i386)
    }

    /// Reads a row of the debugger's list of modules (`module_print_info` of `programs/winedbg/info.c`): kind, range,
    /// debug information, name.
    ///
    ///     PE	  400000- 3985000	Export          harbour
    ///     ELF	7b400000-7b7f0000	Dwarf           kernel32<elf>             kernel32.dll.so
    ///       \-PE	7b410000-7b7f0000	\               kernel32                the PE module inside of it
    ///     PE-Wine	7ffd0000-7ffe0000	Deferred        ntdll
    private static func module(_ row: Span<UInt8>) -> BinaryImage? {
        var rest = row
        rest.skipBlanks()
        let isInner = rest.consume("\\-")
        let kind = rest.readToken()
        guard kind.equals("ELF") || kind.equals("PE") || kind.hasPrefix("PE-") || kind.equals("Mach-O") else { return nil }
        rest.skipBlanks()
        guard let start = rest.readHexadecimal(), rest.consume("-") else { return nil }
        rest.skipBlanks()
        guard let end = rest.readHexadecimal(), start < end, rest.at(0).map(isBlank) ?? false else { return nil }
        rest.skipBlanks()
        // The debug information: `Dwarf`, `Export`, `Deferred`, `DIA`, `--none--`, `\`.
        guard rest.readToken().count > 0, rest.trimmed().count > 0 else { return nil }
        var image = BinaryImage(name: rest.trimmed().text, base: RuntimeAddress(start), size: end - start)
        // The symbols of an inner module are in the ELF file around it.
        image.isPlaceholder = isInner || kind.equals("Mach-O")
        image.isNamedWithoutEnding = kind.hasPrefix("PE")
        return image
    }

    /// Reads a row. `=>` marks the frame that the debugger shows. This package marks inlined calls with ` [inlined]`
    /// before ` in `.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        guard rest.consume("=>") || rest.at(0).map(isBlank) == true else { return nil }
        rest.skipBlanks()
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.consume(" ") else { return nil }
        var row = StackRow(number: number, style: .bare, in: 0..<line.count)
        let start = line.count - rest.count
        // A call of a null pointer: `=>0 0000000000000000 (0x0000000021fc30)`, since zero has no `0x` in 64 bits.
        row.address = rest.readAddress() ?? rest.readHexadecimal().flatMap { $0 == 0 ? 0 : nil }
        let end = line.count - rest.count
        row.addressRange = start..<end
        guard row.address != nil, rest.at(0).map(isBlank) == true else { return nil }
        guard let mark = rest.lastRange(of: " in ") else { return row.address == 0 && rest.hasPrefix(" (0x") ? row : nil }
        readSymbol(&row, line, end..<end + mark.lowerBound)
        // `harbour (+0x34e0040) (0x0033fed8)`, `libc.so.6 (+0x27249)`
        rest = rest.from(mark.upperBound)
        rest.skipBlanks()
        let module = line.count - rest.count
        row.module = module..<module + rest.readToken().count
        rest.skipBlanks()
        if rest.consume("(+") { row.moduleOffset = rest.readAddress() }
        return row
    }

    /// Reads the function: `moor+0x1d(rope=0x11) [/src/wine/moor.c:12]`.
    private static func readSymbol(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        var remaining = range.trimmed(in: line)
        if line.clamped(to: remaining).hasSuffix(" [inlined]") {
            row.isInlined = true
            remaining = remaining.lowerBound..<remaining.upperBound - " [inlined]".utf8.count
        }
        remaining = row.readTrailingLocation(.brackets, in: line, remaining)
        let text = line.clamped(to: remaining)
        var length = text.count
        if let plus = text.firstRange(of: "+0x") {
            row.symbol.offset = text.from(plus.upperBound).leadingHexadecimal
            length = plus.lowerBound
        } else if let open = text.firstIndex(of: UInt8(ascii: "(")), open > 0 {
            length = open
        }
        if length > 0 { row.symbol.name = remaining.lowerBound..<remaining.lowerBound + length }
    }

    /// Writes the name after the address, and the source location in brackets, as the debugger prints them; inlined
    /// calls are rows above.
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(text), let start = row.addressRange?.upperBound, let module = row.module else { return nil }
        return RowResult(
            range: start..<module.lowerBound - " in ".utf8.count,
            functions: result.functions.map { function in
                let offset = function.isInlined ? "" : function.offset.map { "+0x" + hexadecimal($0, digits: 0) } ?? ""
                let location = function.location.map { " [" + SourceLocationText.text($0) + "]" } ?? ""
                return " " + PlainText.line(function.name) + offset + location + (function.isInlined ? " [inlined]" : "")
            })
    }

    /// Marks inlined calls: rows with numbers of their own, at the address of the row that they were inlined into. Calls of a recursive
    /// function return to one address, too, and have one name.
    private static func joinInlined(_ stack: inout ThreadTrace) {
        var first = 0
        while first < stack.frames.count {
            var last = first
            while last + 1 < stack.frames.count, isInlined(stack.frames[last], into: stack.frames[last + 1]) {
                stack.frames[last].isInlined = true
                last += 1
            }
            stack.frames[last].kind = stack.frames[first].kind
            first = last + 1
        }
    }

    private static func isInlined(_ frame: Frame, into next: Frame) -> Bool {
        guard let name = frame.printed?.name, let other = next.printed?.name else { return false }
        return frame.address == next.address && frame.imageName == next.imageName && name != other
    }

    /// Assigns frames to images by their addresses. A PE module inside an ELF module is listed after it, with a range
    /// inside the ELF module's; the offset in the row counts from the inner PE module.
    static func assignImages(in report: inout CrashReport) {
        report.platform = "Wine"
        report.changeStacks(joinInlined)
        report.images.removeAll { $0.base == nil }
        for index in report.images.indices where !report.images[index].isPlaceholder {
            report.images[index].architecture = report.architecture
        }
        let (images, sorted) = (report.images, SortedImages(report.images))
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let image = stack.frames[index].address.flatMap({ sorted.index(containing: $0) }) else { continue }
                stack.frames[index].image = image
                // A row counts from the module of Windows, also in an ELF file.
                if !images[image].isNamedWithoutEnding || stack.frames[index].imageOffset == nil { stack.frames[index].imageLocation = nil }
            }
        }
    }
}
