internal import SymbolFiles
internal import Synchronization

/// The symbol files that requests needed, for the log and the figures of a server.
package struct RequestFacts: Sendable, Hashable {
    /// Modules with symbols, and without.
    package var found = 0
    package var missing = 0
    /// Names of the files that were used, without their folders: the first of them.
    package var files: [String] = []
    /// Counters of the engine since its last response (`SymbolFileFigures`).
    package var downloaded = 0
    package var missed = 0
    package var failed = 0
    package var walks = 0
    package var opened = 0

    /// Names in a line of the log.
    static let maxFiles = 20

    package init() {}

    /// Reads the counters, and sets them to zero.
    mutating func readCounters() {
        downloaded = SymbolFileFigures.downloaded.exchange(0, ordering: .relaxed)
        missed = SymbolFileFigures.missed.exchange(0, ordering: .relaxed)
        failed = SymbolFileFigures.failed.exchange(0, ordering: .relaxed)
        walks = SymbolFileFigures.walks.exchange(0, ordering: .relaxed)
        opened = SymbolFileFigures.opened.exchange(0, ordering: .relaxed)
    }
}
