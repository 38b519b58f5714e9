internal import BinaryPrimitives
package import ObjectFiles

extension DWARFReader {
    /// What is wrong with the address table, in LLVM's words: sets that end before their end.
    /// Results do not depend on it, because what the table lacks is looked for in the units
    /// themselves.
    package static func addressTableFlaws(of object: ObjectFile) -> [String] {
        guard let sections = DWARFSections(object: object, needsInformation: false) else { return [] }
        var flaws = AddressTableFlaws()
        AddressRangeTable(sections).read(ReadBuffer(), &flaws)
        return flaws.found
    }
}

private struct AddressTableFlaws: AddressRangeVisitor {
    /// A few are enough.
    private static let most = 16
    private(set) var found: [String] = []

    mutating func describe(unit: Int) {}
    mutating func claim(_ range: Range<UInt64>, unit: Int) {}

    mutating func notePrematureEnd(set: Int, tuple: Int) {
        guard found.count < Self.most else { return }
        found.append(
            "address range table at offset 0x\(String(set, radix: 16)) has a premature terminator entry at offset 0x\(String(tuple, radix: 16))"
        )
    }
}
