internal import BinaryPrimitives

/// Reads the Test Anything Protocol (version 13 and 14) with the lines that its writers name, and bats' own format:
///
///     not ok 2 a total is right                             (bats 1.8)
///     # (from function `expect_even' in file ./cart.bats, line 24,
///     #  in test file ./cart.bats, line 28)
///     #   `expect_even 3' failed
///
///     not ok 2 - a total is right                           (node 20, --test-reporter=tap)
///       ---
///       location: '/src/cart.test.mjs:6:1'
///       error: 'one is left'
///       stack: |-
///         TestContext.<anonymous> (file:///src/cart.test.mjs:7:10)
///       ...
///
///     #   Failed test 'a total is right'                    (Perl's Test::More, on standard error)
///     #   at t/cart.t line 7.
///     #          got: '4'
struct TAPConsole: ConsoleFamily {
    /// The meaning of the lines that follow.
    private enum Part: Sendable { case none, comments, record, text, stack }

    private var part = Part.none
    private var issue: ConsoleIssue?
    /// Blanks before the line that began the issue.
    private var indentation = 0
    /// Blanks before Perl's line about a part that has failed.
    private var failedPart: Int?
    /// Blanks before the last result of a part that has failed.
    private var failedResult: Int?
    /// The lines that follow are those of a record's message.
    private var isMessageOpen = false
    /// The line that a Perl program ended at, which its harness then says: `no such item at t/dies.t line 5.`
    private var death: ConsoleIssue?

    var isIdle: Bool { part == .none }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        var rest = line
        rest.skipBlanks()
        let blanks = line.count - rest.count
        if isInside(blanks, rest) { return readInside(rest, blanks) }
        let done = finish()
        if rest.consume("not ok ") { return done + beginResult(rest, blanks) }
        if rest.consume("ok ") {
            guard rest.readDecimal() != nil else { return done }
            _ = rest.consume(" -")
            return done + [.ended(Self.name(rest), hasFailed: false)]
        }
        if rest.consume("#   Failed ") {
            beginPerl(rest, blanks)
        } else if rest.hasPrefix("# Looks like your test ") {
            defer { death = nil }
            return done + (death.map { [.ended($0.test ?? "", hasFailed: true), .issue($0)] } ?? [])
        } else if rest.hasPrefix("# Looks like you failed "), blanks > 0 {
            failedPart = blanks
        } else if let sign = line.firstRange(of: " \u{2717} "), line.at(0) == UInt8(ascii: " ") {
            // bats, for people: ` ✗ a total is right`. On a terminal its name and number come before.
            (issue, part, indentation) = (ConsoleIssue(runner: .tap, test: line.from(sign.upperBound).text, message: ""), .text, 1)
        } else if let location = Self.perlLocation(rest), blanks == 0 {
            death = ConsoleIssue(
                runner: .tap, test: location.file, file: location.file, line: location.line, message: rest.upTo(location.start).text)
        }
        return done
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { (issue, part, isMessageOpen) = (nil, .none, false) }
        guard let issue, let test = issue.test else { return [] }
        let failed: [ConsoleEvent] = issue.runner == .tap && part != .none ? [.ended(test, hasFailed: true)] : []
        // A line without a location may have it on the other stream.
        return failed + (issue.file == nil ? [] : [.issue(issue)])
    }

    /// Whether a line belongs to the failure that is open.
    private func isInside(_ blanks: Int, _ rest: Span<UInt8>) -> Bool {
        switch part {
        case .none: false
        case .comments:
            blanks == indentation && rest.at(0) == UInt8(ascii: "#") && !rest.hasPrefix("#   Failed ") && !rest.hasPrefix("# Looks like ")
                && !rest.hasPrefix("# Subtest: ") || rest.equals("---")
        case .record: !rest.equals("...")
        case .stack: !rest.equals("...") && !rest.hasPrefix("not ok ")
        // On a terminal, a test's name and number come before its sign.
        case .text: blanks >= 3 && rest.count > 0 && rest.firstRange(of: " \u{2717} ") == nil && rest.firstRange(of: " \u{2713} ") == nil
        }
    }

    private mutating func readInside(_ rest: Span<UInt8>, _ blanks: Int) -> [ConsoleEvent] {
        switch part {
        case .record, .stack: readRecord(rest)
        default:
            if rest.equals("---") {
                part = .record
                return []
            }
            readDetail(rest)
        }
        return []
    }

    // MARK: Results

    /// `2 - a total is right`, `3 a command fails # TODO not yet`
    private mutating func beginResult(_ text: Span<UInt8>, _ blanks: Int) -> [ConsoleEvent] {
        var rest = text
        _ = rest.readDecimal()
        _ = rest.consume(" -")
        let name = Self.name(rest)
        for directive in [" # TODO", " # todo", " # SKIP", " # skip"] where rest.firstRange(of: directive) != nil {
            return [.ended(name, hasFailed: false)]
        }
        // A subtest has failed, whose lines are indented further.
        let isWhole = failedResult.map { blanks < $0 } ?? false
        failedResult = blanks > 0 ? blanks : nil
        (issue, part, indentation) = (isWhole ? nil : ConsoleIssue(runner: .tap, test: name, message: ""), .comments, blanks)
        return []
    }

    private static func name(_ text: Span<UInt8>) -> String {
        text.upTo(text.firstRange(of: " # ")?.lowerBound ?? text.count).trimmed().text
    }

    /// Comments of bats (`bats-exec-test`, `bats_print_stack_trace`) and the details of Perl's.
    private mutating func readDetail(_ line: Span<UInt8>) {
        var rest = line
        _ = rest.consume("#")
        let text = rest.trimmed()
        if let mark = text.firstRange(of: "file "), let end = text.firstRange(of: ", line ", from: mark.upperBound),
            text.hasPrefix("(") || text.hasPrefix("in ") || text.hasPrefix("from ")
        {
            var digits = text.from(end.upperBound)
            guard let number = digits.readDecimal().flatMap({ Int(exactly: $0) }), number > 0 else { return }
            issue?.add(frame: SourceLocation(file: text.clamped(to: mark.upperBound..<end.lowerBound).text, line: number))
            return
        }
        if issue?.file == nil, text.hasPrefix("at "), let location = Self.perlLocation(text) {
            issue?.add(frame: SourceLocation(file: location.file, line: location.line))
            return
        }
        if let mark = text.lastRange(of: "' failed with status ") {
            var digits = text.from(mark.upperBound)
            // A shell adds 128 to the signal's number (POSIX, "Exit Status for Commands").
            if let status = digits.readDecimal(), status > 128, status < 128 + 32 {
                issue?.crash = ConsoleIssue.Crash(number: Int(status) - 128)
            }
        }
        issue?.add(text)
    }

    // MARK: node

    private mutating func readRecord(_ text: Span<UInt8>) {
        var rest = text
        if rest.consume("location: ") {
            // The test's own line, where no line of its stack is known.
            let quoted = rest.clamped(to: 1..<max(1, rest.count - 1))
            if issue?.file == nil, let location = ConsoleText.scriptLocation(path: quoted) { issue?.add(frame: location) }
        } else if rest.consume("failureType: ") {
            // Its parts report it.
            if rest.hasPrefix("'subtestsFailed'") { issue = nil }
        } else if rest.consume("error: ") {
            isMessageOpen = rest.equals("|-")
            if !isMessageOpen { issue?.add(rest.clamped(to: 1..<max(1, rest.count - 1))) }
        } else if rest.hasPrefix("code: '") {
            isMessageOpen = false
        } else if isMessageOpen, rest.count > 0, part == .record {
            issue?.add(rest)
        } else if rest.hasPrefix("stack: |-") {
            (part, isMessageOpen) = (.stack, false)
            issue?.stackBegins = true
        } else if part == .stack, let frame = ConsoleText.scriptLocation(rest) {
            if issue?.stackBegins == true {
                issue?.file = nil
                issue?.stackBegins = false
            }
            issue?.add(frame: frame)
        }
    }

    // MARK: Perl

    /// `test 'a total is right'`, `test 'a total is right' at t/cart.t line 7.`, `test at t/cart.t line 9.`
    private mutating func beginPerl(_ text: Span<UInt8>, _ blanks: Int) {
        // A subtest has failed, and has a line of its own.
        if let part = failedPart, blanks < part {
            failedPart = nil
            return
        }
        var issue = ConsoleIssue(runner: .perl, message: "")
        if let open = text.firstIndex(of: UInt8(ascii: "'")), let close = text.lastIndex(of: UInt8(ascii: "'")), open < close {
            issue.test = text.clamped(to: open + 1..<close).text
        }
        if let location = Self.perlLocation(text) { (issue.file, issue.line) = (location.file, location.line) }
        if issue.test == nil { issue.test = issue.file.map { "\($0):\(issue.line)" } }
        issue.message = issue.test.map { "Failed test '\($0)'" } ?? "Failed test"
        if issue.test == nil { issue.test = "?" }
        (self.issue, part, indentation) = (issue, .comments, blanks)
    }

    /// `… at t/cart.t line 7.`
    private static func perlLocation(_ text: Span<UInt8>) -> (file: String, line: Int, start: Int)? {
        guard text.hasSuffix("."), let mark = text.lastRange(of: " line ") else { return nil }
        var digits = text.clamped(to: mark.upperBound..<text.count - 1)
        guard let line = digits.readDecimal().flatMap({ Int(exactly: $0) }), digits.count == 0, line > 0 else { return nil }
        let head = text.upTo(mark.lowerBound)
        guard let at = head.hasPrefix("at ") ? 0..<3 : head.lastRange(of: " at ") else { return nil }
        let file = head.from(at.upperBound).text
        return file.isEmpty || file.contains(" ") ? nil : (file, line, at.lowerBound)
    }
}
