/// The first page, the pages of all groups, and the lists that the first page's numbers link to.
struct IndexPages {
    let writing: PageWriting
    let questions: any ReportLists

    /// Groups on the first page; and those of them whose counts over time are charts of their own.
    private static let shownGroups = 50
    private static let multiples = 6

    /// - Returns: how many groups have a page.
    func write() throws -> Int {
        var limits = QuestionLimits()
        limits.tallies = 10
        limits.missingImages = 10
        limits.unreadFiles = 20
        let overview = try questions.overview(limits)
        var values: [String: Any] = [:]

        var series: TimeSeries?
        if let first = overview.first, let last = overview.last {
            series = TimeSeries(scale: TimeScale(first: first, last: last), first: first, last: last)
        }
        let empty = series
        try questions.forEachHour(ofGroup: nil) { start, count in series?.add(count, at: start) }

        let groups = try writeGroups(empty, overview)
        if !groups.shown.isEmpty { values["groups"] = self.groups(groups.shown, count: groups.count, overview) }

        let lists = StoreLists(writing: writing, questions: questions, overview: overview)
        let places = try lists.writeTime(series)
        if let series {
            let columns = TimeColumns(series, places: places)
            values["time"] = time(columns, groups.shown, overview, otherwise: lists.time)
        }
        let breakdown = try questions.breakdown(ofGroup: nil, limits)
        let tallies: [(TallyRows.Kind, [Tally])] = [
            (.version, breakdown.versions), (.system, breakdown.systems), (.device, breakdown.devices),
        ]
        values["tallies"] = try tallies.map { kind, tallies in
            let rows = TallyRows(kind: kind, tallies: tallies, total: overview.reports)
            let (places, otherwise) = try lists.write(rows)
            return rows.values(places, otherwise: otherwise, root: "", caption: "Reports by \(kind.name).")
        }
        if !overview.missingImages.isEmpty {
            let places = try lists.write(overview.missingImages)
            let caption =
                overview.missingImageCount > overview.missingImages.count
                ? "\(overview.missingImages.count) of \(PageText.number(overview.missingImageCount)) files without symbols, those of most reports."
                : "Files for which no symbols were found."
            values["missing"] = [
                "caption": caption, "rows": GroupPages.missing(overview.missingImages) { places[$0.key] ?? lists.time },
            ]
        }
        if !overview.unread.isEmpty {
            let count = overview.unread.count
            let all = overview.unreadableLogs + overview.unreadFiles
            values["unread"] = [
                "caption": all > count
                    ? "\(count) of \(PageText.number(all)); the others are in the list." : "Files that could not be read.",
                "rows": overview.unread.map { file in
                    writing.log(path: file.path, pathCount: 1, depth: 0).merging(["problem": PageText.short(file.problem, 500)]) { $1 }
                },
            ]
        }
        values["facts"] = try lists.facts()
        values["summary"] = summary(overview)
        let heading = "Crashes of \(writing.source)"
        try writing.write("index", to: PageFolder.index, heading: heading, here: heading, trail: [], values)
        return groups.count
    }

    private func summary(_ overview: StoreOverview) -> String {
        "\(PageText.count(overview.reports, "report")) in \(PageText.count(overview.groups, "group")), of \(PageText.count(overview.files, "file")). Click a number to list its logs."
    }

    // MARK: Groups

    private func writeGroups(_ common: TimeSeries?, _ overview: StoreOverview) throws -> (shown: [GroupPages.Result], count: Int) {
        let ids = try questions.groupIDs()
        let pages = GroupPages(writing: writing, questions: questions, common: common)
        var shown: [GroupPages.Result] = []
        var list = GroupListPages(writing: writing, total: ids.count, reports: overview.reports)
        for (rank, id) in ids.enumerated() {
            guard let result = try pages.write(id, isShown: rank < Self.shownGroups) else { continue }
            if rank < Self.shownGroups { shown.append(result) }
            try list.add(result.summary, rank: rank + 1)
        }
        try list.finish()
        return (shown, ids.count)
    }

    private func groups(_ shown: [GroupPages.Result], count: Int, _ overview: StoreOverview) -> [String: Any] {
        [
            "groupsShown": shown.count < count ? "The \(shown.count) groups with the most reports are shown." : "",
            "all": GroupListPages.first,
            "count": PageText.count(count, "group"),
            "caption": "Groups by number of reports, with their share of all \(PageText.number(overview.reports)) reports.",
            "hasSparks": common(shown),
            "rows": shown.enumerated().map { index, result in
                var row = GroupListPages.row(result.summary, rank: index + 1, of: overview.reports, root: "")
                if let columns = result.columns {
                    row["spark"] = columns.drawing(size: "spark", root: "", otherwise: GroupListPages.time(result.summary.id))
                }
                return row
            },
        ]
    }

    private func common(_ shown: [GroupPages.Result]) -> Bool { shown.contains { $0.columns != nil } }

    // MARK: Time

    private func time(_ columns: TimeColumns, _ shown: [GroupPages.Result], _ overview: StoreOverview, otherwise: String) -> [String:
        Any]
    {
        var values = columns.drawing(size: "tall", root: "", otherwise: otherwise).merging(columns.axis) { $1 }
        let untold = overview.reportsWithoutInstant
        values["figure"] =
            "Reports by \(columns.series.scale.word) (UTC)."
            + (untold > 0 ? " \(PageText.count(untold, "report")) without a timestamp \(untold == 1 ? "is" : "are") not shown." : "")
        let some = shown.filter { $0.columns != nil }.prefix(Self.multiples)
        values["multiples"] = some.enumerated().map { index, result in
            var part: [String: Any] = [
                "title": "\(index + 1). " + PageText.short(result.summary.title, 200), "short": "Group \(index + 1)",
                "href": CrashPages.page(ofGroup: result.summary.id),
            ]
            if let group = result.columns {
                part.merge(group.drawing(size: "small", root: "", otherwise: GroupListPages.time(result.summary.id))) { $1 }
                part.merge(group.axis) { $1 }
            }
            return part
        }
        values["pieces"] = columns.series.counts.indices.filter { columns.series.counts[$0] > 0 }.map { index in
            var cells: [[String: Any]] = [
                ["count": PageText.number(columns.series.counts[index]), "href": columns.href(index, root: "", otherwise: otherwise)]
            ]
            for result in some {
                guard let group = result.columns, group.series.counts.indices.contains(index), group.series.counts[index] > 0 else {
                    cells.append([:])
                    continue
                }
                cells.append([
                    "count": PageText.number(group.series.counts[index]),
                    "href": group.href(index, root: "", otherwise: GroupListPages.time(result.summary.id)),
                ])
            }
            return ["label": columns.label(index), "cells": cells]
        }
        return values
    }
}
