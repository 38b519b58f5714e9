internal import BinaryPrimitives
internal import ObjectFiles

/// Names from what the dynamic linker reads, for addresses to which the symbol table gives none: the stubs of imported functions, and in a stripped binary what it exports.
struct LinkedNames {
    private let object: ObjectFile
    private var extents: FunctionExtents
    /// Ascending; decoded when it is first needed.
    private lazy var exports: [LinkedName] = {
        // A damaged tree gives no names; the reason that the symbol table has for its answer stands.
        let all = (try? object.exports()) ?? []
        return all.enumerated().sorted { ($0.element.address, $0.offset) < ($1.element.address, $1.offset) }.map(\.element)
    }()

    init(_ object: ObjectFile) {
        self.object = object
        extents = FunctionExtents(object)
    }

    /// - Returns: `nil` where no such name covers the address. An exported one covers the function that begins at it, as the function starts bound it.
    mutating func name(at address: LinkAddress) -> LinkedName? {
        if let stub = object.stub(containing: address) { return stub }
        var low = 0
        var high = exports.count
        while low < high {
            let middle = low + (high - low) / 2
            if exports[middle].address <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let extent = extents.extent(containing: address), extent.contains(exports[low - 1].address) else { return nil }
        return exports[low - 1]
    }
}
