/// Everything about one group: its page, and the lists of reports that its numbers link to.
struct GroupPages {
    let writing: PageWriting
    let questions: any ReportLists
    /// The pieces of time that the first page counts by.
    let common: TimeSeries?

    /// What the first page says of a group.
    struct Result {
        var summary: GroupSummary
        /// Its reports by the first page's pieces of time.
        var columns: TimeColumns?
    }

    private static let stackLimit = 300
    private static let leadingFrames = 64

    /// - Parameter isShown: the first page shows its counts over time, and links to them.
    /// - Returns: `nil` where the group is not there any more.
    func write(_ id: String, isShown: Bool) throws -> Result? {
        var limits = QuestionLimits()
        limits.tallies = 12
        limits.stacks = Self.stackLimit
        limits.missingImages = 25
        limits.paths = 1
        guard let detail = try questions.detail(ofGroup: id, limits) else { return nil }
        let summary = detail.summary
        let lists = GroupLists(writing: writing, questions: questions, id: id, summary: summary)
        var values: [String: Any] = [:]

        var own: TimeSeries?
        var shown = isShown ? common : nil
        if let first = summary.first, let last = summary.last {
            own = TimeSeries(scale: TimeScale(first: first, last: last), first: first, last: last)
        }
        try questions.forEachHour(ofGroup: id) { start, count in
            own?.add(count, at: start)
            shown?.add(count, at: start)
        }
        let places = try lists.writeTime(own, marks: common?.scale)
        let time = lists.time
        if let own {
            values["time"] = Self.time(
                TimeColumns(own, places: Self.indexed(own, places, own.scale)), otherwise: time, detail.reportsWithoutInstant)
        }

        let breakdown = detail.breakdown
        let tallies: [(TallyRows.Kind, [Tally])] = [
            (.version, breakdown.versions), (.system, breakdown.systems), (.device, breakdown.devices),
        ]
        values["tallies"] = try tallies.map { kind, tallies in
            let rows = TallyRows(kind: kind, tallies: tallies, total: summary.reports)
            let (places, otherwise) = try lists.write(rows)
            return rows.values(places, otherwise: otherwise, root: "../", caption: "Reports by \(kind.name).")
        }
        values["messages"] = try messages(lists)
        values["missing"] = try missing(detail, lists)
        if !detail.stacks.isEmpty { values["flame"] = try flame(detail, lists) }
        values["leader"] = try leader(id)

        values["notes"] = Self.notes(summary)
        values["facts"] = Self.facts(detail, time: time)
        // The first example is the representative report.
        values["meaning"] = detail.examples.first?.meaning.map { PageText.short($0, 400) }
        values["examples"] = detail.examples.map { example in
            writing.log(path: example.paths.first ?? "", pathCount: example.pathCount, number: example.number, depth: 1)
                .merging(PageTemplates.instant(example.instant, text: example.time)) { $1 }
                .merging(PageWriting.place(example.process, example.version, example.system, example.device)) { $1 }
        }
        values["examplesCaption"] = "Representative report, then the most recent."
        values["all"] = "../" + time
        values["allText"] = PageText.count(summary.reports, "report")
        values["id"] = id
        values["former"] = detail.formerIDs
        values["hasFormer"] = !detail.formerIDs.isEmpty
        try writing.write(
            "group", to: CrashPages.page(ofGroup: id), heading: summary.title, here: summary.title, trail: CrashPages.trail(writing),
            values)
        return Result(
            summary: summary, columns: shown.map { TimeColumns($0, places: Self.indexed($0, places, nil)) })
    }

    /// Sections of the list of the group's own pieces, or, without a scale, marks of the first
    /// page's pieces: by their indices in the series.
    private static func indexed(_ series: TimeSeries, _ places: [String: String], _ own: TimeScale?) -> [Int: String] {
        var result: [Int: String] = [:]
        for index in series.counts.indices where series.counts[index] > 0 {
            let key = own == nil ? GroupLists.mark(series.first + index) : TimeColumns.key(series.first + index)
            if let place = places[key] { result[index] = place }
        }
        return result
    }

    // MARK: Parts

    private static func notes(_ summary: GroupSummary) -> [String] {
        var notes: [String] = []
        if summary.lacksSymbols {
            notes.append(
                "The innermost frames have no names. Without symbols, reports of other builds cannot be matched with this bug.")
        }
        if let absence = summary.absence { notes.append("No usable stack: " + PageText.short(absence, 300)) }
        return notes
    }

    private static func facts(_ detail: GroupDetail, time: String) -> [[String: Any]] {
        let summary = detail.summary
        var facts: [[String: Any]] = [
            ["term": "Reports", "value": PageText.number(summary.reports), "href": "../" + time],
            ["term": "Logs", "value": PageText.number(summary.logs), "href": "../" + time],
            [
                "term": "Kind",
                "value": PageText.short([summary.family, summary.words].filter { !$0.isEmpty }.joined(separator: ", "), 200),
                "isWords": true,
            ],
        ]
        if !detail.stacks.isEmpty {
            facts.append(["term": "Different stacks", "value": PageText.number(detail.stackCount), "href": "#stacks"])
        }
        if let first = summary.first {
            facts.append(["term": "First seen", "instant": PageTemplates.instant(first, text: nil), "isWords": true])
        }
        if let last = summary.last {
            facts.append(["term": "Last seen", "instant": PageTemplates.instant(last, text: nil), "isWords": true])
        }
        return facts
    }

    private static func time(_ columns: TimeColumns, otherwise: String, _ untold: Int) -> [String: Any] {
        var values = columns.drawing(size: "tall", root: "../", otherwise: otherwise).merging(columns.axis) { $1 }
        values["figure"] =
            "Reports by \(columns.series.scale.word) (UTC)."
            + (untold > 0 ? " \(PageText.count(untold, "report")) without a timestamp \(untold == 1 ? "is" : "are") not shown." : "")
        values["pieces"] = columns.series.counts.indices.filter { columns.series.counts[$0] > 0 }.map { index in
            [
                "label": columns.label(index), "count": PageText.number(columns.series.counts[index]),
                "href": columns.href(index, root: "../", otherwise: otherwise),
            ]
        }
        return values
    }

    private func messages(_ lists: GroupLists) throws -> [String: Any]? {
        let (tallies, count) = try questions.messages(ofGroup: lists.id, limit: 10)
        guard !tallies.isEmpty else { return nil }
        let rows = TallyRows(kind: .message, tallies: tallies, total: lists.summary.reports)
        let (places, otherwise) = try lists.write(rows)
        let values: [[String: Any]] = tallies.map { tally in
            [
                "value": PageText.short(tally.value ?? "", 1500), "count": PageText.number(tally.count),
                "href": "../" + (places[TallyRows.key(tally.value)] ?? otherwise),
            ]
        }
        let caption =
            count > tallies.count
            ? "The most frequent \(tallies.count) of \(PageText.number(count)) messages." : "Messages in the logs about the crash."
        return ["caption": caption, "rows": values]
    }

    private func missing(_ detail: GroupDetail, _ lists: GroupLists) throws -> [String: Any]? {
        guard !detail.missingImages.isEmpty else { return nil }
        let places = try lists.write(detail.missingImages)
        let caption =
            detail.missingImageCount > detail.missingImages.count
            ? "\(detail.missingImages.count) of \(PageText.number(detail.missingImageCount)) files without symbols, those of most reports."
            : "Files on its stacks for which no symbols were found."
        return ["caption": caption, "rows": Self.missing(detail.missingImages) { "../" + (places[$0.key] ?? lists.time) }]
    }

    static func missing(_ images: [MissingImage], _ href: (MissingImage) -> String) -> [[String: Any]] {
        images.map { image in
            var row: [String: Any] = [
                "name": PageText.short(image.name, 300), "identity": PageText.short(image.identity ?? "none", 100),
                "reason": PageText.short(image.reason ?? "", 500), "count": PageText.number(image.reports), "href": href(image),
            ]
            if let architecture = image.architecture { row["architecture"] = PageText.short(architecture, 40) }
            return row
        }
    }

    private func leader(_ id: String) throws -> [String: Any]? {
        let frames = try questions.leadingStack(ofGroup: id, frames: Self.leadingFrames + 1)
        guard !frames.isEmpty else { return nil }
        let rows = frames.prefix(Self.leadingFrames).map { frame in
            let function = StackFunctions.function(frame)
            var row: [String: Any] = [
                "number": frame.row, "function": PageText.short(function.label, 600), "isOwn": function.kind == .own,
            ]
            if frame.isInlined { row["tag"] = "inlined" }
            if let file = frame.file, !file.isEmpty {
                row["place"] = PageText.short(file, 500) + (frame.line > 0 ? ":\(frame.line)" : "")
            }
            if let module = frame.module, !module.isEmpty { row["module"] = PageText.short(module, 200) }
            if frame.function == nil, let reason = frame.reason, !reason.isEmpty { row["reason"] = PageText.short(reason, 300) }
            return row
        }
        var values: [String: Any] = [
            "rows": Array(rows),
            "caption": "Representative stack, innermost frame first. Your code is in bold.",
        ]
        if frames.count > Self.leadingFrames { values["more"] = "Outer frames are left out." }
        return values
    }

    private func flame(_ detail: GroupDetail, _ lists: GroupLists) throws -> [String: Any] {
        let graph = FlameGraph(detail.stacks.map { (StackFunctions.functions($0.frames), $0.reports) })
        let places = try lists.write(graph, detail.stacks, detail.stackCount)
        return FlamePart(graph: graph, detail: detail, places: places, otherwise: lists.time).values
    }
}
