import TestSupport
import Testing

@testable import TestReports

struct SourceExcerptsTests {
    private func text(_ source: String, _ line: Int, _ column: Int = 0) -> String? {
        SourceExcerpts.excerpt(of: Array(source.utf8), line: line, column: column)?.text
    }

    @Test func theCaretStandsBelowTheColumn() {
        #expect(text("a\nbcd\ne\nf\n", 2, 3) == "  1 | a\n> 2 | bcd\n    |   ^\n  3 | e\n")
        // A tab goes to the next column that four divides; wide characters take two columns; a
        // combining mark takes none.
        #expect(text("\tx\n", 1, 2) == "> 1 |     x\n    |     ^\n")
        #expect(text("ab\tx\n", 1, 4) == "> 1 | ab  x\n    |     ^\n")
        #expect(text("漢字x", 1, 7) == "> 1 | 漢字x\n    |     ^\n")
        #expect(text("e\u{301}x", 1, 4) == "> 1 | e\u{301}x\n    |  ^\n")
        // After the end, where something is missing.
        #expect(text("ab\n", 1, 3) == "> 1 | ab\n    |   ^\n")
        // The debug information is not of this file, as it seems: no mark rather than a wrong one.
        #expect(text("ab\n", 1, 9) == "> 1 | ab\n")
        #expect(text("ab\r\ncd\r\n", 2, 1) == "  1 | ab\n> 2 | cd\n    | ^\n")
        #expect(text("ab\n", 2) == nil)
        #expect(text("", 1) == nil)
        #expect(text("ab", .max) == nil)
        #expect(text("9\n10\n", 2)?.isEmpty == false)
    }

    @Test func numbersAreAligned() {
        let source = (1...12).map { "l\($0)\n" }.joined()
        #expect(text(source, 10, 1) == "   9 | l9\n> 10 | l10\n     | ^\n  11 | l11\n")
    }

    @Test func controlCharactersAndLongLinesAreShownHarmless() {
        #expect(text("a\u{1b}[31mb\u{202e}c\n", 1) == "> 1 | a\u{FFFD}[31mb\u{FFFD}c\n")
        let long = String(repeating: "x", count: 500) + "HERE" + String(repeating: "y", count: 100_000)
        let lines = text(long, 1, 501)?.split(separator: "\n") ?? []
        #expect(lines.count == 2)
        // The caret is below the H.
        let caret = lines.last?.firstIndex(of: "^").map { lines[1].distance(from: lines[1].startIndex, to: $0) } ?? 0
        #expect(lines.first.map { Array($0)[caret] } == "H")
        #expect((lines.first?.count ?? 0) <= 200)
        let start = text(long, 1, 1)?.split(separator: "\n").first ?? ""
        #expect(start.hasPrefix("> 1 | xxx") && start.hasSuffix("…"))
    }

    @Test func onlyFilesOfTheRepository() throws {
        try Scene.with(["a.c": "x\n", "binary": "a\u{0}b\n"]) { scene in
            _ = try run("ln", ["-s", "/etc/passwd", scene.root + "/link.c"])
            let excerpts = SourceExcerpts(root: scene.root)
            #expect(excerpts.excerpt(at: Failure.Location(path: "a.c", line: 1))?.text == "> 1 | x\n")
            for path in ["link.c", "../../etc/passwd", "binary", "no.c", ".", ""] {
                #expect(excerpts.excerpt(at: Failure.Location(path: path, line: 1)) == nil, "\(path)")
            }
            #expect(SourceExcerpts(root: nil).excerpt(at: Failure.Location(path: "a.c", line: 1)) == nil)
            #expect(excerpts.excerpt(at: Failure.Location(path: "a.c", line: 0)) == nil)
        }
    }
}
