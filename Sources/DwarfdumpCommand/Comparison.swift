internal import BinaryPrimitives
internal import ObjectFiles
internal import SecondOpinion

/// Both readers' results for one object.
struct Comparison {
    struct Difference {
        var address: LinkAddress
        /// Description of the difference.
        var description: String
        var ours: AddressResult
        /// The damage that cairn's reader found.
        var problem: String?
        var theirs: AddressResult
    }

    private(set) var summary = ComparisonSummary()
    private(set) var differences: [Difference] = []
    /// Messages of libdwarf about parts that it rejected, each once.
    private(set) var refusals: Set<String> = []
    let sample: AddressSample

    /// Nothing is compared yet.
    init(_ sample: AddressSample) { self.sample = sample }

    /// - Parameters:
    ///   - ours: one result for each address of the sample, with the damage that the reader found.
    ///   - theirs: libdwarf's.
    init(_ sample: AddressSample, ours: [(result: AddressResult, problem: String?)], theirs: [ReferenceResult]) {
        self.init(sample)
        for (index, (ours, reference)) in zip(ours, theirs).enumerated() {
            add(index, ours.result, problem: ours.problem, reference)
        }
    }

    /// - Parameters:
    ///   - index: index of the address in the sample.
    ///   - problem: the damage that cairn's reader found.
    mutating func add(_ index: Int, _ ours: AddressResult, problem: String?, _ reference: ReferenceResult) {
        let verdict = ComparisonVerdict(ours, reference)
        summary.add(verdict)
        switch verdict {
        case .differ(let difference): note(sample.addresses[index], difference.rawValue, ours, problem, reference)
        case .bothAllowed: note(sample.addresses[index], "both results are allowed", ours, problem, reference)
        case .notCompared(.unreadable(let message)): refusals.insert(message)
        default: break
        }
    }
}

extension Comparison {
    private mutating func note(
        _ address: LinkAddress, _ description: String, _ ours: AddressResult, _ problem: String?, _ reference: ReferenceResult
    ) {
        differences.append(Difference(address: address, description: description, ours: ours, problem: problem, theirs: reference.result))
    }

    /// One block for each difference, then the counts.
    /// - Parameter name: the object's name.
    func text(_ name: String) -> String {
        var text = ""
        for difference in differences.sorted(by: { $0.address < $1.address }) {
            text += PlainText.line("\(difference.address): \(difference.description)") + "\n"
            text += block("cairn", difference.ours, difference.problem) + block("libdwarf", difference.theirs, nil)
        }
        let others = sample.addresses.count - sample.starts
        let kinds = sample.starts > 0 ? " (\(sample.starts) function starts, \(others) others)" : ""
        let done = summary.total < sample.addresses.count ? "\(summary.total) of " : ""
        text +=
            "\(PlainText.line(name)): \(done)\(sample.addresses.count) addresses\(kinds): \(summary.agreements) agree, \(summary.differing) differ\n"
        for difference in ComparisonVerdict.Difference.allCases {
            if let count = summary.differences[difference] { text += "  \(difference.rawValue): \(count)\n" }
        }
        for (count, label) in [
            (summary.bothAllowed, "several results are allowed, and the readers chose different ones"),
            (summary.splitUnits, "only lines compared, because the file of their split unit is missing"),
            (summary.supplementaryFiles, "all but names and files compared, because their supplementary file is missing"),
            (summary.typeUnits, "all but names compared, because libdwarf does not follow them into type units"),
            (summary.firstFiles, "agree but for the first file of a line table of version 5, which libdwarf before 0.5 has wrong"),
            (summary.outsideUnits, "libdwarf alone knows them, by a function that reaches beyond the ranges of its own unit"),
            (summary.unreadable, "not compared, because libdwarf could not read them"),
        ] where count > 0 {
            text += "  \(label): \(count)\n"
        }
        for message in refusals.sorted() { text += "  libdwarf: \(PlainText.line(message))\n" }
        return text
    }

    /// A result as rows: the innermost function first, each with the location that it was called from; then
    /// the entry of the function that is not inlined.
    private func block(_ reader: String, _ result: AddressResult, _ problem: String?) -> String {
        var rows: [String] = []
        var location = result.location
        for function in result.functions {
            let entry = function.entry.map { ", which begins at \($0)" } ?? ""
            rows.append(
                "\(function.name ?? "a function without a name") at \(locationText(location))\(function.isInlined ? ", inlined into" : entry)"
            )
            location = function.callSite
        }
        if result.functions.isEmpty { rows.append(result.location == nil ? "unknown" : "no function, at \(locationText(result.location))") }
        if let problem { rows.append("damage: \(problem)") }
        return "  \(reader):\n" + rows.map { "    \(PlainText.line($0))\n" }.joined()
    }

    private func locationText(_ location: SourceLocation?) -> String {
        location.map { "\($0.file):\($0.line):\($0.column)" } ?? "no line"
    }
}
