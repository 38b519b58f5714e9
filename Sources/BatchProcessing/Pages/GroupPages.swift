/// Everything about one group: its page, and the lists of reports that its numbers link to.
struct GroupPages {
    let writing: PageWriting
    let queries: DatabaseQueries
    /// The pieces of time that the first page counts by.
    let common: TimeSeries?

    /// Values of a group for the first page.
    struct Result {
        var row: GroupRow
        /// Its reports by the first page's pieces of time.
        var columns: TimeColumns?
        /// The reports that have a page.
        var pages: [Int64]
    }

    private static let stackLimit = 300
    private static let leadingFrames = 40
    static let examples = 20

    /// - Parameters:
    ///   - isShown: the first page shows its counts over time, and links to them.
    ///   - pages: so many examples have a page with the symbolicated log.
    /// - Returns: `nil` where the group is not there any more.
    func write(_ id: String, isShown: Bool, pages: Int) throws -> Result? {
        guard let detail = try readDetail(id) else { return nil }
        let summary = detail.summary
        let written = try writeReports(detail, limit: pages)
        let lists = GroupLists(writing: writing, queries: queries, id: id, summary: summary, pages: Set(written.keys))
        let counts = try countOverTime(detail, isShown: isShown)
        let links = try lists.writeTime(counts.own?.all, marks: common)
        let row = GroupRow(
            summary: summary, breakdown: detail.breakdown, firstVersion: try queries.firstVersion(ofGroup: id), recent: counts.recent,
            earlier: counts.earlier, reports: lists.time)

        var values = GroupTitle(summary.title, kindLabel: summary.kindLabel).values
        values["function"] = ["pieces": values["pieces"] ?? []]
        if let own = counts.own, summary.reports > 1 {
            let own = TimeChart(
                own, links: TimeColumns.keys(own.all).compactMapValues { links[$0] }, usesFileTimes: writing.usesFileTimes)
            values["time"] = own.values(
                root: "../", otherwise: lists.time, sections: links, undated: detail.reportsWithoutInstant)
        }
        values["tallies"] = try tallies(detail, lists)
        values["messages"] = try messages(lists)
        let (images, _) = try queries.unresolvedImages(inStacks: detail.stacks.flatMap(\.alike), limit: MissingSymbolsPart.limit)
        values["missing"] = MissingSymbolsPart(writing: writing).values(images)
        // One stack is shown already.
        if detail.stackCount > 1 { values["flame"] = try flame(detail, lists) }
        values["leader"] = try leader(id)
        values["processes"] = row.processes
        values["kinds"] = row.kinds
        values["notes"] = Self.notes(summary)
        values["facts"] = Self.facts(detail, row, time: lists.time)
        addExamples(detail, written, time: lists.time, to: &values)
        values["id"] = id
        values["former"] = detail.formerIDs
        values["hasFormer"] = !detail.formerIDs.isEmpty
        try writing.write(
            detail.stackCount > 1 ? .groupOfStacks : .group, to: CrashPages.page(ofGroup: id), heading: summary.title, here: summary.title,
            trail: CrashPages.trail(writing),
            values)
        return Result(
            row: row, columns: counts.shown.map { TimeColumns($0, links: Self.marks($0, links)) }, pages: Array(written.keys))
    }

    private func readDetail(_ id: String) throws -> GroupDetail? {
        var limits = QueryLimits()
        (limits.tallies, limits.stacks, limits.paths, limits.examples) = (12, Self.stackLimit, 1, Self.examples)
        (limits.missingImages, limits.days) = (0, 0)
        return try queries.detail(ofGroup: id, limits)
    }

    /// Writes the pages of the first examples.
    /// - Returns: the page of each report that has one.
    private func writeReports(_ detail: GroupDetail, limit: Int) throws -> [Int64: String] {
        var written: [Int64: String] = [:]
        for example in detail.examples.prefix(limit) {
            written[example.id] = try ReportPages(writing: writing, queries: queries).write(example.id, group: detail.summary)
        }
        return written
    }

    /// Reports of a group by time.
    private struct Counts {
        /// By the group's own pieces of time, and by versions; `nil` without any time.
        var own: DividedSeries?
        /// By the first page's pieces, if that shows the group.
        var shown: TimeSeries?
        /// Reports of the last seven days, and of the seven days before.
        var recent = 0
        var earlier = 0
    }

    private func countOverTime(_ detail: GroupDetail, isShown: Bool) throws -> Counts {
        let summary = detail.summary
        var counts = Counts(shown: isShown ? common : nil)
        var hours = HourCounts(values: detail.breakdown.versions.compactMap(\.value))
        try queries.forEachHour(ofGroup: summary.id, by: .version) { start, version, count in
            hours.add(count, of: version, at: start)
            counts.shown?.add(count, at: start)
            if start > writing.now - GroupRow.week {
                counts.recent += count
            } else if start > writing.now - 2 * GroupRow.week {
                counts.earlier += count
            }
        }
        if writing.usesFileTimes {
            try queries.forEachFileHour(ofGroup: summary.id) { start, count in
                hours.add(count, byFileAt: start)
                counts.shown?.add(count, at: start)
            }
        }
        counts.own = hours.divided(now: writing.now)
        return counts
    }

    /// Links to the marks of the first page's pieces, by their indices in the series.
    private static func marks(_ series: TimeSeries, _ links: [String: String]) -> [Int: String] {
        var result: [Int: String] = [:]
        for index in series.counts.indices where series.counts[index] > 0 { result[index] = links[GroupLists.mark(series.first + index)] }
        return result
    }

    // MARK: Parts

    private func tallies(_ detail: GroupDetail, _ lists: GroupLists) throws -> [[String: Any]] {
        let breakdown = detail.breakdown
        let tallies: [(TallyRows.Kind, [Tally])] = [
            (.version, try queries.versions(ofGroup: lists.id, limit: 12)), (.system, breakdown.systems), (.device, breakdown.devices),
        ]
        return try tallies.map { kind, tallies in
            let rows = TallyRows(kind: kind, tallies: tallies, total: detail.summary.reports)
            let (links, otherwise) = try lists.write(rows)
            return rows.values(links, otherwise: otherwise, root: "../", caption: "Reports by \(kind.name).")
        }
    }

    private func addExamples(_ detail: GroupDetail, _ written: [Int64: String], time: String, to values: inout [String: Any]) {
        // The first example is the representative report.
        values["meaning"] = detail.examples.first?.meaning.map { PageText.short($0, 400) }
        values["examples"] = detail.examples.map { example in
            var values = PageWriting.report(example)
            if let page = written[example.id] { values["page"] = "../" + page }
            return values
        }
        values["examplesCaption"] = "Representative report, then the most recent."
        values["all"] = "../" + time
        values["allText"] = PageText.count(detail.summary.reports, "report")
        values["hasMore"] = detail.summary.reports > detail.examples.count
    }

    private static func notes(_ summary: GroupSummary) -> [String] {
        var notes: [String] = []
        if summary.lacksSymbols {
            notes.append(
                "The innermost frames have no names. Without symbols, reports of other builds cannot be matched with this bug.")
        }
        return notes
    }

    private static func facts(_ detail: GroupDetail, _ row: GroupRow, time: String) -> [[String: Any]] {
        let summary = detail.summary
        var facts: [[String: Any]] = [
            ["term": "Reports", "value": PageText.number(summary.reports), "href": "../" + time],
            ["term": "Logs", "value": PageText.number(summary.logs), "href": "../" + time],
            ["term": "Kind", "isWords": true, "value": PageText.short(summary.family, 200)],
        ]
        if detail.stackCount > 1 {
            facts.append(["term": "Different stacks", "value": PageText.number(detail.stackCount), "href": "#stacks"])
        }
        if let first = summary.first {
            var fact: [String: Any] = ["term": "First seen", "instant": PageTemplates.instant(first, text: nil), "isWords": true]
            if let version = row.firstVersion { fact["note"] = "in " + PageText.short(version, 60) }
            facts.append(fact)
        }
        if let last = summary.last {
            facts.append(["term": "Last seen", "instant": PageTemplates.instant(last, text: nil), "isWords": true])
        }
        return facts
    }

    private func messages(_ lists: GroupLists) throws -> [String: Any]? {
        let (tallies, count) = try queries.messages(ofGroup: lists.id, limit: 10)
        guard !tallies.isEmpty else { return nil }
        let rows = TallyRows(kind: .message, tallies: tallies, total: lists.summary.reports)
        let (links, otherwise) = try lists.write(rows)
        let values: [[String: Any]] = tallies.map { tally in
            [
                "value": PageText.short(tally.value ?? "", 1500), "count": PageText.number(tally.count),
                "href": "../" + (links[TallyRows.key(tally.value)] ?? otherwise),
            ]
        }
        let caption =
            count > tallies.count
            ? "The most frequent \(tallies.count) of \(PageText.number(count)) messages." : "Messages in the logs about the crash."
        return ["caption": caption, "rows": values]
    }

    private func leader(_ id: String) throws -> [String: Any]? {
        let frames = try queries.leadingStack(ofGroup: id, frames: Self.leadingFrames + 1)
        guard !frames.isEmpty else { return nil }
        let rows = frames.prefix(Self.leadingFrames).map { frame in
            let function = StackFunctions.function(frame)
            var row: [String: Any] = [
                "number": frame.row, "pieces": PageText.pieces(PageText.short(function.label, 600)), "isOwn": function.kind == .own,
            ]
            let tags = [function.kind == .named ? "log" : nil, frame.isInlined ? "inlined" : nil].compactMap { $0 }
            if function.kind == .named { row["isNamed"] = true }
            if !tags.isEmpty { row["tag"] = tags.joined(separator: ", ") }
            if let file = frame.file, !file.isEmpty {
                row["place"] = PageText.short(file, 500) + (frame.line > 0 ? ":\(frame.line)" : "")
            }
            // The label of an unnamed frame begins with its module.
            if frame.function != nil, let module = frame.module, !module.isEmpty { row["module"] = PageText.short(module, 200) }
            if frame.function == nil, let reason = frame.reason, !reason.isEmpty {
                row["reason"] = reason.hasPrefix("no symbol file for ") ? "no symbols" : PageText.short(reason, 300)
            }
            return row
        }
        var values: [String: Any] = [
            "rows": Array(rows),
            "caption": "The most frequent stack, innermost frame first. Your code is in bold."
                + (rows.contains { $0["isNamed"] != nil } ? " “log”: named by the log, without symbols." : ""),
        ]
        if frames.count > Self.leadingFrames { values["more"] = "Outer frames are left out." }
        return values
    }

    private func flame(_ detail: GroupDetail, _ lists: GroupLists) throws -> [String: Any] {
        let graph = FlameGraph(detail.stacks.map { (StackFunctions.functions($0.frames), $0.reports) })
        let links = try lists.write(graph, detail.stacks, detail.stackCount)
        return FlamePart(graph: graph, detail: detail, links: links, otherwise: lists.time).values
    }
}
