/// Findings of a verification: the text of each, and the number of each kind.
final class VerifierReport {
    let output: DumpOutput
    private let showsDetails: Bool
    private let showsSummary: Bool
    private(set) var counts: [String: UInt64] = [:]

    init(_ output: DumpOutput, showsDetails: Bool, showsSummary: Bool) {
        self.output = output
        self.showsDetails = showsDetails
        self.showsSummary = showsSummary
    }

    /// Counts a finding.
    /// - Parameters:
    ///   - category: its kind, as LLVM calls it.
    ///   - detail: writes it; is called where details are wanted.
    func add(_ category: String, _ detail: () -> Void) {
        counts[category, default: 0] += 1
        if showsDetails { detail() }
    }

    /// Counts a finding that is reported in a line.
    func add(_ category: String, _ line: @autoclosure () -> String) { add(category) { error(line()) } }

    func line(_ text: String) {
        output.text(text)
        output.byte(0x0a)
    }

    func error(_ text: String) { line("error: " + text) }
    func warn(_ text: String) { line("warning: " + text) }
    func note(_ text: String) { line("note: " + text) }

    func summarize() {
        guard showsSummary, !counts.isEmpty else { return }
        error("Aggregated error counts:")
        for (category, count) in counts.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
            error("\(category) occurred \(count) time(s).")
        }
    }

    /// The counts as JSON, as `--verify-json` writes them.
    func writeJSON(to output: DumpOutput) {
        output.text("{\"error-categories\":{")
        for (index, (category, count)) in counts.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) })
            .enumerated()
        {
            if index > 0 { output.text(",") }
            JSONText.write(category, to: output)
            output.text(":{\"count\":\(count)}")
        }
        output.text("},\"error-count\":\(counts.values.reduce(0, +))}")
    }
}
