/// How well groups agree with labels, counted over pairs of crashes: of the pairs that are in one
/// group, those of one bug (precision); of the pairs of one bug, those in one group (recall).
struct PairMeasure {
    var together: Int
    var grouped: Int
    var labelled: Int

    var precision: Double { grouped == 0 ? 1 : Double(together) / Double(grouped) }
    var recall: Double { labelled == 0 ? 1 : Double(together) / Double(labelled) }

    /// - Parameter crashes: the label and the group of each.
    init(_ crashes: [(label: String, group: String)]) {
        func pairs(_ counts: some Sequence<Int>) -> Int { counts.reduce(0) { $0 + $1 * ($1 - 1) / 2 } }
        var labels: [String: Int] = [:]
        var groups: [String: Int] = [:]
        var both: [String: Int] = [:]
        for crash in crashes {
            labels[crash.label, default: 0] += 1
            groups[crash.group, default: 0] += 1
            both[crash.label + "\u{0}" + crash.group, default: 0] += 1
        }
        together = pairs(both.values)
        grouped = pairs(groups.values)
        labelled = pairs(labels.values)
    }

    var text: String {
        func permille(_ value: Double) -> String {
            let digits = String(Int((value * 1000).rounded()))
            return "0".count + digits.count > 4 ? "1.000" : "0." + String(repeating: "0", count: 3 - min(3, digits.count)) + digits
        }
        return "precision \(permille(precision)), recall \(permille(recall))"
    }
}
