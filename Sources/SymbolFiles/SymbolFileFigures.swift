package import Synchronization

/// Counters of this process's searches, for the figures of a server. Whoever reads one sets it to zero.
package enum SymbolFileFigures {
    /// Files that came from servers, not from the cache.
    package static let downloaded = Atomic(0)
    /// Files that no server had.
    package static let missed = Atomic(0)
    /// Files that servers may have, and that did not come.
    package static let failed = Atomic(0)
    /// Walks of folders.
    package static let walks = Atomic(0)
    /// Modules whose symbols were opened: those of other requests were open already.
    package static let opened = Atomic(0)
}
