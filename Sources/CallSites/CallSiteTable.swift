internal import BinaryPrimitives
internal import ObjectFiles

struct CallSiteTable: Sendable {
    init?(_ files: [ObjectFile]) { return nil }
    func call(returningTo address: LinkAddress) -> CallEvidence { .unknown }
    func call(containing address: LinkAddress) -> CallEvidence { .unknown }
    func forEachCall(_ body: (CallSite) -> Bool) {}
}
