internal import BinaryPrimitives
package import Unwinding

extension MemoryImage {
    /// A signal whose handler is on a stack, and the frame that it interrupted.
    package struct InterruptingSignal: Sendable {
        package var signal: Signal
        /// Index of the frame.
        package var frame: Int
    }

    /// Returns the signal that a handler was called for which then ended the process, by raising a signal or by `abort`.
    ///
    ///     0  __pthread_kill_implementation   SIGSEGV SI_TKILL: the signal that ended the process
    ///     1  raise
    ///     2  handler
    ///     3  __restore_rt                    its signal frame: SIGSEGV SEGV_MAPERR
    ///     4  load                            what crashed: the result
    ///     5  main
    ///
    /// A signal that is blocked while its handler runs ends the process when the handler has returned: then the stack begins
    /// with `load`, and the signal frame is somewhere below it.
    ///
    /// - Returns: `nil` if the process was not ended by a sent signal, or no handler is on the stack of the thread
    ///   for one that an instruction caused, or for the same one.
    package func interruptingSignal(of thread: Thread, _ stack: UnwoundStack) -> InterruptingSignal? {
        guard operatingSystem.kind == .linux, let last = thread.signal, last.isSent else { return nil }
        var outermostSent: InterruptingSignal?
        for index in stack.frames.indices.dropFirst() where stack.frames[index].isExact {
            guard let signal = savedSignal(atTrampoline: stack.frames[index - 1].stackPointer, thread, last) else { continue }
            let found = InterruptingSignal(signal: signal, frame: index)
            if !signal.isSent { return found }
            if signal.number == last.number { outermostSent = found }
        }
        if let outermostSent { return outermostSent }
        guard Self.faults(processor).contains(last.number), let frame = stack.frames.first else { return nil }
        for pointer in SavedSignal.frames(returningTo: frame, processor, memory) {
            if let signal = savedSignal(atTrampoline: pointer, thread, last), signal.number == last.number, !signal.isSent {
                return InterruptingSignal(signal: signal, frame: 0)
            }
        }
        return nil
    }

    /// SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV of Linux.
    static func faults(_ processor: Processor) -> Set<Int> {
        switch processor {
        case .mips, .mips64, .sparc, .sparc64: [4, 5, 10, 8, 11]
        default: [4, 5, 7, 8, 11]
        }
    }

    /// - Parameter last: the signal that ended the process.
    private func savedSignal(atTrampoline stackPointer: UInt64, _ thread: Thread, _ last: Signal) -> Signal? {
        guard let saved = SavedSignal(atTrampoline: stackPointer, processor, memory) else { return nil }
        let bytes = (0..<UInt64(32)).compactMap { memory.read(saved.information &+ $0, size: 1).map { UInt8(truncatingIfNeeded: $0) } }
        // The second number is an error's, which signals do not have.
        if bytes.count == 32, bytes[4..<8].allSatisfy({ $0 == 0 }),
            let signal = Signal(information: bytes.span.rawBytes, processor, isWide: processor.registerSize == 8, memory.byteOrder),
            signal.number == 6 || Self.faults(processor).contains(signal.number), let code = signal.code, (-8...0x80).contains(code),
            saved.trap.map({ $0.number != 14 || signal.address == nil || signal.address == $0.address }) ?? true
        {
            return signal
        }
        // Without SA_SIGINFO: a thread that sent itself the signal.
        if let raised = saved.raised, raised.thread == thread.id {
            var signal = Signal(number: raised.signal)
            signal.code = -6
            return signal
        }
        return saved.trap.flatMap { fault(number: $0.number, error: $0.error, address: $0.address, last) }
    }

    /// Returns the signal of a processor's exception (Intel's manual, volume 3, 6.15; Linux, `arch/x86/kernel/traps.c`).
    private func fault(number: UInt64, error: UInt64, address: UInt64, _ last: Signal) -> Signal? {
        var signal: Signal
        switch number {
        // A divide error; but it is also the number of a thread without any exception.
        case 0 where last.number == 8:
            signal = Signal(number: 8)
            signal.code = 1
        case 6: signal = Signal(number: 4)
        // The address is not known.
        case 13:
            signal = Signal(number: 11)
            signal.code = 0x80
        case 14:
            // A page of a file that has ended gives SIGBUS.
            let isFile = files.contains { $0.parts.contains { $0.range.contains(address) } }
            guard last.number == 11 || last.number == 7 || !isFile else { return nil }
            signal = Signal(number: last.number == 7 ? 7 : 11)
            // Bit 0: the page is there. Else it may be missing, or not accessible.
            if signal.number == 11, error & 1 == 1 { signal.code = 2 }
            if signal.number == 11, error & 1 == 0, !memory.areTogether(address, address), !isFile { signal.code = 1 }
            signal.address = address
        default: return nil
        }
        return signal
    }
}
