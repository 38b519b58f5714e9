import TestSupport
import Testing

/// README.md and `Documentation`: what they show is what happens, and what they point to is there.
struct DocumentationTests {
    private static let pagesWithCommands = DocumentedPage.all.filter { !DocumentedCommand.all(in: $0).isEmpty }

    @Test(arguments: pagesWithCommands)
    func `commands print what their page shows`(page: DocumentedPage) throws {
        try withTemporaryFolder { folder in
            var shell = try DocumentedShell(in: folder)
            for command in DocumentedCommand.all(in: page) {
                let printed = try shell.output(of: command.command)
                #expect(
                    command.describes(printed),
                    """
                    \(page):\(command.line): \(command.command)
                    \(printed.joined(separator: "\n"))
                    — and the page has —
                    \(command.output.joined(separator: "\n"))
                    """
                )
            }
        }
    }

    /// The comparison itself: without it every page would pass.
    @Test func `an output that differs is seen`() {
        func describes(_ output: [String], _ printed: [String]) -> Bool {
            DocumentedCommand(line: 1, command: "", output: output).describes(printed)
        }
        #expect(describes(["a", "…", "d"], ["a", "b", "c", "d"]) && describes(["a", "…"], ["a"]) && describes([], []))
        #expect(describes(["at … in …x"], ["at 1 in 2x"]) && describes(["a"], ["a  "]))
        #expect(!describes(["a", "…", "d"], ["a", "b"]) && !describes([], ["a"]) && !describes(["a"], []))
        #expect(!describes(["at … in …x"], ["at 1 on 2x"]) && !describes(["a"], ["ab"]) && !describes(["a…a"], ["a"]))
        #expect(Self.pagesWithCommands.count > 15)
    }

    @Test(arguments: DocumentedPage.all + [try DocumentedPage("CONTRIBUTING.md"), try DocumentedPage("scripts/README.md")])
    func `relative links lead to files, and to headings in them`(page: DocumentedPage) throws {
        for (number, text) in page.prose {
            for target in Self.targets(in: text) {
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let path = parts[0].isEmpty ? page.path : Self.path(parts[0], from: page.path)
                #expect(TestPaths.isReadable(TestPaths.root + "/" + path), "\(page):\(number): \(target)")
                guard parts.count > 1, path.hasSuffix(".md") else { continue }
                #expect(try Self.anchors(of: DocumentedPage(path)).contains(parts[1]), "\(page):\(number): \(target)")
            }
        }
    }

    @Test func `the index leads to every page`() throws {
        let index = try DocumentedPage("Documentation/README.md")
        let linked = Set(index.prose.flatMap { Self.targets(in: $0.text) }.map { Self.path($0, from: index.path) })
        for page in DocumentedPage.all where page.path.hasPrefix("Documentation/") && page.path != index.path {
            #expect(linked.contains(page.path), "\(page)")
        }
    }

    /// Readers of README.md see them on any page that shows it: nothing runs in them, and nothing is loaded.
    @Test func `the pictures are there in light and dark, and need nothing from elsewhere`() throws {
        let readme = try DocumentedPage("README.md").lines.joined(separator: "\n")
        let named = readme.components(after: "srcset=\"", until: "\"") + readme.components(after: "src=\"", until: "\"")
        let folder = TestPaths.root + "/Documentation/pictures"
        let pictures = TestPaths.files(under: folder).map { String($0.dropFirst(TestPaths.root.count + 1)) }
        #expect(Set(named) == Set(pictures) && named.count == 4)
        for path in pictures {
            let text = String(decoding: try readFile(TestPaths.root + "/" + path), as: UTF8.self)
            try run(
                "python3", ["-c", "import sys, xml.etree.ElementTree as xml; xml.fromstring(sys.stdin.read())"], input: Array(text.utf8)
            )
            .requireSuccess()
            #expect(!text.contains("<script") && !text.contains("url(") && !text.contains("@import"), "\(path)")
            let addresses = Set(text.components(after: "\"http", until: "\"")).union(text.components(after: "href=\"", until: "\""))
            #expect(addresses.isSubset(of: ["#", "://www.w3.org/2000/svg", "://www.w3.org/1999/xhtml"]), "\(path): \(addresses)")
        }
    }

    /// Every message of the table is one of the program's: its parts between `…` are in the code.
    @Test func `messages that are explained are the program's`() throws {
        let messages = try DocumentedPage("Documentation/unresolved.md").prose.map(\.text).filter { $0.hasPrefix("| `") }.compactMap {
            $0.split(separator: "`").dropFirst().first
        }
        try #require(messages.count > 10)
        let files = TestPaths.files(under: TestPaths.root + "/Sources").filter { $0.hasSuffix(".swift") }
        let code = files.map { String(decoding: TestPaths.bytes(of: $0), as: UTF8.self) }
        for part in messages.flatMap({ $0.split(separator: "…") }).map(Self.trimmed) where !part.isEmpty {
            let isThere = code.contains { text in
                text.contains(part)
                    && text.split(separator: "\n").contains { $0.contains(part) && !$0.drop { $0 == " " }.hasPrefix("//") }
            }
            #expect(isThere, "\(part)")
        }
    }

    @Test func `the table of formats is what cairn formats says`() throws {
        try run(TestPaths.root + "/scripts/docs", ["--check"], environment: ["CAIRN_BINARY": TestPaths.cairn]).requireSuccess()
    }

    /// Options as the manual pages list them: `\fB\-\-jobs\fR`. Those of the drop-in tools are
    /// their originals'.
    @Test func `every command and every option is in a page`() throws {
        let tools = ["addr2line", "atos", "eu-addr2line", "llvm-addr2line", "llvm-symbolizer", "dwarfdump"]
        let pages = DocumentedPage.all.flatMap(\.lines).joined(separator: "\n")
        let tokens = Set(pages.split { !($0.isLetter || $0.isNumber || $0 == "-") })
        try withTemporaryFolder { folder in
            try cairn("manual", "--to", folder + "/man1").requireSuccess()
            let manuals = TestPaths.files(under: folder + "/man1")
            #expect(manuals.count > 15)
            for manual in manuals {
                let name = String(manual.dropFirst(folder.count + "/man1/cairn-".count).dropLast(".1".count))
                guard !tools.contains(name) else { continue }
                let text = String(decoding: try readFile(manual), as: UTF8.self)
                for option in text.components(after: "\\fB\\-\\-", until: "\\fR").map({ "--" + $0.replacing("\\-", with: "-") }) {
                    let isThere = tokens.contains(option[...])
                    #expect(isThere, "cairn \(name): \(option)")
                }
                // `batch-top` is `cairn batch top`, `install-links` is one word.
                let names = [name, name.replacing("-", with: " ")].map { "cairn " + $0 }
                let isThere = names.contains(where: pages.contains)
                #expect(isThere, "\(names)")
            }
        }
    }

    // MARK: Markdown

    /// Without the marks and blanks that are at values.
    private static func trimmed(_ part: Substring) -> String {
        var part = part.drop { " ,:()".contains($0) }
        while let last = part.last, " ,:()".contains(last) { part.removeLast() }
        return String(part)
    }

    /// Targets of links, except those on the web.
    private static func targets(in text: String) -> [String] {
        let code = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
        var targets = code.map(\.element).joined().components(after: "](", until: ")")
        if text.hasPrefix("["), let range = text.firstRange(of: "]: ") { targets.append(String(text[range.upperBound...])) }
        return targets.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// A relative path as one from the root.
    private static func path(_ target: String, from page: String) -> String {
        var folders = page.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            if part == ".." { _ = folders.popLast() } else if part != "." { folders.append(String(part)) }
        }
        return folders.joined(separator: "/")
    }

    /// A heading's anchor as GitHub makes it: lower case, no punctuation, hyphens for blanks.
    private static func anchors(of page: DocumentedPage) -> Set<String> {
        Set(
            page.prose.filter { $0.text.hasPrefix("#") }.map { heading in
                let text = heading.text.drop { $0 == "#" }.dropFirst().lowercased()
                return String(
                    text.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.map { $0 == " " ? "-" : $0 })
            })
    }
}

extension String {
    /// The texts between two marks.
    fileprivate func components(after mark: String, until end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            rest = rest[range.upperBound...]
            found.append(String(rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]))
        }
        return found
    }
}
