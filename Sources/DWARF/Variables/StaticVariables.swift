internal import BinaryPrimitives
internal import ObjectFiles

/// Declaration of a variable with static storage.
package struct StaticVariable: Sendable, Hashable {
    /// Its first address.
    package var start: UInt64
    /// `nil` if it is not given.
    package var file: SourcePath?
    /// The entry's abbreviation holds the file (`DW_FORM_implicit_const`), which LLVM does not
    /// read.
    package var isFileImplicit: Bool
    /// Zero: not given.
    package var line: Int
}

extension DWARFReader {
    /// The variables that hold some addresses. No table gives the unit of a variable, so units are
    /// read whole until all are found.
    /// - Returns: one for each address; `nil` where there is none.
    package func staticVariables(at addresses: [UInt64]) -> [StaticVariable?] {
        var found = [StaticVariable?](repeating: nil, count: addresses.count)
        guard let units = try? UnitTable(sections) else { return found }
        let (split, paths, buffer) = (SplitUnits(of: sections), SourcePaths(), ReadBuffer())
        for header in units.allHeaders() where header.coversCode && found.contains(where: { $0 == nil }) {
            try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                let wanted = addresses.indices.filter { found[$0] == nil }
                var reader = StaticVariableReader(addresses: wanted.map { addresses[$0] })
                if let part = (try? split.find(for: unit, bytes)) ?? nil {
                    try? part.units.withUnit(part.header, ReadBuffer(), skeleton: unit, contribution: part.contribution) {
                        (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                        reader.read(splitUnit, splitBytes, part.units, paths)
                    }
                } else {
                    reader.read(unit, bytes, units, paths)
                }
                for (index, variable) in zip(wanted, reader.found) { found[index] = variable }
            }
        }
        return found
    }
}

/// Looks through the entries of one unit.
private struct StaticVariableReader {
    let addresses: [UInt64]
    private(set) var found: [StaticVariable?]

    init(addresses: [UInt64]) {
        self.addresses = addresses
        found = addresses.map { _ in nil }
    }

    mutating func read(_ unit: Unit, _ bytes: RawSpan, _ units: UnitTable, _ paths: SourcePaths) {
        let references = EntryReferences(units: units)
        let sizes = TypeSize(references: references)
        var walk = EntryWalk(unit)
        // The depth of the type whose members are passed over: they have no storage.
        var type = Int.max
        while let shape = (try? walk.next(bytes)) ?? nil {
            if walk.depth <= type { type = .max }
            if type == .max, let tag = unit.abbreviations.abbreviation(walk.code)?.tag {
                if tag == Tag.variable {
                    read(at: walk.entry, unit, bytes, references, sizes, paths)
                } else if Self.isType(tag) {
                    type = walk.depth
                }
            }
            guard (try? walk.pass(shape, bytes)) != nil else { return }
        }
    }

    private mutating func read(
        at position: Int, _ unit: Unit, _ bytes: RawSpan, _ references: EntryReferences, _ sizes: TypeSize, _ paths: SourcePaths
    ) {
        guard let content = EntryContent(at: position, of: unit, bytes), let block = content.block(Attribute.location),
            let start = VariableExpression.address(bytes.clamped(to: block), unit), !unit.isTombstone(start),
            addresses.contains(where: { $0 >= start })
        else { return }
        // The definition of a class's variable says no more than where its declaration is.
        let declared = content[Attribute.specification] ?? content[Attribute.abstractOrigin]
        // Without a type, its first address alone is its.
        let size =
            sizes.size(of: content[Attribute.type], in: unit, bytes, .info)
            ?? references.open(declared, from: unit, bytes, in: .info) { sizes.size(of: $3[Attribute.type], in: $0, $1, $2.part) } ?? 1
        for index in addresses.indices where addresses[index] >= start && addresses[index] - start < size {
            if let known = found[index], known.start > start { continue }
            var variable = declaration(content, unit, bytes, paths, start)
            if variable.file == nil || variable.line == 0 {
                let origin = references.open(declared, from: unit, bytes, in: .info) { declaration($3, $0, $1, paths, start) }
                if variable.file == nil { (variable.file, variable.isFileImplicit) = (origin?.file, origin?.isFileImplicit ?? false) }
                if variable.line == 0 { variable.line = origin?.line ?? 0 }
            }
            found[index] = variable
        }
    }

    private func declaration(_ content: EntryContent, _ unit: Unit, _ bytes: RawSpan, _ paths: SourcePaths, _ start: UInt64)
        -> StaticVariable
    {
        StaticVariable(
            start: start,
            file: content[Attribute.declFile]?.number.flatMap { Int(exactly: $0) }.flatMap { paths.path($0, unit, bytes) },
            isFileImplicit: content.isImplicit(Attribute.declFile), line: Int(clamping: content[Attribute.declLine]?.number ?? 0))
    }

    private static func isType(_ tag: UInt16) -> Bool {
        switch tag {
        case Tag.arrayType, Tag.classType, Tag.enumerationType, Tag.structureType, Tag.subroutineType, Tag.unionType, Tag.interfaceType:
            true
        default: false
        }
    }
}
