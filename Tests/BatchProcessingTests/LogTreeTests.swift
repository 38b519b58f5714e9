import BatchProcessing
import TestSupport
import Testing

struct LogTreeTests {
    private func walk(_ paths: [String], except isExcluded: (String) -> Bool = { _ in false }) -> (files: [String], problems: [String]) {
        var tree = LogTree(paths)
        var files: [String] = []
        while let file = tree.next(except: isExcluded) { files.append(file.path) }
        return (files, tree.problems.map { "\($0.path): \($0.problem)" })
    }

    @Test func `files come in the order of their paths, folder by folder`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/b/c", folder + "/.git")
            for name in ["z", "b/2", "b/c/1", "a", ".git/config", ".hidden"] { try writeFile(folder + "/" + name, [1]) }
            #expect(walk([folder]).files == ["a", "b/2", "b/c/1", "z"].map { folder + "/" + $0 })
            #expect(walk([folder], except: { $0.hasSuffix("/a") }).files.first == folder + "/b/2")
            #expect(walk([folder + "/z", folder + "/a"]).files == [folder + "/z", folder + "/a"])
        }
    }

    /// A link to a file is a log like any other; a link to a folder would be walked twice, or for
    /// ever.
    @Test func `links to folders are not followed`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/a")
            try writeFile(folder + "/a/log", [1])
            try run("ln", ["-s", folder, folder + "/a/loop"]).requireSuccess()
            try run("ln", ["-s", "log", folder + "/a/same"]).requireSuccess()
            try run("ln", ["-s", "nothing", folder + "/a/gone"]).requireSuccess()
            #expect(walk([folder]).files == [folder + "/a/log", folder + "/a/same"])
        }
    }

    @Test func `what is not there is told`() throws {
        try withTemporaryFolder { folder in
            let (files, problems) = walk([folder + "/none"])
            #expect(files.isEmpty)
            #expect(problems == ["\(folder)/none: no such file or directory"])
        }
    }

    /// Pipes and devices have no end that a walk could wait for.
    @Test func `pipes are passed over`() throws {
        try withTemporaryFolder { folder in
            try run("mkfifo", [folder + "/pipe"]).requireSuccess()
            #expect(walk([folder]).files.isEmpty)
        }
    }
}
