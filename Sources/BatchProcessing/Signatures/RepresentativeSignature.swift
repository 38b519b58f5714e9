/// Chooses the signature that a group is shown by: the signature of the most frequent stack.
///
/// One bug can end in several signals, and each build has its own signature. So reports are first
/// counted by the functions of the title without the kind, and then by signature.
///
/// Example: SIGABRT in `take`: 44, SIGSEGV in `take`: 33, SIGTRAP in `save`: 36. The title is
/// "SIGABRT in take", of 77 reports, not "SIGTRAP in save", of 36.
struct RepresentativeSignature {
    private var stacks: [Substring: [(index: Int, reports: Int)]] = [:]

    /// - Parameter title: Begins with `kindLabel`, the kind (`SignatureTitle`).
    mutating func add(_ index: Int, title: String, kindLabel: String, reports: Int) {
        let functions = title.hasPrefix(kindLabel) ? title.dropFirst(kindLabel.count) : Substring(title)
        stacks[functions, default: []].append((index, reports))
    }

    /// The index of the signature; of equally frequent ones the one that was added first.
    var index: Int? {
        var best: (index: Int, stack: Int, reports: Int)?
        for signatures in stacks.values {
            let total = signatures.reduce(0) { $0 + $1.reports }
            for signature in signatures {
                guard let current = best else {
                    best = (signature.index, total, signature.reports)
                    continue
                }
                if (total, signature.reports, current.index) > (current.stack, current.reports, signature.index) {
                    best = (signature.index, total, signature.reports)
                }
            }
        }
        return best?.index
    }
}
