import TestSupport
import Testing

@testable import CommandSupport

/// Folders in which the programs of other commands are searched.
struct SiblingProgramsTests {
    private func install(_ path: String) throws {
        try writeFile(path, Array("#!/bin/sh\n".utf8))
        _ = try run("chmod", ["+x", path])
    }

    /// As packages install it: `bin/cairn`, and `libexec/cairn` for programs that nobody calls by
    /// name.
    @Test func `the program's own folder goes before libexec, and that before PATH`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let directories = ["bin", "libexec/cairn", "first", "second"].map { folder + "/" + $0 }
            for directory in directories { try makeFolders(directory) }
            let neighbours = SiblingPrograms(ownPath: folder + "/bin/cairn", path: "\(directories[2]):\(directories[3])")
            #expect(neighbours.find("cairn-ci") == nil)
            for directory in directories.reversed() {
                try install(directory + "/cairn-ci")
                #expect(neighbours.find("cairn-ci") == directory + "/cairn-ci")
            }
            // A file that may not be run, and a folder, are no program.
            _ = try run("chmod", ["-x", directories[0] + "/cairn-ci"])
            _ = try run("sh", ["-c", "rm \"$0\" && mkdir \"$0\"", directories[1] + "/cairn-ci"])
            #expect(neighbours.find("cairn-ci") == directories[2] + "/cairn-ci")
        }
    }

    /// In a shell an empty part of `PATH` is the working directory, as `.` is.
    @Test(arguments: ["", ":", ".", ":.:", "Tests/TestSupport", "../bin"])
    func `relative folders are not searched`(path: String) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try install(folder + "/cairn-ci")
            #expect(SiblingPrograms(ownPath: nil, path: path + ":" + folder).find("cairn-ci") == folder + "/cairn-ci")
            #expect(SiblingPrograms(ownPath: nil, path: path).find("cairn-ci") == nil)
            // The same file by a relative path from here, which would be found if relative folders
            // counted.
            let up = String(repeating: "../", count: 64)
            #expect(SiblingPrograms(ownPath: nil, path: path + ":" + up + folder.dropFirst()).find("cairn-ci") == nil)
        }
    }

    /// Neither an option nor a path, and no more than one word.
    @Test(arguments: [
        ("greet", true), ("a", true), ("my-tool2", true), ("", false), ("-s", false), ("--help", false), ("2to3", false), ("Crash", false),
        ("crash.log", false), ("/bin/ls", false), ("a b", false), ("grüße", false), ("a_b", false), ("a\n", false),
    ])
    func `a command's name is small letters, digits and hyphens`(name: String, isName: Bool) {
        #expect(SiblingPrograms.isCommandName(name) == isName)
    }
}
