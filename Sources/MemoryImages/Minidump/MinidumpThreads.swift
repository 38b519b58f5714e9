internal import BinaryPrimitives
internal import Unwinding

/// Reads the threads, and why they were stopped.
extension MinidumpParser {
    private var context: MinidumpContext { MinidumpContext(processor: processor, order: order) }

    /// The thread that wrote the dump, and the one that requested it (Breakpad).
    private func breakpad(_ bytes: RawSpan) -> (writer: UInt64?, requester: UInt64?) {
        guard let location = location(.breakpad), let stream = try? bytes.slice(at: location.offset, count: 12) else { return (nil, nil) }
        let valid = word(stream, 0)
        return (valid & 1 != 0 ? UInt64(word(stream, 4)) : nil, valid & 2 != 0 ? UInt64(word(stream, 8)) : nil)
    }

    mutating func readThreads(_ bytes: RawSpan) {
        let (writer, requester) = breakpad(bytes)
        let stopped = Set(exceptionLocations.map { UInt64(word(bytes.clamped(to: range($0)), 0)) })
        var names: [UInt64: String] = [:]
        forEachEntry(.threadNames, size: 12, maxCount: limits.threads, bytes, "threads' names") { parser, entry in
            let offset = parser.wide(entry, 4)
            names[UInt64(parser.word(entry, 0))] = UInt32(exactly: offset).flatMap { parser.string(bytes, at: $0) }
        }
        var withoutRegisters = 0
        forEachEntry(.threads, size: 48, maxCount: limits.threads, bytes, "threads") { parser, entry in
            let id = UInt64(parser.word(entry, 0))
            // The writer's stack belongs to the function that writes the dump.
            guard id != writer || id == requester || stopped.contains(id) else { return }
            parser.addStack(parser.address(entry, 24), parser.location(entry, at: 32))
            let context = bytes.clamped(to: parser.range(parser.location(entry, at: 40)))
            let registers = parser.context.registers(context)
            if registers == nil, !stopped.contains(id) { withoutRegisters += 1 }
            // The exception may have the registers.
            guard registers != nil || stopped.contains(id) else { return }
            var thread = MemoryImage.Thread(id: id, registers: registers ?? Registers(parser.processor, programCounter: 0, stackPointer: 0))
            thread.name = names[id]
            parser.threads.append(thread)
        }
        if withoutRegisters > 0 { notes.append("threads of the minidump without registers: \(withoutRegisters)") }
    }

    private var exceptionLocations: [Location] {
        directory.all(.exception).prefix(limits.threads).filter { range($0).count >= 40 }
    }

    /// Reads the exceptions. A thread with an exception gets the registers of its context, which are those at
    /// the crash: the thread's own are those at the time of the dump.
    mutating func readExceptions(_ bytes: RawSpan) -> [MemoryImage.Exception] {
        var exceptions: [MemoryImage.Exception] = []
        var indices: [UInt64: Int] = [:]
        for (index, thread) in threads.enumerated() { indices[thread.id] = indices[thread.id] ?? index }
        for location in exceptionLocations {
            let stream = bytes.clamped(to: range(location))
            let id = UInt64(word(stream, 0))
            let count = min(Int(word(stream, 32)), 15)
            let exception = MemoryImage.Exception(
                thread: id, code: word(stream, 8), flags: word(stream, 12), address: address(stream, 24),
                parameters: (0..<count).map { wide(stream, 40 + 8 * $0) })
            exceptions.append(exception)
            guard let index = indices[id] else { continue }
            if let registers = context.registers(bytes.clamped(to: range(self.location(stream, at: 160)))) {
                threads[index].registers = registers
            } else if threads[index].registers.programCounter == 0, threads[index].registers.stackPointer == 0 {
                notes.append("the registers of the thread that crashed are not in the minidump")
            }
            threads[index].signal = signal(exception)
        }
        let missing = directory.all(.exception).filter { $0.size > 0 }.count - exceptions.count
        if missing > 0 { notes.append("the minidump's exception is cut short") }
        return exceptions
    }

    /// On Linux an exception is a signal; Breakpad's own, for a dump on request, is no signal.
    private func signal(_ exception: MemoryImage.Exception) -> MemoryImage.Signal? {
        guard system.kind == .linux || system.kind == .android, (1...64).contains(exception.code) else { return nil }
        var signal = MemoryImage.Signal(number: Int(exception.code))
        signal.code = Int(Int32(bitPattern: exception.flags))
        // SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV have one.
        if [4, 5, 7, 8, 11].contains(exception.code) { signal.address = exception.address }
        return signal
    }

    /// The thread that crashed, else the one that a dump was requested for.
    mutating func crashedThread(_ bytes: RawSpan, _ exceptions: [MemoryImage.Exception]) -> Int? {
        let id = exceptions.first?.thread ?? breakpad(bytes).requester
        guard let id else { return nil }
        if let index = threads.firstIndex(where: { $0.id == id }) { return index }
        if exceptions.first != nil { notes.append("the thread that crashed, \(id), is not in the minidump") }
        return nil
    }

    /// Adds a thread's stack: some writers store it nowhere else.
    private mutating func addStack(_ address: UInt64, _ location: Location) { addMemory(address, location) }
}
