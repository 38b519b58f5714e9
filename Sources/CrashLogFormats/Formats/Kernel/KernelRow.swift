internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a kernel's stack, in the forms of all its ages and architectures:
///
///     dump_stack+0x45/0x6c                                  x86 and others since 4.10
///     ? proc_do_submiturb+0x9af/0x2c30 [usbcore 1234abcd]   found on the stack, perhaps left over from before; a module and its build ID
///     [<ffffffff81b2e7d9>] dump_stack+0x45/0x6c             before
///     ([<000000000045400c>] __list_add+0x9c/0xa4)           s390: not certain
///     [c000000010f93150] [c000000008028668] .rtas_read_config+0x128/0x170 (unreliable)    ppc: stack pointer, address
///     [<c0014990>] (unwind_backtrace+0x0/0xf4) from [<c005ccb8>] (__lock_acquire+0x14f8/0x1b98)   arm: where a function is, and where it returns to
///     unwind_backtrace from show_stack+0x10/0x14            arm since 5.18
///     Function entered at [<c01f3200>] from [<c01f32a0>]    arm, where the kernel has no names (`CONFIG_KALLSYMS` is off): the same two addresses
///
/// and those that scripts have symbolicated: `dump_stack+0x45/0x6c lib/dump_stack.c:51`,
/// `__dump_stack lib/dump_stack.c:15 [inline]`, `[< inline >] …` (syzkaller's syz-symbolize),
/// `[< inlined >] outer+0x1/0x2 inner file.c:3` (kernel-sanitizers' symbolizer.py),
/// `dump_stack (lib/dump_stack.c:51 (discriminator 1)) usbcore` (scripts/decode_stacktrace.sh).
struct KernelRow {
    var address: UInt64?
    var symbol: KernelSymbol?
    /// The name that a script has written, in rows of inlined calls and in rows without offset and
    /// size.
    var name: String?
    var tail = KernelSymbolTail()
    /// `?` before the name.
    var isUnreliable = false
    /// Ranges in the row: the digits between `[<` and `>]`, and the symbol from its name to the end
    /// of its size. Also the number that the kernel prints instead of a symbol if it has no names.
    var digits: Range<Int>?
    var symbolRange: Range<Int>?
    /// `Function entered at [<c01f3200>]`: an address in the function that returns to `address`,
    /// and its range in the row.
    var entry: (address: UInt64, range: Range<Int>)?

    /// Address zero, where a function that is not there was called.
    static var null: KernelRow? {
        var row = KernelRow(Array("0x0".utf8).span, isInStack: true)
        row?.symbolRange = nil
        return row
    }

    /// - Parameter isInStack: rows come before this one, so that less is enough to recognise one: a
    ///   name with a file, a mere number.
    init?(_ row: Span<UInt8>, isInStack: Bool) {
        var rest = row
        KernelRow.skipMarkers(&rest)
        if rest.consume("Function entered at ") {
            guard readEntry(&rest, in: row) else { return nil }
            return
        }
        if rest.hasPrefix("([<") { rest = rest.from(1) }
        readUnreliableMark(&rest)
        var inlineMark = false
        var isAngled = false
        while let bracket = KernelBracket(&rest, in: row) {
            // The second of two brackets is the code's: ppc's first is the stack pointer, and x86
            // repeated the address after `RIP: 0010:`.
            address = bracket.address ?? address
            digits = bracket.digits ?? digits
            inlineMark = inlineMark || bracket.isInline
            if inlineMark { address = nil }
            isAngled = isAngled || bracket.digits != nil
            rest.skipBlanks()
            readUnreliableMark(&rest)
        }
        if let from = KernelRow.caller(rest) {
            rest = rest.from(from)
            if let bracket = KernelBracket(&rest, in: row) {
                address = bracket.address
                digits = bracket.digits
                inlineMark = bracket.isInline
                rest.skipBlanks()
            } else {
                address = nil
                digits = nil
            }
        }
        _ = rest.consume("(")
        let start = row.count - rest.count
        if let symbol = KernelSymbol(rest, needsSize: !isAngled) {
            rest = rest.from(symbol.length)
            // `WARNING: at` gives its symbol as a call, `func+0x1/0x2()`, which mails break into a
            // line of its own.
            guard rest.at(0) != UInt8(ascii: "(") else { return nil }
            self.symbol = symbol
            symbolRange = start..<start + symbol.length
            if inlineMark {
                rest.skipBlanks()
                name = rest.readToken().text
            }
            _ = rest.consume(")")
            tail = KernelSymbolTail(rest)
            tail.isInlined = tail.isInlined || inlineMark
        } else {
            // In square brackets alone many a thing is written:
            // `[dead000000000108] *pgd=0000000000000000`.
            guard address == nil || isAngled, readRowWithoutOffset(rest, start, isInStack: isInStack, inlineMark: inlineMark) else {
                return nil
            }
        }
        isUnreliable = isUnreliable || tail.isUnreliable
    }

    /// `[<c01f3200>] from [<c01f32a0>]`, and what follows it if names were looked up.
    ///
    /// The first address is where the function begins, by its frame (`c_backtrace` of
    /// `arch/arm/lib/backtrace.S` takes it from the saved pc), or the pc in it, by its unwind
    /// tables (`unwind_backtrace` of `arch/arm/kernel/unwind.c`); the second is where it returns to
    /// (`dump_backtrace_entry` of `arch/arm/kernel/traps.c`).
    private mutating func readEntry(_ rest: inout Span<UInt8>, in row: Span<UInt8>) -> Bool {
        let start = row.count - rest.count
        guard let callee = KernelBracket(&rest, in: row), let address = callee.address, rest.consume("from "),
            let caller = KernelBracket(&rest, in: row)
        else { return false }
        entry = (address, start..<start + "[<".utf8.count + (callee.digits?.count ?? 0) + ">]".utf8.count)
        self.address = caller.address
        digits = caller.digits
        let end = row.count - rest.count
        symbolRange = end..<end
        if caller.isInline { return readInlinedCall(rest, end, inlineMark: true) }
        guard let symbol = KernelSymbol(rest, needsSize: false) else { return rest.count == 0 }
        self.symbol = symbol
        symbolRange = end..<end + symbol.length
        tail = KernelSymbolTail(rest.from(symbol.length))
        return true
    }

    /// Reads rows without offset and size.
    private mutating func readRowWithoutOffset(_ text: Span<UInt8>, _ start: Int, isInStack: Bool, inlineMark: Bool) -> Bool {
        var rest = text
        if let value = rest.readAddress(), !inlineMark {
            guard address != nil || isInStack else { return false }
            symbolRange = start..<start + text.count - rest.count
            _ = rest.consume(")")
            address = address ?? value
            return rest.trimmed().count == 0
        }
        guard address != nil || inlineMark || isInStack else { return false }
        if readInlinedCall(text, start, inlineMark: inlineMark) { return true }
        rest = text
        let token = rest.readToken()
        rest.skipBlanks()
        guard token.count > 0, !inlineMark, rest.consume("("), let location = KernelSymbolTail.location(rest.readToken()) else {
            // The token is in the position of the name; another register may follow an address
            // (`EIP: 0060:[<f8e40765>] EFLAGS: 00210246`).
            if token.count > 1, !token.hasSuffix(":"), !token.hasSuffix("null)") {
                name = token.upTo(token.hasSuffix(")") ? token.count - 1 : token.count).text
            }
            return address != nil
        }
        // decode_stacktrace.sh: `name (file:line)`, several locations of inlined calls after one
        // another, followed by the module.
        tail.location = location
        name = token.text
        symbolRange = start..<start + token.count
        return true
    }

    /// Reads `name file:line [inline]`, or the name and the location after the mark in front: the
    /// name may contain blanks.
    private mutating func readInlinedCall(_ text: Span<UInt8>, _ start: Int, inlineMark: Bool) -> Bool {
        guard inlineMark || text.contains(" [inline]") else { return false }
        var rest = text
        while rest.count > 0 {
            let end = text.count - rest.count
            rest.skipBlanks()
            let token = rest
            guard let location = KernelSymbolTail.location(rest.readToken()), end > 0 else { continue }
            tail = KernelSymbolTail(token)
            guard inlineMark || tail.isInlined else { return false }
            (tail.isInlined, tail.location) = (true, location)
            name = text.upTo(end).text
            symbolRange = start..<start + end
            return true
        }
        return false
    }

    private mutating func readUnreliableMark(_ rest: inout Span<UInt8>) {
        guard rest.consume("? ") else { return }
        isUnreliable = true
        rest.skipBlanks()
    }

    /// Offset of arm's caller, after ` from `. Only the name and the entry of the function before
    /// it are printed.
    private static func caller(_ text: Span<UInt8>) -> Int? {
        guard let from = text.firstRange(of: " from "), from.lowerBound <= 256 else { return nil }
        let callee = text.upTo(from.lowerBound)
        for index in 0..<callee.count where isBlank(callee[index]) && !callee.hasPrefix("(") { return nil }
        return from.upperBound
    }

    /// `<IRQ>`, `</TASK>`, `<<EOE>>`, `<#DF>`: which of a processor's stacks follows; and a time
    /// inside the line, where a message went on.
    private static func skipMarkers(_ rest: inout Span<UInt8>) {
        while true {
            rest.skipBlanks()
            var next = rest
            if next.consume("<") {
                _ = next.consume("<") || next.consume("/")
                guard let first = next.at(0), first == UInt8(ascii: "#") || first &- UInt8(ascii: "A") < 26,
                    let close = next.upTo(32).firstIndex(of: UInt8(ascii: ">"))
                else { return }
                rest = next.from(close + 1)
                _ = rest.consume(">")
            } else if next.consume("[") {
                next.skipBlanks()
                guard next.readDecimal() != nil, next.consume("."), next.readDecimal() != nil, next.consume("]") else { return }
                rest = next
            } else {
                return
            }
        }
    }
}

/// `[<ffffffff81b2e7d9>]`, `[c000000008028668]`, `[<     inline     >]`, `[<          (null)>]`.
private struct KernelBracket {
    var address: UInt64?
    var digits: Range<Int>?
    var isInline = false

    init?(_ rest: inout Span<UInt8>, in row: Span<UInt8>) {
        var next = rest
        guard next.consume("[") else { return nil }
        let hasAngle = next.consume("<")
        guard let close = next.upTo(40).firstIndex(of: hasAngle ? UInt8(ascii: ">") : UInt8(ascii: "]")) else { return nil }
        let start = row.count - next.count
        let content = next.upTo(close)
        var inside = content.trimmed()
        next = next.from(close + 1)
        if hasAngle {
            guard next.consume("]") else { return nil }
            if inside.equals("inline") || inside.equals("inlined") {
                isInline = true
            } else if inside.equals("(null)") {
                address = 0
            } else if inside.equals("0") {
                // `/proc/PID/stack` and hung tasks' stacks since 4.15 hide the address: `[<0>] do_wait+0x1c/0x40`.
                address = nil
            } else {
                _ = inside.consume("0x")
                guard let value = inside.readHexadecimal(), inside.count == 0 else { return nil }
                address = value
            }
        } else {
            guard content.count == 16 || content.count == 8, let value = inside.readHexadecimal(), inside.count == 0 else { return nil }
            address = value
        }
        if hasAngle, address != nil { digits = start..<start + close }
        rest = next
        rest.skipBlanks()
    }
}
