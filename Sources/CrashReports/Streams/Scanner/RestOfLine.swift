internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// What follows a document in its line: so much of it is looked at in one go.
///
/// A megabyte of documents of 18 bytes in one line has 64,000 ends. If the whole rest of the line
/// were searched after each of them, the search would take minutes.
struct RestOfLine: Sendable {
    /// How far it is looked at (in the log), if the line does not end before.
    private let limit: Int

    /// Bytes that are looked at in one go after the document, or after a trigger: the beginnings
    /// that formats recognise are shorter.
    private static let length = 2 << 10

    /// - Parameter position: after the document, or after a trigger in the rest (in the log).
    init(behind position: Int) { limit = position + RestOfLine.length }

    /// Where the piece ends: after the last comma of its last quarter, so that no key is cut, else
    /// at the limit.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    ///   - position: before it the line does not end (in the log).
    /// - Returns: a place in the log; nil where the line ends before, or neither is there yet.
    func pieceEnd(in bytes: Span<UInt8>, base: Int, from position: Int) -> Int? {
        let end = limit - base
        guard end <= bytes.count, bytes.upTo(end).firstLineFeed(from: position - base) == nil else { return nil }
        return bytes.lastIndex(of: UInt8(ascii: ","), before: end, from: end - RestOfLine.length / 4).map { base + $0 + 1 } ?? limit
    }
}
