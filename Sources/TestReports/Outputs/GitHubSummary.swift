internal import BinaryPrimitives

/// Failures as Markdown: for GitHub's step summary (`GITHUB_STEP_SUMMARY`) and Buildkite's
/// annotations (`buildkite-agent annotate`).
///
/// Everything that comes from a log is in code spans and fenced blocks, which are made longer than
/// any run of their own delimiter inside: nothing in them is markup.
package struct GitHubSummary: Sendable {
    /// Bytes that both services take: 1 MiB. What is larger is refused as a whole.
    package static let sizeLimit = 1 << 20
    private static let frameLimit = 100

    private let limit: Int

    /// - Parameter limit: bytes; what is left of `sizeLimit` where the step's summary has something
    ///   already.
    package init(limit: Int = sizeLimit) { self.limit = limit }

    /// - Parameter tally: of a run of tests; those that failed without a report are counted here.
    package func render(_ failures: [Failure], tally: TestTally? = nil) -> [UInt8] {
        guard !failures.isEmpty || tally != nil else { return [] }
        let failed = failures.count { $0.kind != .noFailure }
        var output = "## cairn: "
        if failures.isEmpty, let tally {
            output += "\(tally.failed) failed \(tally.failed == 1 ? "test" : "tests")"
        } else {
            output += "\(failed == 0 ? "no" : String(failed)) \(failed < 2 ? "failure" : "failures")"
        }
        output += failures.contains { $0.commandSucceeded } ? " in a command that succeeded\n" : "\n"
        if let tally { output += "\n" + Self.span(tally.line) + "\n" }
        // The sentence about what is left out.
        let room = limit - 200
        var written = 0
        for failure in failures {
            var section = Self.section(failure, frames: Self.frameLimit)
            if output.utf8.count + section.utf8.count > room { section = Self.section(failure, frames: 5) }
            guard output.utf8.count + section.utf8.count <= room else { break }
            output += section
            written += 1
        }
        let leftOut = failures.count - written
        if leftOut > 0 {
            output += "\n\(leftOut) more \(leftOut == 1 ? "failure is" : "failures are") left out: a summary holds \(limit) bytes.\n"
        }
        return output.utf8.count <= limit ? Array(output.utf8) : []
    }

    private static func section(_ failure: Failure, frames: Int) -> String {
        var text = "\n### " + span(PlainText.line(failure.title, limit: 500)) + "\n\n"
        var facts = [span(failure.rule)]
        if let location = failure.location {
            facts.append(
                "at " + span("\(PlainText.line(location.path)):\(location.line)" + (location.column > 0 ? ":\(location.column)" : "")))
        }
        if let test = failure.tests.first {
            facts.append(
                "in " + span(PlainText.line(test, limit: 500)) + (failure.tests.count > 1 ? " and \(failure.tests.count - 1) more" : ""))
        }
        if failure.count > 1 { facts.append("\(failure.count) times") }
        text += facts.joined(separator: ", ") + "\n"
        let message = failure.message == failure.title ? "" : failure.message
        let details = ([message] + FailureText(failure).remarks).filter { !$0.isEmpty }.joined(separator: "\n")
        if !details.isEmpty { text += "\n" + block(PlainText.lines(details, limit: ReportFailure.messageLimit)) }
        if let excerpt = failure.excerpt { text += "\n" + block(excerpt.text) }
        for stack in failure.stacks where !stack.frames.isEmpty {
            // The title of a stack may be a log's heading, and HTML is markup in a summary's line.
            text +=
                "\n<details><summary>Stack: \(html(stack.title))</summary>\n\n" + block(FailureText.rows(stack.frames, limit: frames))
                + "\n</details>\n"
        }
        return text
    }

    /// A code span (CommonMark 0.31, section 6.1). Its delimiter is longer than any run of
    /// backticks inside; spaces keep one at an end apart.
    static func span(_ text: String) -> String {
        let fence = String(repeating: "`", count: longestRun(text) + 1)
        // A span of nothing but spaces, or of nothing, is not a code span.
        let content = text.allSatisfy { $0 == " " } ? "?" : text
        let pad = content.hasPrefix("`") || content.hasSuffix("`") || (content.hasPrefix(" ") && content.hasSuffix(" ")) ? " " : ""
        return fence + pad + content + pad + fence
    }

    /// A fenced code block (section 4.5).
    static func block(_ text: String) -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(text) + 1))
        return fence + "text\n" + text + (text.hasSuffix("\n") ? "" : "\n") + fence + "\n"
    }

    private static func longestRun(_ text: String) -> Int {
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// Text between tags that cannot hold any, nor Markdown: each character that means something in
    /// either is a number.
    static func html(_ text: String) -> String {
        var result = ""
        for scalar in PlainText.line(text).unicodeScalars {
            let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value) || scalar == " "
            result += isPlain ? String(scalar) : "&#\(scalar.value);"
        }
        return result
    }
}
