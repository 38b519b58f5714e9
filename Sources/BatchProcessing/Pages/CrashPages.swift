internal import BinaryPrimitives

/// A store as pages for a browser: static files, which need no network, no server and no
/// JavaScript.
///
/// One group is looked at after the other, and a list is written page by page, so that the memory
/// does not grow with the reports. The folder appears when everything in it is written.
package struct CrashPages {
    private let questions: any ReportLists
    private let path: String
    private let source: String
    private let version: String

    /// - Parameters:
    ///   - path: the folder to be; the one of an earlier report is replaced.
    ///   - source: what the store is called.
    ///   - version: of this program.
    package init(_ questions: any ReportLists, path: String, source: String, version: String) {
        self.questions = questions
        self.path = path
        self.source = source
        self.version = version
    }

    /// Refuses a folder that holds something else than an earlier report: what would be found out
    /// after a long run is said before it.
    package static func check(_ path: String) throws(PageError) { try PageFolder.check(path) }

    /// Writes the report.
    /// - Returns: how many groups have a page.
    package func write() throws(PageError) -> Int {
        do {
            let folder = try PageFolder(path: path)
            let templates = PageTemplates(version: version, written: WallClock.nanoseconds)
            let writing = PageWriting(templates: templates, folder: folder, links: LogLinks(folder: path), source: source)
            let count = try IndexPages(writing: writing, questions: questions).write()
            try folder.finish()
            return count
        } catch let error as PageError { throw error } catch { throw PageError(description: "\(error)") }
    }

    /// An identifier as a file's name: what is none of ours gives no name to a file.
    static func name(ofGroup id: String) -> String {
        let isPlain = !id.isEmpty && id.utf8.count <= 64 && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        return isPlain ? id : "x\(ContentHash.number(of: id))"
    }

    static func page(ofGroup id: String) -> String { "groups/\(name(ofGroup: id)).html" }

    /// The way to pages from the first.
    static func trail(_ writing: PageWriting) -> [(text: String, name: String)] { [("Crashes of \(writing.source)", PageFolder.index)] }
}
