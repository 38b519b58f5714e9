internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of a kernel's report while it is read: those of processors and tasks, and those with
/// another meaning (where memory was allocated, which locks are held).
struct KernelStacks {
    private(set) var threads: [ThreadTrace] = []
    private(set) var others: [ThreadTrace] = []
    /// The build IDs that rows print for modules.
    private(set) var moduleIDs: [String: ImageID] = [:]

    private enum Current {
        case none
        case thread
        case other
    }
    private var current = Current.none
    /// Whether the last thread has more than the line of its program counter.
    private var hasRows = false
    /// Locations in the program counters' lines, to recognise them when they are repeated.
    private var counters: Set<CodeLocation> = []
    /// The last one of `counters`.
    private var lastCounter: CodeLocation?

    /// Inlined calls that a script has written above the program counter's line.
    private var inlinedCounters: [(row: KernelRow, range: Range<Int>)] = []

    /// A code location as rows give it: symbol and offset, or an address.
    private struct CodeLocation: Hashable {
        var name: String?
        var value: UInt64

        init?(_ row: KernelRow) {
            if let symbol = row.symbol {
                (name, value) = (symbol.name, symbol.offset)
            } else if let address = row.address {
                value = address
            } else {
                return nil
            }
        }
    }

    static let kernelName = "vmlinux"

    var isOpen: Bool { current != .none }
    var isEmpty: Bool { threads.isEmpty && others.isEmpty }
    var frameCount: Int { threads.reduce(0) { $0 + $1.frames.count } + others.reduce(0) { $0 + $1.frames.count } }
    /// Whether there is a stack, and not only a program counter.
    var hasStack: Bool { hasRows || threads.count > 1 || !others.isEmpty }

    /// `Call Trace:`: the rows of the thread whose program counter came before, or another
    /// thread's.
    mutating func openThread(named name: String?) {
        if threads.isEmpty || hasRows { addThread() }
        if let name, let last = threads.indices.last, threads[last].name == nil { threads[last].name = name }
        current = .thread
        isListOfLocks = false
    }

    /// Whether the last stack is a list of locks, which may continue.
    private(set) var isListOfLocks = false

    mutating func openLocks(named name: String?) {
        openOther(named: name)
        isListOfLocks = true
    }

    mutating func openOther(named name: String?) {
        isListOfLocks = false
        guard others.count < Limits.standard.threads else { return }
        others.append(ThreadTrace(index: others.count, name: name))
        current = .other
    }

    mutating func close() {
        current = .none
        isListOfLocks = false
    }

    private mutating func addThread() {
        guard threads.count < Limits.standard.threads else { return }
        threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty))
        hasRows = false
    }

    /// The line of a program counter. x86 repeats it at the report's end.
    mutating func add(counter row: KernelRow, at range: Range<Int>) {
        guard !row.tail.isInlined else {
            if inlinedCounters.count < 512 { inlinedCounters.append((row, range)) }
            return
        }
        defer { inlinedCounters = [] }
        guard let found = CodeLocation(row), counters.insert(found).inserted else { return }
        lastCounter = found
        if current != .thread || threads.isEmpty {
            if threads.isEmpty || hasRows { addThread() }
            current = .thread
        }
        guard let last = threads.indices.last else { return }
        for (row, range) in inlinedCounters { append(frame(row, at: range, kind: .programCounter), row, toThread: true) }
        // i386 and arm print address and symbol on two lines, ppc the address on both.
        if !hasRows, row.symbol != nil, let only = threads[last].frames.last, row.address == nil || row.address == only.address?.value,
            only.imageLocation == nil, !only.isInlined
        {
            threads[last].frames.removeLast()
            append(frame(row, at: range, kind: .programCounter, address: only.address), row, toThread: true)
        } else {
            append(frame(row, at: range, kind: .programCounter), row, toThread: true)
        }
    }

    /// Adds the caller from the line of the register that holds the return address, if that has a
    /// symbol and no stack follows.
    /// - Parameter isAboveRows: it is a frame although rows follow.
    mutating func add(caller row: KernelRow, at range: Range<Int>, isAboveRows: Bool) {
        // Below rows ppc prints the registers of what an interrupt or a system call interrupted.
        guard let last = threads.indices.last, isAboveRows || !hasRows, current == .thread,
            threads[last].frames.last?.kind == .programCounter
        else { return }
        caller = (last, row, range, isAboveRows)
    }

    private var caller: (thread: Int, row: KernelRow, range: Range<Int>, isAboveRows: Bool)?

    /// ppc's link register is between the program counter and the rows: `show_stack` of `arch/powerpc/kernel/process.c` walks from the
    /// frame of r1 on, where the innermost function need not have stored it. One in the function of the program counter itself may be left
    /// over from an earlier call.
    private mutating func addLinkRegister(above row: KernelRow) {
        guard let caller, caller.isAboveRows, threads.indices.last == caller.thread, let counter = threads[caller.thread].frames.last else {
            return
        }
        self.caller = nil
        guard let found = CodeLocation(caller.row), found != CodeLocation(row), counter.kind == .programCounter else { return }
        var frame = frame(caller.row, at: caller.range, kind: .returnAddress)
        if let name = caller.row.symbol?.name, case .symbol(let own) = counter.imageLocation, own.name == name { frame.isUnreliable = true }
        append(frame, caller.row, toThread: true)
    }

    /// If the log has no stack, its registers give two frames of it.
    mutating func endWithCaller() {
        guard let caller, threads.indices.contains(caller.thread), threads[caller.thread].frames.allSatisfy({ $0.kind == .programCounter })
        else { return }
        var frame = frame(caller.row, at: caller.range, kind: .returnAddress)
        frame.index = threads[caller.thread].frames.last.map { $0.index + 1 } ?? 0
        threads[caller.thread].frames.append(frame)
        self.caller = nil
    }

    mutating func add(_ row: KernelRow, at lineRange: Range<Int>) {
        if current == .none { openThread(named: nil) }
        let isOther = current == .other
        // If there is no program counter above, this is the only row of the innermost function.
        if let entry = row.entry, !isOther, threads.last?.frames.isEmpty == true, !row.tail.isInlined {
            let range = lineRange.lowerBound + entry.range.lowerBound..<lineRange.lowerBound + entry.range.upperBound
            append(Frame(index: 0, kind: .exact, address: RuntimeAddress(entry.address), range: range), row, toThread: true)
        }
        if !isOther {
            // The stack's walk begins at the program counter itself on arm64, riscv and others.
            if !hasRows, !row.isUnreliable, let last = threads.indices.last, threads[last].frames.count == 1, let found = CodeLocation(row),
                found == lastCounter
            {
                threads[last].frames.removeLast()
            }
            addLinkRegister(above: row)
            hasRows = true
        }
        append(frame(row, at: lineRange, kind: kind(of: row)), row, toThread: !isOther)
    }

    /// Rows are return addresses, as `dump_stack` and `show_stack` print them on all architectures,
    /// except
    /// - the address of the program counter, if the walk finds it again (arm64's first row; an
    ///   exception's registers that lie on the stack);
    /// - a function's very beginning: no call in a function returns there, it is where the unwinder
    ///   stopped (`ret_from_fork+0x0/0x30`, `kernel_thread_exit+0x0/0x8`) or an entry that was
    ///   named (`flush_workqueue+0x0/0xb0`), and one byte less would be another function;
    /// - s390's last breaking event, which is the address of the branch.
    private func kind(of row: KernelRow) -> Frame.Kind {
        if row.tail.isProgramCounter { return .programCounter }
        if let location = CodeLocation(row), counters.contains(location) { return .programCounter }
        if row.symbol?.offset == 0 { return .exact }
        if current == .other, others.last?.name?.hasPrefix("Last Breaking-Event-Address") == true { return .exact }
        return .returnAddress
    }

    private func frame(_ row: KernelRow, at range: Range<Int>, kind: Frame.Kind, address: RuntimeAddress? = nil) -> Frame {
        var frame = Frame(index: 0, kind: kind, address: row.address.map { RuntimeAddress($0) } ?? address, range: range)
        frame.isInlined = row.tail.isInlined
        frame.isUnreliable = row.isUnreliable
        if let symbol = row.symbol, !frame.isInlined {
            frame.imageLocation = .symbol(SymbolLocation(name: symbol.name, offset: symbol.offset, size: symbol.size))
            frame.imageName = row.tail.module.map { $0 + ".ko" } ?? KernelStacks.kernelName
        }
        if let name = row.name ?? row.symbol?.name {
            frame.printed = PrintedSymbol(name: name, offset: frame.isInlined ? nil : row.symbol?.offset, location: row.tail.location)
        }
        return frame
    }

    private mutating func append(_ frame: Frame, _ row: KernelRow, toThread: Bool) {
        if let module = row.tail.module, let id = row.tail.buildID, moduleIDs.count < Limits.standard.images {
            moduleIDs[module + ".ko"] = id
        }
        if toThread {
            if !threads.isEmpty { threads[threads.count - 1].frames.addUnnumbered(frame) }
        } else if !others.isEmpty {
            others[others.count - 1].frames.addUnnumbered(frame)
        }
    }
}
