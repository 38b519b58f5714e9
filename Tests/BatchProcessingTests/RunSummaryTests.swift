import Testing

@testable import BatchProcessing

/// The lines that `cairn batch` prints at the end of a run.
struct RunSummaryTests {
    @Test func `the counts of a run add up to its files`() {
        var progress = BatchProgress()
        // 903 + 991 + 93 + 2 = 1,989
        (progress.files, progress.known, progress.duplicates) = (1989, 991, 991)
        (progress.logs, progress.withoutTrace, progress.unreadable, progress.unopened, progress.unread) = (997, 93, 1, 1, 1)
        progress.reports = 986
        var counts = StoreCounts()
        (counts.logs, counts.logsWithoutTrace, counts.unreadableLogs) = (997, 93, 1)
        (counts.reports, counts.reportsWithoutStack, counts.groups, counts.frames, counts.unresolvedFrames) = (
            986, 166, 445, 17_850, 17_841
        )
        #expect(
            RunSummary(progress, counts).lines == [
                "1,989 files: 903 new crash logs, 991 duplicates, 93 not crash logs, 2 unreadable",
                "986 reports of 903 crash logs: 820 in 445 groups, 166 without a stack to group them by",
                "17,841 of 17,850 different frames have no name: cairn batch top lists the symbols that are missing",
            ])
        progress.reports = 1200
        counts.reports = 2186
        #expect(
            RunSummary(progress, counts).lines[1...2] == [
                "new reports: 1,200",
                "in the store: 2,186 reports of 903 crash logs: 2,020 in 445 groups, 166 without a stack to group them by",
            ])
    }

    @Test func `one is one, and what is none is not named`() {
        var progress = BatchProgress()
        (progress.files, progress.logs, progress.reports) = (1, 1, 1)
        var counts = StoreCounts()
        (counts.logs, counts.reports, counts.groups, counts.frames) = (1, 1, 1, 1)
        #expect(
            RunSummary(progress, counts).lines == [
                "1 file: 1 new crash log", "1 report of 1 crash log: 1 in 1 group",
            ])
        progress.cutShort = 1
        (progress.knownArchives, progress.unread) = (2, 1)
        #expect(
            RunSummary(progress, counts).lines[0]
                == "1 file: 1 new crash log; 1 of the new ones damaged; 2 archives unchanged; 1 directory or archive unreadable")
    }
}
