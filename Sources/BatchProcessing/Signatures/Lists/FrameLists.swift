/// Every list that is used, searched by a function's name.
package struct FrameLists: Sendable {
    /// Roles of one function in all lists.
    struct Roles: Sendable, Hashable {
        var isSentinel = false
        var isIrrelevant = false
        var isPrefix = false
        var isLibrary = false
    }

    /// By name, in its order.
    package let lists: [FrameList]
    /// The entries whose functions begin with a given byte, and those that begin with an asterisk.
    private let drawers: [[(kind: FrameList.Kind, pattern: FramePattern)]]
    private let others: [(kind: FrameList.Kind, pattern: FramePattern)]

    /// - Parameter lists: If two lists have the same name, the later one counts.
    package init(_ lists: [FrameList]) {
        var byName: [String: FrameList] = [:]
        for list in lists { byName[list.name] = list }
        self.lists = byName.values.sorted { $0.name < $1.name }
        var drawers = [[(kind: FrameList.Kind, pattern: FramePattern)]](repeating: [], count: 256)
        var others: [(kind: FrameList.Kind, pattern: FramePattern)] = []
        for entry in self.lists.flatMap(\.entries) {
            if let byte = entry.pattern.firstByte { drawers[Int(byte)].append(entry) } else { others.append(entry) }
        }
        self.drawers = drawers
        self.others = others
    }

    /// These lists and a user's own lists. A user's list replaces the list of the same name.
    package func adding(_ own: [FrameList]) -> FrameLists { FrameLists(lists + own) }

    /// Our own, one for each language or runtime.
    package static let standard = FrameLists([
        .c, .checks, .cPlusPlus, .rust, .swift, .apple, .go, .java, .scripts, .kernel, .sanitizers, .windows,
    ])

    func roles(function: String, module: String) -> Roles {
        let name = Array(function.utf8)
        let image = Array(module.utf8)
        var roles = Roles()
        func addRoles(_ entries: [(kind: FrameList.Kind, pattern: FramePattern)]) {
            for (kind, pattern) in entries where pattern.matches(function: name, module: image) {
                switch kind {
                case .sentinel: roles.isSentinel = true
                case .irrelevant: roles.isIrrelevant = true
                case .prefix: roles.isPrefix = true
                case .library: roles.isLibrary = true
                }
            }
        }
        if let first = name.first { addRoles(drawers[Int(first)]) }
        addRoles(others)
        return roles
    }
}
