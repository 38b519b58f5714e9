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
        try queries.forEachReport(selection, by: .instant) { report in
            problem.note { () throws(PageError) in
                try list.add(
                    ListRow.markup(report, hasPage: pages.contains(report.id), showsGroup: true), section: section(report))
            }
        }
        try problem.rethrow()
        try list.finish()
    }

    /// - Returns: Links to the sections of the time pieces, by their index in the series, and to
    ///   the section of reports without a timestamp.
    func writeTime(_ series: TimeSeries?, pages: Set<Int64>) throws -> (links: [Int: String], withoutTimestamp: String?) {
        var keys: [Int: String] = [:]
        if let series {
            for index in series.counts.indices where series.counts[index] > 0 { keys[index] = TimeColumns.key(series.first + index) }
        }
        var list = list(
            "all-time", "All reports by time", total: overview.reports, wanted: Set(keys.values).union([TimeColumns.withoutTimestamp]))
        try fill(&list, .all, pages) { report in
            guard let series, let instant = report.instant else { return (TimeColumns.withoutTimestamp, "No timestamp") }
            let piece = series.scale.piece(of: instant)
            return (TimeColumns.key(piece), series.scale.label(piece))
        }
        return (keys.compactMapValues { list.links[$0] }, list.links[TimeColumns.withoutTimestamp])
    }

    /// Reports without a stack, which are in no group: where they are listed.
    func writeWithoutStack(pages: Set<Int64>) throws -> String {
        try reports(.withoutStack, "no-stack", "Reports without a usable stack", overview.reportsWithoutStack, pages)
    }

    /// Counts of the run for the last line of the first page. Each count has a link to its list, if
    /// the list is short.
    /// - Parameter withoutTimestamp: Link to the list of reports without a timestamp.
    func ingest(withoutTimestamp: String?, pages: Set<Int64>) throws -> [[String: Any]] {
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
        add("\(PageText.count(overview.reportsWithoutInstant, "report")) without a timestamp", overview.reportsWithoutInstant) {
            withoutTimestamp ?? time
        }
        let lacking = overview.reportsLackingSymbols
        try add("\(PageText.count(lacking, "report")) whose innermost frames have no names", lacking) {
            try reports(
                .lackingSymbols, "lacking-symbols", "Reports whose innermost frames have no names", overview.reportsLackingSymbols, pages)
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
