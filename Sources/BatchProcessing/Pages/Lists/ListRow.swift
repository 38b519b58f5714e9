/// A row of a list as markup. Ten thousand reports are as many rows in several lists, and a
/// template takes longer for each.
enum ListRow {
    /// - Parameters:
    ///   - hasPage: there is a page with its symbolicated log.
    ///   - showsGroup: its group is named, with a link.
    ///   - mark: the row's identifier.
    static func markup(_ report: ListedReport, hasPage: Bool, showsGroup: Bool = false, mark: String? = nil) -> String {
        let path = PageText.escaped(report.path.isEmpty ? PageWriting.noPath : PageText.short(report.path, 1000))
        var row = mark.map { "<tr id=\"\(PageText.escaped($0))\"><td>" } ?? "<tr><td>"
        row += hasPage ? "<a class=\"code\" href=\"../\(ReportPages.page(of: report.id))\">\(path)</a>" : "<code>\(path)</code>"
        if let note = PageWriting.pathNote(pathCount: report.pathCount, number: report.number) {
            row += " <span class=\"tag\">\(PageText.escaped(note))</span>"
        }
        if let environment = PageWriting.environment(report.process, report.version, report.system, report.device) {
            row += " <small>\(PageText.escaped(environment))</small>"
        }
        if showsGroup, let group = report.group {
            let title = report.title.map { title in title.firstRange(of: " | ").map { String(title[..<$0.lowerBound]) } ?? title }
            let name = PageText.escaped(PageText.short(title ?? group, 60))
            row += " <a href=\"../\(CrashPages.page(ofGroup: group))\"><small>\(name.isEmpty ? "group" : name)</small></a>"
        }
        func markup(_ instant: Int64) -> String { "<time>\(PageText.instant(instant).text)</time>" }
        let byFile =
            report.time == nil ? report.fileTime.map { markup($0) + " <span class=\"tag\">\(PageTemplates.timeOfFile)</span>" } : nil
        let time = report.instant.map(markup) ?? byFile ?? PageText.escaped(PageTemplates.timeText(report.time))
        return row + "</td><td>\(time)</td></tr>\n"
    }

    static func markup(_ log: ListedLog) -> String {
        let path = PageText.escaped(log.path.isEmpty ? PageWriting.noPath : PageText.short(log.path, 1000))
        var row = "<tr><td><code>\(path)</code>"
        if let note = PageWriting.pathNote(pathCount: log.pathCount, number: 0) {
            row += " <span class=\"tag\">\(PageText.escaped(note))</span>"
        }
        let result =
            ["answered": "crash log", "no-trace": "no crash log", "unreadable": "not readable"][log.result]
            ?? PageText.short(log.result, 40)
        row += "</td><td>" + PageText.escaped(result)
        if let problem = log.problem, !problem.isEmpty { row += "<pre>\(PageText.escaped(PageText.short(problem, 1000)))</pre>" }
        return row + "</td><td class=\"number\">\(PageText.number(log.reports))</td></tr>\n"
    }
}
