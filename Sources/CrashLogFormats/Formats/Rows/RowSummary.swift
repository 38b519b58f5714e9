package import BinaryPrimitives

/// The parts of a row by which two lines are rows of one stack without a card (`RowStack.isContinued`).
package struct RowSummary: Sendable, Hashable {
    /// Bytes before the row.
    package let prefixLength: Int
    /// The text there must be the same, but for digits. Set by whoever knows it: `false` if other lines of its kind may have another.
    package var isPrefixKnown = true
    private let prefix: UInt64
    private let style: RowNumber.Style
    private let hasNumber: Bool
    private let hasAddress: Bool
    private let bracket: UInt8
    /// A row that begins with its address is continued by rows of other forms, one with a source location by lines of the source.
    private let isContinuedByOthers: Bool

    /// - Parameter text: the line without the log's prefix.
    /// - Returns: `nil` if the line is no row.
    package init?(_ text: Span<UInt8>) {
        guard let row = RowSearch.row(in: text) else { return nil }
        prefixLength = row.start
        prefix = RowSearch.key(ofPrefix: text.upTo(row.start).trimmed())
        style = row.style
        hasNumber = row.number != nil
        hasAddress = row.address != nil
        bracket = row.addressBracket
        isContinuedByOthers = row.startsWithAddress || row.file != nil
    }

    /// Whether a line with the other row may be the second row of a stack that this one begins.
    /// - Parameter wasRejected: lines of these two shapes were no stack: then a row of another form is none either.
    package func mayContinue(in other: RowSummary, wasRejected: Bool) -> Bool {
        guard isPrefixKnown, other.isPrefixKnown, !hasNumber, !other.hasNumber,
            wasRejected || !isContinuedByOthers && !other.isContinuedByOthers
        else { return true }
        return prefix == other.prefix && style == other.style && (bracket == other.bracket || !hasAddress || !other.hasAddress)
    }
}
