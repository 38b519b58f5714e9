internal import BinaryPrimitives
package import Reporting

/// Prints the result of a search as text: each group with the matching texts.
package struct SearchText {
    private let theme: Theme

    package init(theme: Theme = .plain) { self.theme = theme }

    /// - Returns: lines, each with its end.
    package func render(_ result: SearchResult, of text: String) -> [UInt8] {
        let reported = "“\(PlainText.line(text, limit: 200))”"
        if result.reports == 0 { return AnswerText.bytes(["no report contains \(reported)"]) }
        var lines = [
            theme.heading(
                "\(reported): \(AnswerText.count(result.reports, "report")) of \(AnswerText.count(result.groupCount, "group"))"
                    + (result.groupCount > result.groups.count ? ", the largest" : ""))
        ]
        for group in result.groups {
            lines += [""] + AnswerText.folded(PlainText.line(group.title), hanging: 2).map(theme.heading)
            lines.append("  \(group.id)  \(group.matching) of \(AnswerText.count(group.reports, "report"))")
            for match in group.matches {
                let place = match.place.rawValue
                lines += AnswerText.folded(
                    PlainText.line(match.text, limit: 400), first: "  " + place + String(repeating: " ", count: 10 - place.utf8.count))
            }
        }
        if result.ungroupedReports > 0 { lines += ["", "not grouped: \(AnswerText.count(result.ungroupedReports, "report")) more"] }
        return AnswerText.bytes(lines)
    }
}
