internal import BinaryPrimitives

/// The line of a log without a report that came nearest to one, for the error that says so.
///
/// Lines are counted only until a report or such a line is found, so that a log with reports costs nothing.
struct NearMiss: Sendable {
    /// What the line looks like and what is missing, for people.
    private(set) var words: String?
    /// Line feeds before byte `counted` of the log.
    private var lines = 0
    private var counted = 0

    /// - Parameters:
    ///   - shortfall: the first trace that had begun and was none; `nil` so far.
    ///   - held: what lies before it may be gone at the next call.
    ///   - bytes: the log from byte `base` on.
    mutating func note(_ shortfall: (start: Int, words: String)?, upTo held: Int, _ bytes: Span<UInt8>, base: Int) {
        guard words == nil else { return }
        let end = shortfall?.start ?? held
        if end > counted {
            lines += bytes.clamped(to: counted - base..<end - base).countLineFeeds()
            counted = end
        }
        if let shortfall { words = "Line \(lines + 1) \(shortfall.words)" }
    }
}
