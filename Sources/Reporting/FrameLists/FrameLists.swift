internal import BinaryPrimitives

/// Every list that is used, searched by a function's name.
package struct FrameLists: Sendable {
    /// Roles of one function in all lists.
    package struct Roles: Sendable, Hashable {
        package var isSentinel = false
        package var isIrrelevant = false
        package var isPrefix = false
        package var isLibrary = false

        package init() {}

        /// The function only raises, reports or delivers an error, or it is where threads begin.
        package var isMachinery: Bool { isSentinel || isIrrelevant }
    }

    /// By name, in its order.
    package let lists: [FrameList]
    /// The entries whose functions begin with a given byte, and those that begin with an asterisk.
    private let drawers: [[FrameList.Entry]]
    private let others: [FrameList.Entry]

    /// - Parameter lists: If two lists have the same name, the later one counts.
    package init(_ lists: [FrameList]) {
        var byName: [String: FrameList] = [:]
        for list in lists { byName[list.name] = list }
        self.lists = byName.values.sorted { $0.name < $1.name }
        var drawers = [[FrameList.Entry]](repeating: [], count: 256)
        var others: [FrameList.Entry] = []
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
        .c, .checks, .cPlusPlus, .rust, .swift, .apple, .go, .java, .scripts, .dotNet, .kernel, .sanitizers, .windows,
    ])

    /// Returns the roles of a function.
    /// - Parameters:
    ///   - name: its normalised name.
    ///   - format: the log's format; empty if it is not known.
    package func roles(of name: NormalizedName, module: String, format: String) -> Roles {
        roles(function: name.text, module: module, language: name.language, format: format)
    }

    /// - Parameters:
    ///   - function: its normalised name (`NormalizedName`).
    ///   - language: whose rules made the name.
    package func roles(function: String, module: String, language: NameLanguage = .cPlusPlus, format: String = "") -> Roles {
        let name = Array(function.utf8)
        let image = Array(module.utf8)
        let format = Array(format.utf8)
        // C++'s rules are those of names that nothing shows the language of, too.
        let isKnown = language != .cPlusPlus || name.span.contains("::")
        var roles = Roles()
        func addRoles(_ entries: [FrameList.Entry]) {
            for entry in entries
            where entry.pattern.matches(function: name, module: image) && entry.applies(to: isKnown ? language : nil, format: format) {
                switch entry.kind {
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

    /// Returns where the stack of the event itself begins: after the functions that raised the error, or that a signal
    /// called.
    ///
    ///     0  rust_panic         sentinel
    ///     1  core::panicking::panic_fmt
    ///     2  shop::checkout     the result
    ///     3  main
    ///
    /// - Parameter roles: roles of the functions, innermost first.
    /// - Returns: 0 if no function is a sentinel, or nothing else follows.
    package static func beginning(of roles: [Roles]) -> Int {
        // The frame after a sentinel may be a sentinel itself, because a panic's functions call each other.
        guard let sentinel = roles.firstIndex(where: \.isSentinel) else { return 0 }
        return roles[(sentinel + 1)...].firstIndex { !$0.isMachinery } ?? 0
    }
}
