internal import BinaryPrimitives
public import ObjectFiles

/// The object files that a Mach-O program without a dSYM gets its lines from, for people who ask.
public struct DebugMapSummary: Sendable {
    /// How many object files the program was linked from.
    public let objects: Int
    /// Why some of them are not used, one sentence each, in the order of the map.
    public let refusals: [String]

    /// Opens each of the object files.
    /// - Returns: `nil` if the program has no debug map.
    public init?(_ program: ObjectFile) {
        guard let source = DebugMapSource(program) else { return nil }
        let all = source.objects()
        objects = all.count
        refusals = all.compactMap(\.refusal?.reason)
    }
}
