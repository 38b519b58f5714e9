internal import BinaryPrimitives

/// Tables that are written as text: a row a line, with bars between its columns.
///
///     SIGPIPE | The program wrote to a pipe or a socket that nobody reads. | signal(7)
enum TextTable {
    /// The columns of each row, without the blanks around them.
    static func rows(_ text: String) -> [[String]] {
        let bytes = Array(text.utf8)
        var rest = bytes.span
        var rows: [[String]] = []
        while let line = rest.readLine() {
            rows.append(line.fields(separatedBy: UInt8(ascii: "|"), maxCount: 4).map { line.clamped(to: $0).trimmed().text })
        }
        return rows
    }
}
