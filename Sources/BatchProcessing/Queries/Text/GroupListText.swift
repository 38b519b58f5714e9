internal import BinaryPrimitives
package import Reporting

/// The first groups of a store, for people: three lines each, and below what the numbers do not
/// show.
package struct GroupListText {
    private let theme: Theme

    package init(theme: Theme = .plain) { self.theme = theme }

    /// - Parameter counted: how many reports there are in the period, grouped or not.
    /// - Returns: lines, each with its end.
    package func render(_ groups: [GroupSummary], of overview: StoreOverview, counted: Int, since: Int64?) -> [UInt8] {
        let shown = groups.reduce(0) { $0 + $1.reports }
        let period = since.map { " since " + ReadableTime.text($0) } ?? ""
        var lines = [
            theme.heading(
                "\(groups.count) of \(ResultText.count(overview.groups, "group")), \(shown) of \(ResultText.count(counted, "report"))\(period)"
            )
        ]
        let width = String(groups.count).utf8.count + 2
        for (index, group) in groups.enumerated() { lines += [""] + block(group, index + 1, width, counted) }
        let rest = footer(overview, since: since)
        if !rest.isEmpty { lines += [""] + rest }
        return ResultText.bytes(lines)
    }

    private func block(_ group: GroupSummary, _ number: Int, _ width: Int, _ counted: Int) -> [String] {
        let indent = String(repeating: " ", count: width)
        let ordinal = "\(number)."
        let rank = ordinal + String(repeating: " ", count: max(1, width - ordinal.utf8.count))
        let amount =
            "\(ResultText.count(group.reports, "report")) (\(ResultText.share(group.reports, of: counted))) in \(ResultText.count(group.logs, "log"))"
        var lines = ResultText.folded(PlainText.line(group.title), first: rank, hanging: width).map(theme.heading)
        lines.append(indent + group.id + "  " + amount + (group.lacksSymbols ? theme.alarm("  without symbols") : ""))
        lines.append(theme.faint(indent + ResultText.span(group.first, group.last)))
        if !group.versions.isEmpty, group.versions != [Tally(value: nil, count: group.reports)] {
            lines += ResultText.folded(
                ResultText.tallies(group.versions, count: group.versionCount), first: indent + "versions ", hanging: width + 2
            ).map(theme.faint)
        }
        return lines
    }

    private func footer(_ overview: StoreOverview, since: Int64?) -> [String] {
        var lines: [String] = []
        func notify(_ text: String) { lines += ResultText.folded(text, hanging: 2) }
        if !overview.isGrouped {
            notify("the groups are of an earlier run: the last run is still going on, or was interrupted. Run cairn batch again")
        }
        if overview.ungroupedReports > 0 { notify("in no group: \(ResultText.count(overview.ungroupedReports, "report"))") }
        if since != nil, overview.reportsWithoutInstant > 0 {
            notify("not counted: \(ResultText.count(overview.reportsWithoutInstant, "report")) without a timestamp")
        }
        if overview.reportsWithoutStack > 0 {
            notify("not grouped (no usable stack): \(ResultText.count(overview.reportsWithoutStack, "report"))")
        }
        if overview.reportsLackingSymbols > 0 {
            notify("grouped by module offset only (no symbols): \(ResultText.count(overview.reportsLackingSymbols, "report"))")
        }
        if overview.missingImageCount > 0 {
            notify("without symbols: \(ResultText.count(overview.missingImageCount, "image"))")
            for image in overview.missingImages.prefix(Self.listed) {
                lines += ResultText.folded(Self.label(image), first: "  ", hanging: 4)
            }
            if overview.missingImageCount > Self.listed { lines.append("  and \(overview.missingImageCount - Self.listed) more") }
        }
        let unread = overview.unreadableLogs + overview.unreadFiles
        if unread > 0 {
            notify("could not be read: \(ResultText.count(unread, "file"))")
            for file in overview.unread.prefix(Self.listed) {
                lines += ResultText.folded(
                    "\(PlainText.line(file.path)): \(PlainText.line(file.problem, limit: 300))", first: "  ", hanging: 4)
            }
            if unread > Self.listed { lines.append("  and \(unread - Self.listed) more") }
        }
        return lines
    }

    /// How many entries of a list an overview shows.
    private static let listed = 5

    /// `libfoo (3F2A…) x86_64: 8 reports`, and the reason if it adds something.
    static func label(_ image: MissingImage) -> String {
        let identity = image.identity.map { " (\(PlainText.line($0)))" } ?? ""
        let architecture = image.architecture.map { " " + PlainText.line($0) } ?? ""
        let reason = image.reason.flatMap { $0.hasPrefix("no symbol file for ") ? nil : "; " + PlainText.line($0, limit: 300) } ?? ""
        return "\(PlainText.line(image.name))\(identity)\(architecture): \(ResultText.count(image.reports, "report"))\(reason)"
    }
}
