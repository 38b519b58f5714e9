internal import BinaryPrimitives

/// Reads excerpts from the repository's files, and from no others: the text of an excerpt is
/// published.
package struct SourceExcerpts: Sendable {
    private let root: String?

    /// Bytes of a source file beyond which it is not read.
    static let largestFile: UInt64 = 16 << 20
    /// Columns of a line that are shown.
    static let width = 160
    static let tab = 4

    /// - Parameter root: the repository's root (`RepositoryPaths.root`); `nil`: no excerpts.
    package init(root: String?) { self.root = root.flatMap { Path.resolved($0) } }

    /// The line at a location, and two around it.
    /// - Returns: `nil` where the file is not there, not in the repository (a link may lead out of
    ///   it), too large, not text, or has no such line.
    package func excerpt(at location: Failure.Location) -> SourceExcerpt? {
        guard let root, location.line > 0, let path = Path.resolved(Path.join(root, location.path)),
            path.hasPrefix(root == "/" ? "/" : root + "/"),
            PathKind(path: path) == .file, let size = FileStamp(path: path)?.size, size <= Self.largestFile,
            let bytes = try? FileDescriptor.readAll(atPath: path), !bytes.contains(0)
        else { return nil }
        return Self.excerpt(of: bytes, line: location.line, column: location.column)
    }

    static func excerpt(of bytes: [UInt8], line: Int, column: Int) -> SourceExcerpt? {
        guard line > 0, line < Int.max - 1 else { return nil }
        var lines: [SourceExcerpt.Line] = []
        let first = max(1, line - 1)
        var number = 1
        var scalars: Int?
        let span = bytes.span
        var rest = span
        while let text = rest.readLine() {
            if number > line + 1 { break }
            if number >= first { lines.append(shown(text, number: number, column: number == line && column > 0 ? column : nil)) }
            if number == line, column > 0, column <= text.count + 1 { scalars = text.upTo(column - 1).text.unicodeScalars.count + 1 }
            number += 1
        }
        guard lines.contains(where: { $0.number == line }) else { return nil }
        return SourceExcerpt(lines: lines, marked: line, column: scalars)
    }

    /// - Parameter column: the byte to be marked, from 1.
    private static func shown(_ line: Span<UInt8>, number: Int, column: Int?) -> SourceExcerpt.Line {
        // A byte gives at most four columns, a scalar has at most four bytes: what follows these
        // bytes is never shown.
        let cut = max(column ?? 0, width) + width
        var columns: [(text: String, width: Int)] = []
        var caret: Int?
        var byte = 0
        var total = 0
        for scalar in line.upTo(min(line.count, cut * 4)).text.unicodeScalars {
            if let column, caret == nil, byte + scalar.utf8.count >= column { caret = columns.count }
            byte += scalar.utf8.count
            let cell: (text: String, width: Int)
            if scalar == "\t" {
                let count = tab - total % tab
                cell = (String(repeating: " ", count: count), count)
            } else if PlainText.isUnsafe(scalar) {
                cell = ("\u{FFFD}", 1)
            } else {
                cell = (String(scalar), PlainText.width(scalar))
            }
            total += cell.width
            columns.append(cell)
        }
        // The end of the line is a location, too: where something is missing.
        if let column, caret == nil, column <= line.count + 1, byte + 1 >= column { caret = columns.count }
        var start = 0
        // So much that the mark is in the middle.
        if let caret, columns[..<caret].reduce(0, { $0 + $1.width }) > width - 20 { start = max(0, caret - width / 2) }
        var text = start > 0 ? "…" : ""
        var used = start > 0 ? 1 : 0
        var mark: Int?
        var index = start
        while index < columns.count {
            if index == caret { mark = used }
            guard used + columns[index].width <= width else {
                text += "…"
                break
            }
            text += columns[index].text
            used += columns[index].width
            index += 1
        }
        if caret == columns.count, index == columns.count { mark = used }
        while text.last == " " { text.removeLast() }
        return SourceExcerpt.Line(number: number, text: text, caret: mark)
    }
}
