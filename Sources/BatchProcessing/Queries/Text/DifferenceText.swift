internal import BinaryPrimitives
package import Reporting

/// Prints the differences between two stores as text.
package struct DifferenceText {
    private let theme: Theme

    package init(theme: Theme = .plain) { self.theme = theme }

    /// - Parameter limit: Number of groups under each heading.
    /// - Returns: lines, each with its end.
    package func render(_ difference: StoreDifference, first: String, second: String, limit: Int) -> [UInt8] {
        var lines = ResultText.folded(
            "\(PlainText.line(first)): \(ResultText.count(difference.before, "report")); \(PlainText.line(second)): \(ResultText.count(difference.after, "report"))",
            hanging: 2)
        if difference.hasDifferentRules {
            lines += ResultText.folded(
                "the two stores have signatures of different rules or lists, so new and gone groups may be the same. Run cairn batch on both again",
                hanging: 2
            ).map(theme.alarm)
        }
        for change in StoreDifference.Change.allCases {
            let groups = difference.groups.filter { $0.change == change }
            if groups.isEmpty { continue }
            lines += ["", theme.heading("\(Self.label(change)): \(ResultText.count(groups.count, "group"))")]
            // Unchanged groups are only counted.
            if change == .same { continue }
            for group in groups.prefix(limit) { lines += block(group, difference) }
            if groups.count > limit { lines.append("  and \(groups.count - limit) more") }
        }
        return ResultText.bytes(lines)
    }

    private static func label(_ change: StoreDifference.Change) -> String {
        switch change {
        case .new: "new"
        case .gone: "gone"
        case .grown: "grown"
        case .shrunk: "shrunk"
        case .same: "unchanged within statistical error"
        }
    }

    private func block(_ group: StoreDifference.Group, _ difference: StoreDifference) -> [String] {
        let before = "\(group.before) (\(ResultText.share(group.before, of: difference.before)))"
        let after = "\(group.after) (\(ResultText.share(group.after, of: difference.after)))"
        let amount =
            switch group.change {
            case .new: "\(ResultText.count(group.after, "report")) (\(ResultText.share(group.after, of: difference.after)))"
            case .gone: "\(ResultText.count(group.before, "report")) (\(ResultText.share(group.before, of: difference.before)))"
            default: "\(before) → \(after)"
            }
        var ids = [group.idBefore, group.idAfter].compactMap { $0 }
        if ids.count == 2, ids[0] == ids[1] { ids.removeLast() }
        return ResultText.folded(PlainText.line(group.title), first: "  ", hanging: 4)
            + ["    \(amount)  \(ids.joined(separator: " → "))", theme.faint("    " + ResultText.span(group.first, group.last))]
    }
}
