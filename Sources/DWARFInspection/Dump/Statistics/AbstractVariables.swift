#if Inspection
    /// The variables of functions that were inlined, as their abstract instances (DWARF 5, section 3.3.8.1) have them: those of them that an instance has no location for
    /// count as not covered.
    ///
    /// LLVM finds an abstract instance by the number that stands in `DW_AT_abstract_origin`, although that mostly counts from the unit and not from the section: of a file
    /// with several units it finds those of the first, and others by chance. The counts are the same here.
    struct AbstractVariables {
        struct Variable {
            /// Its entry in the section.
            var offset: UInt64
            var isParameter: Bool
        }

        /// By the offset of the function's entry.
        private(set) var ofFile: [UInt64: [Variable]] = [:]
        private(set) var ofUnit: [UInt64: [Variable]] = [:]
        /// Instances whose abstract one is not known yet.
        private var unitInstances: [(entry: Int, origin: UInt64)] = []
        /// Those of units before.
        private var fileInstances: [(entry: Int, origin: UInt64, unit: DumpUnit, context: DumpContext)] = []

        mutating func add(_ variable: Variable, of function: UInt64) {
            ofFile[function, default: []].append(variable)
            ofUnit[function, default: []].append(variable)
        }

        /// An instance that is looked at when its unit is read.
        mutating func postpone(_ entry: Int, origin: UInt64) { unitInstances.append((entry, origin)) }

        /// Counts the postponed instances of a unit that has been read.
        mutating func finish(_ unit: DumpUnit, _ context: DumpContext, _ statistics: Statistics) {
            for (entry, origin) in unitInstances {
                if let variables = ofUnit[origin] {
                    Self.count(variables, missingIn: entry, unit, context, statistics)
                } else if context.isSplit || origin >= UInt64(unit.end) || ofFile[origin] != nil {
                    // Otherwise no function lies there: what is before is known, and what comes lies behind.
                    fileInstances.append((entry, origin, unit, context))
                }
            }
            unitInstances.removeAll(keepingCapacity: true)
            ofUnit.removeAll(keepingCapacity: true)
        }

        /// Counts the instances of abstract ones in other units.
        mutating func finish(_ statistics: Statistics) {
            for (entry, origin, unit, context) in fileInstances {
                guard let variables = ofFile[origin] else { continue }
                Self.count(variables, missingIn: entry, unit, context, statistics)
            }
            fileInstances = []
        }

        private static func count(
            _ variables: [Variable], missingIn offset: Int, _ unit: DumpUnit, _ context: DumpContext, _ statistics: Statistics
        ) {
            guard let instance = context.entry(at: offset, in: unit) else { return }
            let located = located(in: instance, context)
            for variable in variables where !located.contains(variable.offset) {
                statistics.addUncovered(isParameter: variable.isParameter)
            }
        }

        /// The origins of the variables of an instance that have a location: its own, and those of blocks directly in it or in such blocks.
        private static func located(in instance: DumpEntry, _ context: DumpContext) -> Set<UInt64> {
            var located: Set<UInt64> = []
            var pending = [instance]
            while let entry = pending.popLast() {
                context.forEachChild(of: entry) { child in
                    if child.tag == Tag.lexicalBlock {
                        pending.append(child)
                    } else if child.tag == Tag.formalParameter || child.tag == Tag.variable,
                        context.value(Attribute.location, of: child) != nil || context.value(Attribute.constValue, of: child) != nil,
                        let origin = context.value(Attribute.abstractOrigin, of: child)
                    {
                        located.insert(origin.raw)
                    }
                    return true
                }
            }
            return located
        }
    }
#endif
