internal import BinaryPrimitives
package import CrashLogModel

/// The `.ips` of iOS until 14 (`bug_type` 109, by ReportCrash and OSAnalytics): a line of JSON that
/// names the app, and below it the text report that `AppleCrash` reads. Results are written into
/// that text in the text report's own way.
package struct AppleIPSLegacy: LineFormat {
    package static let name = "apple-ips-legacy"
    package static let summary = "Apple’s .ips of iOS 14 and before: a JSON header line above a text report"
    package static let triggers = ["\"bug_type\""]

    private var header: JSONValue?
    private var body = AppleCrash()
    /// After the header, empty lines may come before the report.
    private var isInBody = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        var rest = line
        rest.skipBlanks()
        guard rest.hasPrefix("{"), rest.contains("\"bug_type\""), let header = try? JSONParser().parse(rest) else { return .none }
        return header["bug_type"]?.text == "109" ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard header != nil else {
            guard let value = try? JSONParser().parse(line), value.isObject else { return .rejected }
            header = value
            return .more
        }
        if !isInBody {
            let text = line.trimmed()
            if text.count == 0 { return .more }
            guard AppleCrash.begins(text) != .none else { return .rejected }
            isInBody = true
        }
        return body.consume(line, at: range)
    }

    package mutating func finish() -> [CrashReport] {
        body.finish().map { report in
            var report = report
            report.format = AppleIPSLegacy.name
            report.process.name = report.process.name ?? header?["app_name"]?.string ?? header?["name"]?.string
            report.process.identifier = report.process.identifier ?? header?["bundleID"]?.string
            report.process.version = report.process.version ?? header?["app_version"]?.string
            report.platform = report.platform ?? header?["os_version"]?.string
            report.timestamp = report.timestamp ?? header?["timestamp"]?.string.map { Timestamp($0) }
            return report
        }
    }

    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        AppleCrash.edits(of: report, results: results, in: log)
    }
}
