internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Finds the line of a log without a report that came nearest to one, for the error message.
///
/// Lines are counted only until a report or such a line is found, so that a log with reports costs
/// nothing.
struct NearMiss: Sendable {
    /// Message for people: what the line looks like and what is missing.
    var message: String? { shortfall ?? fragment }
    private var shortfall: String?
    /// Message about the first row of a stack without a beginning.
    private var fragment: String?
    /// Line feeds before byte `counted` of the log.
    private var lines = 0
    private var counted = 0

    /// Bytes of a log, from its first, in which such rows are looked for.
    private static let head = 1 << 16

    /// - Parameters:
    ///   - shortfall: the first trace that had begun and was rejected; `nil` if there was none so
    ///     far.
    ///   - position: position before which bytes may be gone at the next call.
    ///   - bytes: the log from byte `base` on.
    mutating func note(
        _ shortfall: (start: Int, message: String)?, upTo position: Int, _ bytes: Span<UInt8>, base: Int
    ) {
        guard self.shortfall == nil else { return }
        let end = shortfall?.start ?? position
        if end > counted {
            let text = bytes.clamped(to: counted - base..<end - base)
            if fragment == nil, counted < Self.head { findFragment(in: text.upTo(Self.head - counted)) }
            lines += text.countLineFeeds()
            counted = end
        }
        if let shortfall { self.shortfall = "Line \(lines + 1) \(shortfall.message)" }
    }

    /// Looks for the row of a stack among lines that are there as a whole.
    private mutating func findFragment(in text: Span<UInt8>) {
        var (start, number) = (0, lines + 1)
        while start < text.count {
            let end = text.firstLineFeed(from: start) ?? text.count
            if let message = FrameShape.message(text.clamped(to: start..<end)) {
                fragment = "Line \(number) \(message)"
                return
            }
            (start, number) = (end + 1, number + 1)
        }
    }
}
