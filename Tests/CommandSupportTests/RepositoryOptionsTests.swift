import ArgumentParser
import BinaryPrimitives
import Reporting
import TestSupport
import Testing

@testable import CommandSupport

/// In which repository failures are reported, and in whose code: `--repository`, `--own-code`,
/// `--not-own-code`.
struct RepositoryOptionsTests {
    /// `.git` is a folder in a clone, and a file in a worktree (gitrepository-layout(5)).
    @Test func `the root is the nearest folder with .git`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let root = try #require(Path.resolved(folder))
            try makeFolders(root + "/clone/.git", root + "/clone/a/b", root + "/clone/tree/c")
            try writeFile(root + "/clone/tree/.git", Array("gitdir: ../.git/worktrees/tree\n".utf8))
            let options = try RepositoryOptions.parse([])
            #expect(options.root(around: root + "/clone/a/b") == root + "/clone")
            #expect(options.root(around: root + "/clone/tree/c") == root + "/clone/tree")
            let given = try RepositoryOptions.parse(["--repository", root + "/clone/a"])
            #expect(given.root(around: root + "/clone/tree/c") == root + "/clone/a")
        }
    }

    /// Only a repository above every temporary folder could be found here.
    @Test func `outside of a repository the root is the folder itself`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            #expect(try RepositoryOptions.parse([]).root(around: folder) == folder)
        }
    }

    @Test func `a repository that is no folder is refused`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try writeFile(folder + "/file", [])
            for path in [folder + "/file", folder + "/none"] {
                let error = #expect(throws: (any Error).self) { _ = try RepositoryOptions.parse(["--repository", path]) }
                let message = "--repository \(path): no such directory: expected the root of a repository"
                #expect(error.map { RepositoryOptions.message(for: $0) } == message)
            }
        }
    }

    @Test(
        arguments: [
            ("/opt/unit-app/main.c", true), ("/opt/unit-app/vendor/zip.c", false), ("/opt/unit-app/vendor/ours/a.c", true),
            ("/opt/unit-apple/a.c", nil),
        ] as [(String, Bool?)])
    func `of two folders for one path the longer one decides`(path: String, isOwn: Bool?) throws {
        let options = try RepositoryOptions.parse([
            "--own-code", "/opt/unit-app", "--not-own-code", "/opt/unit-app/vendor/", "--own-code", "/opt/unit-app/vendor/ours",
        ])
        #expect(options.rule.userVerdict([path])?.isOwn == isOwn)
    }
}
