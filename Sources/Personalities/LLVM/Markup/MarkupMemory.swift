internal import BinaryPrimitives

/// Modules and their mappings in the memory of a process, as a log has described them so far.
struct MarkupMemory {
    struct Module {
        var id: UInt64
        var name: String
        var buildID: [UInt8]
    }

    /// A part of a module that is mapped.
    struct Mapping {
        var start: UInt64
        /// Bytes.
        var size: UInt64
        var module: Module
        /// Permissions in lower case: `r`, `rw`, `rx`, `rwx`.
        var mode: String
        /// The first byte's address in the module.
        var relativeStart: UInt64

        func contains(_ address: UInt64) -> Bool { address >= start && address - start < size }

        /// The last byte.
        var last: UInt64 { start &+ size &- 1 }
    }

    private(set) var modules: [UInt64: Module] = [:]
    /// Sorted by address; ranges do not overlap.
    private var mappings: [Mapping] = []

    /// Maximum number of modules, and of mappings; a log that has more is no longer about one process.
    static let maxCount = 1 << 16

    var isEmpty: Bool { modules.isEmpty && mappings.isEmpty }

    mutating func removeAll() { self = MarkupMemory() }

    /// - Returns: whether it was added; `false` if there is already a module with its number.
    mutating func add(_ module: Module) -> Bool {
        guard modules[module.id] == nil, modules.count < Self.maxCount else { return false }
        modules[module.id] = module
        return true
    }

    /// - Returns: the mapping that it overlaps; then it was not added.
    mutating func add(_ mapping: Mapping) -> Mapping? {
        let index = mappings.firstIndex { $0.start > mapping.start } ?? mappings.count
        if index < mappings.count, mapping.contains(mappings[index].start) { return mappings[index] }
        if index > 0, mappings[index - 1].contains(mapping.start) { return mappings[index - 1] }
        if mappings.count < Self.maxCount { mappings.insert(mapping, at: index) }
        return nil
    }

    func mapping(containing address: UInt64) -> Mapping? { mappings.first { $0.contains(address) } }
}
