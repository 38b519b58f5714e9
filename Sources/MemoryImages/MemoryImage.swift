package import BinaryPrimitives
package import ObjectFiles
package import Unwinding

/// A process in a core file or a minidump: its threads, the mapped files, and the memory that was saved.
package struct MemoryImage: Sendable {
    package var processor: Processor
    /// The architecture of its files; `nil`: the processor's. MIPS n32 has files of 32 bits and registers of 64.
    package var fileArchitecture: Architecture?
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
    /// Object files in memory of code that the process compiled while it ran; their addresses are the process's.
    package var generated: [ObjectFile] = []
    /// The name of the image that has all of `generated`. Its base is 0.
    package static let generatedName = "[jit]"
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
    /// Tags of memory (arm64's MTE): four bits for each 16 bytes, the lower ones first.
    package var tags: [MemoryTags] = []
    /// Whether `memory` has every range that was mapped, as in a core, saved or not.
    package var knowsMappings = false
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
        /// The address of its thread control block (`fs` of x86-64); `nil` where that is not known.
        package var threadPointer: UInt64?

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
        /// The protection key that refused the access (`si_pkey`).
        package var protectionKey: UInt32?

        package init(number: Int) { self.number = number }
    }

    package struct Process: Sendable, Hashable {
        package var id: UInt64?
        /// The name of its program, at most 15 bytes long.
        package var name: String?
        /// The command line; one that the system cut ends in `…`.
        package var arguments: String?
        /// `AT_…` and values that the kernel passed to the program.
        package var auxiliaryVector: [UInt64: UInt64] = [:]
        /// In seconds since 1970.
        package var started: UInt64?

        package init() {}
    }

    /// Returns the files' code for the unwinder. An image without files still counts as code.
    /// - Parameter open: opens the files of one image, for the first program counter in it.
    package func modules(opening open: @escaping @Sendable (MappedImage) -> ImageFiles) -> ModuleMap {
        var modules: [UnwindModule] = []
        for file in files {
            // All parts share one image, so that its tables are read once.
            let tables = LazyValue { () -> (files: ImageFiles, tables: UnwindTables)? in
                let files = open(file)
                return files.isEmpty ? nil : (files, UnwindTables(files.objects, breakpad: files.breakpad))
            }
            // Headers and data are not code; if it is not known which parts may be executed, all may.
            for part in file.parts where part.isExecutable || !file.isCodeKnown {
                modules.append(
                    UnwindModule(part.range, base: file.base) {
                        guard let (files, tables) = tables.get() else { return nil }
                        return Self.bias(of: files, file).map { UnwindModule.Image(tables, bias: $0) }
                    })
            }
        }
        for (base, file) in embedded {
            let range = base..<base &+ UInt64(file.size)
            modules.append(
                UnwindModule(range) {
                    guard let object = try? ObjectFiles.openAll(file).first else { return nil }
                    return UnwindModule.Image(UnwindTables([object]), bias: base &- object.baseAddress.value)
                })
        }
        for object in generated {
            let tables = LazyValue { UnwindTables([object], areRelocated: true) }
            for range in object.codeRanges {
                modules.append(UnwindModule(range) { UnwindModule.Image(tables.get(), bias: 0) })
            }
        }
        return ModuleMap(modules)
    }

    /// Returns the difference of an address in memory from the one in the files.
    private static func bias(of files: ImageFiles, _ image: MappedImage) -> UInt64? {
        if image.module?.hasFileOffsets != false {
            if let bias = files.objects.lazy.compactMap({ image.bias(of: $0) }).first ?? image.bias { return bias }
        }
        // A dump has the address of the image's first byte; Breakpad's files count from there.
        guard image.module != nil || files.objects.isEmpty else { return nil }
        return image.base &- (files.objects.first?.baseAddress.value ?? 0)
    }

    /// Returns each thread's stack. Once there are as many frames as a report may have, only the innermost of
    /// each further stack.
    package func stacks(_ modules: ModuleMap, limits: Limits = .standard) -> [UnwoundStack] {
        // AT_ENTRY.
        let entry = process.auxiliaryVector[9]
        let unwinder = Unwinder(
            modules, memory, processor, codeMask: codeMask, entry: entry, knowsMappings: knowsMappings,
            usesFramePointers: processor != .x86_64 || operatingSystem.kind != .windows, limits: limits)
        var left = limits.framesPerReport
        return threads.map { thread in
            let stack = unwinder.stack(from: thread.registers, maxFrames: max(1, min(left, limits.unwoundFrames)))
            left -= stack.frames.count
            return stack
        }
    }
}

/// The tags of a range of memory, in a segment of a core (Linux, `Documentation/arch/arm64/memory-tagging-extension.rst`).
package struct MemoryTags: Sendable {
    let range: Range<UInt64>
    let file: MappedFile
    let contents: Range<Int>

    /// The tag of the 16 bytes around an address.
    package func tag(at address: UInt64) -> UInt8? {
        guard range.contains(address) else { return nil }
        let granule = (address - range.lowerBound) / 16
        let (index, isUpper) = (contents.lowerBound + Int(granule / 2), granule & 1 == 1)
        guard index < contents.upperBound else { return nil }
        let byte = file.withBytes { $0.byte(at: index) }
        return isUpper ? byte >> 4 : byte & 0xf
    }
}

/// The files that were found for one image: its binary, its debug file, or both; and its Breakpad file.
package struct ImageFiles: Sendable {
    package var objects: [ObjectFile]
    package var breakpad: BreakpadFrames?

    package init(_ objects: [ObjectFile] = [], breakpad: BreakpadFrames? = nil) {
        self.objects = objects
        self.breakpad = breakpad
    }

    package var isEmpty: Bool { objects.isEmpty && breakpad == nil }
}
