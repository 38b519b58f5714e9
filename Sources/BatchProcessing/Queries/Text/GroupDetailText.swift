internal import BinaryPrimitives
package import Reporting

/// Everything about a group, for people.
package struct GroupDetailText {
    private let theme: Theme

    package init(theme: Theme = .plain) { self.theme = theme }

    /// - Parameter former: the identifier under which the group was requested, if it is not its own
    ///   any more.
    /// - Returns: lines, each with its end.
    package func render(_ group: GroupDetail, former: String? = nil) -> [UInt8] {
        let summary = group.summary
        var lines: [String] = []
        if let former { lines.append("\(former) was merged into \(summary.id)") }
        lines += ResultText.folded(PlainText.line(summary.title), hanging: 2).map(theme.heading)
        lines.append(
            "\(summary.id)  \(ResultText.count(summary.reports, "report")) in \(ResultText.count(summary.logs, "log"))  \(PlainText.line(summary.family))"
        )
        lines.append(ResultText.span(summary.first, summary.last))
        if group.reportsWithoutInstant > 0, summary.first != nil {
            lines.append("\(ResultText.count(group.reportsWithoutInstant, "report")) without a timestamp")
        }
        if summary.lacksSymbols {
            lines.append(theme.alarm("grouped by module offset only (no symbols): reports of other builds may be the same bug"))
        }
        if !group.formerIDs.isEmpty { lines += ResultText.folded(group.formerIDs.joined(separator: " "), first: "merged from ") }
        lines += breakdown(group.breakdown) + days(group.days) + stacks(group) + missing(group) + examples(group)
        return ResultText.bytes(lines)
    }

    private func section(_ title: String) -> [String] { ["", theme.heading(title)] }

    private func breakdown(_ breakdown: Breakdown) -> [String] {
        let rows: [(String, [Tally])] = [
            ("kind", breakdown.kinds.count > 1 ? breakdown.kinds : []), ("process", breakdown.processes), ("version", breakdown.versions),
            ("system", breakdown.systems), ("device", breakdown.devices),
            ("platform", breakdown.platforms), ("architecture", breakdown.architectures), ("format", breakdown.formats),
        ]
        let reported = rows.filter { row in row.1.contains { $0.value != nil } }
        if reported.isEmpty { return [] }
        return section("reports by")
            + reported.flatMap { name, tallies in
                ResultText.folded(
                    ResultText.tallies(tallies), first: "  " + name + String(repeating: " ", count: 14 - name.utf8.count))
            }
    }

    /// Days have the columns of a bar as far as there are any; the day is UTC's, which a line says
    /// once.
    private func days(_ days: [DayCount]) -> [String] {
        guard let largest = days.map(\.count).max(), largest > 0 else { return [] }
        let shown = days.suffix(Self.shownDays)
        var lines = section("reports by day (UTC)" + (days.count > shown.count ? ", the last \(shown.count) days of \(days.count)" : ""))
        let width = shown.map { String($0.count).utf8.count }.max() ?? 1
        for day in shown {
            let number = String(day.count)
            let bar = String(repeating: "#", count: max(1, day.count * 60 / largest))
            lines.append(
                "  \(ReadableTime.day(day))  \(String(repeating: " ", count: width - number.utf8.count))\(number)  \(theme.own(bar))")
        }
        return lines
    }

    private static let shownDays = 30

    private func stacks(_ group: GroupDetail) -> [String] {
        guard !group.stacks.isEmpty else { return [] }
        var lines = section(
            ResultText.count(group.stackCount, "different stack")
                + (group.stackCount > group.stacks.count ? ", those of most reports" : ""))
        for stack in group.stacks {
            lines += ["  " + theme.heading(ResultText.count(stack.reports, "report"))]
            var reasons: Set<String> = []
            for frame in stack.frames { lines += self.frame(frame, reported: &reasons) }
            let rest = stack.rows - Set(stack.frames.map(\.row)).count
            if rest > 0 { lines.append("    and \(ResultText.count(rest, "row")) more") }
        }
        return lines
    }

    /// - Parameter reported: reasons that the stack has given already, which are not repeated. That
    ///   an image has no symbols is shown below all stacks.
    private func frame(_ frame: NamedFrame, reported: inout Set<String>) -> [String] {
        let number = String(frame.row)
        let head = "    " + number + String(repeating: " ", count: max(1, 4 - number.utf8.count))
        var description = frame.function.map { PlainText.line($0) } ?? "?"
        if frame.isInlined { description += " [inlined]" }
        if let file = frame.file {
            description +=
                " at " + PlainText.line(file) + (frame.line > 0 ? ":\(frame.line)" : "") + (frame.column > 0 ? ":\(frame.column)" : "")
        }
        if let module = frame.module {
            description +=
                " in " + PlainText.line(module) + (frame.function == nil ? frame.offset.map { "+0x" + String($0, radix: 16) } ?? "" : "")
        } else if frame.function == nil, let address = frame.address {
            description += " 0x" + String(address, radix: 16)
        }
        if frame.kind.hasPrefix("omitted") || frame.kind == "truncated" { description = "… " + PlainText.line(frame.kind) }
        let lines = ResultText.folded(description, first: head, hanging: 10).map { frame.isOwn ? theme.own($0) : $0 }
        guard let reason = frame.reason, !reason.hasPrefix("no symbol file for "), reported.insert(reason).inserted else { return lines }
        return lines + ResultText.folded(PlainText.line(reason), first: "        unresolved: ", hanging: 10).map(theme.faint)
    }

    private func missing(_ group: GroupDetail) -> [String] {
        guard group.missingImageCount > 0 else { return [] }
        var lines = section("without symbols: " + ResultText.count(group.missingImageCount, "image"))
        for image in group.missingImages { lines += ResultText.folded(GroupListText.label(image), first: "  ", hanging: 4) }
        let rest = group.missingImageCount - group.missingImages.count
        if rest > 0 { lines.append("  and \(rest) more") }
        return lines
    }

    private func examples(_ group: GroupDetail) -> [String] {
        guard !group.examples.isEmpty else { return [] }
        let rest = group.summary.reports - group.examples.count
        var lines = section(
            "examples"
                + (rest > 0
                    ? " (the other \(ResultText.count(rest, "report")): cairn batch export --what reports --group \(group.summary.id))"
                    : ""))
        for report in group.examples {
            let number = report.number > 0 ? ", trace \(report.number + 1)" : ""
            let first = report.paths.first.map { PlainText.line($0) } ?? "log " + report.log.prefix(16)
            lines.append("  " + first + number)
            for path in report.paths.dropFirst() { lines.append("    also " + PlainText.line(path)) }
            if report.pathCount > report.paths.count { lines.append("    and at \(report.pathCount - report.paths.count) more places") }
            let details = [
                report.instant.map(ReadableTime.text) ?? report.time, report.process, report.version, report.system, report.device,
                report.causeType, report.signal,
            ].compactMap { $0 }.map { PlainText.line($0, limit: 200) }
            if !details.isEmpty { lines += ResultText.folded(details.joined(separator: ", "), first: "    ").map(theme.faint) }
            for text in [report.meaning, report.message].compactMap({ $0 }) {
                lines += ResultText.folded(PlainText.line(text, limit: 400), first: "    ").map(theme.faint)
            }
        }
        return lines
    }
}
