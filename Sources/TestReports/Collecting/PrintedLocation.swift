internal import BinaryPrimitives

/// Reads lines in which a test of an outer runner names the line of its own check. Home-made checks and small libraries have no common
/// form but a path, a number and a word:
///
///     /src/shop/says.c:5: ERROR: prices differ
///     tests/test_cart.c:12:test_total:FAIL: Expected 5 Was 4             Unity
///     [   LINE   ] --- tests/test_cart.c:12: error: Failure!             cmocka
///     FAIL!  : total == 5 (tests/test_cart.c:12)
enum PrintedLocation {
    /// Lines of one test that are used.
    private static let limit = 10
    private static let signs = ["fail", "error", "assert", "expect"].map { Array($0.utf8) }

    /// - Parameter output: what the test has printed.
    /// - Returns: the lines that name a location and have one of the signs, each location once.
    static func issues(_ output: Span<UInt8>) -> [ConsoleIssue] {
        var rest = output
        var issues: [ConsoleIssue] = []
        while issues.count < limit, let line = rest.readLine() {
            guard let location = location(line), hasWord(line),
                !issues.contains(where: { $0.file == location.file && $0.line == location.line })
            else { continue }
            var issue = ConsoleIssue(
                runner: .ctest, file: location.file, isNameOnly: true, line: location.line, column: location.column,
                message: line.trimmed().text)
            issue.about = "The test printed this line."
            issues.append(issue)
        }
        return issues
    }

    /// `tests/a.c:12`, `a.c:12:5`, between blanks, brackets and quotes, before a colon, a bracket or nothing.
    private static func location(_ line: Span<UInt8>) -> SourceLocation? {
        var colon = line.firstIndex(of: UInt8(ascii: ":"))
        while let end = colon {
            colon = line.firstIndex(of: UInt8(ascii: ":"), from: end + 1)
            guard let digit = line.at(end + 1), isDigit(digit) else { continue }
            var start = end
            while let byte = line.at(start - 1), isPath(byte) { start -= 1 }
            let path = line.clamped(to: start..<end)
            guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot > 0, let after = path.at(dot + 1), isLetter(after),
                path.firstIndex(of: UInt8(ascii: "/"), from: dot) == nil
            else { continue }
            var rest = line.from(end + 1)
            guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), number > 0 else { continue }
            var column = 0
            if let byte = rest.at(1), rest.at(0) == UInt8(ascii: ":"), isDigit(byte) {
                rest = rest.from(1)
                column = rest.readDecimal().flatMap { Int(exactly: $0) } ?? 0
            }
            guard rest.at(0).map({ !isLetter($0) && !isDigit($0) }) ?? true else { continue }
            return SourceLocation(file: path.text, line: number, column: column)
        }
        return nil
    }

    private static func isPath(_ byte: UInt8) -> Bool {
        byte > 0x20 && !Array(":()[]<>{}\"'`,;|=".utf8).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    private static func hasWord(_ line: Span<UInt8>) -> Bool {
        for start in line.indices {
            // The bit distinguishes capital letters.
            let isFound = signs.contains { sign in sign.indices.allSatisfy { line.at(start + $0).map { $0 | 0x20 } == sign[$0] } }
            if isFound { return true }
        }
        return false
    }
}
