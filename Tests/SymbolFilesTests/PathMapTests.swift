import SymbolFiles
import Testing

struct PathMapTests {
    private func map(_ entries: (String, String)...) -> PathMap { PathMap(entries.map { PathMap.Entry(old: $0.0, new: $0.1) }) }

    @Test(arguments: [
        ("/build/app/main.c", "/home/me/app/main.c"), ("/build", "/home/me"), ("/build/", "/home/me/"), ("/builder/main.c", nil),
        ("build/main.c", nil), ("", nil),
        ("/build//x.c", "/home/me//x.c"), ("/build\\x.c", "/home/me\\x.c"),
    ])
    func `a beginning ends where a component does`(path: String, expected: String?) {
        for old in ["/build", "/build/", "/build//"] { #expect(map((old, "/home/me")).rewritten(path) == expected) }
        #expect(map(("/build", "/home/me/")).rewritten(path) == expected)
    }

    @Test func `the longest beginning wins, whatever the order, and of equal ones the last`() {
        let entries = [("/a", "/1"), ("/a/b/c", "/3"), ("/a/b", "/2")]
        for entries in [entries, entries.reversed()] {
            let map = PathMap(entries.map { PathMap.Entry(old: $0.0, new: $0.1) })
            #expect(["/a/x", "/a/b/x", "/a/b/c/x", "/a/bc/x", "/b/x"].map(map.rewritten) == ["/1/x", "/2/x", "/3/x", "/1/bc/x", nil])
        }
        #expect(map(("/a", "/1"), ("/a/", "/2")).rewritten("/a/x") == "/2/x")
    }

    @Test func `the root, relative paths, drives, and nothing`() {
        #expect(map(("/", "/src")).rewritten("/a.c") == "/src/a.c")
        #expect(map(("/src", "/")).rewritten("/src/a.c") == "/a.c")
        #expect(map(("/", "")).rewritten("/a/b.c") == "a/b.c")
        #expect(map(("/src", "")).rewritten("/src/a/b.c") == "a/b.c")
        #expect(map(("/src/a.c", "")).rewritten("/src/a.c") == "/src/a.c")
        #expect(map((".", "/src")).rewritten("./a.c") == "/src/a.c")
        #expect(map(("./external/", "/x")).rewritten("./external/a.c") == "/x/a.c")
        #expect(map(("C:\\agent", "/src")).rewritten("C:\\agent\\a.cpp") == "/src\\a.cpp")
        #expect(map(("", "/x")).rewritten("/a") == nil && map(("", "/x")).isEmpty)
        #expect(PathMap().rewritten("/a") == nil)
    }

    /// Bytes and not characters: a letter and the accent after it are one character of Swift.
    @Test func `a border is a byte's`() {
        #expect(map(("/e", "/x")).rewritten("/e\u{301}/a.c") == nil)
        #expect(map(("/\u{e9}", "/x")).rewritten("/e\u{301}/a.c") == nil)
    }
}
