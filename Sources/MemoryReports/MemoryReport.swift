internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// A process's memory in the common model: the crash, its images, and then its stacks.
struct MemoryReport {
    private(set) var report: CrashReport
    /// Mapped ranges of the images, ascending.
    private var parts: [(range: Range<UInt64>, image: Int)] = []

    init(_ image: MemoryImage, format: String) {
        report = CrashReport(format: format)
        report.architecture = image.fileArchitecture ?? image.processor.architecture
        for note in image.notes { report.noteCut(note) }
        for file in image.files {
            let id = image.identity(of: file)
            // Fonts and tables of locales are not images.
            guard file.module != nil || file.isCodeKnown || id != nil else { continue }
            guard report.images.count < Limits.standard.images else { break }
            for part in file.parts { parts.append((part.range, report.images.count)) }
            report.images.append(Self.image(file, id: id))
        }
        for (base, file) in image.embedded {
            parts.append((base..<base &+ UInt64(file.size), report.images.count))
            report.images.append(BinaryImage(name: file.path, base: RuntimeAddress(base), size: UInt64(file.size)))
        }
        let code = image.generated.flatMap(\.codeRanges)
        if !code.isEmpty {
            for range in code { parts.append((range, report.images.count)) }
            report.images.append(BinaryImage(name: MemoryImage.generatedName, base: RuntimeAddress(0), size: 0))
        }
        parts.sort { $0.range.lowerBound < $1.range.lowerBound }
        describe(image)
    }

    private static func image(_ file: MappedImage, id: ImageID?) -> BinaryImage {
        // A file that was removed, or replaced by an update, while the process ran.
        let deleted = " (deleted)"
        let path = file.path.hasSuffix(deleted) ? String(file.path.dropLast(deleted.count)) : file.path
        var image = BinaryImage(file: path, id: id)
        // Another file may be there now, and nothing shows that it is this one.
        if id == nil, path != file.path { image.path = nil }
        image.base = RuntimeAddress(file.base)
        image.size = (file.module?.range.upperBound ?? file.parts.map(\.range.upperBound).max() ?? file.base) &- file.base
        // No timestamp is no identity.
        image.codeIdentifier = file.module?.codeIdentifier.flatMap { $0.hasPrefix("00000000") ? nil : $0 }
        if let name = file.module?.debugFile.map(Path.foreignName), name.lowercased().hasSuffix(".pdb") {
            (image.debugFile, image.debugIdentifier) = (name, file.module?.debugIdentifier)
        }
        return image
    }

    private mutating func describe(_ image: MemoryImage) {
        let process = image.process
        report.process.pid = process.id.flatMap { Int(exactly: $0) }
        report.process.name = process.name.flatMap { $0.isEmpty ? nil : $0 }
        report.process.commandLine = process.arguments.flatMap { $0.isEmpty ? nil : $0 }
        // AT_PHDR: the program's own headers are in its first pages.
        let headers = process.auxiliaryVector[3]
        let program =
            headers.flatMap { headers in image.files.first { $0.parts.contains { $0.range.contains(headers) } } }
            ?? image.files.first { $0.base == image.programBase && !Self.isLoader($0.path) }
            ?? image.files.first { image.programBase != nil && !Self.isLoader($0.path) && !$0.path.hasSuffix(".dylib") }
        if let program {
            report.process.path = program.path
            report.process.version = program.module?.version
            let name = Path.foreignName(of: program.path)
            // The system keeps fifteen bytes of the name.
            if report.process.name.map(name.hasPrefix) ?? true { report.process.name = name }
        }
        let system = image.operatingSystem
        let parts = [system.name, system.version, system.distribution ?? (system.kind == .linux ? nil : system.build)].compactMap { $0 }
        report.platform = parts.isEmpty ? nil : parts.joined(separator: " ")
        report.timestamp = image.time.flatMap { Int64(exactly: $0) }.map {
            let time = Timestamp(secondsSince1970: $0, text: "")
            return Timestamp(secondsSince1970: $0, text: time.utc ?? "")
        }
        report.cause = image.cause
        report.notes += image.accessNotes
        for annotation in image.annotations.prefix(Self.maxAnnotations) where !annotation.value.isEmpty {
            report.notes.append("annotation \(annotation.name): \(annotation.value.prefix(Self.longestAnnotation))")
        }
    }

    /// On Apple's systems the loader may be listed before the program.
    private static func isLoader(_ path: String) -> Bool { ["dyld", "dyld_sim"].contains(Path.foreignName(of: path)) }

    /// Maximum number of annotations. Crash handlers keep a few; some programs keep whole logs in them.
    private static let maxAnnotations = 64
    private static let longestAnnotation = 512

    /// Returns the index of the image that has an address in one of its parts.
    private func image(holding address: UInt64) -> Int? {
        let low = parts.partitionPoint { $0.range.lowerBound > address }
        return low > 0 && parts[low - 1].range.contains(address) ? parts[low - 1].image : nil
    }

    /// Adds an explanation from the instruction that failed.
    /// - Parameter code: returns the bytes at an address.
    mutating func explain(_ image: MemoryImage, code: (UInt64) -> [UInt8]) {
        guard let cause = report.cause, let registers = image.reportedThread.map({ image.threads[$0].registers }) else { return }
        let bytes = code(registers.programCounter & ~(registers.processor == .arm ? 1 : 0))
        report.instruction = FaultingInstruction(registers: registers, code: bytes).sentence(cause)
    }

    /// Replaces the signal that a handler raised by the one that it was called for, which is the crash.
    mutating func uncoverSignal(_ stacks: [UnwoundStack], _ image: MemoryImage) {
        guard let index = image.reportedThread, stacks.indices.contains(index), let raised = report.cause?.signal,
            let found = image.interruptingSignal(of: image.threads[index], stacks[index]), let cause = image.cause(found.signal)
        else { return }
        report.threads[index].interruptedFrame = found.frame
        report.threads[index].interruptedStackPointer = stacks[index].frames[found.frame].stackPointer
        report.cause = cause
        report.instruction = nil
        let name = cause.signal ?? ""
        report.notes.append(
            "A handler of \(name) ended the process with \(raised == name ? "the same signal" : raised). The cause is what its signal frame has."
        )
    }

    /// Adds what runtimes keep in memory about the crash: the first message to the cause, all to the notes.
    mutating func addMessages(_ stacks: [UnwoundStack], _ image: MemoryImage, _ data: ProcessData) {
        guard let index = image.reportedThread, stacks.indices.contains(index), let cause = report.cause, cause.kind == .signal else {
            return
        }
        let messages = RuntimeMessage.messages(cause, thread: image.threads[index], stack: stacks[index], data)
        if let first = messages.first, cause.message == nil {
            report.cause?.message = first.text
            report.cause?.messageSource = first.source
        }
        for message in messages { report.notes.append("Message (from \(message.source)): \(message.text)") }
        if report.cause?.message == nil, let overwritten = stacks[index].frames.first(where: \.isOverwritten) {
            let address = RuntimeAddress(overwritten.programCounter)
            report.cause?.message = "the return address on the stack is \(address): the stack was overwritten"
        }
    }

    /// Adds a note about the files that would replace a search of the stack: those of images from which the search began, because
    /// no file of them has rules.
    mutating func nameMissingRules(_ stacks: [UnwoundStack], _ image: MemoryImage, _ finder: ImageFinder) {
        var counts: [Int: Int] = [:]
        for stack in stacks {
            for (callee, caller) in zip(stack.frames, stack.frames.dropFirst()) where caller.trust == .scan {
                if let number = self.image(holding: callee.programCounter &- (callee.isExact ? 0 : 1)) { counts[number, default: 0] += 1 }
            }
        }
        let missing = counts.filter { number, _ in
            guard let base = report.images[number].base?.value, let file = image.files.first(where: { $0.base == base }) else {
                return false
            }
            let files = finder.files(of: file)
            return files.breakpad == nil && !files.objects.contains(where: \.holdsCode)
        }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !missing.isEmpty else { return }
        let count = missing.reduce(0) { $0 + $1.value }
        let names = missing.prefix(Self.maxNamed).map { number, _ in
            report.images[number].name + (report.images[number].id.map { " (\($0))" } ?? "")
        }
        let others = missing.count > Self.maxNamed ? " and \(missing.count - Self.maxNamed) more" : ""
        report.notes.append(
            "\(count) \(count == 1 ? "frame was" : "frames were") scanned, which may be wrong: no file with the unwind rules of \(names.joined(separator: ", "))\(others) was found. Give the binary, which a debug file does not replace: --symbols PATH"
        )
    }

    private static let maxNamed = 5

    /// Adds the threads.
    /// - Parameter stacks: the stacks, in the order of the image's threads.
    mutating func add(_ stacks: [UnwoundStack], _ image: MemoryImage) {
        let crashed = image.reportedThread
        for (index, (thread, stack)) in zip(image.threads, stacks).enumerated() {
            var trace = ThreadTrace(index: index)
            trace.systemID = thread.id
            trace.name = thread.name
            trace.crashed = index == crashed
            trace.registers = RegisterState(thread.registers)
            trace.frames = stack.frames.enumerated().map { position, found in
                let number = position < stack.omittedIndex ? position : position + stack.omittedCount
                var frame = Frame(
                    index: number, kind: found.isExact ? .programCounter : .returnAddress, address: RuntimeAddress(found.programCounter),
                    range: 0..<0)
                frame.image = self.image(holding: found.programCounter &- (found.isExact ? 0 : 1))
                frame.trust = found.trust
                frame.isUnreliable = found.trust == .scan
                if frame.image == nil { frame.imageName = image.nameWithoutFile(at: found.programCounter) }
                return frame
            }
            if stack.omittedCount > 0 {
                let marker = Frame(index: stack.omittedIndex, kind: .omitted(count: stack.omittedCount), address: nil, range: 0..<0)
                trace.frames.insert(marker, at: stack.omittedIndex)
                report.noteCut(
                    "Thread \(index) has \(stack.frames.count + stack.omittedCount) frames: \(stack.omittedCount) in its middle are left out."
                )
            }
            if let overwritten = stack.frames.first(where: \.isOverwritten) {
                report.notes.append(
                    "Thread \(index): the return address on the stack is \(RuntimeAddress(overwritten.programCounter)), where nothing is mapped: the stack was overwritten. The frames after it were found on the stack."
                )
            }
            trace.ending = stack.end.sentence
            report.threads.append(trace)
        }
    }
}

extension MemoryImage {
    /// The name of an address that is in no file: of a library that was unloaded, or of memory with code.
    fileprivate func nameWithoutFile(at address: UInt64) -> String? {
        if let unloaded = unloadedName(holding: address) { return unloaded }
        // A core of an emulator lists no files.
        guard knowsMappings || files.contains(where: { $0.module != nil }) else { return nil }
        return memory.startOfExecutable(holding: address).map { "<anonymous:" + String($0, radix: 16) + ">" }
    }
}

extension Processor {
    var architecture: Architecture {
        switch self {
        case .x86_64: .x86_64
        case .i386: .i386
        case .arm64: .arm64
        case .arm: .arm
        case .riscv64: .riscv64
        case .riscv32: .riscv32
        case .powerPC64: .ppc64
        case .powerPC: .ppc
        case .s390x: .s390x
        case .mips64: .mips64
        case .mips: .mips
        case .loongArch64: .loongarch64
        case .s390: Architecture("s390")
        case .m68k: Architecture("m68k")
        case .sparc64: Architecture("sparcv9")
        case .sparc: Architecture("sparc")
        }
    }
}

extension RegisterState {
    /// The known registers, by DWARF's numbers, the program counter last.
    init(_ registers: Registers) {
        let processor = registers.processor
        self.init()
        for number in 0..<Registers.count where number != processor.programCounter {
            guard let name = processor.name(of: number), let value = registers[number] else { continue }
            values.append((name, value))
        }
        let name = processor.programCounter.flatMap { processor.name(of: $0) } ?? "pc"
        values.append((name, registers.programCounter))
    }
}

extension StackEnd {
    /// The reason why a stack has no further frame; `nil` if it ends as every stack does.
    var sentence: String? {
        func text(_ address: UInt64) -> String { RuntimeAddress(address).description }
        return switch self {
        case .outermost: nil
        case .nothingFound: "no caller was found: no unwind rule, no frame pointer and no return address on the stack leads on"
        case .leadsNowhere(let address): "the unwind rules lead to \(text(address)), where no code is"
        case .missingMemory(let address): "the memory at \(text(address)), which the unwind rules need, was not saved"
        case .stackDoesNotRise: "the unwind rules lead down the stack"
        case .repeated: "the stack leads back to a frame that it has"
        case .tooManyFrames: "it has more frames than cairn reads"
        }
    }
}
