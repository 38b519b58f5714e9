internal import BinaryPrimitives

/// Reads the output of Boost.Test (1.74, format HRF; `compiler_log_formatter.ipp`):
///
///     tests.cpp(11): error: in "totals": check total == 5 has failed [4 != 5]
///     unknown location(0): fatal error: in "throws": std::out_of_range: no such item
///     tests.cpp(23): last checkpoint: "throws" test entry
struct BoostTestConsole: ConsoleFamily {
    /// Its location is in the next line.
    private var issue: ConsoleIssue?

    var isIdle: Bool { issue == nil }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if let mark = line.firstRange(of: "): last checkpoint"), issue != nil, let location = Self.location(line.upTo(mark.lowerBound)) {
            issue?.file = location.file
            issue?.line = location.line
            issue?.about = "It is the last line that Boost.Test recorded before the failure."
            return finish()
        }
        let done = finish()
        for mark in ["): error: in \"", "): fatal error: in \""] {
            guard let range = line.firstRange(of: mark) else { continue }
            let rest = line.from(range.upperBound)
            guard let end = rest.firstRange(of: "\": ") else { continue }
            var next = ConsoleIssue(runner: .boost, test: rest.upTo(end.lowerBound).text, message: rest.from(end.upperBound).text)
            guard let location = Self.location(line.upTo(range.lowerBound)) else {
                if line.hasPrefix("unknown location(0") { issue = next }
                return done
            }
            (next.file, next.line) = (location.file, location.line)
            return done + Self.events(next)
        }
        return done
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { issue = nil }
        return issue.map(Self.events) ?? []
    }

    /// Boost.Test counts failures, and not the tests that they are in.
    private static func events(_ issue: ConsoleIssue) -> [ConsoleEvent] {
        [.ended(issue.test ?? "", hasFailed: true), .issue(issue)]
    }

    /// `tests.cpp(11`
    private static func location(_ text: Span<UInt8>) -> (file: String, line: Int)? {
        guard let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0 else { return nil }
        var digits = text.from(open + 1)
        guard let line = digits.readDecimal().flatMap({ Int(exactly: $0) }), digits.count == 0, line > 0 else { return nil }
        return (text.upTo(open).text, line)
    }
}
