internal import DWARF

/// Counts one variable, parameter, or member with a value.
enum VariableStatistics {
    /// How many bytes of code a variable's locations are for.
    private struct Covered {
        var hasLocation = false
        var anywhere: UInt64 = 0
        var inScope: UInt64 = 0
        var byEntryValues: UInt64 = 0

        init() {}

        /// Everywhere in its scope.
        init(all bytes: UInt64) { (hasLocation, anywhere, inScope) = (true, bytes, bytes) }
    }

    /// - Parameters:
    ///   - unit: has read the entry's facts.
    ///   - scope: the entry's own; the last one of `unit` is that around it.
    static func count(_ entry: DumpEntry, in unit: inout UnitStatistics, _ scope: UnitStatistics.Scope) {
        let (facts, context, statistics) = (unit.facts, unit.context, unit.statistics)
        let isParameter = entry.tag == Tag.formalParameter
        let isLocal = entry.tag == Tag.variable
        if entry.tag == Tag.member, !facts.has(.constValue) { return }
        // Declarations of global variables.
        if isLocal, facts.has(.declaration) { return }
        let hasSourceLocation =
            context.hasInherited(.declarationFile, Attribute.declFile, entry, facts)
            && context.hasInherited(.declarationLine, Attribute.declLine, entry, facts)
        let hasType = context.hasInherited(.type, Attribute.type, entry, facts)
        var isPostponed = false
        if let origin = facts.raw(.abstractOrigin) {
            if facts.has(.location) || facts.has(.constValue) {
                if let index = scope.uncovered { unit.uncovered[index].remove(origin) }
            } else {
                isPostponed = true
            }
        }
        let covered = covered(&unit, scope)
        if scope.bytes != 0, !isPostponed {
            add(covered, scope.bytes, to: &statistics.locations)
            if isParameter { add(covered, scope.bytes, to: &statistics.parameterLocations) }
            if isLocal { add(covered, scope.bytes, to: &statistics.localLocations) }
        }
        let original = facts.value(.abstractOrigin, unit.unit).flatMap { context.entry(referredBy: $0) }
        let named = original ?? entry
        statistics.functions.addVariable(identity(named, &unit, scope), to: scope.function)
        statistics.coveredAnywhere += covered.anywhere
        if scope.bytes != 0 {
            add(covered, scope.bytes, to: &statistics.bytes)
            if isParameter { add(covered, scope.bytes, to: &statistics.parameterBytes) }
            if isLocal { add(covered, scope.bytes, to: &statistics.localBytes) }
        }
        let isOutside = scope.function == FunctionTable.outside
        if entry.tag == Tag.member {
            statistics.variablesWithLocation += 1
            if isOutside { statistics.outsideVariables += 1 }
            return
        }
        if covered.hasLocation { statistics.variablesWithLocation += 1 }
        // Nothing more is counted of artificial variables.
        if original.map({ context.value(Attribute.artificial, of: $0) != nil }) ?? facts.has(.artificial) {
            if isOutside { statistics.outsideVariables += 1 }
            return
        }
        if isLocal, isOutside { statistics.outsideVariables += 1 }
        func note(_ variables: inout Statistics.Variables) {
            variables.count += 1
            if hasSourceLocation { variables.withSourceLocation += 1 }
            if hasType { variables.withType += 1 }
            if covered.hasLocation { variables.withLocation += 1 }
        }
        if isParameter { note(&statistics.parameters) } else { note(&statistics.locals) }
    }

    private static func add(_ covered: Covered, _ bytes: UInt64, to locations: inout Statistics.Locations) {
        locations.processed += 1
        locations.all.add(covered: covered.inScope, of: bytes)
        locations.withoutEntryValues.add(covered: covered.inScope &- covered.byEntryValues, of: bytes)
    }

    private static func add(_ covered: Covered, _ bytes: UInt64, to sums: inout Statistics.Bytes) {
        sums.covered += covered.inScope
        sums.inScope += bytes
        sums.byEntryValues += covered.byEntryValues
    }

    /// The identity of a variable among those of its function: its blocks and its name; outside of functions its declaration, too.
    private static func identity(_ entry: DumpEntry, _ unit: inout UnitStatistics, _ scope: UnitStatistics.Scope) -> [UInt8] {
        let prefix = Array(unit.scopeNames[scope.name])
        if prefix == [UInt8(ascii: "g")] { return prefix + unit.identity(entry) }
        return prefix + (unit.context.linkageName(entry)?.bytes ?? [])
    }

    private static func covered(_ unit: inout UnitStatistics, _ scope: UnitStatistics.Scope) -> Covered {
        let (facts, context) = (unit.facts, unit.context)
        if facts.has(.constValue) { return Covered(all: scope.bytes) }
        guard let location = facts.value(.location, unit.unit) else { return Covered() }
        guard location.isSectionOffset else {
            return location.isBlock || location.isExpression || location.form == Form.data16 ? Covered(all: scope.bytes) : Covered()
        }
        guard let entries = context.locations(location) else { return Covered() }
        if entries.contains(where: { $0.bounds == nil }) { return Covered(all: scope.bytes) }
        var covered = Covered()
        covered.hasLocation = true
        if entries.isEmpty { return covered }
        let around = unit.rangesAround()
        for entry in entries {
            guard let bounds = entry.bounds else { continue }
            covered.anywhere &+= bounds.high &- bounds.low
            var inScope: UInt64 = 0
            for range in around {
                let (low, high) = (max(range.low, bounds.low), min(range.high, bounds.high))
                if low < high { inScope &+= high - low }
            }
            covered.inScope &+= inScope
            if inScope != 0, hasEntryValue(entry.expression, unit) { covered.byEntryValues &+= inScope }
        }
        return covered
    }

    private static func hasEntryValue(_ expression: SectionBytes, _ unit: UnitStatistics) -> Bool {
        // Most have no such byte at all.
        guard (0..<expression.count).contains(where: { ExpressionText.entryValues.contains(expression[$0]) }) else { return false }
        let reader = ExpressionText(
            context: nil, registers: nil, unit: nil, addressSize: unit.unit.addressSize, offsetSize: unit.unit.offsetSize,
            isVerbose: false)
        return reader.has(ExpressionText.entryValues, in: expression)
    }
}

extension DumpContext {
    /// Whether the entry, or what it was made from, has an attribute.
    fileprivate func hasInherited(_ kind: FactKind, _ attribute: UInt16, _ entry: DumpEntry, _ facts: EntryFacts) -> Bool {
        if facts.has(kind) { return true }
        guard facts.has(.abstractOrigin) || facts.has(.specification) else { return false }
        return inherited([attribute], of: entry) != nil
    }

    /// The entries of a location list, in its order: their addresses, `nil` for all, and their
    /// expressions.
    /// - Returns: `nil` if one of them cannot be read, or counts from what is not there.
    fileprivate func locations(_ value: DumpValue) -> [(bounds: RangeLists.Bounds?, expression: SectionBytes)]? {
        guard let offset = locationListOffset(value), locationsAllowance.isLeft else { return nil }
        let table = locationTable(of: value.unit)
        var cursor = table.bytes.cursor(at: Int(clamping: offset))
        let first = cursor.position
        defer { locationsAllowance.spend(cursor.position &- first) }
        var base = bases(of: value.unit).address
        var result: [(bounds: RangeLists.Bounds?, expression: SectionBytes)] = []
        while let entry = table.next(&cursor) {
            if entry.kind == 0 { return result }
            switch entry.meaning(&base, printedAddress: { printedAddress($0) }, lookUp: { indexedAddress($0, value.unit) }) {
            case .none: break
            case .unresolved: return nil
            case .everywhere: result.append((nil, table.bytes.part(entry.bytes)))
            case .range(let bounds): result.append((bounds, table.bytes.part(entry.bytes)))
            }
        }
        return nil
    }
}
