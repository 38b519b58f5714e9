internal import BinaryPrimitives

/// What a log has said so far about where modules are in the memory of its process.
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
        /// `r`, `rw`, `rx`, `rwx`, in lower case.
        var mode: String
        /// The module's own address of the first byte.
        var relativeStart: UInt64

        func contains(_ address: UInt64) -> Bool { address >= start && address - start < size }

        /// The last byte.
        var last: UInt64 { start &+ size &- 1 }
    }

    private(set) var modules: [UInt64: Module] = [:]
    /// Ascending, none over another.
    private var mappings: [Mapping] = []

    /// Modules, and mappings, that are kept; a log that has more is no longer one of a process.
    static let most = 1 << 16

    var isEmpty: Bool { modules.isEmpty && mappings.isEmpty }

    mutating func removeAll() { self = MarkupMemory() }

    /// - Returns: whether it was added: not if there is one with its number.
    mutating func add(_ module: Module) -> Bool {
        guard modules[module.id] == nil, modules.count < Self.most else { return false }
        modules[module.id] = module
        return true
    }

    /// - Returns: the mapping that it overlaps, and then it was not added.
    mutating func add(_ mapping: Mapping) -> Mapping? {
        let index = mappings.firstIndex { $0.start > mapping.start } ?? mappings.count
        if index < mappings.count, mapping.contains(mappings[index].start) { return mappings[index] }
        if index > 0, mappings[index - 1].contains(mapping.start) { return mappings[index - 1] }
        if mappings.count < Self.most { mappings.insert(mapping, at: index) }
        return nil
    }

    func mapping(containing address: UInt64) -> Mapping? { mappings.first { $0.contains(address) } }
}
