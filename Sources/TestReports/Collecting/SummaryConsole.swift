internal import BinaryPrimitives

/// Reads how many tests have failed, in the runners' own last lines.
struct SummaryConsole: ConsoleFamily {
    var isIdle: Bool { true }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if let number = Self.outer(line) { return [.failed(number, isOuter: true)] }
        // `go test`: `--- FAIL: TestTotals (0.00s)`
        if line.hasPrefix("--- FAIL: "), let time = line.lastRange(of: " (") {
            return [.ended(line.clamped(to: "--- FAIL: ".utf8.count..<time.lowerBound).text, hasFailed: true), .failed(1, isOuter: false)]
        }
        return Self.inner(line).map { [.failed($0, isOuter: false)] } ?? []
    }

    mutating func finish() -> [ConsoleEvent] { [] }

    /// ctest runs programs that have summaries of their own: `13% tests passed, 7 tests failed out of 8`.
    private static func outer(_ line: Span<UInt8>) -> Int? {
        guard let mark = line.firstRange(of: "% tests passed, "), (1...3).contains(mark.lowerBound), isDigit(line[0]) else { return nil }
        return ConsoleText.number(before: " tests failed out of ", in: line)
    }

    private static func inner(_ line: Span<UInt8>) -> Int? {
        func number(_ labels: [String]) -> Int? {
            let numbers = labels.compactMap { ConsoleText.number(before: $0, in: line) }
            return numbers.isEmpty ? nil : numbers.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        }
        var rest = line
        switch line.at(0) {
        case UInt8(ascii: "["):
            // GoogleTest: `[  FAILED  ] 7 tests, listed below:`
            if rest.consume("[  FAILED  ] "), rest.hasSuffix(", listed below:") { return number([" tests, listed", " test, listed"]) }
            // doctest: `[doctest] test cases: 8 | 1 passed | 7 failed | 0 skipped`
            return line.hasPrefix("[doctest] test cases: ") ? number([" failed"]) : nil
        case UInt8(ascii: "t"):
            // Catch2: `test cases: 8 | 1 passed | 7 failed`
            if line.hasPrefix("test cases: ") { return number([" failed"]) }
            // `cargo test`, each program: `test result: FAILED. 1 passed; 7 failed; 0 ignored; …`
            return line.hasPrefix("test result: ") ? number([" failed"]) : nil
        case UInt8(ascii: "="):
            // pytest: `===== 6 failed, 2 passed, 1 error in 3.11s =====`
            return line.firstRange(of: " in ") != nil && line.hasSuffix("=") ? number([" failed", " error"]) : nil
        case UInt8(ascii: "T"):
            // Jest: `Tests:       7 failed, 1 passed, 8 total`
            return line.hasPrefix("Tests: ") && line.hasSuffix(" total") ? number([" failed"]) : nil
        case UInt8(ascii: "F"):
            // prove, each file: `Failed 6/7 subtests`
            return line.hasPrefix("Failed ") && line.firstRange(of: " subtests") != nil ? number(["/"]) : nil
        case (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            // `pytest -q`: `2 failed, 1 passed in 0.05s`
            if line.firstRange(of: " in ") != nil, line.hasSuffix("s") || line.hasSuffix(")"), let end = line.firstRange(of: " "),
                line.from(end.lowerBound).hasPrefix(" failed")
            {
                return number([" failed", " error"])
            }
            // bats: `8 tests, 7 failures`
            let head = line.upTo(16)
            return head.firstRange(of: " tests, ") != nil || head.firstRange(of: " test, ") != nil ? number([" failure"]) : nil
        case UInt8(ascii: " "):
            // `cargo test`, a program that was ended: `  process didn't exit successfully: `…` (signal: 11, SIGSEGV: …)`
            return line.hasPrefix("  process didn't exit successfully: ") && line.firstRange(of: " (signal: ") != nil ? 1 : nil
        default: return nil
        }
    }
}
