/// A report in a list.
enum ReportRow {
    /// - Parameter hasPage: there is a page with its symbolicated log.
    static func values(_ report: ListedReport, hasPage: Bool) -> [String: Any] {
        var values = PageWriting.log(path: report.path, pathCount: report.pathCount, number: report.number)
            .merging(PageTemplates.instant(report.instant, text: report.time)) { $1 }
            .merging(PageWriting.place(report.process, report.version, report.system, report.device)) { $1 }
        if hasPage { values["page"] = "../" + ReportPages.page(of: report.id) }
        return values
    }
}
