internal import BinaryPrimitives

/// A store as pages for a browser: static files, which need no network, no server and no
/// JavaScript.
///
/// One group is looked at after the other, and a list is written page by page, so that the memory
/// does not grow with the reports. The folder appears when everything in it is written.
package struct CrashPages {
    private let queries: DatabaseQueries
    private let path: String
    private let title: String?
    private let store: String
    private let version: String
    private let now: Int64

    /// - Parameters:
    ///   - path: the folder to be; the one of an earlier report is replaced.
    ///   - title: Title of the pages (default: the programs' names).
    ///   - store: the store's path, for commands that are shown.
    ///   - version: Version of this program.
    ///   - now: nanoseconds since 1970 UTC.
    package init(
        _ queries: DatabaseQueries, path: String, title: String? = nil, store: String, version: String,
        now: Int64 = WallClock.nanoseconds
    ) {
        self.queries = queries
        self.path = path
        self.title = title
        self.store = store
        self.version = version
        self.now = now
    }

    /// Refuses a folder that holds something else than an earlier report: what would be found out
    /// after a long run is said before it.
    package static func check(_ path: String) throws(PageError) { try PageFolder.check(path) }

    /// Writes the report.
    /// - Returns: how many groups have a page.
    package func write() throws(PageError) -> Int {
        do {
            let folder = try PageFolder(path: path)
            let templates = PageTemplates(version: version, written: now)
            let overview = try queries.overview(IndexPages.limits)
            let breakdown = try queries.breakdown(ofGroup: nil, IndexPages.limits)
            var fileHours: [Int] = []
            try queries.forEachFileHour(ofGroup: nil) { fileHours.append($1) }
            let writing = PageWriting(
                templates: templates, folder: folder,
                title: title ?? Self.title(breakdown.processes, of: overview.programs, StoreLocation(store).name),
                store: store,
                roots: overview.runs.first?.roots ?? [],
                usesFileTimes: HourCounts.areInformative(fileHours, hasTimestamps: overview.first != nil))
            let count = try IndexPages(writing: writing, queries: queries, overview: overview, breakdown: breakdown).write()
            try folder.finish()
            return count
        } catch let error as PageError { throw error } catch { throw PageError(description: "\(error)") }
    }

    /// `Crashes of harbor, shop and 3 other programs`: those with most reports. Without a program's
    /// name, the store's name is used.
    /// - Parameter count: How many programs there are; `processes` may hold only the first of them.
    static func title(_ processes: [Tally], of count: Int, _ store: String) -> String {
        let names = processes.compactMap(\.value).filter { !$0.isEmpty }.map { PageText.short($0, 60) }
        guard let first = names.first else { return "Crashes of " + store }
        guard names.count > 1 else { return "Crashes of " + first }
        switch max(count, names.count) {
        case 2: return "Crashes of \(first) and \(names[1])"
        case 3 where names.count == 3: return "Crashes of \(first), \(names[1]) and \(names[2])"
        case let count: return "Crashes of \(first), \(names[1]) and \(PageText.number(count - 2)) other programs"
        }
    }

    /// File name for a group identifier. An identifier that cairn did not make is replaced by its
    /// hash.
    static func name(ofGroup id: String) -> String {
        let isPlain = !id.isEmpty && id.utf8.count <= 64 && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        return isPlain ? id : "x\(ContentHash.number(of: id))"
    }

    static func page(ofGroup id: String) -> String { "groups/\(name(ofGroup: id)).html" }

    /// The way to pages from the first.
    static func trail(_ writing: PageWriting) -> [(text: String, name: String)] { [(writing.title, PageFolder.index)] }
}
