#if Inspection
    /// Looks for contradictions in debug information (`--verify`), and says of each group of checks that it was made.
    ///
    /// These are fewer than llvm-dwarfdump's: that everything can be read to its end, and that everything that is referred to is there. Whether ranges lie inside of those
    /// around them, and whether tables of names are complete, is not looked at.
    public struct Verifier {
        private let object: DumpedObject
        private let output: DumpOutput
        private let isQuiet: Bool
        /// Of one kind at most so many are told, of which a damaged file has millions.
        private static let mostOfKind = 20

        public init(_ object: DumpedObject, _ output: DumpOutput, isQuiet: Bool) {
            self.object = object
            self.output = output
            self.isQuiet = isQuiet
        }

        private final class Findings {
            var counts: [String: Int] = [:]
        }

        /// - Returns: whether nothing is wrong.
        public func run() -> Bool {
            let findings = Findings()
            say("Verifying \(object.name):\tfile format \(object.format)")
            for context in [object.main, object.split] {
                guard let context else { continue }
                let suffix = context.isSplit ? ".dwo" : ""
                say("Verifying .debug_abbrev\(suffix)...")
                verifyAbbreviations(context, suffix, findings)
                say("Verifying .debug_info\(suffix) entries: values, references, strings, files, ranges, locations...")
                for unit in context.units { verify(unit, context, findings) }
                say("Verifying .debug_line\(suffix) tables: headers, programs, files, order of addresses...")
                verifyLines(context, findings)
            }
            for problem in object.sections.problems { add("a section that cannot be read", problem, findings) }
            for (kind, count) in findings.counts.sorted(by: { $0.key < $1.key }) { say("error: \(kind): \(count) times") }
            say(findings.counts.isEmpty ? "No errors in what was checked." : "Errors detected.")
            return findings.counts.isEmpty
        }

        private func say(_ line: String) { if !isQuiet { output.text(line + "\n") } }

        private func add(_ kind: String, _ place: @autoclosure () -> String, _ findings: Findings) {
            findings.counts[kind, default: 0] += 1
            if findings.counts[kind, default: 0] <= Self.mostOfKind { say("error: \(kind): \(place())") }
        }

        private func verifyAbbreviations(_ context: DumpContext, _ suffix: String, _ findings: Findings) {
            var offset: UInt64 = 0
            let section = object.sections[".debug_abbrev" + suffix]
            while offset < UInt64(section.count) {
                guard let table = try? context.session.abbreviations(at: offset), table.end > offset else {
                    return add("abbreviations that cannot be read", hexadecimal(Int(offset)), findings)
                }
                for abbreviation in table.all {
                    let attributes = abbreviation.specifications.map(\.attribute)
                    if Set(attributes).count != attributes.count {
                        add("an abbreviation that has an attribute twice", "\(abbreviation.code) of \(hexadecimal(Int(offset)))", findings)
                    }
                }
                offset = table.end
            }
        }

        private func verify(_ unit: DumpUnit, _ context: DumpContext, _ findings: Findings) {
            let trees = UnitTrees(context)
            let texts = UnitTexts(unit, context, trees)
            let tree = trees.tree(of: unit)
            let bytes = context.section(of: unit)
            if tree.offsets.isEmpty { return add("a unit without entries", hexadecimal(unit.offset), findings) }
            for offset in tree.offsets {
                let place = Int(offset) + unit.offset
                guard let entry = context.entry(at: place, in: unit) else { continue }
                var cursor = bytes.cursor(at: entry.values)
                for specification in entry.abbreviation.specifications {
                    guard let value = DumpValue(specification, &cursor, unit), !cursor.isPastEnd else {
                        add("an entry whose values cannot be read", hexadecimal(place), findings)
                        break
                    }
                    verify(value, specification.attribute, entry, tree, texts, context, findings)
                }
            }
            if let last = tree.offsets.last, let entry = context.entry(at: Int(last) + unit.offset, in: unit),
                let end = context.end(of: entry),
                (end..<unit.end).contains(where: { bytes[$0] != 0 })
            {
                add("entries that end before their unit does", hexadecimal(end), findings)
            }
        }

        private func verify(
            _ value: DumpValue, _ attribute: UInt16, _ entry: DumpEntry, _ tree: UnitTree, _ texts: UnitTexts, _ context: DumpContext,
            _ findings: Findings
        ) {
            let place = { hexadecimal(entry.offset) + " " + DWARFNames.attributes.text(UInt64(attribute)) }
            switch value.form {
            case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata:
                if tree.index(of: Int(clamping: value.raw)) == nil { add("a reference that leads to no entry", place(), findings) }
            case Form.refAddr:
                if context.entry(referredBy: value) == nil { add("a reference that leads to no entry", place(), findings) }
            case Form.refSig8:
                if context.typeUnits[value.raw] == nil { add("a signature that no unit has", place(), findings) }
            case Form.strp, Form.lineStrp, Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4, Form.gnuStrIndex:
                if context.string(value) == nil { add("a string outside of its section", place(), findings) }
            case _ where value.isAddressIndex:
                // The table of a split unit is in the linked file.
                if !context.isSplit, context.address(value) == nil { add("an index outside of the table of addresses", place(), findings) }
            default: break
            }
            switch attribute {
            case Attribute.declarationFile, Attribute.callFile:
                if let number = value.unsignedConstant, number != 0 || entry.unit.version >= 5, !context.isSplit, texts.path(number) == nil
                {
                    add("a file that the unit's line table does not have", place(), findings)
                }
            case Attribute.ranges where !context.isSplit:
                guard let ranges = context.ranges(value) else { return add("a range list that cannot be read", place(), findings) }
                if ranges.contains(where: { $0.high < $0.low }) { add("a range that ends before it begins", place(), findings) }
            case Attribute.lowPC where !context.isSplit:
                // Linkers put code that they removed at -1 or -2.
                if let bounds = context.lowAndHigh(of: entry), bounds.high < bounds.low, bounds.low < entry.unit.tombstone &- 1 {
                    add("a range that ends before it begins", place(), findings)
                }
            case _ where AttributeKinds.withLocationList.contains(attribute) && value.isSectionOffset:
                verifyLocations(value, place(), context, findings)
            default: break
            }
        }

        private func verifyLocations(_ value: DumpValue, _ place: String, _ context: DumpContext, _ findings: Findings) {
            guard let offset = context.locationListOffset(value) else { return add("a location list that is not there", place, findings) }
            let table = context.locationTable(of: value.unit)
            var cursor = table.bytes.cursor(at: Int(clamping: offset))
            while let entry = table.next(&cursor) { if entry.kind == 0 { return } }
            add("a location list that cannot be read", place, findings)
        }

        private func verifyLines(_ context: DumpContext, _ findings: Findings) {
            var seen: Set<UInt64> = []
            for unit in context.units {
                guard let start = context.bases(of: unit).lineTable, seen.insert(start).inserted, !context.isSplit else { continue }
                let place = Int(clamping: start)
                guard place < context.lines.count, let header = try? LineTableHeader(at: place, of: context.lines, unit: unit) else {
                    add("a line table that cannot be read", hexadecimal(place), findings)
                    continue
                }
                if let problem = header.problem { add("a line table's header", problem, findings) }
                let program = LineProgram(
                    header: header, lines: context.lines, addressSize: unit.addressSize, tellsOpcodes: false, place: { context.place($0) })
                var (last, hasFiles): (UInt64?, Bool) = (nil, true)
                let files = header.version >= 5 ? 0..<UInt64(header.files.count) : 1..<UInt64(header.files.count + 1)
                let problem = program.run { event in
                    guard case .row(let row) = event else { return }
                    if let last, row.address < last, last < unit.tombstone &- 1 {
                        add("a row before the one in front of it", hexadecimal(place), findings)
                    }
                    last = row.endsSequence ? nil : row.address
                    if !row.endsSequence, !files.contains(UInt64(row.file)) { hasFiles = false }
                }
                if !hasFiles { add("rows of files that their table does not have", hexadecimal(place), findings) }
                if let problem { add("a line program", problem, findings) }
            }
        }
    }
#endif
