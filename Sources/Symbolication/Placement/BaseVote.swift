internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel

/// Finds the load address of an image from return addresses alone: each directly follows a call, and images
/// begin at a page boundary.
///
/// An address keeps its low bits wherever the image is loaded. So it votes for `address − site` of
/// every call site with the same low bits, and the true load bias gets the vote of every address in
/// the image. Of 57,000 sites (python3.11) 14 have the same low 12 bits; four addresses have one
/// bias in common by chance in less than one case of a thousand.
struct BaseVote {
    /// One row of a stack.
    struct Row: Sendable {
        var address: RuntimeAddress
        /// The instruction that was executing: it is not part of the vote.
        var isExact: Bool
        /// The row above may be the trampoline of signal handlers, and this one what was
        /// interrupted.
        var mayBeInterrupted: Bool
    }

    /// The bias that follows from the rows.
    struct Finding: Sendable, Hashable {
        /// An address in memory less the address as linked.
        var bias: UInt64
        /// How many different addresses then directly follow calls, of all that there are.
        var explained: Int
        var addresses: Int
        /// How many the next best bias explains.
        var runnerUp: Int
        /// Rows whose call has the function above as its target.
        var links: Int

        var score: Int { explained + 2 * links }
    }

    enum Outcome: Sendable {
        case found(Finding)
        /// No bias wins clearly: how many addresses the best explains.
        case unclear(best: Int, addresses: Int)
    }

    /// Different addresses that vote. A stack of a recursion has thousands of rows and few
    /// addresses.
    private static let maxAddresses = 512
    /// Biases whose stacks are compared in full.
    private static let maxCandidates = 16
    private static let fewestAddresses = 3
    /// Rows of all biases that are compared where calls are read from debug information: as many as are remembered
    /// (`CachingSource`).
    private static let maxDescribed = 4096
    /// Rows by which biases are tested before all rows are compared: where nothing fits, a long log costs no more than a short one.
    private static let sampledRows = 32

    private let witness: CodeWitness
    private let sites: CallSites
    private let table: SiteTable
    private let stacks: [[Row]]
    private let addresses: [UInt64]

    /// - Parameters:
    ///   - stacks: rows that may be in the image, innermost first.
    ///   - shift: what the writer has subtracted from return addresses.
    init?(_ stacks: [[Row]], _ witness: CodeWitness, shift: UInt64 = 0) {
        guard let sites = witness.callSites else { return nil }
        var seen: Set<UInt64> = []
        var moved = stacks
        for stack in moved.indices {
            for row in moved[stack].indices where !moved[stack][row].isExact {
                let value = moved[stack][row].address.value &+ shift
                moved[stack][row].address = RuntimeAddress(value)
                if seen.count < Self.maxAddresses { seen.insert(value) }
            }
        }
        guard seen.count >= Self.fewestAddresses else { return nil }
        self.witness = witness
        self.sites = sites
        self.stacks = moved
        addresses = seen.sorted()
        table = witness.siteTable(of: sites)
    }

    func outcome() -> Outcome {
        var votes: [UInt64: Int] = [:]
        table.read(addresses)
        for address in addresses {
            for site in table.sites(like: address) where site <= address && (address - site) % table.alignment == 0 {
                votes[address - site, default: 0] += 1
            }
        }
        let ordered = votes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(Self.maxCandidates)
        // A score is at most three times the explained addresses. So a bias with a sixth of the best one's addresses cannot
        // reach half of its score.
        let bestCount = ordered.first?.value ?? 0
        guard bestCount >= Self.fewestAddresses else { return .unclear(best: bestCount, addresses: addresses.count) }
        let rows = stacks.reduce(0) { $0 + $1.count }
        let near = ordered.filter { 6 * $0.value > bestCount }.prefix(witness.isDescribed ? max(2, Self.maxDescribed / max(1, rows)) : .max)
        guard rows <= Self.sampledRows || anyExplainsSample(near.map(\.key)) else {
            return .unclear(best: bestCount, addresses: addresses.count)
        }
        let compared = Set(near.map(\.key))
        // All at once: where calls are read from debug information, each unit then once.
        if witness.isDescribed { witness.read(near.flatMap { vote in stacks.joined().compactMap { linked($0, vote.key) } }) }
        let candidates = ordered.map { vote in
            if compared.contains(vote.key) { return finding(vote.key, explained: vote.value) }
            // A near bias that is not compared gets the highest score that it can have.
            let links = 6 * vote.value > bestCount ? vote.value : 0
            return Finding(bias: vote.key, explained: vote.value, addresses: addresses.count, runnerUp: 0, links: links)
        }.sorted { $0.score > $1.score }
        guard var best = candidates.first else { return .unclear(best: 0, addresses: addresses.count) }
        let second = candidates.dropFirst().first
        best.runnerUp = second?.explained ?? 0
        guard best.explained >= Self.fewestAddresses, best.score >= 2 * (second?.score ?? 0), explainsAll(best.bias) else {
            return .unclear(best: best.explained, addresses: addresses.count)
        }
        return .found(best)
    }

    private func linked(_ row: Row, _ bias: UInt64) -> LinkAddress? {
        row.address.value >= bias ? LinkAddress(row.address.value - bias) : nil
    }

    /// Counts the rows that call the function above them.
    private func finding(_ bias: UInt64, explained: Int) -> Finding {
        var links: Set<RuntimeAddress> = []
        for stack in stacks {
            for (above, row) in zip(stack, stack.dropFirst()) {
                guard !row.isExact, !links.contains(row.address), let address = linked(row, bias), let inner = linked(above, bias) else {
                    continue
                }
                let called = above.isExact ? inner : LinkAddress(ReturnAddress.call(before: inner.value))
                guard let start = witness.functionStart(containing: called),
                    sites.calls(start, holding: called, returningTo: address, within: Self.entryLength)
                else { continue }
                links.insert(row.address)
            }
        }
        return Finding(bias: bias, explained: explained, addresses: addresses.count, runnerUp: 0, links: links.count)
    }

    /// A call may go to a few bytes after the function's first (ppc64's local entry).
    private static let entryLength: UInt64 = 16

    /// Whether one of some biases explains the first rows.
    private func anyExplainsSample(_ biases: [UInt64]) -> Bool {
        let rows = Array(stacks.joined().lazy.filter { !$0.isExact }.prefix(Self.sampledRows))
        if witness.isDescribed { witness.read(biases.flatMap { bias in rows.compactMap { linked($0, bias) } }) }
        return biases.contains { explain(rows, $0) != nil }
    }

    /// Whether every row in the image directly follows a call, except those that a signal may have interrupted.
    /// Debug information has no entries for some calls: if it gives the calls, only most rows must follow one.
    private func explainsAll(_ bias: UInt64) -> Bool {
        guard let rows = explain(stacks.joined(), bias) else { return false }
        return rows.afterCalls > rows.open
    }

    /// - Returns: number of rows that directly follow calls, and number of rows about which nothing is known;
    ///   `nil` if a row contradicts the bias.
    private func explain(_ rows: some Sequence<Row>, _ bias: UInt64) -> (afterCalls: Int, open: Int)? {
        let known = Set(addresses)
        var (after, open) = (0, 0)
        for row in rows where !row.isExact && known.contains(row.address.value) {
            guard let address = linked(row, bias), let offset = address.offset(fromImageBase: witness.base),
                offset.value < witness.imageSize ?? 0
            else { continue }
            switch sites.call(returningTo: address, wantsTarget: false) {
            case .call:
                after += 1
                continue
            case .unknown
            where witness.isDescribed && address.value > 0
                && witness.functionStart(containing: LinkAddress(address.value - 1)) != nil:
                open += 1
                continue
            default: break
            }
            guard row.mayBeInterrupted || witness.trampoline(at: address).proof != nil else { return nil }
        }
        return (after, open)
    }
}
