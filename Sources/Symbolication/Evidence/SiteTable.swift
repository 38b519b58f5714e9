internal import BinaryPrimitives
internal import CallSites

/// The return addresses of an image, by their low twelve bits.
final class SiteTable: Sendable {
    /// Load biases are multiples of this (bytes): no Linux has smaller pages; Apple's arm64 systems
    /// have 16 KB.
    let page: UInt64
    private let sites: [UInt64]
    /// For each value of the low bits, where its sites begin.
    private let starts: [Int]

    private static let buckets = 4096

    init(_ calls: CallSites, page: UInt64) {
        self.page = page
        var all: [UInt64] = []
        calls.forEachCall { call in
            all.append(call.returnAddress.value)
            return all.count < Self.mostSites
        }
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

    /// Call sites of one image. A browser's library of 200 MB has four million.
    private static let mostSites = 1 << 25

    /// The sites with the low bits of the address.
    func forEachSite(like address: UInt64, _ body: (UInt64) -> Void) {
        let bucket = Int(address & 0xfff)
        for index in starts[bucket]..<starts[bucket + 1] { body(sites[index]) }
    }
}
