/// Values of a group in lists.
struct GroupRow {
    let summary: GroupSummary
    let breakdown: Breakdown
    let firstVersion: String?
    /// Reports of the last seven days, and of the seven days before.
    let recent: Int
    let earlier: Int

    static let week: Int64 = 7 * 86_400_000_000_000

    func isNew(_ now: Int64) -> Bool { summary.first.map { $0 > now - Self.week } ?? false }

    /// More reports in the last seven days than in the seven days before, by more than chance
    /// explains: by more than twice the standard error of the difference of two Poisson counts. Of
    /// fewer than five reports nothing can be said.
    var isRising: Bool {
        let difference = recent - earlier
        return recent >= 5 && difference > 0 && difference * difference > 4 * (recent + earlier)
    }

    /// Link to the list of the group's reports.
    let reports: String

    /// Values of a row.
    /// - Parameters:
    ///   - count: the reports that the row is about; those of the group without it.
    ///   - all: The total that the share is computed from.
    ///   - root: the way to the report's folder.
    func values(rank: Int, count: Int? = nil, of all: Int, root: String, now: Int64) -> [String: Any] {
        var values = GroupTitle(summary.title, kindLabel: summary.kindLabel).values
        values["rank"] = rank
        values["href"] = root + CrashPages.page(ofGroup: summary.id)
        values["reports"] = root + reports
        values["count"] = PageText.number(count ?? summary.reports)
        values["share"] = PageText.share(count ?? summary.reports, of: all)
        values["isNew"] = isNew(now)
        values["isRising"] = !isNew(now) && isRising
        values["processes"] = processes
        values["kinds"] = kinds
        if let firstVersion { values["firstVersion"] = PageText.short(firstVersion, 60) }
        if let last = summary.last {
            values["last"] = PageTemplates.instant(last, text: nil).merging(["ago": PageText.ago(last, now: now)]) { $1 }
        }
        if summary.lacksSymbols { values["note"] = "grouped by module offset only (no symbols)" }
        values["words"] = searchText
        return values
    }

    /// `harbor`, or of several programs three.
    var processes: [String] { breakdown.processes.compactMap(\.value).filter { !$0.isEmpty }.prefix(3).map { PageText.short($0, 60) } }

    /// `SIGSEGV`, or of several kinds three with their shares: `SIGABRT 44.2 %`.
    var kinds: [String] {
        let kinds = breakdown.kinds.filter { $0.value?.isEmpty == false }
        guard kinds.count > 1 else { return kinds.map { PageText.short($0.value ?? "", 60) } }
        return kinds.prefix(3).map { PageText.short($0.value ?? "", 60) + " " + PageText.share($0.count, of: summary.reports) }
    }

    /// Text that the search field of a page searches.
    private var searchText: String {
        let texts =
            [summary.title, summary.id] + breakdown.processes.prefix(5).compactMap(\.value)
            + breakdown.versions.prefix(8).compactMap(\.value)
            + breakdown.systems.prefix(5).compactMap(\.value) + breakdown.kinds.prefix(5).compactMap(\.value)
        return PageText.short(texts.joined(separator: " "), 600)
    }
}

/// The parts of a group's title (`SignatureTitle`): `SIGSEGV in Mold::pour | Smelter::smelt | run`.
struct GroupTitle {
    /// `Mold::pour`.
    let function: String
    /// `Smelter::smelt`, `run`.
    let callers: [String]

    /// - Parameter kindLabel: The kind of crash, which the title begins with.
    init(_ title: String, kindLabel: String) {
        var rest = Substring(title)
        if !kindLabel.isEmpty, rest.hasPrefix(kindLabel + " in ") { rest = rest.dropFirst(kindLabel.count + 4) }
        var parts: [String] = []
        while let end = rest.firstRange(of: " | ") {
            parts.append(String(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        parts.append(String(rest))
        function = parts[0].isEmpty ? title : parts[0]
        callers = Array(parts.dropFirst())
    }

    /// The values that templates show.
    var values: [String: Any] {
        var values: [String: Any] = ["pieces": PageText.pieces(PageText.short(function, 300))]
        if !callers.isEmpty { values["callers"] = ["pieces": PageText.pieces(PageText.short(callers.joined(separator: ", "), 300))] }
        return values
    }
}
