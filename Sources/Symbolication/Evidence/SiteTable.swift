internal import BinaryPrimitives
internal import CallSites
internal import Synchronization

/// The return addresses of an image, by their low twelve bits.
///
/// A log has some dozen addresses, and code is searched for each of their low bits: one place a page. Only where many are
/// wanted, and where calls come from debug information, all calls of the image are read.
final class SiteTable: Sendable {
    /// Load biases are multiples of this (`ObjectFile.Description.loadAlignment`).
    let alignment: UInt64
    private let calls: CallSites
    private let found = Mutex<[UInt64: [UInt64]]>([:])
    private let all: LazyValue<AllSites>

    /// Low bits that are searched for one by one: of libjvm's 13 MB each takes 0.3 ms, and all calls 50 ms.
    private static let maxSearched = 128

    init(_ calls: CallSites, alignment: UInt64) {
        self.alignment = alignment
        self.calls = calls
        all = LazyValue { AllSites(calls) }
    }

    /// Prepares `sites(like:)` for these addresses, on all processors.
    func read(_ addresses: [UInt64]) {
        guard !calls.areFromDebugInformation else { return }
        let bits = found.withLock { found in Set(addresses.map { $0 & 0xfff }).filter { found[$0] == nil } }.sorted()
        guard bits.count <= Self.maxSearched else { return }
        let sites = Parallel.map(bits, minPerThread: 2, state: {}) { [calls] in calls.returnAddresses(withLowBits: $1) }
        found.withLock { found in for (bits, sites) in zip(bits, sites) { found[bits] = sites } }
    }

    /// The sites with the low bits of the address, ascending.
    func sites(like address: UInt64) -> [UInt64] {
        let bits = address & 0xfff
        let (known, count) = found.withLock { ($0[bits], $0.count) }
        if let known { return known }
        guard !calls.areFromDebugInformation, count < Self.maxSearched else { return all.get().sites(like: bits) }
        let sites = calls.returnAddresses(withLowBits: bits)
        found.withLock { $0[bits] = sites }
        return sites
    }
}

/// All return addresses of an image, by their low twelve bits.
private struct AllSites: Sendable {
    private let sites: [UInt64]
    /// For each value of the low bits, where its sites begin.
    private let starts: [Int]

    private static let buckets = 4096
    /// Call sites of one image. A browser's library of 200 MB has four million.
    private static let maxSites = 1 << 25

    init(_ calls: CallSites) {
        let all = calls.returnAddresses(limit: Self.maxSites)
        var counts = [Int](repeating: 0, count: Self.buckets + 1)
        for site in all { counts[Int(site & 0xfff) + 1] += 1 }
        for index in 1...Self.buckets { counts[index] += counts[index - 1] }
        starts = counts
        var next = counts
        var ordered = [UInt64](repeating: 0, count: all.count)
        for site in all {
            let bucket = Int(site & 0xfff)
            ordered[next[bucket]] = site
            next[bucket] += 1
        }
        sites = ordered
    }

    func sites(like bits: UInt64) -> [UInt64] { Array(sites[starts[Int(bits)]..<starts[Int(bits) + 1]]) }
}
