internal import BinaryPrimitives
internal import CrashLogFormats

/// Finds the line of a log without a report that came nearest to one, for the error message.
///
/// Lines are counted only until a report or such a line is found, so that a log with reports costs
/// nothing.
struct NearMiss: Sendable {
    /// Message for people: what the line looks like and what is missing.
    var message: String? { incompleteTrace ?? fragment }
    private var incompleteTrace: String?
    /// Message about the first row of a stack without a beginning.
    private var fragment: String?
    /// Line feeds before byte `counted` of the log.
    private var lines = 0
    private var counted = 0

    /// Bytes of a log, from its first, in which such rows are looked for.
    private static let head = 1 << 16

    /// - Parameters:
    ///   - incompleteTrace: the first trace that had begun and was rejected; `nil` if there was none so
    ///     far.
    ///   - position: position before which bytes may be gone at the next call.
    ///   - bytes: the log from byte `base` on.
    mutating func note(
        _ incompleteTrace: (start: Int, message: String)?, upTo position: Int, _ bytes: Span<UInt8>, base: Int
    ) {
        guard self.incompleteTrace == nil else { return }
        let end = incompleteTrace?.start ?? position
        if end > counted {
            let text = bytes.clamped(to: counted - base..<end - base)
            if fragment == nil, counted < Self.head { findFragment(in: text.upTo(Self.head - counted)) }
            lines += text.countLineFeeds()
            counted = end
        }
        if let incompleteTrace { self.incompleteTrace = "Line \(lines + 1) \(incompleteTrace.message)" }
    }

    /// Looks for the row of a stack among lines that are there as a whole.
    private mutating func findFragment(in text: Span<UInt8>) {
        var (start, number) = (0, lines + 1)
        while start < text.count {
            let end = text.firstLineFeed(from: start) ?? text.count
            if let message = FrameShape.message(text.clamped(to: start..<end)) {
                fragment = "Line \(number) \(message)"
                return
            }
            (start, number) = (end + 1, number + 1)
        }
    }
}

/// A line that is a row of a stack without the lines above it, by which the stack would be known:
/// the part of a log that somebody copied.
private enum FrameShape {
    /// - Parameter line: the line without its ending.
    /// - Returns: a message that says what the line looks like and what is missing; `nil` for
    ///   nearly every line.
    static func message(_ line: Span<UInt8>) -> String? {
        var rest = line.trimmed()
        guard let first = rest.at(0) else { return nil }
        switch first {
        case UInt8(ascii: "#"): return numbered(rest.from(1)) ?? unknown(rest)
        case UInt8(ascii: "a"):
            // `at com.example.Main.main(Main.java:12)`
            guard rest.consume("at "), let open = rest.firstIndex(of: UInt8(ascii: "(")), rest.at(rest.count - 1) == UInt8(ascii: ")"),
                rest.from(open).contains(".java:") || rest.from(open).contains(".kt:") || rest.from(open).contains("(Native Method)")
            else { return nil }
            return frame(JavaTrace.name, "the line with the exception above it is missing.")
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            // `4   App   0x0000000104f1c5a8 0x104f18000 + 17832`
            guard rest.readDecimal() != nil, rest.hasPrefix("  "), let address = rest.firstRange(of: " 0x") else { return nil }
            let behind = rest.from(address.upperBound)
            guard behind.contains(" + "), behind.hasPrefix("0000") || behind.contains(" 0x") else { return nil }
            return frame(AppleCrash.name, "the line above the stack, such as \"Thread 0 Crashed:\", is missing.")
        default: return unknown(rest)
        }
    }

    /// `    @     0x7fdc098843c0 (unknown)`: an address of a program's code and a word after it.
    private static func unknown(_ line: Span<UInt8>) -> String? {
        guard let prefix = line.firstRange(of: "0x") else { return nil }
        var rest = line.from(prefix.lowerBound)
        let digits = rest.count
        guard let address = rest.readAddress(), digits - rest.count >= 2 + 11, address >> 44 != 0, address >> 47 == 0, rest.consume(" "),
            rest.trimmed().count > 0
        else { return nil }
        return
            "has an address of code, but is a row of no format that is supported. For single addresses: cairn atos -o PROGRAM -l BASE ADDRESS…"
    }

    /// `1 0x401233 in f /src/a.c:3`, `1  0x0000555 in f () at a.c:3`, `1  f (x=1) at a.c:3`
    private static func numbered(_ text: Span<UInt8>) -> String? {
        var rest = text
        guard rest.readDecimal() != nil, rest.consume(" ") else { return nil }
        if rest.consume("0x") {
            return rest.contains(" in ") || rest.contains("(")
                ? frame(AddressSanitizer.name, "the heading above the stack is missing.") : nil
        }
        guard rest.consume(" "), rest.contains(" (") else { return nil }
        return rest.hasPrefix("0x") || rest.contains(") at ") || rest.contains(") from ")
            ? frame(GDBBacktrace.name, "frame #0 above it is missing.") : nil
    }

    private static func frame(_ format: String, _ missing: String) -> String { "looks like a frame of \(format), but \(missing)" }
}
