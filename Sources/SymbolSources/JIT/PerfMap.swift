internal import BinaryPrimitives

/// Reads `/tmp/perf-PID.map`: text, a line for each function that a process compiled (Linux,
/// `tools/perf/Documentation/jit-interface.txt`).
///
///     7fd0d6fe5980 378 JS:~inner /srv/shop/cart.js:3:15       address, size, name
///
/// Numbers are hexadecimal, with or without `0x`; the name is the rest of the line.
enum PerfMap {
    /// Whether the first line is such a row.
    static func begins(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard let line = rest.readLine() else { return false }
        return row(line) != nil
    }

    /// - Parameter limit: maximum number of functions.
    static func functions(_ text: Span<UInt8>, limit: Int) -> [GeneratedCode.Function] {
        var functions: [GeneratedCode.Function] = []
        var rest = text
        while functions.count < limit, let line = rest.readLine() {
            guard let row = row(line), row.size > 0, case let (end, overflow) = row.start.addingReportingOverflow(row.size), !overflow
            else { continue }
            let last = text.count - rest.count
            // The line's end: readLine removes `\n`, or `\r\n`.
            var nameEnd = last
            while nameEnd > 0, let byte = text.at(nameEnd - 1), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { nameEnd -= 1 }
            functions.append(
                GeneratedCode.Function(range: row.start..<end, name: nameEnd - row.nameLength..<nameEnd, lines: nil, order: functions.count)
            )
        }
        return functions
    }

    private static func row(_ line: Span<UInt8>) -> (start: UInt64, size: UInt64, nameLength: Int)? {
        var fields = line
        _ = fields.consume("0x")
        guard let start = fields.readHexadecimal(), fields.consume(" ") else { return nil }
        _ = fields.consume("0x")
        guard let size = fields.readHexadecimal(), fields.consume(" "), fields.count > 0 else { return nil }
        return (start, size, fields.count)
    }
}
