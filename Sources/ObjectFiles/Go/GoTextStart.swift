internal import BinaryPrimitives

/// Finds the base address of distances in a Go program's line table: the address of `runtime.text`,
/// a symbol that a stripped program does not have.
struct GoTextStart {
    private let object: ObjectFile
    private let header: GoTableHeader
    private let module: GoModuleData?

    init(_ object: ObjectFile, _ header: GoTableHeader, _ module: GoModuleData?) {
        self.object = object
        self.header = header
        self.module = module
    }

    /// - Parameter length: the distance at which the table's last function ends.
    /// - Returns: `nil` where it cannot be determined for certain.
    func find(length: UInt64) -> UInt64? {
        if isCode(header.textStart) { return header.textStart }
        if let start = module?.textStart, isCode(start) { return start }
        // A program of nothing but Go has nothing else in its text section; C's code would come
        // before or after.
        guard let text = object.section(named: object.description.container == .machO ? "__text" : ".text"), text.isExecutable,
            length <= text.size, text.size - length <= 64
        else { return nil }
        return text.address.value
    }

    private func isCode(_ address: UInt64) -> Bool {
        address != 0 && object.section(containing: LinkAddress(address))?.isExecutable ?? false
    }
}
