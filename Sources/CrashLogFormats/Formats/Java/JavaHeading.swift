internal import BinaryPrimitives
internal import CrashLogModel

/// The line that names an exception:
/// `Exception in thread "main" java.lang.IllegalStateException: MESSAGE`, the same without the
/// thread, with `Caused by: ` where a log was cut, and `== Java Exception: ` in front (Jazzer).
struct JavaHeading {
    var type: String
    var message: String?
    var threadName: String?
    /// Only Java names a thread like that.
    var isThread = false

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        var isJazzer = false
        guard let first = rest.at(0), (first | 0x20) &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "=") else { return nil }
        if rest.take("Exception in thread \"") {
            guard let close = rest.firstRange(of: "\" ") else { return nil }
            threadName = rest.upTo(close.lowerBound).text
            isThread = true
            rest = rest.from(close.upperBound)
        } else {
            isJazzer = rest.take("== Java Exception: ")
            if !isJazzer { _ = rest.take("Caused by: ") }
        }
        let end = rest.firstRange(of: ": ")?.lowerBound ?? rest.count
        let name = rest.upTo(end)
        guard JavaHeading.isClass(name), isThread || isJazzer || name.contains("Exception") || name.hasPrefix("java.lang.") else {
            return nil
        }
        type = name.text
        if end < rest.count { message = rest.from(end + 2).text }
    }

    /// `com.example.Outer$Inner`: parts of letters, digits, `_` and `$` between dots, of which
    /// there is one at least.
    private static func isClass(_ text: Span<UInt8>) -> Bool {
        var dots = 0
        for index in 0..<text.count {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard index > 0, index + 1 < text.count, text[index - 1] != byte else { return false }
                dots += 1
            } else if !(isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                || byte >= 0x80)
            {
                return false
            }
        }
        return dots > 0
    }
}
