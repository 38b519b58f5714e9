#if Inspection
    internal import ObjectFiles

    /// Dumps the debug information of objects as llvm-dwarfdump 19 prints it, section by section and unit by unit.
    public struct Dumper {
        let object: DumpedObject
        let options: DumpOptions
        let output: DumpOutput

        public init(_ object: DumpedObject, _ options: DumpOptions, _ output: DumpOutput) {
            self.object = object
            self.options = options
            self.output = output
        }

        /// Writes what the options ask for.
        /// - Returns: `false` if an address was looked up that no unit covers.
        public func run() -> Bool {
            if !options.showsUUID || options.all {
                output.text(object.name)
                output.text(":\tfile format \(object.format)\n")
            }
            dumpSections()
            return true
        }

        /// The file is a `.dwo` file or a package by its name: then sections that are not there are passed over.
        private var isSplitFile: Bool { object.file.path.hasSuffix(".dwo") || object.file.path.hasSuffix(".dwp") }

        private func dumpSections() {
            if options.showsUUID || options.all { writeUUID() }
            for section in DumpOptions.Section.allCases where options.all || options.sections.contains(section) { dump(section) }
        }

        private func dump(_ section: DumpOptions.Section) {
            let isExplicit = !options.all && !isSplitFile
            switch section {
            case .info:
                if isExplicit || object.main?.infoUnits.isEmpty == false {
                    heading(".debug_info")
                    if let context = object.main { dump(context.infoUnits, context, section) }
                }
                if let context = object.split, !context.infoUnits.isEmpty {
                    heading(".debug_info.dwo")
                    dump(context.infoUnits, context, section)
                }
            case .types:
                if isExplicit || object.main?.typesUnits.isEmpty == false {
                    heading(".debug_types")
                    if let context = object.main { dump(context.typesUnits, context, section) }
                }
                if let context = object.split, !context.typesUnits.isEmpty {
                    heading(".debug_types.dwo")
                    dump(context.typesUnits, context, section)
                }
            default: break
            }
        }

        func heading(_ name: String) { output.text("\n\(name) contents:\n") }

        private func writeUUID() {
            guard object.file.description.container == .machO, let identity = object.file.identity else { return }
            output.text("UUID: \(identity) (\(object.file.architecture)) \(object.file.path)\n")
        }
    }

    extension Dumper {
        private func dump(_ units: ArraySlice<DumpUnit>, _ context: DumpContext, _ section: DumpOptions.Section) {
            if let offset = options.offsets[section] {
                var single = options
                // Without --show-children and --show-parents the entry alone.
                single.showsChildren = options.showsChildren
                let text = EntryText(context, single, output, registers: object.registers)
                for unit in units {
                    // An offset in the middle of an entry is none's.
                    let place = Int(clamping: offset)
                    guard place >= unit.root, place < unit.end, text.trees.tree(of: unit).index(of: place - unit.offset) != nil,
                        let entry = context.entry(at: place, in: unit)
                    else { continue }
                    text.write(entry, indent: 0)
                }
                return
            }
            let text = EntryText(context, options, output, registers: object.registers)
            for unit in units { UnitText(text).write(unit) }
        }
    }
#endif
