package import BinaryPrimitives
package import Unwinding

/// A process in a core file or a minidump: its threads, the mapped files, and the memory that was saved.
package struct MemoryImage: Sendable {
    package var processor: Processor
    package var memory: Memory
    /// In the order of the file; in a core, the thread that crashed is the first, if one did.
    package var threads: [Thread] = []
    /// Index of the thread that crashed, or that a dump was requested for.
    package var crashedThread: Int?
    /// Exceptions of the crash; several if threads stopped for reasons of their own.
    package var exceptions: [Exception] = []
    /// Assertion that failed in the program before it ended.
    package var assertion: Assertion?
    /// Sorted by their first addresses.
    package var files: [MappedImage] = []
    /// Address of the program's first byte, if the file has it.
    package var programBase: UInt64?
    /// Files that are only in memory, and their addresses: the kernel's vDSO, which signal handlers return to
    /// and system calls of i386 go through.
    package var embedded: [(base: UInt64, file: MappedFile)] = []
    package var process = Process()
    package var operatingSystem = OperatingSystem()
    /// Time when it was written, in seconds since 1970.
    package var time: UInt64?
    /// Libraries that were unloaded before it was written.
    package var unloaded: [UnloadedImage] = []
    /// Values that the program recorded about itself.
    package var annotations: [Annotation] = []
    /// Pages that may not be touched, such as those below a stack.
    package var guards: [Range<UInt64>] = []
    /// The bits of an instruction's address that a signature may be in (arm64).
    package var codeMask: UInt64?
    /// Recoverable problems, one sentence each.
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
        /// The address whose access was refused (`si_addr`).
        package var address: UInt64?

        package init(number: Int) { self.number = number }
    }

    package struct Process: Sendable, Hashable {
        package var id: UInt64?
        /// The name of its program, at most 15 bytes long.
        package var name: String?
        /// The command line; in a core at most 79 bytes.
        package var arguments: String?
        /// `AT_…` and values that the kernel passed to the program.
        package var auxiliaryVector: [UInt64: UInt64] = [:]
        /// In seconds since 1970.
        package var started: UInt64?

        package init() {}
    }
}
