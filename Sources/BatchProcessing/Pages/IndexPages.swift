internal import BinaryPrimitives

/// The first page, the pages of all groups, and the lists that the first page's numbers link to.
struct IndexPages {
    let writing: PageWriting
    let queries: DatabaseQueries
    let overview: StoreOverview
    let breakdown: Breakdown

    /// Groups on the first page.
    private static let shownGroups = 50
    /// Groups that have so many examples with pages; the others have one.
    private static let largeGroups = (count: 20, pages: 2)

    static var limits: QueryLimits {
        var limits = QueryLimits()
        (limits.tallies, limits.missingImages, limits.unreadFiles, limits.runs) = (10, 0, 20, 1)
        return limits
    }

    /// - Returns: how many groups have a page.
    func write() throws -> Int {
        var values: [String: Any] = [:]
        let column: ValueColumn = breakdown.processes.count { $0.value != nil } > 1 ? .process : .version
        var hours = HourCounts(values: (column == .process ? breakdown.processes : breakdown.versions).compactMap(\.value))
        let day = GroupRow.week / 7
        var (today, yesterday) = (0, 0)
        try queries.forEachHour(ofGroup: nil, by: column) { start, value, count in
            hours.add(count, of: value, at: start)
            if start > writing.now - day { today += count } else if start > writing.now - 2 * day { yesterday += count }
        }

        if writing.usesFileTimes { try queries.forEachFileHour(ofGroup: nil) { hours.add($1, byFileAt: $0) } }
        let series = hours.divided(now: writing.now)

        let groups = try writeGroups(series?.all.emptied)
        let rows = groups.map(\.row)
        let groupLists = GroupListPages(
            writing: writing, queries: queries, rows: rows, reports: overview.reports, breakdown: breakdown)
        let links = try groupLists.write()
        if !groups.isEmpty { values["groups"] = self.groups(Array(groups.prefix(Self.shownGroups)), rows, groupLists) }
        values["noGroups"] = overview.reports == 0 ? "No reports." : "No groups yet: a run groups the reports at its end."

        let lists = StoreLists(writing: writing, queries: queries, overview: overview)
        let pages = Set(groups.flatMap(\.pages))
        let time = try lists.writeTime(series?.all, pages: pages)
        if let series {
            let chart = TimeChart(series, links: time.links, usesFileTimes: writing.usesFileTimes) {
                column == .process ? links[.process]?[$0] : nil
            }
            values["time"] = chart.values(
                root: "", otherwise: lists.time, sections: time.sections, undated: overview.reportsWithoutInstant)
        }
        values["tallies"] = try tallies(links)
        let (images, _) = try queries.unresolvedImages(inStacks: nil, limit: MissingSymbolsPart.limit)
        values["missing"] = MissingSymbolsPart(writing: writing).values(images)
        values["unread"] = unread
        if overview.reportsWithoutStack > 0 {
            values["withoutStack"] = [
                "href": try lists.writeWithoutStack(pages: pages), "text": PageText.count(overview.reportsWithoutStack, "report"),
                "verb": overview.reportsWithoutStack == 1 ? "is" : "are",
            ]
        }
        let ingest = try lists.ingest(pages: pages)
        if !ingest.isEmpty { values["ingest"] = ["parts": ingest] }
        values["facts"] = facts(rows, today: today, yesterday: yesterday, time: lists.time)
        values["about"] = about
        try writing.write(.index, to: PageFolder.index, heading: writing.title, here: writing.title, trail: [], values)
        return groups.count
    }

    /// `Reports from 2026-05-01 to 2026-10-31. Written 2026-11-26 05:40 by cairn 1.0.`
    private var about: String {
        var period = "No report has a timestamp."
        if let first = overview.first, let last = overview.last {
            let dates = [first, last].map { PageText.instant($0).text.prefix(10) }
            period = dates[0] == dates[1] ? "Reports of \(dates[0])." : "Reports from \(dates[0]) to \(dates[1])."
        }
        return period + " Written \(PageText.instant(writing.now).text) (UTC) by cairn \(writing.templates.version), from "
            + PageText.short(StoreLocation(writing.store).name, 100) + "."
    }

    private func facts(_ rows: [GroupRow], today: Int, yesterday: Int, time: String) -> [[String: Any]] {
        let new = rows.count { $0.isNew(writing.now) }
        var facts: [[String: Any]] = [
            ["term": "Reports", "value": PageText.number(overview.reports), "href": time],
            ["term": "Groups", "value": PageText.number(rows.count), "href": GroupListPages.first],
            ["term": "New groups (7 d)", "value": PageText.number(new)],
            ["term": "Last 24 h", "value": PageText.number(today), "note": "\(PageText.number(yesterday)) in the 24 h before"],
        ]
        if new > 0, rows.count > 1 { facts[2]["href"] = ListPages.first("new", .groups) }
        if overview.frames > 0 {
            var fact: [String: Any] = [
                "term": "Frames resolved", "value": PageText.share(overview.frames - overview.unresolvedFrames, of: overview.frames),
            ]
            if overview.namedFrames > 0 { fact["note"] = PageText.share(overview.namedFrames, of: overview.frames) + " named by logs only" }
            facts.append(fact)
        }
        return facts
    }

    private func tallies(_ links: [ValueColumn: [String: String]]) throws -> [[String: Any]] {
        let versions = try queries.versions(ofGroup: nil, limit: Self.limits.tallies)
        let tallies: [(TallyRows.Kind, [Tally], ValueColumn?)] = [
            (.version, versions, .version), (.system, breakdown.systems, .system), (.device, breakdown.devices, nil),
        ]
        return tallies.map { kind, tallies, column in
            let links = column.flatMap { links[$0] } ?? [:]
            let keyed = Dictionary(links.map { (TallyRows.key($0.key), $0.value) }) { first, _ in first }
            return TallyRows(kind: kind, tallies: tallies, total: overview.reports)
                .values(keyed, otherwise: nil, root: "", caption: "Reports by \(kind.name).")
        }
    }

    private var unread: [String: Any]? {
        guard !overview.unread.isEmpty else { return nil }
        let count = overview.unread.count
        let all = overview.unreadableLogs + overview.unreadFiles
        return [
            "caption": all > count
                ? "\(count) of \(PageText.number(all)); the others are in the list." : "Files that could not be read.",
            "rows": overview.unread.map { ["path": PageText.short($0.path, 1000), "problem": PageText.short($0.problem, 500)] },
        ]
    }

    // MARK: Groups

    private func writeGroups(_ common: TimeSeries?) throws -> [GroupPages.Result] {
        let pages = GroupPages(writing: writing, queries: queries, common: common)
        var results: [GroupPages.Result] = []
        for (rank, id) in try queries.groupIDs().enumerated() {
            let examples = rank < Self.largeGroups.count ? Self.largeGroups.pages : 1
            if let result = try pages.write(id, isShown: rank < Self.shownGroups, pages: examples) { results.append(result) }
        }
        return results
    }

    private func groups(_ shown: [GroupPages.Result], _ rows: [GroupRow], _ lists: GroupListPages) -> [String: Any] {
        // One scale for all, so that they can be compared.
        let largest = shown.compactMap { $0.columns?.series.largest }.max()
        var values: [String: Any] = [
            "heading": shown.count < rows.count ? "Top groups" : "Groups", "count": PageText.count(rows.count, "group"),
            "caption": "By number of reports, with their share of all \(PageText.number(overview.reports)) reports."
                + (largest.map { " The small charts have one scale: their height is \(PageText.count($0, "report"))." } ?? ""),
            "legend": legend(shown.map(\.row)),
            "rows": shown.enumerated().map { index, result in
                var row = result.row.values(rank: index + 1, of: overview.reports, root: "", now: writing.now)
                if let columns = result.columns {
                    row["spark"] = columns.drawing(size: "spark", largest: largest, root: "", otherwise: result.row.reports)
                }
                return row
            },
        ]
        values.merge(lists.sorting(root: "", here: "")) { $1 }
        if shown.count < rows.count { values["all"] = GroupListPages.first }
        return values
    }

    private func legend(_ rows: [GroupRow]) -> String {
        var sentences: [String] = []
        if rows.contains(where: { $0.isNew(writing.now) }) { sentences.append("New: first seen in the last 7 days.") }
        if rows.contains(where: { !$0.isNew(writing.now) && $0.isRising }) {
            sentences.append("Rising: more reports in the last 7 days than in the 7 days before.")
        }
        return sentences.joined(separator: " ")
    }
}
