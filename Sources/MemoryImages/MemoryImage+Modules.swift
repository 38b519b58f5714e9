package import BinaryPrimitives
package import ObjectFiles
package import Unwinding

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

extension MemoryImage {
    /// Returns the files' code for the unwinder. An image without files still counts as code.
    /// - Parameter open: opens the files of one image, for the first program counter in it.
    package func modules(opening open: @escaping @Sendable (MappedImage) -> ImageFiles) -> ModuleMap {
        var modules: [UnwindModule] = []
        for file in files {
            // All parts share one image, so that its tables are read once.
            let tables = Lazily { () -> (files: ImageFiles, tables: UnwindTables)? in
                let files = open(file)
                return files.isEmpty ? nil : (files, UnwindTables(files.objects, breakpad: files.breakpad))
            }
            // Headers and data are not code; if it is not known which parts may be executed, all may.
            for part in file.parts where part.isExecutable || !file.isCodeKnown {
                modules.append(
                    UnwindModule(part.range, base: file.base) {
                        guard let (files, tables) = tables.get() else { return nil }
                        return Self.bias(of: files, file, part).map { UnwindModule.Image(tables, bias: $0) }
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
        return ModuleMap(modules)
    }

    /// Returns the difference of an address in memory from the one in the files.
    private static func bias(of files: ImageFiles, _ image: MappedImage, _ part: MappedImage.Part) -> UInt64? {
        if image.module?.hasFileOffsets != false {
            let biases = files.objects.lazy.compactMap {
                UnwindModule.bias(of: $0, mappedAt: part.range.lowerBound, fileOffset: part.fileOffset, isExecutable: part.isExecutable)
            }
            if let bias = biases.first { return bias }
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
            modules, memory, processor, codeMask: codeMask, entry: entry,
            usesFramePointers: processor != .x86_64 || operatingSystem.kind != .windows, limits: limits)
        var left = limits.framesPerReport
        return threads.map { thread in
            let stack = unwinder.stack(from: thread.registers, maxFrames: max(1, left))
            left -= stack.frames.count
            return stack
        }
    }
}
