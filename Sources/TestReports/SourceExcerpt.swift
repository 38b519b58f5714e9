/// A line of source with those around it, ready to be shown as plain text.
package struct SourceExcerpt: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        /// From 1.
        package var number: Int
        /// Text of the line, without control characters, tabs as spaces, cut if it is long.
        package var text: String
        /// How many columns of a terminal are before the marked place; `nil` in all lines but the
        /// marked one, and there where the column is unknown.
        package var caret: Int?
    }

    package var lines: [Line]
    /// The number of the line that is marked.
    package var marked: Int
    /// The marked place's column in Unicode scalars of the source, from 1, where it is known: debug
    /// information counts bytes.
    package var column: Int?

    /// The lines with their numbers, the marked one's with `>`, and a caret below the column.
    ///
    ///       2 | int inc(int x) {
    ///     > 3 |     return x + 1;
    ///         |            ^
    ///       4 | }
    package var text: String {
        let width = lines.map { String($0.number).utf8.count }.max() ?? 1
        var text = ""
        for line in lines {
            let number = String(line.number)
            text += (line.number == marked ? "> " : "  ") + String(repeating: " ", count: width - number.utf8.count) + number + " |"
            text += (line.text.isEmpty ? "" : " " + line.text) + "\n"
            if let caret = line.caret {
                text += String(repeating: " ", count: width + 3) + "| " + String(repeating: " ", count: caret) + "^\n"
            }
        }
        return text
    }
}
