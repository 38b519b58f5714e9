/// Files of folders and archives by their paths there, which say nothing of where the folders are.
package struct FoundNames: Sendable {
    package struct File: Sendable, Hashable {
        /// Its path on this machine.
        package var path: String
        /// From its folder, or its archive, on: `/usr/bin/tide`.
        package var name: String
        /// The archive that it is in, from its folder on.
        package var archive: String?
    }

    package private(set) var files: [File] = []
    /// Whether there are no more.
    package private(set) var isComplete = true
    private let limit: Int
    private let isWanted: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - limit: files that are found at most.
    ///   - isWanted: whether a name is meant.
    package init(atMost limit: Int, _ isWanted: @escaping @Sendable (String) -> Bool) { (self.limit, self.isWanted) = (limit, isWanted) }

    mutating func add(_ path: String, name: String, archive: String? = nil) {
        guard isWanted(name) else { return }
        if files.count < limit { files.append(File(path: path, name: name, archive: archive)) } else { isComplete = false }
    }

    /// Something was not looked through.
    package mutating func noteGap() { isComplete = false }
}

/// A location whose files have names.
protocol NamedLocation: DebugFileLocator {
    func addNames(to found: inout FoundNames)
}

extension LocatorChain {
    /// The files whose names are wanted.
    package func addNames(to found: inout FoundNames) {
        for locator in locators { (locator as? any NamedLocation)?.addNames(to: &found) }
    }
}
