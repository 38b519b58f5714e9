/// What every page is written with.
struct PageWriting {
    let templates: PageTemplates
    let folder: PageFolder
    /// What the pages are called.
    let title: String
    /// The store's path, for commands.
    let store: String
    /// The directories and logs that the last run looked at.
    let roots: [String]

    /// When the pages are written: nanoseconds since 1970 UTC.
    var now: Int64 { templates.written }

    /// Writes a page.
    /// - Parameters:
    ///   - name: its path in the report, made of identifiers and numbers.
    ///   - trail: the pages above it, each with its path in the report.
    func write(
        _ template: String, to name: String, heading: String, here: String, trail: [(text: String, name: String)],
        _ values: [String: Any]
    ) throws(PageError) {
        let root = name.contains("/") ? "../" : ""
        var values = values
        values["heading"] = PageText.short(heading, 400)
        values["here"] = PageText.short(here, 120)
        values["title"] = PageText.short(trail.isEmpty ? here : "\(here) – \(trail[0].text)", 200)
        values["hasTrail"] = !trail.isEmpty
        values["trail"] = trail.map { ["text": PageText.short($0.text, 70), "href": root + $0.name] }
        try folder.write(templates.page(template, values), to: name)
    }

    /// A log's values: its path.
    static func log(path: String, pathCount: Int, number: Int = 0) -> [String: Any] {
        var values: [String: Any] = ["path": path.isEmpty ? "no file has these bytes any more" : PageText.short(path, 1000)]
        var notes: [String] = []
        if number > 0 { notes.append("trace \(number + 1)") }
        if pathCount > 1 { notes.append("and at \(PageText.count(pathCount - 1, "other path"))") }
        if !notes.isEmpty { values["pathNote"] = notes.joined(separator: ", ") }
        return values
    }

    /// `harbor 1.2 · macOS 15.2 · Mac15,6`.
    static func place(_ process: String?, _ version: String?, _ system: String?, _ device: String?) -> [String: Any] {
        let program = [process, version].compactMap { $0 }.joined(separator: " ")
        let words = [program, system ?? "", device ?? ""].filter { !$0.isEmpty }.map { PageText.short($0, 200) }
        return words.isEmpty ? [:] : ["where": words.joined(separator: " · ")]
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
