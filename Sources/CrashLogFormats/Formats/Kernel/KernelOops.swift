internal import BinaryPrimitives
package import CrashLogModel

/// Reports of the Linux kernel: oopses, panics, warnings, reports of KASAN, KCSAN, KMSAN, KFENCE,
/// UBSAN and kmemleak, lockdep's, stalls and hung tasks, of all ages and architectures.
///
///     [  292.658378] kernel BUG at ./include/linux/skbuff.h:2069!
///     [  292.664014] invalid opcode: 0000 [#1] SMP KASAN
///     [  292.679059] CPU: 1 PID: 22157 Comm: syz-executor5 Not tainted 4.14.0+ #129
///     [  292.701436] RIP: 0010:skb_pull+0xd5/0xf0
///     [  292.913387] Call Trace:
///     [  292.944692]  esp6_gro_receive+0xb4/0xbe0 [esp6]
///     [  293.242035] ---[ end trace d2d6da9d918cb453 ]---
///
/// Written by `lib/dump_stack.c`, `kernel/panic.c`, `arch/*/kernel/{traps,dumpstack,process}.c`,
/// `mm/kasan/report.c`, `kernel/locking/lockdep.c` and others.
package struct KernelOops: LineFormat {
    package static let name = "kernel-oops"
    package static let summary = "the Linux kernel: oopses, panics, warnings, KASAN and its family, lockdep, stalls"
    package static let triggers =
        KernelHeading.triggers + KernelStatus.triggers + ["Call Trace:", "Call trace:", "INFO: Allocated in ", "INFO: Freed in "]
        + KernelOops.fragmentTriggers

    private var cause: CrashCause?
    private var isCertain = false
    private var stacks = KernelStacks()
    private var registers = KernelRegisters()
    private var first: KernelStatus?
    /// The task that the next `Call Trace:` is of.
    private var task: String?
    private var release: String?
    private var hardware: String?
    private var modules = KernelModules()
    /// Shown by a line that only one architecture writes.
    private var machine: Architecture?
    /// The first line was a row. `nil` before.
    private var isFragment: Bool?
    /// The first row is only a name and an offset in it.
    private var isPlainFragment = false
    /// The rows are a sanitizer's: the kernel is a library in a program (LKL), and what follows is
    /// that program's report.
    private var isForeign = false
    /// A line that ends with a colon may be the heading of a stack.
    private var heading: String?
    /// Lines since the report's end, `---[ end trace …`.
    private var linesAfterEnd: Int?
    /// A panic may follow an oops; it comes at once.
    private static let maxUnrecognizedLines = 16

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if let heading = KernelHeading(line) { return heading.isCertain ? .certain : .possible }
        if let status = KernelStatus(line), status.command != nil, status.release != nil { return .certain }
        let text = line.trimmed()
        if text.hasPrefix("INFO: Allocated in ") || text.hasPrefix("INFO: Freed in ") { return text.contains("+0x") ? .possible : .none }
        if isTraceHeading(text), line.contains("Call ") { return .possible }
        if isFragmentRow(line) { return .possible }
        return plainRow(line)
    }

    /// Rows of which two together are a stack without its head: arm's, with two functions, and mips' and ppc's registers; and those of
    /// which three are one, `name+0x79/0x90`.
    private static let fragmentTriggers = [") from [<", "Function entered at [<", "epc   : ", "NIP [", "/0x"]

    private static func isFragmentRow(_ line: Span<UInt8>) -> Bool {
        if let counter = KernelProgramCounter(line) {
            return counter.row != nil && (counter.architecture != nil || line.from(line.indent).hasPrefix("NIP ["))
        }
        guard line.contains(") from [<") || line.contains("Function entered at [<") else { return false }
        return KernelRow(line, isInStack: false)?.address != nil
    }

    /// Whether the line is nothing but a row as most processors' kernels print it: `? srso_alias_return_thunk+0x5/0xfbef5`, also behind
    /// its address. Without its one blank (`show_trace_log_lvl`), an address or a module, the row may be part of a hand-written list.
    private static func plainRow(_ line: Span<UInt8>) -> Confidence {
        var rest = line.trimmed()
        let count = rest.count
        // `[<0>]`, `[<ffffffff81b2e7d9>]`, `[c000003fdc18bd40] [c000000000150aec]`
        for _ in 0..<2 where rest.consume("[") {
            let isAngled = rest.consume("<")
            guard rest.readHexadecimal() != nil, rest.consume(isAngled ? ">] " : "] ") else { return .none }
            rest.skipBlanks()
        }
        if rest.consume("? ") { rest.skipBlanks() }
        let isMarked = rest.count < count || line.indent == 1
        guard let symbol = KernelSymbol(rest), let size = symbol.size, size >= symbol.offset else { return .none }
        rest = rest.from(symbol.length).trimmed()
        if rest.count == 0 || rest.equals("(unreliable)") { return isMarked ? .possible : .weak }
        return rest.hasPrefix("[") && rest.hasSuffix("]") && KernelSymbolTail(rest).module != nil ? .possible : .none
    }

    private static func isTraceHeading(_ text: Span<UInt8>) -> Bool {
        text.equals("Call Trace:") || text.equals("Call trace:") || text.equals("stack backtrace:") || text.equals("Backtrace:")
            || text.equals("backtrace:")
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        guard text.count > 0 else { return .unknown }
        if isFragment == nil {
            isPlainFragment = KernelOops.plainRow(line) != .none
            isFragment = isPlainFragment || KernelOops.isFragmentRow(line)
        }
        if let heading = KernelHeading(line) { return isFragment == true ? .rejected : read(heading) }
        if let count = linesAfterEnd {
            if KernelOops.begins(line) != .none || count >= KernelOops.maxUnrecognizedLines { return .rejected }
            linesAfterEnd = count + 1
            return .unknown
        }
        if readFrame(line, at: range) { return .more }
        if text.equals("Linux Kernel Library Stack Trace:") { isForeign = true }
        if text.hasPrefix("---[ end ") {
            stacks.close()
            linesAfterEnd = 0
            return .more
        }
        if modules.read(line) || readKnownLine(text) || registers.read(line) {
            heading = nil
            return .more
        }
        noteHeading(text)
        return .unknown
    }

    private mutating func read(_ found: KernelHeading) -> LineVerdict {
        heading = nil
        switch found.rank {
        case .report, .mark: if !stacks.isEmpty || linesAfterEnd != nil { return .rejected }
        case .exception: if stacks.hasStack || linesAfterEnd != nil { return .rejected }
        case .panic:
            // After stacks that were requested (sysrq's), it is not about them.
            if cause == nil, !stacks.isEmpty { return .rejected }
            linesAfterEnd = nil
            stacks.close()
            if !stacks.isEmpty { task = found.type + " - " + found.message }
        }
        guard found.rank != .mark else { return .more }
        isCertain = isCertain || found.isCertain
        // `Internal error: Oops: 17 [#1] SMP ARM` (`S_ISA` of `arch/arm/kernel/traps.c`)
        if found.message.hasSuffix(" ARM") || found.message.hasSuffix(" THUMB2") { machine = machine ?? .arm }
        if cause == nil {
            var reason = CrashCause(kind: .other)
            reason.type = found.type
            reason.message = found.message.isEmpty ? nil : found.message
            reason.codes = found.count
            cause = reason
        } else if found.rank == .exception, cause?.codes == nil {
            cause?.codes = found.count ?? found.message
        }
        noteAddress(found.message)
        return .more
    }

    // MARK: Frames

    private mutating func readFrame(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        if let counter = KernelProgramCounter(line) {
            // A user's program was in a system call: its counter is not the kernel's.
            machine = machine ?? counter.architecture
            guard let row = counter.row else { return true }
            heading = nil
            stacks.add(counter: row, at: range.lowerBound + counter.start..<range.upperBound)
            return true
        }
        if let caller = KernelProgramCounter(caller: line) {
            guard let row = caller.row else { return true }
            let isLinkRegister = line.from(line.indent).hasPrefix("LR ")
            stacks.add(caller: row, at: range.lowerBound + caller.start..<range.upperBound, isAboveRows: isLinkRegister)
            return true
        }
        if KernelOops.isTraceHeading(line.trimmed()) {
            stacks.openThread(named: task)
            (task, heading) = (nil, nil)
            return true
        }
        if let row = KernelRow(line, isInStack: stacks.isOpen || heading != nil) {
            if let name = heading {
                stacks.openOther(named: name)
                heading = nil
            }
            if row.entry != nil { machine = machine ?? .arm }
            stacks.add(row, at: range)
            return true
        }
        // Lockdep: `#0: (&hdl->lock){+.+...}, at: [<ffffffffa02919ba>] find_ref_lock+0x24/0x46
        // [videodev]`
        guard let at = line.firstRange(of: " at: ") ?? line.firstRange(of: "): [<"), line.contains("+0x") || line.contains("inline") else {
            return false
        }
        let start = line.at(at.upperBound - 1) == UInt8(ascii: "<") ? at.upperBound - 2 : at.upperBound
        guard let row = KernelRow(line.from(start), isInStack: line.contains(" [inline]")) else { return false }
        let isNumbered = line.trimmed().at(0) == UInt8(ascii: "#")
        if let name = heading {
            stacks.openLocks(named: name)
            heading = nil
        } else if !(isNumbered && stacks.isListOfLocks) {
            stacks.openLocks(named: line.upTo(at.lowerBound).trimmed().text)
        }
        stacks.add(row, at: range.lowerBound + start..<range.upperBound)
        return true
    }

    /// `Allocated by task 3789:`, `-> #1 (reg_mutex){+.+.+.}:`, `INFO: Freed in
    /// hotkey_exit+0x50/0xb0 [thinkpad_acpi] age=14 cpu=1 pid=1333`
    private mutating func noteHeading(_ text: Span<UInt8>) {
        let isHeading = text.hasSuffix(":") || text.hasPrefix("INFO: Allocated in ") || text.hasPrefix("INFO: Freed in ")
        heading = isHeading && text.count <= 512 ? text.text : nil
    }

    // MARK: Other content

    private mutating func readKnownLine(_ text: Span<UInt8>) -> Bool {
        if let status = KernelStatus(text) {
            if first == nil {
                first = status
            } else if stacks.hasStack, task == nil, let command = status.command {
                task = command + (status.pid.map { " [\($0)]" } ?? "")
            }
            if first?.command == nil {
                first?.command = status.command
                first?.pid = status.pid
            }
            if first?.release == nil { first?.release = status.release }
            return true
        }
        if release == nil, let found = KernelStatus.bareRelease(text) {
            release = found
            return true
        }
        var rest = text
        if rest.consume("Hardware name: ") {
            hardware = hardware ?? rest.text
            return true
        }
        if rest.hasPrefix("Read of size ") || rest.hasPrefix("Write of size ") {
            noteAddress(rest.text)
            return true
        }
        if rest.hasPrefix("INFO: task ") { return false }
        // `__show_regs` of `arch/arm/kernel/process.c`:
        // `Flags: nzCv IRQs on FIQs on Mode USER_32 ISA Thumb Segment user`
        if rest.hasPrefix("Flags: "), rest.contains("  ISA ") {
            machine = machine ?? .arm
            return true
        }
        return ["Code: ", "PGD ", "CR2: ", "Stack:", "Kernel Offset: ", "Rebooting in ", "=====", "Workqueue: ", "Krnl Code: ", "Oops: "]
            .contains { text.hasPrefix($0) }
    }

    /// The address that was read or written: `… at 000000000000001a`,
    /// `… address: 0000000000000008`, `… at virtual address dead000000000108`,
    /// `… at addr ffff88003a6bd110`.
    private mutating func noteAddress(_ message: String) {
        guard cause != nil, cause?.address == nil else { return }
        let bytes = Array(message.utf8)
        let text = bytes.span
        for mark in [" at addr ", " virtual address ", ", address: ", "for address: ", " on address ", "dereference at ", "request at "] {
            guard let found = text.firstRange(of: mark) else { continue }
            var rest = text.from(found.upperBound)
            _ = rest.consume("0x")
            guard let value = rest.readHexadecimal(), rest.at(0).map({ isBlank($0) || $0 == UInt8(ascii: ",") }) ?? true else { continue }
            cause?.address = RuntimeAddress(value)
            return
        }
    }

    private static let hasNoTrace: Set<String> = ["KCSAN", "KFENCE", "KMSAN", "KASAN", "slab", ""]

    package mutating func finish() -> [CrashReport] {
        stacks.endWithCaller()
        guard !isForeign, !stacks.isEmpty || (isCertain && cause != nil),
            isFragment != true || stacks.frameCount > (isPlainFragment ? 2 : 1)
        else { return [] }
        var report = CrashReport(format: KernelOops.name)
        report.process.name = first?.command
        report.process.pid = first?.pid
        report.cause = cause ?? CrashCause(kind: .other)
        report.cause?.type = cause?.type ?? "call trace"
        let release = first?.release ?? release
        report.platform = release.map { "Linux " + $0 + (hardware.map { " on " + $0 } ?? "") } ?? hardware.map { "Linux on " + $0 }
        report.architecture = machine ?? registers.architecture ?? release.flatMap(KernelStatus.architecture)
        (report.threads, report.additionalBacktraces) = (stacks.threads, stacks.others)
        // Reports of accesses alone (KCSAN, the slab allocator) have no `Call Trace:`; the first
        // stack is what they are about.
        if report.threads.isEmpty, !report.additionalBacktraces.isEmpty, KernelOops.hasNoTrace.contains(cause?.type ?? "") {
            report.threads = [report.additionalBacktraces.removeFirst()]
            report.threads[0].crashed = true
        }
        for index in report.threads.indices { report.threads[index].index = index }
        if !report.threads.isEmpty, !registers.values.isEmpty { report.threads[0].registers = RegisterState(values: registers.values) }
        report.changeStacks { $0.setInlinedCallAddresses() }
        modules.assignImages(to: &report, kernelID: first?.buildID, ids: stacks.moduleIDs)
        return [report]
    }

    /// A row gets file and line after its symbol, and inlined calls become rows above it. syzkaller
    /// writes them so (`symbolizeLine` of its `pkg/report/linux.go`), in the form in which reports
    /// are sent to kernel lists:
    ///
    ///     __dump_stack lib/dump_stack.c:15 [inline]
    ///     dump_stack+0x194/0x257 lib/dump_stack.c:51
    ///
    /// and with an address in front `[< inline >] __dump_stack lib/dump_stack.c:15`. The kernel's
    /// own scripts/decode_stacktrace.sh would remove offset and size, without which the row cannot
    /// be looked up again.
    ///
    /// If the kernel has no names (`CONFIG_KALLSYMS` is off), the number is replaced by the text
    /// that it would have printed, without the size:
    /// `[<c0014990>] unwind_backtrace+0x10 arch/arm/…`.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = KernelRow(log.clamped(to: frame.range), isInStack: true), row.tail.location == nil,
            let change = symbolChange(of: row, frame, result)
        else { return nil }
        let line = LogLine(around: frame.range, in: log)
        let symbol = frame.range.lowerBound + change.range.lowerBound..<frame.range.lowerBound + change.range.upperBound
        var rows: [UInt8] = []
        for function in result.functions.dropLast() {
            // The line up to the symbol, with `inline` instead of an address's digits.
            if let digits = row.digits {
                rows += log.clamped(to: line.range.lowerBound..<frame.range.lowerBound + digits.lowerBound).copied()
                rows += Array("     inline     ".utf8)
                rows += log.clamped(to: frame.range.lowerBound + digits.upperBound..<symbol.lowerBound).copied()
            } else {
                rows += log.clamped(to: line.range.lowerBound..<symbol.lowerBound).copied()
            }
            if symbol.isEmpty { rows.append(UInt8(ascii: " ")) }
            rows += Array((PlainText.line(function.name) + KernelSourcePath.text(function.location)).utf8)
            if row.digits == nil { rows += Array(" [inline]".utf8) }
            rows += log.clamped(to: symbol.upperBound..<line.range.upperBound).copied()
            rows += line.ending
        }
        // The rows above come before the whole line, its prefix included; what is edited begins
        // with the frame.
        let head = log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
        if !rows.isEmpty { rows = Array(rows.dropFirst(head.count)) + head }
        rows += log.clamped(to: frame.range.lowerBound..<symbol.lowerBound).copied()
        rows +=
            (change.text.map { Array($0.utf8) } ?? log.clamped(to: symbol).copied())
            + Array(KernelSourcePath.text(result.functions.last?.location).utf8)
        return TextEdit(range: frame.range.lowerBound..<symbol.upperBound, replacement: rows)
    }

    /// Range of the row's symbol, and its new text; the text is `nil` if the symbol stays as it is.
    /// Returns `nil` if the result adds nothing to the row.
    private static func symbolChange(of row: KernelRow, _ frame: Frame, _ result: FrameResult) -> (range: Range<Int>, text: String?)? {
        guard let range = row.symbolRange else { return nil }
        if row.symbol != nil { return result.functions.contains { $0.location != nil } ? (range, nil) : nil }
        guard row.name == nil, let function = result.functions.last, let address = frame.address else { return nil }
        let name = PlainText.line(function.name)
        let symbolText = name + "+0x" + hexadecimal(function.offset ?? 0, digits: 0)
        // The row has no text that the name could replace.
        if range.isEmpty { return (range, " " + symbolText) }
        return (range, row.digits == nil ? "[<" + hexadecimal(address.value, digits: 8) + ">] " + symbolText : symbolText)
    }
}

/// The images of a kernel's report: vmlinux, the modules that frames lie in, and those of the list.
///
///     Modules linked in: radeon(+)(U) ttm(U) drm(U) [last unloaded: scsi_wait_scan]
struct KernelModules {
    private var names: [String] = []

    /// - Returns: whether the line is the list, or its beginning.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        var rest = line.trimmed()
        guard rest.consume("Modules linked in:") else { return false }
        while names.count < 4096 {
            rest.skipBlanks()
            let token = rest.readToken()
            // Marks follow it: what taints the kernel, and whether it is being loaded.
            let name = token.upTo(token.firstIndex(of: UInt8(ascii: "(")) ?? token.count)
            guard name.count > 0, name.at(0) != UInt8(ascii: "[") else { break }
            names.append(name.text + ".ko")
        }
        return true
    }

    /// - Parameters:
    ///   - kernelID: vmlinux's.
    ///   - ids: the modules' by image name.
    func assignImages(to report: inout CrashReport, kernelID: ImageID?, ids: [String: ImageID]) {
        var images = ImageTable()
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let name = stack.frames[index].imageName else { continue }
                stack.frames[index].image = images.index(ofImageNamed: name, id: name == KernelStacks.kernelName ? kernelID : ids[name])
            }
        }
        for name in names { _ = images.index(ofImageNamed: name, id: ids[name]) }
        report.images = images.images
    }
}
