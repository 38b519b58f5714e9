internal import BinaryPrimitives

/// Counts what `--statistics` reports about an object, and writes it: one JSON object in LLVM's
/// layout.
struct StatisticsText {
    private let object: DumpedObject
    private let output: DumpOutput

    init(_ object: DumpedObject, _ output: DumpOutput) {
        self.object = object
        self.output = output
    }

    func run() {
        let statistics = Statistics()
        if let context = object.main { count(context, statistics) }
        write(statistics)
    }

    private func count(_ context: DumpContext, _ statistics: Statistics) {
        let files = SplitUnitFiles(context)
        var abstract = AbstractVariables()
        for unit in context.infoUnits where !unit.isTypeUnit {
            let found = files.find(for: unit)
            var counter = UnitStatistics(found?.unit ?? unit, found?.context ?? context, statistics)
            counter.count(&abstract)
            abstract.finish(counter.unit, counter.context, statistics)
            statistics.lines.add(unit, context)
        }
        abstract.finish(statistics)
    }

    private func write(_ statistics: Statistics) {
        let functions = statistics.functions.functions
        let inside = functions.dropFirst()
        let outside = functions[FunctionTable.outside]
        output.text("{\n  \"version\": 9")
        text("file", object.name)
        text("format", object.format)
        number("#functions", UInt64(inside.count { $0.instances > 0 }))
        number("#functions with location", UInt64(inside.count { $0.hasSourceLocation }))
        number("#inlined functions", statistics.inlined)
        number("#inlined functions with abstract origins", statistics.inlinedWithOrigin)
        number("#unique source variables", inside.reduce(outside.variables) { $0 + $1.variables })
        number("#source variables", inside.reduce(statistics.outsideVariables) { $0 &+ $1.variables &* $1.instances })
        number("#source variables with location", statistics.variablesWithLocation)
        number("#call site entries", statistics.callSiteEntries.value)
        number("#call site DIEs", statistics.callSites.value)
        number("#call site parameter DIEs", statistics.callSiteParameters.value)
        bytes("all_variables", statistics.bytes, anywhere: statistics.coveredAnywhere.value)
        bytes("all_params", statistics.parameterBytes)
        bytes("all_local_vars", statistics.localBytes)
        number("#bytes within functions", statistics.functionBytes.value)
        number("#bytes within inlined functions", statistics.inlinedBytes.value)
        variables("#params", statistics.parameters)
        variables("#local vars", statistics.locals)
        for section in SectionSizes(object.file).sections { number("#bytes in \(section.name)", section.size) }
        locations("#variables", statistics.locations)
        locations("#params", statistics.parameterLocations)
        locations("#local vars", statistics.localLocations)
        let lines = statistics.lines
        number("#bytes with line information", lines.bytes.value)
        number("#bytes with line-0 locations", lines.lineZeroBytes.value)
        number("#line entries", lines.rows.value)
        number("#line entries (is_stmt)", lines.statements.value)
        number("#line entries (unique)", lines.locationCount)
        number("#line entries (unique non-0)", lines.entriesWithLine)
        output.text("\n}\n")
    }

    private func key(_ name: String) {
        output.text(",\n  ")
        JSONText.write(name, to: output)
        output.text(": ")
    }

    private func text(_ name: String, _ value: String) {
        key(name)
        JSONText.write(value, to: output)
    }

    /// The maximum means a sum that is larger.
    private func number(_ name: String, _ value: UInt64) {
        guard value != .max else { return text(name, "overflowed") }
        key(name)
        output.decimal(value)
    }

    private func bytes(_ name: String, _ bytes: Statistics.Bytes, anywhere: UInt64? = nil) {
        number("sum_\(name)(#bytes in parent scope)", bytes.inScope.value)
        if let anywhere { number("sum_\(name)(#bytes in any scope covered by DW_AT_location)", anywhere) }
        number("sum_\(name)(#bytes in parent scope covered by DW_AT_location)", bytes.covered.value)
        number("sum_\(name)(#bytes in parent scope covered by DW_OP_entry_value)", bytes.byEntryValues.value)
    }

    private func variables(_ name: String, _ variables: Statistics.Variables) {
        number(name, variables.count)
        number(name + " with source location", variables.withSourceLocation)
        number(name + " with type", variables.withType)
        number(name + " with binary location", variables.withLocation)
    }

    private func locations(_ name: String, _ locations: Statistics.Locations) {
        number(name + " processed by location statistics", locations.processed)
        coverage(name, locations.all)
        coverage(name + " - entry values", locations.withoutEntryValues)
    }

    private func coverage(_ name: String, _ coverage: Coverage) {
        let last = coverage.counts.count - 1
        for (index, count) in coverage.counts.enumerated() {
            let part =
                switch index {
                case 0: "0%"
                case 1: "(0%,10%)"
                case last: "100%"
                default: "[\((index - 1) * 10)%,\(index * 10)%)"
                }
            number("\(name) with \(part) of parent scope covered by DW_AT_location", count)
        }
    }
}
