internal import BinaryPrimitives
package import Reporting

/// Prints the result of a search as text: each group with the matching texts.
package struct SearchText {
    private let theme: Theme

    package init(theme: Theme = .plain) { self.theme = theme }

    /// - Returns: lines, each with its end.
    package func render(_ result: SearchResult, of text: String) -> [UInt8] {
        let reported = "“\(PlainText.line(text, limit: 200))”"
        if result.reports == 0 { return ResultText.bytes(["no report contains \(reported)"]) }
        var lines = [
            theme.heading(
                "\(reported): \(ResultText.count(result.reports, "report")) of \(ResultText.count(result.groupCount, "group"))"
                    + (result.groupCount > result.groups.count ? ", the largest" : ""))
        ]
        for group in result.groups {
            lines += [""] + ResultText.folded(PlainText.line(group.title), hanging: 2).map(theme.heading)
            lines.append("  \(group.id)  \(group.matching) of \(ResultText.count(group.reports, "report"))")
            for match in group.matches {
                let field = match.field.rawValue
                lines += ResultText.folded(
                    PlainText.line(match.text, limit: 400), first: "  " + field + String(repeating: " ", count: 10 - field.utf8.count))
            }
        }
        if result.ungroupedReports > 0 { lines += ["", "not grouped: \(ResultText.count(result.ungroupedReports, "report")) more"] }
        return ResultText.bytes(lines)
    }
}
