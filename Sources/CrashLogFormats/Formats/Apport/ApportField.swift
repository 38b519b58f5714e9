internal import BinaryPrimitives
internal import CrashLogModel

/// A line of an apport report, which is a Debian control file (`problem_report.py`): `Key: value`,
/// or `Key:` with the value's lines below, each indented by one blank.
enum ApportField {
    /// The key and what follows it on the line; `nil` for a line of a longer value.
    static func key(_ line: Span<UInt8>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 1 == line.count || line[colon + 1] == UInt8(ascii: " ")
        else { return nil }
        for index in 0..<colon {
            let byte = line[index]
            guard
                isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: "-")
            else { return nil }
        }
        return (line.upTo(colon).text, line.from(colon + 2).trimmed().text)
    }
}
