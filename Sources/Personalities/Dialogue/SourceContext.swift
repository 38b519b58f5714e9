internal import BinaryPrimitives
internal import SymbolSources

/// Lines of source text around a frame's line, numbered, the line itself marked.
///
///     2  : int inc(int x) {
///     3 >:     return x + 1;
struct SourceContext {
    let text: String

    /// Maximum number of bytes that are read of a source file.
    private static let largestFile = 64 << 20

    /// - Parameters:
    ///   - path: the file, if the debug information does not hold its text.
    ///   - count: the number of lines, the frame's in the middle.
    /// - Returns: `nil` if there is no such text.
    init?(_ path: String, _ frame: PrintedFrame, _ count: Int) {
        let bytes: [UInt8]
        if let source = frame.details?.source {
            bytes = Array(source.utf8)
        } else {
            guard PathKind(path: path) == .file, let size = FileStamp(path: path)?.size, size <= UInt64(Self.largestFile),
                let read = try? FileDescriptor.readAll(atPath: path)
            else { return nil }
            bytes = read
        }
        let first = max(1, frame.line - count / 2)
        let (last, overflow) = first.addingReportingOverflow(count - 1)
        guard !overflow else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: min(last, bytes.count), omittingEmptySubsequences: false)
        guard first <= lines.count else { return nil }
        // Width of the last possible line number: its logarithm, rounded up, so that 10 has a width of one.
        var width = 0
        var power = 1
        while power < last {
            power *= 10
            width += 1
        }
        var text = ""
        for number in first...min(last, lines.count) {
            // The empty text after the file's last line ending is not a line.
            if number == lines.count, lines[number - 1].isEmpty, number > first { break }
            var line = lines[number - 1]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let digits = "\(number)"
            text += String(repeating: " ", count: max(0, width - digits.count)) + digits + (number == frame.line ? " >: " : "  : ")
            text += String(decoding: line, as: UTF8.self) + "\n"
        }
        self.text = text
    }
}
