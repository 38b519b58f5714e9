internal import BinaryPrimitives
package import ObjectFiles

extension DWARFReader {
    /// Flaws of the address table, as LLVM words them: sets that end before their end. Results do not depend on them, because addresses
    /// that the table lacks are looked for in the units.
    package static func addressTableFlaws(of object: ObjectFile) -> [String] {
        guard let sections = DWARFSections(object: object, needsInformation: false) else { return [] }
        var flaws = AddressTableFlaws()
        AddressRangeTable(sections).read(ReadBuffer(), &flaws)
        return flaws.found
    }
}

private struct AddressTableFlaws: AddressRangeVisitor {
    /// A few are enough.
    private static let maxFlaws = 16
    private(set) var found: [String] = []

    mutating func describe(unit: Int) {}
    mutating func claim(_ range: Range<UInt64>, unit: Int) {}

    mutating func notePrematureEnd(set: Int, tuple: Int) {
        guard found.count < Self.maxFlaws else { return }
        found.append(
            "address range table at offset 0x\(String(set, radix: 16)) has a premature terminator entry at offset 0x\(String(tuple, radix: 16))"
        )
    }
}
