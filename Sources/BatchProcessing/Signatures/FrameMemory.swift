internal import BinaryPrimitives

/// Cache of the normalised names and roles of functions. Many logs of one program have mostly the
/// same functions.
package final class FrameMemory: Sendable {
    /// Cache key: everything that the cached values depend on.
    struct Function: Hashable, Sendable {
        var name: String
        var mangled: String
        var file: String?
        var format: String
        var module: String
        var path: String?
    }

    struct Known: Sendable {
        var name: NormalizedName
        var roles: FrameLists.Roles
        var isOwn: Bool
    }

    /// At most 16,384 functions of some hundred bytes each.
    private let known = RecentlyUsed<Function, Known>(count: 16_384)

    package init() {}

    func known(_ function: Function, _ find: () -> Known) -> Known { known.value(for: function, make: find) }
}
