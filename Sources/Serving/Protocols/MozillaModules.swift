internal import BinaryPrimitives

/// Modules and offsets that the frames of a request refer to. Each module is there once, however
/// many jobs have it.
struct MozillaModules {
    struct Module {
        var key: ModuleKey
        /// Offsets of the frames in it, in the request's order, with repetitions; `nil`: no frame
        /// is in it.
        var offsets: [ImageOffset]?

        /// A module without a name or an id is not looked for, and not reported.
        var isSought: Bool { offsets != nil && !key.debugName.isEmpty && !key.debugID.isEmpty }
    }

    private(set) var modules: [Module] = []
    /// For each job, the indices of its modules in `modules`.
    private(set) var numbers: [[Int]] = []

    init(_ jobs: [MozillaJob]) {
        var known: [ModuleKey: Int] = [:]
        for (index, job) in jobs.enumerated() {
            // The same modules as those of the job before are the same array.
            if index == 0 || job.modules != jobs[index - 1].modules {
                numbers.append(
                    job.modules.map { key in
                        if let number = known[key] { return number }
                        known[key] = modules.count
                        modules.append(Module(key: key))
                        return modules.count - 1
                    })
            } else {
                numbers.append(numbers[index - 1])
            }
            for stack in job.stacks {
                for frame in stack {
                    guard let number = frame.module.map({ numbers[index][$0] }) else { continue }
                    if modules[number].offsets == nil { modules[number].offsets = [] }
                    if let offset = frame.offset { modules[number].offsets?.append(offset) }
                }
            }
        }
    }

    /// Modules whose symbols are looked for.
    var keys: Set<ModuleKey> { Set(modules.lazy.filter(\.isSought).map(\.key)) }

    /// Offsets of each module, each once.
    var wanted: [ModuleKey: Set<ImageOffset>] {
        Dictionary(modules.lazy.filter(\.isSought).map { ($0.key, Set($0.offsets ?? [])) }) { first, _ in first }
    }
}
