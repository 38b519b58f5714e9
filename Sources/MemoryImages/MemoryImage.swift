package import BinaryPrimitives
package import Unwinding

/// A process as a core file has it: its threads, what was mapped, and the memory that was saved.
package struct MemoryImage: Sendable {
    package var processor: Processor
    package var memory: Memory
    /// The one that crashed first, if one did.
    package var threads: [Thread] = []
    /// By their first addresses.
    package var files: [MappedImage] = []
    /// Files that are in the memory alone, and where they begin: the kernel's vDSO, which signal
    /// handlers return to and system calls of i386 go through.
    package var embedded: [(base: UInt64, file: MappedFile)] = []
    package var process = Process()
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
        /// As it was started, of 79 bytes at most.
        package var arguments: String?
        /// `AT_…` and values, as the kernel handed them to the program.
        package var auxiliaryVector: [UInt64: UInt64] = [:]

        package init() {}
    }
}

/// A file that is mapped, as a whole or in parts.
package struct MappedImage: Sendable {
    package struct Part: Sendable, Hashable {
        package var range: Range<UInt64>
        /// Where its bytes begin in the file.
        package var fileOffset: UInt64
        package var isExecutable: Bool

        package init(_ range: Range<UInt64>, fileOffset: UInt64, isExecutable: Bool) {
            self.range = range
            self.fileOffset = fileOffset
            self.isExecutable = isExecutable
        }
    }

    /// As the process knew it.
    package var path: String
    /// Ascending.
    package var parts: [Part]

    package init(path: String, parts: [Part]) {
        self.path = path
        self.parts = parts
    }

    /// The first byte's address.
    package var base: UInt64 { parts.first?.range.lowerBound ?? 0 }
}
