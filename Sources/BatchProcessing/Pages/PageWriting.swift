/// Values that are shared by all pages of a report.
struct PageWriting {
    let templates: PageTemplates
    let folder: PageFolder
    /// Title of the pages.
    let title: String
    /// The store's path, for commands.
    let store: String
    /// The directories and logs that the last run looked at.
    let roots: [String]
    /// Charts and lists have reports without a timestamp at the time of their file.
    let usesFileTimes: Bool

    /// When the pages are written: nanoseconds since 1970 UTC.
    var now: Int64 { templates.written }

    /// Writes a page.
    /// - Parameters:
    ///   - name: its path in the report, made of identifiers and numbers.
    ///   - trail: the pages above it, each with its path in the report.
    func write(
        _ kind: PageKind, to name: String, heading: String, here: String, trail: [(text: String, name: String)],
        _ values: [String: Any]
    ) throws(PageError) {
        let root = name.contains("/") ? "../" : ""
        var values = values
        values["heading"] = PageText.short(heading, 400)
        values["title"] = PageText.short(trail.isEmpty ? here : "\(here) – \(trail[0].text)", 200)
        values["hasTrail"] = !trail.isEmpty
        values["trail"] = trail.map { ["text": PageText.short($0.text, 70), "href": root + $0.name] }
        try folder.write(templates.page(kind, values), to: name)
    }

    /// The time that charts and lists have a report at; `nil` if it has none.
    func time(of report: ListedReport) -> Int64? { report.instant ?? (usesFileTimes ? report.fileTime : nil) }

    static let noPath = "no file has these bytes any more"

    /// The values of a report of a log: its path, when and where it happened.
    static func report(_ report: ReportReference) -> [String: Any] {
        let path = report.paths.first ?? ""
        var values = PageTemplates.instant(report.instant, text: report.time, fileTime: report.fileTime)
        values["path"] = path.isEmpty ? noPath : PageText.short(path, 1000)
        values["pathNote"] = pathNote(pathCount: report.pathCount, number: report.number)
        values["where"] = environment(report.process, report.version, report.system, report.device)
        return values
    }

    /// `trace 2, and at 3 other paths`.
    static func pathNote(pathCount: Int, number: Int) -> String? {
        var notes: [String] = []
        if number > 0 { notes.append("trace \(number + 1)") }
        if pathCount > 1 { notes.append("and at \(PageText.count(pathCount - 1, "other path"))") }
        return notes.isEmpty ? nil : notes.joined(separator: ", ")
    }

    /// `harbor 1.2 · macOS 15.2 · Mac15,6`.
    static func environment(_ process: String?, _ version: String?, _ system: String?, _ device: String?) -> String? {
        let program = [process, version].compactMap { $0 }.joined(separator: " ")
        let parts = [program, system ?? "", device ?? ""].filter { !$0.isEmpty }.map { PageText.short($0, 200) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}

/// A page's rows are handed out by the store while no error can be thrown; what went wrong is
/// thrown afterwards.
struct FirstProblem {
    private(set) var problem: PageError?

    /// - Returns: whether it went well, now and before.
    mutating func note(_ body: () throws(PageError) -> Void) -> Bool {
        guard problem == nil else { return false }
        do throws(PageError) { try body() } catch { problem = error }
        return problem == nil
    }

    func rethrow() throws(PageError) { if let problem { throw problem } }
}
