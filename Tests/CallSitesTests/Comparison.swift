import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

/// Compares all calls of an image with what a disassembler lists.
struct Comparison {
    /// In the disassembler's list and not in ours, or with another return address or target.
    var missing: [CallSite]
    var extra: [CallSite]
    var count: Int

    init(_ sites: CallSites, _ expected: [CallSite], withTargets: Bool = true) {
        var found: [CallSite] = []
        sites.forEachCall { site in
            found.append(site)
            return true
        }
        func key(_ site: CallSite) -> CallSite {
            withTargets ? site : CallSite(call: site.call, returnAddress: site.returnAddress, target: nil)
        }
        let (ours, theirs) = (Set(found.map(key)), Set(expected.map(key)))
        missing = theirs.subtracting(ours).sorted { $0.call < $1.call }
        extra = ours.subtracting(theirs).sorted { $0.call < $1.call }
        count = expected.count
        if found.map(\.call) != found.map(\.call).sorted() { Issue.record("the calls do not ascend") }
    }

    var summary: String { "\(count) listed; missing \(missing.count): \(missing.prefix(3)); extra \(extra.count): \(extra.prefix(3))" }
    var isEqual: Bool { missing.isEmpty && extra.isEmpty && count > 0 }
}

/// Looks up single addresses: each call by its return address and by every byte of it, and every
/// other address of a stretch.
func checkAddresses(_ sites: CallSites, _ expected: [CallSite], everyAddress: Bool) {
    let returns = Dictionary(expected.map { ($0.returnAddress, $0) }, uniquingKeysWith: { first, _ in first })
    var wrong: [String] = []
    for site in expected {
        guard case .call(let found) = sites.call(returningTo: site.returnAddress), found.call == site.call else {
            wrong.append("no call returns to \(site.returnAddress): \(sites.call(returningTo: site.returnAddress))")
            continue
        }
        for address in site.call.value..<site.returnAddress.value {
            guard case .call(let found) = sites.call(containing: LinkAddress(address)), found.call == site.call else {
                wrong.append("no call contains \(LinkAddress(address)): \(sites.call(containing: LinkAddress(address)))")
                continue
            }
        }
    }
    if everyAddress {
        for range in sites.code {
            for address in range.lowerBound.value...range.upperBound.value where returns[LinkAddress(address)] == nil {
                if case .call(let site) = sites.call(returningTo: LinkAddress(address)), returns[site.returnAddress] == nil {
                    wrong.append("\(LinkAddress(address)) is no return address: \(site)")
                }
            }
        }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(4))")
}
