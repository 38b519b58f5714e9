import SymbolFiles
import TestSupport
import Testing

@testable import TestReports

struct RepositoryPathsTests {
    private let files = [
        "Sources/App/main.swift": "", "Sources/App/Queue.swift": "", "Sources/Other/main.swift": "", "src/util.c": "",
        "lib/deep/one/two.c": "", "tools/x/src/two.c": "",
        "external/zlib/z.c": "", "node_modules/x/only.js": "", "only.py": "",
    ]

    /// Path in the repository above for each recorded path; `nil`: there is none, for the reason
    /// with this text.
    @Test func findsWhatIsMeant() throws {
        try Scene.with(files) { scene in
            let paths = scene.paths()
            let expected: [(recorded: String, path: String?, reasonText: String)] = [
                (scene.root + "/Sources/App/main.swift", "Sources/App/main.swift", ""),
                (scene.root + "/Sources/App/../Other/./main.swift", "Sources/Other/main.swift", ""),
                ("Sources/App/main.swift", "Sources/App/main.swift", ""),
                ("./src/util.c", "src/util.c", ""),
                ("/proc/self/cwd/src/util.c", "src/util.c", ""),
                ("/home/u/.cache/bazel/_bazel_u/abc/execroot/ws/src/util.c", "src/util.c", ""),
                (
                    "/home/u/.cache/bazel/_bazel_u/abc/sandbox/linux-sandbox/12/execroot/_main/Sources/App/Queue.swift",
                    "Sources/App/Queue.swift", ""
                ),
                // -ffile-prefix-map and builds elsewhere: the longest tail.
                ("/mapped/Sources/App/main.swift", "Sources/App/main.swift", ""),
                ("/build/Other/main.swift", "Sources/Other/main.swift", ""),
                ("/build/App/Queue.swift", nil, "as it may in any project"),
                ("deep/one/two.c", "lib/deep/one/two.c", ""),
                ("../src/util.c", "src/util.c", ""),
                // A crate's own path, which is that of every crate; the only such file of the
                // repository is another crate's.
                ("src/two.c", nil, "as it may in any project"), ("/src/util.c", nil, "as it may in any project"),
                // Two files could be meant.
                ("/mapped/main.swift", nil, "2 files of the repository end in “main.swift”"),
                // `src/util.c` is in any project.
                ("/build/libfoo-1.2/src/util.c", nil, "as it may in any project"),
                ("/mapped/Queue.swift", nil, "as it may in any project"),
                // A package's file is no candidate.
                ("/mapped/x/only.js", nil, "no file of the repository has the name only.js"),
                ("/usr/include/stdio.h", nil, "outside"),
                ("/etc/passwd", nil, "outside"),
                ("../../../../../../etc/passwd", nil, "no file"),
                ("Sources/App", nil, "no file"), ("", nil, "not a path"), ("a\nb", nil, "not a path"),
            ]
            for (recorded, path, reasonText) in expected {
                switch paths.find(recorded) {
                case .inside(let found): #expect(found == path, "\(recorded)")
                case .outside(let reason), .undecided(let reason):
                    #expect(path == nil, "\(recorded): \(reason)")
                    #expect(reason.contains(reasonText), "\(recorded): \(reason)")
                }
            }
        }
    }

    @Test func aRelativePathThatTwoFoldersHaveIsUndecided() throws {
        try Scene.with(["a.c": "", "sub/a.c": "", "sub/b.c": ""]) { scene in
            let paths = scene.paths(workingDirectory: scene.root + "/sub")
            guard case .undecided(let reason) = paths.find("a.c") else {
                Issue.record("expected no decision")
                return
            }
            #expect(reason == "the path is relative, and both a.c and sub/a.c exist")
            #expect(paths.find("b.c") == .inside("sub/b.c"))
        }
    }

    /// Each `..` leaves a folder: from `sub/deep/er` two lead to `sub`, and from the root they lead out of the repository.
    @Test func severalStepsUpCountFromTheWorkingDirectory() throws {
        try Scene.with(["src/a.c": "", "sub/src/a.c": "", "sub/deep/er/b.c": "", "only.c": ""]) { scene in
            #expect(scene.paths(workingDirectory: scene.root + "/sub/deep/er").find("../../src/a.c") == .inside("sub/src/a.c"))
            guard case .undecided(let reason) = scene.paths().find("../../only.c") else {
                Issue.record("expected no decision")
                return
            }
            #expect(reason.contains("as it may in any project"))
        }
    }

    @Test func theUsersMapDecides() throws {
        try Scene.with(["src/util.c": "", "x/src/util.c": ""]) { scene in
            let paths = scene.paths(map: PathMap([.init(old: "/mapped", new: "x"), .init(old: "/other", new: scene.root)]))
            #expect(paths.find("/mapped/src/util.c") == .inside("x/src/util.c"))
            #expect(paths.find("/other/src/util.c") == .inside("src/util.c"))
            guard case .undecided(let reason) = paths.find("/mapped/gone.c") else {
                Issue.record("expected no decision")
                return
            }
            #expect(reason.contains("x/gone.c"))
        }
    }

    /// A link that leads out of the repository is not in it, and one to the repository is.
    @Test func links() throws {
        try Scene.with(["Sources/a.c": ""]) { scene in
            _ = try run("ln", ["-s", "/etc", scene.root + "/etc"])
            _ = try run("ln", ["-s", scene.root, scene.root + "-link"])
            let paths = scene.paths()
            if case .inside(let path) = paths.find("etc/passwd") { Issue.record("\(path) is not in the repository") }
            if case .inside(let path) = paths.find(scene.root + "/etc/passwd") { Issue.record("\(path) is not in the repository") }
            #expect(paths.find(scene.root + "-link/Sources/a.c") == .inside("Sources/a.c"))
            #expect(RepositoryPaths.nearestRoot(from: scene.root + "-link/Sources") == scene.paths().root)
        }
    }

    @Test func aBareNameIsFoundWhereItIsTheOnlyOne() throws {
        try Scene.with([
            "Tests/A/FooTests.swift": "", "Tests/A/X.swift": "", "Tests/B/X.swift": "", ".build/checkouts/p/FooTests.swift": "",
        ]) { scene in
            #expect(scene.paths().find(named: "FooTests.swift") == .inside("Tests/A/FooTests.swift"))
            guard case .undecided = scene.paths().find(named: "X.swift") else {
                Issue.record("expected no decision")
                return
            }
        }
    }
}
