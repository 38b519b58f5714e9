/// Summary of a run, for people: what became of its files, and what is in the store.
package struct RunSummary: Sendable {
    private let progress: BatchProgress
    private let counts: StoreCounts

    package init(_ progress: BatchProgress, _ counts: StoreCounts) {
        self.progress = progress
        self.counts = counts
    }

    package var lines: [String] { [files] + (isFirstRun ? [] : ["new reports: \(number(progress.reports))"]) + [store] + frames }

    /// Whether the store has nothing of an earlier run.
    private var isFirstRun: Bool { progress.reports == counts.reports }

    /// `1,989 files: 903 new crash logs, 991 duplicates, 93 not crash logs, 2 unreadable`. The counts add up to
    /// the files. Archives and folders are no files of their own.
    private var files: String {
        let unreadable = progress.unreadable + progress.unopened
        let unchanged = progress.known - progress.duplicates
        let new = count(progress.logs - progress.withoutTrace - progress.unreadable, "new crash log")
        var text = "\(count(progress.files, "file")): \(new)"
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

    /// `986 reports of 903 crash logs: 820 in 445 groups, 166 without a stack to group them by`
    private var store: String {
        let logs = count(counts.logs - counts.logsWithoutTrace - counts.unreadableLogs - counts.prunedLogs, "crash log")
        var text = (isFirstRun ? "" : "in the store: ") + "\(count(counts.reports, "report")) of \(logs): "
        text += "\(number(counts.reports - counts.reportsWithoutStack)) in \(count(counts.groups, "group"))"
        if counts.reportsWithoutStack > 0 { text += ", \(number(counts.reportsWithoutStack)) without a stack to group them by" }
        return text
    }

    /// `17,841 of 17,850 different frames have no name: cairn batch top lists the symbols that are missing`
    private var frames: [String] {
        guard counts.unresolvedFrames > 0 else { return [] }
        let different = count(counts.frames, "different frame")
        return [
            "\(number(counts.unresolvedFrames)) of \(different) \(counts.unresolvedFrames == 1 ? "has" : "have") no name: cairn batch top lists the symbols that are missing"
        ]
    }

    private func number(_ value: Int) -> String { PageText.number(value) }

    private func count(_ value: Int, _ one: String, _ many: String? = nil) -> String { PageText.count(value, one, many) }
}
