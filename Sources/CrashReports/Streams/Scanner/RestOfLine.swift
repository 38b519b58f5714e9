internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The part of the text after a document in its line that is looked at in one go.
///
/// A megabyte of documents of 18 bytes in one line has 64,000 ends. If the whole rest of the line
/// were searched after each of them, the search would take minutes.
struct RestOfLine: Sendable {
    /// End of the part in the log, if the line does not end before.
    private let limit: Int

    /// Bytes that are looked at in one go after the document, or after a trigger: the beginnings
    /// that formats recognise are shorter.
    private static let length = 2 << 10

    /// - Parameter position: position in the log after the document, or after a trigger in the
    ///   rest.
    init(behind position: Int) { limit = position + RestOfLine.length }

    /// Returns the end of the piece: after the last comma of its last quarter, so that no key is
    /// cut, else at the limit.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    ///   - position: position in the log before which the line does not end.
    /// - Returns: a position in the log; `nil` if the line ends before, or if neither is there yet.
    func pieceEnd(in bytes: Span<UInt8>, base: Int, from position: Int) -> Int? {
        let end = limit - base
        guard end <= bytes.count, bytes.upTo(end).firstLineFeed(from: position - base) == nil else { return nil }
        return bytes.lastIndex(of: UInt8(ascii: ","), before: end, from: end - RestOfLine.length / 4).map { base + $0 + 1 } ?? limit
    }
}
