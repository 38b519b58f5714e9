internal import BinaryPrimitives

/// One change to a log: the bytes of `range` become `replacement`; an empty range inserts.
public struct TextEdit: Sendable, Hashable {
    /// Bytes of the log, from its first byte.
    public var range: Range<Int>
    /// The bytes that replace the range.
    public var replacement: [UInt8]

    /// - Parameters:
    ///   - range: bytes of the log; empty to insert.
    ///   - replacement: the new bytes of the range.
    public init(range: Range<Int>, replacement: [UInt8]) {
        self.range = range
        self.replacement = replacement
    }

    /// The bytes of `part` of a log with the edits that lie in it made.
    ///
    /// - Parameters:
    ///   - edits: in ascending order, not overlapping, as `CrashLogFormat.edits` returns them.
    ///     Those outside `part`, or in the way of an earlier one, are left out.
    ///   - part: the bytes wanted, from the log's first byte.
    ///   - emit: is given the result piece by piece.
    package static func apply(_ edits: [TextEdit], to log: Span<UInt8>, in part: Range<Int>, emit: (Span<UInt8>) -> Void) {
        let part = part.clamped(to: 0..<log.count)
        var position = part.lowerBound
        for edit in edits where edit.range.lowerBound >= position && edit.range.upperBound <= part.upperBound {
            if edit.range.lowerBound > position { emit(log.clamped(to: position..<edit.range.lowerBound)) }
            emit(edit.replacement.span)
            position = edit.range.upperBound
        }
        if position < part.upperBound { emit(log.clamped(to: position..<part.upperBound)) }
    }

    /// The whole log with the edits made.
    package static func apply(_ edits: [TextEdit], to log: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(log.count + edits.reduce(0) { $0 + $1.replacement.count })
        apply(edits, to: log, in: 0..<log.count) { result.append(copying: $0) }
        return result
    }
}

extension [TextEdit] {
    /// Adds an edit after the others. One that would overlap the last, as malformed logs may cause,
    /// is left out.
    package mutating func add(_ edit: TextEdit) {
        guard edit.range.lowerBound >= last?.range.upperBound ?? 0 else { return }
        append(edit)
    }
}
