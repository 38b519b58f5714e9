internal import BinaryPrimitives
internal import CrashLogModel
internal import Pages
internal import Reporting
internal import Symbolication

/// A page for people with a log and no tools: a form, and the symbolicated log. Nothing is kept,
/// unless the sender of the log wants a link to the result (`Service.Settings.shareFolder`).
enum LogPages {
    private typealias Description = RouteDescription

    static let routes = [
        Route(
            path: "/", method: "GET", errors: errors, isWork: false,
            descriptions: [Description(path: "/", summary: "A form for a crash log.", results: [200: [html]])]
        ) { (_, service) throws(Refusal) in page(form(service)) },
        Route(
            path: "/", method: "POST", errors: errors, maxBodyBytes: Limits.standard.sentLog, changes: true,
            descriptions: [
                Description(
                    path: "/", summary: "Symbolicates what the form has sent.", body: [.form("LogForm")], results: [200: [html], 303: []],
                    refusals: [400, 403, 422, 500, 507])
            ]
        ) { (request, service) throws(Refusal) in try result(request, service) },
        Route(
            path: "/style.css", method: "GET", isWork: false,
            descriptions: [
                Description(path: "/style.css", summary: "How the pages look.", results: [200: [.bytes("text/css")]])
            ]
        ) { (_, _) throws(Refusal) in
            Response(
                200, headers: [("Content-Type", "text/css; charset=utf-8"), ("Cache-Control", "max-age=3600")],
                body: .bytes(Array(LogPageTemplates.style.utf8)))
        },
        Route(
            path: "/shared/", method: "GET", errors: errors,
            descriptions: [
                Description(
                    path: "/shared/{id}", summary: "A result that was shared.", parameters: [.init(name: "id")], results: [200: [html]],
                    refusals: [404])
            ]
        ) { (request, service) throws(Refusal) in try shared(request, service) },
    ]

    private static let html = RouteDescription.Content.bytes("text/html")
    private static let errors = Route.ErrorShape.made { page(form(nil, problem: $0.message), status: $0.status) }

    private static func shared(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        guard let folder = service.settings.shareFolder,
            let file = SharedResults(folder: folder, limits: service.limits).open(request.path.dropFirst("/shared/".utf8.count))
        else { throw Refusal("the result was not found: it may be older than \(SharedResults.days) days", status: 404) }
        var response = page([])
        response.body = .file(file, 0..<file.size)
        return response
    }

    private static func page(_ bytes: [UInt8], status: Int = 200) -> Response {
        Response(
            status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"),
                // No script, no frame, and nothing from elsewhere, whatever a log has in it.
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
                ),
                // With `no-referrer` the form would come from no origin (Fetch, “append a request Origin header”).
                ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"),
            ], body: .bytes(bytes))
    }

    /// - Parameter service: `nil` where the page says what went wrong.
    private static func form(_ service: Service?, problem: String? = nil) -> [UInt8] {
        var values: [String: Any] = ["title": "Symbolicate a crash log", "isBelow": problem != nil, "days": SharedResults.days]
        if let problem { values["problem"] = PlainText.line(problem, limit: 1000) }
        if let service {
            values["canShare"] = service.settings.shareFolder != nil
            values["version"] = service.settings.version
        }
        return LogPageTemplates.page("formPage", values)
    }

    private static func result(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let form = try LogForm(request, service.limits)
        var log = SentLog(service)
        var shown = ShownLog(service.limits)
        try log.read(form.log) { (part, bytes, _) throws(Refusal) in
            if case .reports(let reports) = part { for report in reports { shown.add(report) } }
        }
        let share = form.wantsSharing ? service.settings.shareFolder : nil
        let name = SharedResults.makeName()
        var values = shown.values(service.settings)
        values["problems"] = log.problems.prefix(10).map { PlainText.line($0, limit: 1000) }
        if share != nil {
            values["link"] = "/shared/" + name
            values["until"] = HTTPDate.day(SharedResults.end(after: WallClock.nanoseconds) / 1_000_000_000)
        }
        let bytes = LogPageTemplates.page("result", values)
        guard let share else { return page(bytes) }
        try SharedResults(folder: share, limits: service.limits).keep(bytes, as: name)
        var response = page([], status: 303)
        response.headers.append(("Location", "/shared/" + name))
        return response
    }
}

/// Fields that the form has sent.
private struct LogForm {
    let log: MappedFile
    let wantsSharing: Bool

    init(_ request: Request, _ limits: Limits) throws(Refusal) {
        let body: MappedFile
        do throws(FileError) { body = try request.body.file() } catch { throw Refusal(about: error) }
        let contentType = request.header("Content-Type")
        let form = try body.withBytes { bytes throws(Refusal) in
            do throws(Multipart.Problem) { return try Multipart(bytes.text, contentType: contentType, limits) } catch {
                throw Refusal(error.message)
            }
        }
        func content(_ name: String) -> Range<Int>? { form.parts.first { $0.name == name && !$0.content.isEmpty }?.content }
        guard let range = content("log") ?? content("text") else {
            throw Refusal("no log was sent: choose a file, or paste its text", status: 422)
        }
        log = MappedFile(body, range, path: "-")
        wantsSharing = content("share") != nil
    }
}

/// A log's reports as text, the thread that crashed first, as far as a page has room.
private struct ShownLog {
    private let limits: Limits
    private var text: [UInt8] = []
    private var isCut = false
    private var reports = 0
    private var frames = 0
    private var unresolved = 0
    private var wanted = WantedSymbols()
    private var process: String?

    init(_ limits: Limits) { self.limits = limits }

    mutating func add(_ report: SymbolicatedReport) {
        reports += 1
        frames += report.allFrames.count { if case .notLookedUp = $0.outcome.result { false } else { true } }
        unresolved += report.unresolvedFrames
        process = process ?? report.report.process.name
        wanted.add(report)
        guard !isCut else { return }
        if reports > 1 { text.append(UInt8(ascii: "\n")) }
        let none: [UInt8] = []
        text += TextRenderer().render(SymbolicatedLog(path: "-", reports: [report.crashedFirst]), source: none.span)
        guard text.count > limits.shownResult else { return }
        isCut = true
        // At a line's end.
        text.removeLast(text.count - limits.shownResult)
        while let last = text.last, last != UInt8(ascii: "\n") { text.removeLast() }
    }

    func values(_ settings: Service.Settings) -> [String: Any] {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let names = wanted.values(includesReasons: settings.includesReasons)
        let all = unresolved == 0 ? "all resolved" : "\(unresolved) unresolved"
        return [
            "title": process.map { "Crash of " + PlainText.line($0, limit: 100) } ?? "Symbolicated log", "isBelow": true,
            "version": settings.version, "count": "\(count(reports, "crash report")), \(count(frames, "frame")), \(all)",
            "log": String(decoding: text, as: UTF8.self), "isCut": isCut, "hasWanted": !names.isEmpty, "wanted": names,
            "canUpload": settings.uploadStore != nil,
        ]
    }
}

extension SymbolicatedReport {
    /// Copy of the report with the crashed threads before the others.
    fileprivate var crashedFirst: SymbolicatedReport {
        var report = self
        let pairs = Array(zip(self.report.threads, threads))
        guard pairs.count == self.report.threads.count else { return self }
        let sorted = pairs.filter(\.0.crashed) + pairs.filter { !$0.0.crashed }
        report.report.threads = sorted.map(\.0)
        report.threads = sorted.map(\.1)
        return report
    }
}
