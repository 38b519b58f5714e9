internal import BinaryPrimitives
internal import ObjectFiles

/// Names from the dynamic linker's tables and Objective-C's, for addresses to which the symbol table gives none: the stubs of
/// imported functions, and in a stripped binary its exports and methods.
struct LinkedNames {
    private let object: ObjectFile
    private let order: SymbolOrder
    private var extents: FunctionExtents
    /// Ascending; decoded when it is first needed.
    private lazy var exports: [LinkedName] = {
        // A damaged tree gives no names; the reason from the symbol table is kept.
        let all = (try? object.exports()) ?? []
        return all.enumerated().sorted { ($0.element.address, $0.offset) < ($1.element.address, $1.offset) }.map(\.element)
    }()

    /// - Parameter order: how symbols were chosen. LLVM names no stubs.
    init(_ object: ObjectFile, order: SymbolOrder = .preferred) {
        self.object = object
        self.order = order
        extents = FunctionExtents(object)
    }

    /// Returns the name that replaces the symbol table's result for an address: if that has no name, and in a
    /// stub after a symbol without a size, as the table of stubs has one (`_PROCEDURE_LINKAGE_TABLE_` of mold
    /// and of RISC-V).
    mutating func name(at address: LinkAddress, inPlaceOf found: SymbolNames.Result) -> LinkedName? {
        switch found {
        case .unresolved: return name(at: address)
        case .found(let found) where order == .preferred && found.symbol.size == 0:
            guard let stub = object.stub(containing: address), stub.address > found.symbol.address else { return nil }
            return stub
        case .found, .linked: return nil
        }
    }

    /// - Returns: `nil` where no such name covers the address. An exported one, or a method's, covers the function
    ///   that begins at it, as the function starts bound it.
    mutating func name(at address: LinkAddress) -> LinkedName? {
        if let stub = object.stub(containing: address) { return stub }
        let low = exports.partitionPoint { $0.address > address }
        guard low > 0 || object.namesMethods, let extent = extents.extent(containing: address) else { return nil }
        if low > 0, extent.contains(exports[low - 1].address) { return exports[low - 1] }
        let start = extent.lowerBound
        return object.methodName(ofFunctionAt: start).map { LinkedName(name: $0, address: start, size: 0) }
    }
}
