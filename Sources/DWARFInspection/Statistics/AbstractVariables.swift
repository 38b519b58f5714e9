internal import DWARF

/// The variables of functions that were inlined, as their abstract instances (DWARF 5, section
/// 3.3.8.1) have them: those of them that an instance has no location for count as not covered.
///
/// LLVM finds an abstract instance by the number in `DW_AT_abstract_origin`, although that mostly
/// counts from the unit and not from the section: of a file with several units it finds those of
/// the first, and others by chance. The counts are the same here.
struct AbstractVariables {
    /// The variables of one function, by the offsets of their entries.
    final class Group {
        fileprivate var variables: [UInt64: (isParameter: Bool, count: UInt64)] = [:]
        fileprivate var parameters: UInt64 = 0
        fileprivate var locals: UInt64 = 0

        fileprivate func add(_ offset: UInt64, isParameter: Bool) {
            variables[offset] = (isParameter, (variables[offset]?.count ?? 0) + 1)
            if isParameter { parameters += 1 } else { locals += 1 }
        }
    }

    /// Those of a group that an instance has no location for yet.
    struct Missing {
        private let group: Group
        private var located: Set<UInt64> = []
        private(set) var parameters: UInt64
        private(set) var locals: UInt64

        init(_ group: Group) {
            self.group = group
            (parameters, locals) = (group.parameters, group.locals)
        }

        mutating func remove(_ offset: UInt64) {
            guard let variable = group.variables[offset], located.insert(offset).inserted else { return }
            if variable.isParameter { parameters -= min(parameters, variable.count) } else { locals -= min(locals, variable.count) }
        }
    }

    /// By the offset of the function's entry.
    private var ofFile: [UInt64: Group] = [:]
    private(set) var ofUnit: [UInt64: Group] = [:]
    /// Instances whose abstract one is not known yet.
    private var unitInstances: [(entry: Int, origin: UInt64)] = []
    /// Those of units before.
    private var fileInstances: [(entry: Int, origin: UInt64, unit: DumpUnit, context: DumpContext)] = []

    /// - Parameters:
    ///   - offset: of the variable's entry.
    ///   - function: the offset of the function's.
    mutating func add(_ offset: UInt64, isParameter: Bool, of function: UInt64) {
        Self.group(of: function, in: &ofFile).add(offset, isParameter: isParameter)
        Self.group(of: function, in: &ofUnit).add(offset, isParameter: isParameter)
    }

    private static func group(of function: UInt64, in groups: inout [UInt64: Group]) -> Group {
        if let group = groups[function] { return group }
        let group = Group()
        groups[function] = group
        return group
    }

    /// An instance that is looked at when its unit is read.
    mutating func postpone(_ entry: Int, origin: UInt64) { unitInstances.append((entry, origin)) }

    /// Counts the postponed instances of a unit that has been read.
    mutating func finish(_ unit: DumpUnit, _ context: DumpContext, _ statistics: Statistics) {
        for (entry, origin) in unitInstances {
            if let group = ofUnit[origin] {
                Self.count(group, missingIn: entry, unit, context, statistics)
            } else if context.isSplit || origin >= UInt64(unit.end) || ofFile[origin] != nil {
                // Otherwise no function is there: earlier functions are known, and later ones have
                // higher offsets.
                fileInstances.append((entry, origin, unit, context))
            }
        }
        unitInstances.removeAll(keepingCapacity: true)
        ofUnit.removeAll(keepingCapacity: true)
    }

    /// Counts the instances of abstract ones in other units.
    mutating func finish(_ statistics: Statistics) {
        for (entry, origin, unit, context) in fileInstances {
            if let group = ofFile[origin] { Self.count(group, missingIn: entry, unit, context, statistics) }
        }
        fileInstances = []
    }

    private static func count(
        _ group: Group, missingIn offset: Int, _ unit: DumpUnit, _ context: DumpContext, _ statistics: Statistics
    ) {
        guard let instance = context.entry(at: offset, in: unit) else { return }
        var missing = Missing(group)
        // Those of blocks directly in it, or in such blocks, are its variables, too.
        var pending = [instance]
        while let entry = pending.popLast() {
            context.forEachChild(of: entry) { child in
                if child.tag == Tag.lexicalBlock {
                    pending.append(child)
                } else if child.tag == Tag.formalParameter || child.tag == Tag.variable,
                    context.value(Attribute.location, of: child) != nil || context.value(Attribute.constValue, of: child) != nil,
                    let origin = context.value(Attribute.abstractOrigin, of: child)
                {
                    missing.remove(origin.raw)
                }
                return true
            }
        }
        statistics.addUncovered(missing)
    }
}
