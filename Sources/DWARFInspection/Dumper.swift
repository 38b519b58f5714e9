internal import BinaryPrimitives
internal import ObjectFiles

/// Dumps the debug information of objects as llvm-dwarfdump 19 prints it, section by section and
/// unit by unit.
package struct Dumper {
    let object: DumpedObject
    let options: DumpOptions
    let output: DumpOutput
    private let threads: DumpThreads?

    /// - Parameter threads: for large sections.
    package init(_ object: DumpedObject, _ options: DumpOptions, _ output: DumpOutput, threads: DumpThreads? = nil) {
        self.threads = threads
        self.object = object
        self.options = options
        self.output = output
    }

    /// Writes what the options select.
    /// - Returns: `false` if an address was looked up that no unit covers.
    package func run() -> Bool {
        InspectionPhase.units.begin()
        if options.showsStatistics {
            StatisticsText(object, output).run()
            return true
        }
        if options.showsSectionSizes {
            SectionSizesText(object, output).run()
            return true
        }
        if options.showsSources { return SourcesText(object, output).run() }
        if options.isJSON {
            writeObjectJSON()
        } else if !options.showsUUID || options.all {
            output.text(object.name)
            output.text(":\tfile format \(object.format)\n")
        }
        if let address = options.lookup { return lookUp(address) }
        if !options.names.isEmpty {
            do throws(DumpError) { try findByName() } catch { object.report(error.problem) }
            return true
        }
        if !options.found.isEmpty {
            findInTables()
            return true
        }
        dumpSections()
        return true
    }

    /// The file is a `.dwo` file or a package by its name: then sections that are not there are
    /// passed over.
    private var isSplitFile: Bool { object.file.path.hasSuffix(".dwo") || object.file.path.hasSuffix(".dwp") }

    private func dumpSections() {
        if (options.showsUUID || options.all) && !options.isJSON { writeUUID() }
        for section in DumpOptions.Section.allCases where options.all || options.sections.contains(section) {
            if !options.isJSON || section.hasJSON { dump(section) }
        }
    }

    private func dump(_ section: DumpOptions.Section) {
        phase(of: section).begin()
        switch section {
        case .info: dumpUnits(section, ".debug_info", \.infoUnits)
        case .types: dumpUnits(section, ".debug_types", \.typesUnits)
        case .abbrev: both(section, ".debug_abbrev") { dumpAbbreviations($0, $1) }
        case .line:
            both(section, ".debug_line") { lines, context in
                if options.isJSON { return dumpLinesJSON(lines, context) }
                LineTableText(
                    context: context, lines: lines, options: options, output: output, report: object.report,
                    printedAddress: { object.sections.printed($0) }
                ).writeAll(only: options.offsets[section])
            }
        case .aranges: one(section, ".debug_aranges") { options.isJSON ? dumpAddressRangesJSON($0) : dumpAddressRanges($0) }
        case .str: both(section, ".debug_str") { bytes, _ in dumpStrings(bytes) }
        case .lineStr: one(section, ".debug_line_str") { dumpStrings($0) }
        case .addr: one(section, ".debug_addr") { dumpAddresses($0) }
        case .ranges: one(section, ".debug_ranges") { dumpOldRanges($0) }
        case .rnglists: both(section, ".debug_rnglists") { dumpRangeLists($0, $1) }
        case .loc: both(section, ".debug_loc") { dumpOldLocations($0, $1, only: options.offsets[section]) }
        case .loclists: both(section, ".debug_loclists") { dumpLocationLists($0, $1, only: options.offsets[section]) }
        case .pubnames: one(section, ".debug_pubnames") { dumpPublicNames($0, isGNU: false) }
        case .pubtypes: one(section, ".debug_pubtypes") { dumpPublicNames($0, isGNU: false) }
        case .gnuPubnames: one(section, ".debug_gnu_pubnames") { dumpPublicNames($0, isGNU: true) }
        case .gnuPubtypes: one(section, ".debug_gnu_pubtypes") { dumpPublicNames($0, isGNU: true) }
        case .strOffsets:
            both(section, ".debug_str_offsets") { bytes, context in
                dumpStringOffsets(bytes, object.sections[context?.isSplit == true ? ".debug_str.dwo" : ".debug_str"], context)
            }
        case .frame:
            one(section, ".debug_frame") { _ in dumpFrames(".debug_frame", only: options.offsets[section]) }
            one(section, ".eh_frame") { _ in dumpFrames(".eh_frame", only: options.offsets[section]) }
        case .cuIndex: one(section, ".debug_cu_index") { dumpPackageIndex($0) }
        case .tuIndex: one(section, ".debug_tu_index") { dumpPackageIndex($0) }
        case .appleNames: one(section, ".apple_names") { _ in dumpAppleNames(".apple_names") }
        case .appleTypes: one(section, ".apple_types") { _ in dumpAppleNames(".apple_types") }
        case .appleNamespaces: one(section, ".apple_namespaces") { _ in dumpAppleNames(".apple_namespaces") }
        case .appleObjC: one(section, ".apple_objc") { _ in dumpAppleNames(".apple_objc") }
        case .names: one(section, ".debug_names") { _ in dumpNameIndexes() }
        case .macro: refuse([".debug_macro", ".debug_macinfo"])
        case .gdbIndex: refuse([".gdb_index"])
        }
    }

    /// Dumps the units of a section and of its `.dwo` twin. A section that was asked for has a heading also where it is empty.
    private func dumpUnits(_ section: DumpOptions.Section, _ name: String, _ units: KeyPath<DumpContext, ArraySlice<DumpUnit>>) {
        let isExplicit = !options.all && !isSplitFile
        if isExplicit || object.main?[keyPath: units].isEmpty == false {
            heading(name)
            if let context = object.main { dump(context[keyPath: units], context, section) }
        }
        if let context = object.split, !context[keyPath: units].isEmpty {
            heading(name + ".dwo")
            dump(context[keyPath: units], context, section)
        }
    }

    private func phase(of section: DumpOptions.Section) -> InspectionPhase {
        switch section {
        case .info, .types, .abbrev: .units
        case .line: .lines
        default: .tables
        }
    }

    /// A section of linked files alone: with a heading if it was requested, or is there.
    private func one(_ section: DumpOptions.Section, _ name: String, _ body: (SectionBytes) -> Void) {
        let bytes = object.sections[name]
        guard !options.all && !isSplitFile || !bytes.isEmpty else { return }
        heading(name)
        body(bytes)
    }

    /// A section that split units have too, under a name of its own.
    private func both(_ section: DumpOptions.Section, _ name: String, _ body: (SectionBytes, DumpContext?) -> Void) {
        one(section, name) { body($0, object.main) }
        let split = object.sections[name + ".dwo"]
        guard !split.isEmpty else { return }
        heading(name + ".dwo")
        body(split, object.split)
    }

    /// Reports sections that cannot be dumped yet.
    private func refuse(_ names: [String]) {
        for name in names where !object.sections[name].isEmpty { object.report("\(name) is not dumped: cairn cannot read it yet") }
    }

    func heading(_ name: String) { if !options.isJSON { output.text("\n\(name) contents:\n") } }

    /// Writes entries in the requested form.
    /// - Parameter other: in position of `output`.
    func entryText(_ context: DumpContext, _ options: DumpOptions, to other: DumpOutput? = nil, registers: DWARFRegisterNames?) -> EntryText
    {
        let output = other ?? output
        return options.isJSON ? EntryJSON(context, options, output, registers) : EntryText(context, options, output, registers: registers)
    }

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
            let text = entryText(context, single, registers: object.registers)
            for unit in units {
                // An offset in the middle of an entry is none's.
                let position = Int(clamping: offset)
                guard position >= unit.root, position < unit.end, text.trees.tree(of: unit).index(of: position - unit.offset) != nil,
                    let entry = context.entry(at: position, in: unit)
                else { continue }
                text.write(entry, indent: 0)
            }
            return
        }
        // A split unit may need the linked file's, and both have few units.
        let size = units.first.map { context.section(of: $0).count } ?? 0
        if let threads, threads.count > 1, !context.isSplit, size >= threads.minBytes {
            return ParallelUnits(units, context, threads, output) { entryText($0, options, to: $1, registers: object.registers) }
                .write(threads)
        }
        let text = entryText(context, options, registers: object.registers)
        for unit in units { UnitText(text).write(unit) }
    }
}
