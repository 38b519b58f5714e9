import BinaryPrimitives
import TestSupport
import Testing

/// How `cairn` finds the programs that bring commands of their own.
struct SiblingProgramsTests {
    /// A neighbour that prints what it was given, and ends with a status of its own.
    private func install(_ name: String, in folder: String, saying word: String) throws {
        let script = "#!/bin/sh\necho \"\(word):$*\"\ncat\nexit 7\n"
        try writeFile(folder + "/" + name, Array(script.utf8))
        _ = try run("chmod", ["+x", folder + "/" + name])
    }

    /// A folder laid out as a package installs it: `bin/cairn`, and room for neighbours.
    private func withInstallation(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/bin", folder + "/libexec/cairn", folder + "/elsewhere")
            _ = try run("cp", [TestPaths.cairn, folder + "/bin/cairn"])
            try body(folder)
        }
    }

    @Test func `a neighbour takes over streams, arguments and status`() throws {
        try withInstallation { folder in
            try install("cairn-greet", in: folder + "/bin", saying: "hello")
            let result = try run(folder + "/bin/cairn", ["greet", "a b", "--option"], input: Array("input\n".utf8))
            #expect(result.status == 7)
            #expect(result.lines == ["hello:a b --option", "input"])
        }
    }

    /// The folder of the binary comes before `libexec/cairn`, and that before `PATH`.
    @Test func `places are searched in their order`() throws {
        try withInstallation { folder in
            let environment: [String: String?] = ["PATH": folder + "/elsewhere:/usr/bin:/bin"]
            for (directory, word) in [("elsewhere", "path"), ("libexec/cairn", "libexec"), ("bin", "beside")] {
                try install("cairn-tools", in: folder + "/" + directory, saying: word)
                let result = try run(folder + "/bin/cairn", ["verify", "FILE"], environment: environment)
                #expect(result.lines == ["\(word):verify FILE"])
            }
            let dump = try run(folder + "/bin/cairn", ["dwarfdump", "-a", "FILE"], environment: environment)
            #expect(dump.lines == ["beside:dwarfdump -a FILE"])
        }
    }

    /// The binary's own place counts, not the link's by which it was called.
    @Test func `a link to cairn finds the neighbours of the program`() throws {
        try withInstallation { folder in
            try install("cairn-greet", in: folder + "/bin", saying: "hello")
            _ = try run("ln", ["-s", "../bin/cairn", folder + "/elsewhere/cairn"])
            #expect(try run(folder + "/elsewhere/cairn", ["greet"]).lines == ["hello:"])
        }
    }

    @Test func `a neighbour that is missing is one line, which says where it was looked for`() throws {
        try withInstallation { folder in
            let result = try run(folder + "/bin/cairn", ["verify", "FILE"], environment: ["PATH": folder + "/elsewhere"])
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "cairn: error: verify: the program cairn-tools was not found (searched: \(folder)/bin, \(folder)/libexec/cairn, PATH). Install it beside cairn\n"
            )
        }
    }

    /// Neither the working directory, nor a program's file that may not be run, nor something that
    /// is a log.
    @Test func `what is no neighbour is a log`() throws {
        try withInstallation { folder in
            try install("cairn-greet", in: folder + "/elsewhere", saying: "hello")
            let here = try run(folder + "/bin/cairn", ["greet"], environment: ["PATH": ":.:/usr/bin"], directory: folder + "/elsewhere")
            #expect(here.status == 1 && here.errors.hasPrefix("cairn: error: greet: "))
            try install("cairn-greet", in: folder + "/bin", saying: "hello")
            try writeFile(folder + "/elsewhere/greet", Array("no trace\n".utf8))
            let log = try run(folder + "/bin/cairn", ["greet"], directory: folder + "/elsewhere")
            #expect(log.output == "no trace\n")
            _ = try run("chmod", ["-x", folder + "/bin/cairn-greet"])
            #expect(try run(folder + "/bin/cairn", ["greet"]).errors.hasPrefix("cairn: error: greet: "))
        }
    }
}
