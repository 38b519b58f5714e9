internal import BinaryPrimitives
internal import DWARF

/// Counts the entries of one unit, in one walk over them.
struct UnitStatistics {
    /// State of an entry for the entries in it.
    struct Scope {
        enum Mode {
            case counted
            /// Nothing in it counts.
            case skipped
            /// An abstract instance, or a block in one: its variables are noted.
            case abstract(function: UInt64)
        }

        var mode: Mode
        /// The entry itself; `nil` above the root.
        var entry: DumpEntry?
        /// In the table of functions.
        var function = FunctionTable.outside
        /// Range of the scope's part of variables' names in `scopeNames`.
        var name: Range<Int>
        /// The bytes of code of the innermost function, call or block that has any.
        var bytes: UInt64 = 0
        var inlineDepth = 0
        /// Number of children that are blocks, in eight bits, as LLVM counts.
        var blocks: UInt8 = 0
        var parameters: UInt8 = 0
        /// Index into `uncovered` of the abstract instance's variables that have no location yet.
        var uncovered: Int?
        var ownsUncovered = false
        var ranges: [RangeLists.Bounds]?
    }

    let context: DumpContext
    let unit: DumpUnit
    let statistics: Statistics
    var facts = EntryFacts()
    /// The innermost last.
    var scopes: [Scope] = []
    /// As LLVM writes them, one after the other: `v` for a function, `00.` for its first block,
    /// `p00.` for its first parameter.
    var scopeNames: [UInt8] = [UInt8(ascii: "g")]
    /// Variables of the abstract instances of the open calls.
    var uncovered: [AbstractVariables.Missing] = []
    private var names: StatisticsNames

    init(_ unit: DumpUnit, _ context: DumpContext, _ statistics: Statistics) {
        self.unit = unit
        self.context = context
        self.statistics = statistics
        names = StatisticsNames(context)
    }

    /// Counts all entries.
    /// - Parameter abstract: gets the variables of abstract instances.
    mutating func count(_ abstract: inout AbstractVariables) {
        let bytes = context.section(of: unit)
        // GNU's split units are known by their root.
        _ = context.bases(of: unit)
        scopes = [Scope(mode: .counted, name: 0..<1)]
        var position = unit.root
        while position < unit.end {
            if bytes[position] == 0 {
                position += 1
                leave()
                if scopes.count <= 1 { return }
                continue
            }
            guard let entry = context.entry(at: position, in: unit), let end = facts.read(entry, bytes) else {
                context.report("the entry at \(hexadecimal(position)) cannot be read: the rest of its unit is not counted")
                return
            }
            let scope = visit(entry, &abstract)
            position = end
            if entry.abbreviation.hasChildren {
                guard scopes.count <= Limits.standard.entryDepth else {
                    context.report("the entries at \(hexadecimal(position)) are nested deeper than \(Limits.standard.entryDepth)")
                    return
                }
                scopes.append(scope)
            } else {
                close(scope)
                if scopes.count <= 1 { return }
            }
        }
    }

    private mutating func leave() { if scopes.count > 1, let scope = scopes.popLast() { close(scope) } }

    /// Variables that only the abstract instance has.
    private mutating func close(_ scope: Scope) {
        guard scope.ownsUncovered, let index = scope.uncovered else { return }
        statistics.addUncovered(uncovered[index])
        uncovered.removeSubrange(index...)
    }

    /// - Returns: the scope of the entry's children.
    private mutating func visit(_ entry: DumpEntry, _ abstract: inout AbstractVariables) -> Scope {
        var scope = scopes[scopes.count - 1]
        scope.entry = entry
        switch scope.mode {
        case .skipped: return scope
        case .abstract(let function):
            switch entry.tag {
            case Tag.formalParameter, Tag.variable:
                abstract.add(UInt64(entry.offset), isParameter: entry.tag == Tag.formalParameter, of: function)
                scope.mode = .skipped
            case Tag.lexicalBlock: break
            default: scope.mode = .skipped
            }
            return scope
        case .counted: break
        }
        (scope.ranges, scope.ownsUncovered) = (nil, false)
        (scope.blocks, scope.parameters) = (0, 0)
        name(&scope, entry.tag)
        switch entry.tag {
        case Tag.subroutineType: scope.mode = .skipped
        case Tag.subprogram, Tag.inlinedSubroutine, Tag.lexicalBlock: enter(entry, &scope, &abstract)
        case Tag.callSite, Tag.gnuCallSite: statistics.callSites += 1
        case Tag.callSiteParameter, Tag.gnuCallSiteParameter: statistics.callSiteParameters += 1
        case Tag.formalParameter, Tag.variable, Tag.member:
            VariableStatistics.count(entry, in: &self, scope)
        default: break
        }
        return scope
    }

    /// Sets the text that LLVM puts before the names of variables in the scope.
    private mutating func name(_ scope: inout Scope, _ tag: UInt16) {
        func text(_ index: UInt8) -> [UInt8] {
            let digits = Array("0123456789ABCDEF".utf8)
            return [digits[Int(index >> 4)], digits[Int(index & 15)], UInt8(ascii: ".")]
        }
        scopeNames.removeSubrange(scope.name.upperBound...)
        switch tag {
        case Tag.lexicalBlock:
            scopeNames += text(scopes[scopes.count - 1].blocks)
            scopes[scopes.count - 1].blocks &+= 1
        case Tag.formalParameter:
            scopeNames.append(UInt8(ascii: "p"))
            scopeNames += text(scopes[scopes.count - 1].parameters)
            scopes[scopes.count - 1].parameters &+= 1
        case Tag.subprogram, Tag.inlinedSubroutine:
            scopeNames.append(UInt8(ascii: "v"))
            return scope.name = (scopeNames.count - 1)..<scopeNames.count
        default: return
        }
        scope.name = scope.name.lowerBound..<scopeNames.count
    }

    /// A function, an inlined call or a block.
    private mutating func enter(_ entry: DumpEntry, _ scope: inout Scope, _ abstract: inout AbstractVariables) {
        let isBlock = entry.tag == Tag.lexicalBlock
        let isInlined = entry.tag == Tag.inlinedSubroutine
        var known: AbstractVariables.Group?
        if !isBlock, let origin = facts.raw(.abstractOrigin) {
            known = abstract.ofUnit[origin]
            if known == nil {
                abstract.postpone(entry.offset, origin: origin)
                scope.uncovered = nil
            }
        }
        scope.mode = .skipped
        if facts.has(.declaration) { return }
        if facts.has(.callFile), facts.has(.callLine) { statistics.callSiteEntries += 1 }
        guard let ranges = context.ranges(of: facts, unit) else { return }
        if !isBlock {
            if facts.has(.inline) { return scope.mode = .abstract(function: UInt64(entry.offset)) }
            let function = names.function(entry, facts, statistics.functions)
            statistics.functions.addInstance(of: function.index, hasSourceLocation: function.hasSourceLocation)
            if isInlined {
                statistics.inlined += 1
                if facts.has(.abstractOrigin) || context.inherited([Attribute.abstractOrigin], of: entry) != nil {
                    statistics.inlinedWithOrigin += 1
                }
            }
            scope.function = function.index
        }
        scope.mode = .counted
        let bytes = ranges.reduce(UInt64(0)) { $0 &+ ($1.high &- $1.low) }
        if bytes != 0 {
            scope.bytes = bytes
            if entry.tag == Tag.subprogram { statistics.functionBytes += bytes }
            if isInlined, scope.inlineDepth == 0 { statistics.inlinedBytes += bytes }
        }
        scope.ranges = ranges
        if entry.tag == Tag.subprogram { scope.inlineDepth = 0 }
        if isInlined { scope.inlineDepth += 1 }
        if let known {
            uncovered.append(AbstractVariables.Missing(known))
            (scope.uncovered, scope.ownsUncovered) = (uncovered.count - 1, true)
        }
    }

    /// The ranges of the entry that the next one is in.
    mutating func rangesAround() -> [RangeLists.Bounds] {
        let last = scopes.count - 1
        if let known = scopes[last].ranges { return known }
        let ranges = scopes[last].entry.flatMap { context.ranges(of: $0) } ?? []
        scopes[last].ranges = ranges
        return ranges
    }

    /// `name:file:line` of something outside of functions.
    mutating func identity(_ entry: DumpEntry) -> [UInt8] { names.identity(entry) }
}

extension DumpContext {
    /// As `ranges(of:)`, of an entry that is read already.
    fileprivate func ranges(of facts: EntryFacts, _ unit: DumpUnit) -> [RangeLists.Bounds]? {
        if let low = facts.value(.lowPC, unit).flatMap({ address($0) }), let high = facts.value(.highPC, unit),
            let bounds = bounds(low: low, high: high)
        {
            return [bounds]
        }
        return facts.value(.ranges, unit).map { ranges($0) } ?? []
    }
}
