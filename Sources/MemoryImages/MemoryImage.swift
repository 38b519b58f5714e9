package import BinaryPrimitives
package import Unwinding

/// A process as a core file or a minidump has it: its threads, what was mapped, and the memory that
/// was saved.
package struct MemoryImage: Sendable {
    package var processor: Processor
    package var memory: Memory
    /// In the order of the file; of a core the one that crashed is the first, if one did.
    package var threads: [Thread] = []
    /// The place of the thread that crashed, or that a dump was requested for.
    package var crashedThread: Int?
    /// What the dump says about the crash; several where threads stopped for reasons of their own.
    package var exceptions: [Exception] = []
    /// What the program said itself before it ended.
    package var assertion: Assertion?
    /// By their first addresses.
    package var files: [MappedImage] = []
    /// Where the program itself begins, if the file says it.
    package var programBase: UInt64?
    /// Files that are in the memory alone, and where they begin: the kernel's vDSO, which signal
    /// handlers return to and system calls of i386 go through.
    package var embedded: [(base: UInt64, file: MappedFile)] = []
    package var process = Process()
    package var operatingSystem = OperatingSystem()
    /// When it was written, in seconds since 1970.
    package var time: UInt64?
    /// Libraries that were unloaded before.
    package var unloaded: [UnloadedImage] = []
    /// What the program noted about itself.
    package var annotations: [Annotation] = []
    /// Pages that may not be touched, such as those below a stack.
    package var guards: [Range<UInt64>] = []
    /// The bits of an instruction's address that a signature may be in (arm64).
    package var codeMask: UInt64?
    /// Odd but recoverable things, one sentence each.
    package var notes: [String] = []

    package init(_ processor: Processor, _ memory: Memory) {
        self.processor = processor
        self.memory = memory
    }

    package struct Thread: Sendable {
        package var id: UInt64
        package var name: String?
        package var registers: Registers
        /// The signal that stopped it; `nil` for none.
        package var signal: Signal?

        package init(id: UInt64, registers: Registers) {
            self.id = id
            self.registers = registers
        }
    }

    package struct Signal: Sendable, Hashable {
        package var number: Int
        /// `si_code`.
        package var code: Int?
        /// Whose access was refused (`si_addr`).
        package var address: UInt64?

        package init(number: Int) { self.number = number }
    }

    package struct Process: Sendable, Hashable {
        package var id: UInt64?
        /// The name of its program, of 15 bytes at most.
        package var name: String?
        /// As it was started; of a core 79 bytes at most.
        package var arguments: String?
        /// `AT_…` and values, as the kernel handed them to the program.
        package var auxiliaryVector: [UInt64: UInt64] = [:]
        /// In seconds since 1970.
        package var started: UInt64?

        package init() {}
    }
}
