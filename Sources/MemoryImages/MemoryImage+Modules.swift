package import BinaryPrimitives
package import ObjectFiles
package import Unwinding

extension MemoryImage {
    /// The files' code for the unwinder.
    /// - Parameter open: opens the object files of one image, for the first program counter in it:
    ///   its binary, its debug file, or both.
    package func modules(opening open: @escaping @Sendable (MappedImage) -> [ObjectFile]) -> ModuleMap {
        var modules: [UnwindModule] = []
        for file in files {
            // One image for all parts: what is read of its tables is read once.
            let tables = Lazily { () -> (objects: [ObjectFile], tables: UnwindTables)? in
                let objects = open(file)
                return objects.isEmpty ? nil : (objects, UnwindTables(objects))
            }
            // Headers and data are no code; where it is not known what may be executed, all may.
            let isKnown = file.parts.contains(where: \.isExecutable)
            for part in file.parts where part.isExecutable || !isKnown {
                modules.append(
                    UnwindModule(part.range, base: file.base) {
                        guard let (objects, tables) = tables.get() else { return nil }
                        let biases = objects.lazy.compactMap {
                            UnwindModule.bias(
                                of: $0, mappedAt: part.range.lowerBound, fileOffset: part.fileOffset, isExecutable: part.isExecutable)
                        }
                        return biases.first.map { UnwindModule.Image(tables, bias: $0) }
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

    /// Each thread's stack. After so many frames as a report may have, only the innermost of each.
    package func stacks(_ modules: ModuleMap, limits: Limits = .standard) -> [UnwoundStack] {
        // AT_ENTRY.
        let entry = process.auxiliaryVector[9]
        let unwinder = Unwinder(modules, memory, processor, codeMask: codeMask, entry: entry, limits: limits)
        var left = limits.framesPerReport
        return threads.map { thread in
            let stack = unwinder.stack(from: thread.registers, most: max(1, left))
            left -= stack.frames.count
            return stack
        }
    }
}
