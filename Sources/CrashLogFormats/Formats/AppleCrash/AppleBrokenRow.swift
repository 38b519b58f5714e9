internal import BinaryPrimitives
internal import CrashLogModel

/// A row that mail may have broken over several lines, put together while its lines come:
///
///     0   libSystem.B.dylib             	0xffff0e35 __memcpy + 1685
///     (cpu_capabilities.h:246)
///
/// Mailers break at a blank. So the break may be anywhere after the row's number: before the
/// address, inside a name that holds blanks, before the offset or the file.
struct AppleBrokenRow {
    /// A row's rest may be in two more lines at most: a row of 200 characters at 72 to a line.
    private static let lines = 2

    private var bytes: [UInt8] = []
    private var place = 0..<0
    private var joined = 0
    /// The row's first line was a frame already: what is joined to it changes that frame.
    private(set) var isFrame = false
    private var address: UInt64?

    /// A line that is a row, whole or not.
    mutating func begin(_ line: Span<UInt8>, at place: Range<Int>, row: AppleRow?) {
        bytes.removeAll(keepingCapacity: true)
        for index in 0..<line.count { bytes.append(line[index]) }
        self.place = place
        joined = 0
        isFrame = row != nil
        address = row?.address
    }

    mutating func end() { bytes.removeAll(keepingCapacity: true) }

    /// Takes a line that is no row.
    /// - Returns: the whole row and its place, if with this line it says more than before; `nil` if
    ///   the line is no part of it, or not its last.
    mutating func join(_ line: Span<UInt8>, at place: Range<Int>) -> (row: AppleRow, place: Range<Int>)? {
        let text = line.trimmed()
        guard !bytes.isEmpty, text.count > 0, joined < Self.lines else { return nil }
        // Nothing follows a row's file and line but `[inlined]`.
        let before = AppleRow(bytes.span)
        if before?.symbol.printed?.location != nil, !text.equals("[inlined]") { return nil }
        // After name and offset there is only the place in the source.
        if before?.symbol.isComplete == true, !text.hasPrefix("("), !text.equals("[inlined]") { return nil }
        bytes.append(UInt8(ascii: " "))
        for index in 0..<text.count { bytes.append(text[index]) }
        joined += 1
        guard let row = AppleRow(bytes.span), address == nil || row.address == address, row.symbol.isComplete else { return nil }
        let end = place.upperBound - (line.count - (text.count + line.indent))
        return (row, self.place.lowerBound..<max(end, self.place.upperBound))
    }
}
