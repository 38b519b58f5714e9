/// The lists of all of a store's reports and logs.
struct StoreLists {
    let writing: PageWriting
    let queries: DatabaseQueries
    let overview: StoreOverview

    var time: String { ListPages.first("all-time") }

    private func list(_ name: String, _ heading: String, kind: ListPages.Kind = .reports, total: Int, wanted: Set<String> = []) -> ListPages
    {
        ListPages(writing, name: name, heading: heading, kind: kind, trail: CrashPages.trail(writing), total: total, wanted: wanted)
    }

    /// - Parameter pages: Identifiers of the reports that have a page.
    private func fill(
        _ list: inout ListPages, _ selection: ReportSelection, _ pages: Set<Int64>,
        _ section: (ListedReport) -> (key: String, title: String)?
    ) throws {
        var problem = FirstProblem()
        try queries.forEachReport(selection, by: .instant, usesFileTimes: writing.usesFileTimes) { report in
            problem.note { () throws(PageError) in
                try list.add(
                    ListRow.markup(report, hasPage: pages.contains(report.id), showsGroup: true), section: section(report))
            }
        }
        try problem.rethrow()
        try list.finish()
    }

    /// - Returns: Links to the sections of the time pieces, by their index in the series, and to
    ///   the sections of reports that are not in the series, by their keys.
    func writeTime(_ series: TimeSeries?, pages: Set<Int64>) throws -> (links: [Int: String], sections: [String: String]) {
        let keys = series.map(TimeColumns.keys) ?? [:]
        var list = list(
            "all-time", "All reports by time", total: overview.reports, wanted: Set(keys.values).union(TimeColumns.otherKeys))
        try fill(&list, .all, pages) { TimeColumns.section(of: writing.time(of: $0), in: series) }
        return (keys.compactMapValues { list.links[$0] }, list.links.filter { TimeColumns.otherKeys.contains($0.key) })
    }

    /// Reports without a stack, which are in no group: where they are listed.
    func writeWithoutStack(pages: Set<Int64>) throws -> String {
        try reports(.withoutStack, "no-stack", "Reports without a usable stack", overview.reportsWithoutStack, pages)
    }

    /// Counts of the run for the last line of the first page. Each count has a link to its list, if
    /// the list is short.
    func ingest(pages: Set<Int64>) throws -> [[String: Any]] {
        var parts: [[String: Any]] = []
        func add(_ text: String, _ count: Int, _ href: () throws -> String?) rethrows {
            guard count > 0 else { return }
            var part: [String: Any] = ["text": text, "separator": " · "]
            if let href = try href() { part["href"] = href }
            parts.append(part)
        }
        add(PageText.count(overview.files, "file"), overview.files) { nil }
        try add("\(PageText.number(overview.logsWithoutTrace)) without a crash report", overview.logsWithoutTrace) {
            try logs(.withoutTrace, "no-log", "Files that are not crash logs", overview.logsWithoutTrace)
        }
        let unread = overview.unreadableLogs + overview.unreadFiles
        try add("\(PageText.number(unread)) not readable", unread) { try logs(.unreadable, "unreadable", "Not readable", unread) }
        let undated = overview.reportsWithoutInstant
        try add("\(PageText.count(undated, "report")) without a timestamp", undated) {
            try reports(.withoutTimestamp, "no-timestamp", "Reports without a timestamp", undated, pages)
        }
        let lacking = overview.reportsLackingSymbols
        try add("\(PageText.count(lacking, "report")) whose innermost frames have no names", lacking) {
            try reports(
                .lackingSymbols, "lacking-symbols", "Reports whose innermost frames have no names", lacking, pages)
        }
        let ungrouped = overview.ungroupedReports
        try add("\(PageText.count(ungrouped, "report")) not grouped yet", ungrouped) {
            try reports(.ungrouped, "no-group", "Reports that are in no group yet", ungrouped, pages)
        }
        if !parts.isEmpty { parts[parts.count - 1]["separator"] = "" }
        return parts
    }

    private func reports(_ selection: ReportSelection, _ name: String, _ heading: String, _ count: Int, _ pages: Set<Int64>) throws
        -> String
    {
        var list = list(name, heading, total: count)
        try fill(&list, selection, pages) { _ in nil }
        return ListPages.first(name)
    }

    private func logs(_ selection: LogSelection, _ name: String, _ heading: String, _ count: Int) throws -> String {
        var list = list(name, heading, kind: .logs, total: count)
        var problem = FirstProblem()
        try queries.forEachLog(selection) { log in
            problem.note { () throws(PageError) in
                try list.add(ListRow.markup(log))
            }
        }
        try problem.rethrow()
        try list.finish()
        return ListPages.first(name)
    }
}
