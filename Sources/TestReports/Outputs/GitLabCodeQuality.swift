internal import BinaryPrimitives

/// Failures as GitLab's code-quality report: a JSON array, whose entries appear beside the lines of
/// a merge request (https://docs.gitlab.com/ci/testing/code_quality/).
///
/// Every entry needs a file and a line; failures without a location are not in it, and `leftOut`
/// counts them.
package struct GitLabCodeQuality: Sendable {
    package init() {}

    package func render(_ failures: [Failure]) -> [UInt8] {
        // A fingerprint that comes twice hides the second.
        var seen: [String: Int] = [:]
        let entries = failures.compactMap { failure in
            failure.location.map { location in
                var fingerprint = Fingerprint.text(of: failure)
                let before = seen[fingerprint, default: 0]
                seen[fingerprint] = before + 1
                if before > 0 { fingerprint += "-\(before + 1)" }
                return WrittenJSON.object([
                    ("description", .string(PlainText.line(description(failure), limit: 1000))), ("check_name", .string(failure.rule)),
                    ("fingerprint", .string(fingerprint)), ("severity", .string(severity(failure))),
                    ("location", .object([("path", .string(location.path)), ("lines", .object([("begin", .number(location.line))]))])),
                ])
            }
        }
        var output: [UInt8] = []
        WrittenJSON.array(entries).write(to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    /// How many failures have no line, and so no entry.
    package static func leftOut(_ failures: [Failure]) -> Int { failures.count { $0.location == nil } }

    private func description(_ failure: Failure) -> String {
        var text = failure.title
        if let test = failure.tests.first { text += " (\(test))" }
        // The title of a failed expectation is its message.
        if let first = failure.message.split(separator: "\n").first, !failure.title.contains(first) { text += ": " + first }
        return text
    }

    private func severity(_ failure: Failure) -> String {
        if failure.commandSucceeded { return "info" }
        return switch failure.kind {
        case .crash, .sanitizer, .hang, .panic: "critical"
        case .testFailure: "major"
        case .exception: failure.level == .error ? "critical" : "minor"
        case .stack, .resource: "minor"
        case .noFailure: "info"
        }
    }
}
