/// Summary of a run, for people: what became of its files, and what is in the store.
package struct RunSummary: Sendable {
    private let progress: BatchProgress
    private let counts: StoreCounts

    package init(_ progress: BatchProgress, _ counts: StoreCounts) {
        self.progress = progress
        self.counts = counts
    }

    package var lines: [String] { [files, reports, store] }

    /// `1,989 files: 903 new, 991 duplicates, 93 not crash logs, 2 unreadable`. The counts add up to
    /// the files. Archives and folders are no files of their own.
    private var files: String {
        let unreadable = progress.unreadable + progress.unopened
        let unchanged = progress.known - progress.duplicates
        var text = "\(count(progress.files, "file")): \(number(progress.logs - progress.withoutTrace - progress.unreadable)) new"
        if progress.duplicates > 0 { text += ", " + count(progress.duplicates, "duplicate") }
        if unchanged > 0 { text += ", \(number(unchanged)) unchanged" }
        if progress.withoutTrace > 0 {
            text += ", \(number(progress.withoutTrace)) not \(progress.withoutTrace == 1 ? "a crash log" : "crash logs")"
        }
        if unreadable > 0 { text += ", \(number(unreadable)) unreadable" }
        if progress.cutShort > 0 { text += "; \(number(progress.cutShort)) of the new ones damaged" }
        if progress.knownArchives > 0 { text += "; \(count(progress.knownArchives, "archive")) unchanged" }
        let containers = progress.unread - progress.unopened
        if containers > 0 { text += "; \(count(containers, "directory or archive", "directories or archives")) unreadable" }
        return text
    }

    private var reports: String { "reports in the new logs: \(number(progress.reports))" }

    /// `in the store: 903 crash logs, 986 reports (820 in 445 groups, 166 without a usable stack); …`
    private var store: String {
        let logs = counts.logs - counts.logsWithoutTrace - counts.unreadableLogs
        let groups = count(counts.groups, "group")
        var text = "in the store: \(count(logs, "crash log")), \(count(counts.reports, "report"))"
        if counts.reportsWithoutStack > 0 {
            let grouped = counts.reports - counts.reportsWithoutStack
            text += " (\(number(grouped)) in \(groups), \(number(counts.reportsWithoutStack)) without a usable stack)"
        } else {
            text += " in \(groups)"
        }
        return text + "; \(number(counts.unresolvedFrames)) of \(count(counts.frames, "distinct frame")) unresolved"
    }

    private func number(_ value: Int) -> String { PageText.number(value) }

    private func count(_ value: Int, _ one: String, _ many: String? = nil) -> String { PageText.count(value, one, many) }
}
