internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// A document that has begun and not ended.
struct OpenDocument: Sendable {
    var format: any DocumentFormat.Type
    /// Start of the document in the log.
    var start: Int
    /// Position up to which its end has been searched.
    var scanned: Int
    var extent: JSONExtent
    /// The format is sure of it: if it cannot be read, that is a problem of the log and no
    /// misunderstanding.
    var isCertain: Bool
    /// All of the log belongs to it.
    var coversWholeLog = false

    /// Looks for its end.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    /// - Returns: whether the end is known; `scanned` is then its position.
    mutating func advance(over bytes: Span<UInt8>, base: Int) -> Bool {
        if coversWholeLog {
            scanned = base + bytes.count
            return false
        }
        let step = extent.advance(over: bytes.from(scanned - base))
        scanned += step.count
        return step.isComplete
    }
}
