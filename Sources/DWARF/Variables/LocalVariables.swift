internal import BinaryPrimitives

/// A local variable or a parameter of a function.
package struct LocalVariable: Sendable, Hashable {
    /// The plain name of the function that it belongs to, which may be one that was inlined; `nil`
    /// if it has none.
    package var function: String?
    package var name: String?
    /// File of its declaration; `nil` if that is not given.
    package var file: SourcePath?
    /// Zero: not given.
    package var line = 0
    /// Bytes from the frame base; `nil` if it is not in memory, or not always at one offset.
    package var frameOffset: Int64?
    /// Bytes; `nil` where its type does not give the size.
    package var size: UInt64?
    /// `DW_AT_LLVM_tag_offset`.
    package var tagOffset: UInt64?
}

extension DWARFReader {
    /// The variables of the innermost function at an address, in the order of their entries, with
    /// those of what was inlined into it.
    package func locals(at address: UInt64) -> [LocalVariable] {
        var result: [LocalVariable] = []
        withUnit(covering: address) { unit, bytes, units, paths in
            var finder = SubroutineFinder(unit, wanted: [address])
            try? finder.find(in: bytes)
            guard let innermost = finder.chains.first?.first else { return }
            var reader = LocalVariableReader(unit, units, paths)
            reader.read(at: innermost.position, bytes)
            result = reader.variables
        }
        return result
    }
}

private struct LocalVariableReader {
    private let unit: Unit
    private let references: EntryReferences
    private let sizes: TypeSize
    private let paths: SourcePaths
    private let units: UnitTable
    private(set) var variables: [LocalVariable] = []

    /// The function that variables belong to.
    private struct Function {
        var name: String?
        var frameRegister: UInt8?
    }

    init(_ unit: Unit, _ units: UnitTable, _ paths: SourcePaths) {
        self.unit = unit
        self.units = units
        self.paths = paths
        references = EntryReferences(units: units)
        sizes = TypeSize(references: references)
    }

    mutating func read(at position: Int, _ bytes: RawSpan) {
        guard let content = EntryContent(at: position, of: unit, bytes) else { return }
        let register = content.block(Attribute.frameBase).flatMap { VariableExpression.frameRegister(bytes.clamped(to: $0)) }
        let isInlined = content.tag == Tag.inlinedSubroutine
        let function = Function(name: plainName(at: position, bytes), frameRegister: isInlined ? nil : register)
        readChildren(of: content, function, bytes, depth: 0)
    }

    private mutating func readChildren(of content: EntryContent, _ function: Function, _ bytes: RawSpan, depth: Int) {
        guard depth < Limits.standard.inlineDepth else { return }
        var children: [(EntryContent, Int)] = []
        content.forEachChild(of: unit, bytes) { children.append(($0, $1)) }
        for (child, position) in children {
            switch child.tag {
            case Tag.variable, Tag.formalParameter: variables.append(variable(child, function, bytes))
            case Tag.inlinedSubroutine:
                readChildren(of: child, Function(name: plainName(at: position, bytes), frameRegister: nil), bytes, depth: depth + 1)
            default: readChildren(of: child, function, bytes, depth: depth + 1)
            }
        }
    }

    private func plainName(at position: Int, _ bytes: RawSpan) -> String? {
        DeclarationReader(units) { _, _, _ in nil }.declaration(at: position, of: unit, bytes).plainName
    }

    private func variable(_ content: EntryContent, _ function: Function, _ bytes: RawSpan) -> LocalVariable {
        var variable = LocalVariable(function: function.name)
        unit.forEachLocation(of: content, bytes) { expression in
            variable.frameOffset = VariableExpression.frameOffset(expression, register: function.frameRegister)
            return variable.frameOffset != nil
        }
        variable.tagOffset = content[Attribute.llvmTagOffset]?.number
        // Inlined variables and those that a class declares have the rest of their attributes there.
        if let described = references.open(
            content[Attribute.abstractOrigin] ?? content[Attribute.specification], from: unit, bytes, in: .info,
            { described($0, $1, $2.part, $3, variable) })
        {
            return described
        }
        return described(unit, bytes, .info, content, variable)
    }

    private func described(
        _ unit: Unit, _ bytes: RawSpan, _ part: EntryLocation.Part, _ content: EntryContent, _ variable: LocalVariable
    ) -> LocalVariable {
        var variable = variable
        variable.name = unit.string(content[Attribute.name], bytes)
        variable.size = sizes.size(of: content[Attribute.type], in: unit, bytes, part)
        variable.file = content[Attribute.declFile]?.number.flatMap { Int(exactly: $0) }.flatMap { paths.path($0, unit, bytes) }
        variable.line = Int(clamping: content[Attribute.declLine]?.number ?? 0)
        return variable
    }
}
