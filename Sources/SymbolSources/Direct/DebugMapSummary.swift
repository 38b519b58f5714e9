internal import BinaryPrimitives
package import ObjectFiles

/// The object files that a Mach-O program without a dSYM gets its lines from, for display to users.
package struct DebugMapSummary: Sendable {
    /// How many object files the program was linked from.
    package let objects: Int
    /// Why some of them are not used, one sentence each, in the order of the map.
    package let refusals: [String]

    /// Opens each of the object files.
    /// - Returns: `nil` if the program has no debug map.
    package init?(_ program: ObjectFile) {
        guard let source = DebugMapSource(program) else { return nil }
        let all = source.objects()
        objects = all.count
        refusals = all.compactMap(\.refusal?.reason)
    }
}
