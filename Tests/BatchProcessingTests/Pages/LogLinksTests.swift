import TestSupport
import Testing

@testable import BatchProcessing

struct LogLinksTests {
    /// Resolved by another program, the link leads from the page to the log.
    @Test func `links lead from a page to a log, whatever the log is called`() throws {
        try withTemporaryFolder { folder in
            try #require(try run("mkdir", ["-p", folder + "/logs/a b", folder + "/out"]).status == 0)
            let links = LogLinks(folder: folder + "/out/pages")
            let script = """
                import os, sys, urllib.parse
                page, link, log = sys.argv[1:]
                parts = urllib.parse.urlsplit(link)
                assert not parts.scheme and not parts.netloc and not parts.query and not parts.fragment, link
                assert os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(parts.path))) == os.path.normpath(log), link
                """
            for name in ["x.crash", "50%.log", "a b/c?d#e&f", "\"'<b>.ips", "javascript:alert(1)", "ü.log"] {
                let log = folder + "/logs/" + name
                try writeFile(log, [1])
                for (page, depth) in [("/index.html", 0), ("/reports/a-1.html", 1)] {
                    let link = try #require(links.link(to: log, depth: depth))
                    let result = try run("python3", ["-c", script, folder + "/out/pages" + page, link, log])
                    #expect(result.status == 0, "\(result.errors)")
                }
            }
        }
    }

    @Test func `what is no file, and what a browser would run, is no link`() throws {
        try withTemporaryFolder { folder in
            let links = LogLinks(folder: folder + "/pages")
            for name in ["crash.html", "crash.SVG", "crash.xhtml"] {
                try writeFile(folder + "/" + name, [1])
                #expect(links.link(to: folder + "/" + name, depth: 0) == nil)
            }
            #expect(links.link(to: folder + "/gone.crash", depth: 0) == nil)
            #expect(links.link(to: folder, depth: 0) == nil)
            #expect(links.link(to: "", depth: 0) == nil)
        }
    }

    @Test func `a log beside the pages begins with a dot`() {
        #expect(LogLinks.relative(to: "/a/pages/javascript:x", from: ["a", "pages"], depth: 0) == "./javascript%3Ax")
        #expect(LogLinks.relative(to: "/a/./log", from: ["a", "pages"], depth: 1) == "../../log")
        #expect(LogLinks.relative(to: "/log", from: [], depth: 0) == "./log")
    }
}
