import BinaryPrimitives
import SymbolFiles
import TestSupport
import Testing

/// Behaviour of `cairn` for all results of the program that fetches: scripts replace it.
struct FetchProgramTests {
    private let questions = ["aa", "bb"].compactMap { ImageID(text: $0) }.map { DebuginfodRequest(.debuginfo, $0) }

    private func withProgram<Result>(_ script: String, budget: Duration = .seconds(20), _ body: (FetchProgram, String) throws -> Result)
        throws -> Result
    {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/fetch", Array("#!/bin/sh\n\(script)\n".utf8))
            _ = try run("chmod", ["+x", folder + "/fetch"])
            return try body(
                FetchProgram(path: folder + "/fetch", servers: ["http://a", "http://b"], budget: budget, showsProgress: false), folder)
        }
    }

    /// A script that replies as the protocol says, and counts how often it was started.
    private let good = """
        exec 2>/dev/null
        echo "$*" >> "$0.starts"
        while read kind id; do
            echo "$kind $id" >> "$0.asked"
            case "$kind $id" in
            "debuginfo aa") echo "aa debuginfo found http://a /cache/aa/debuginfo" ;;
            "debuginfo bb") echo "bb debuginfo missing http://a does not have it" ;;
            esac
        done
        """

    @Test func `it is started once, and asked everything once`() throws {
        try withProgram(good) { program, folder in
            let expected: [DebuginfodResult.Outcome] = [
                .found(path: "/cache/aa/debuginfo", source: "http://a"), .missing("http://a does not have it"),
            ]
            #expect(program.results(for: questions).map(\.outcome) == expected)
            #expect(program.results(for: questions.reversed()).map(\.outcome) == expected.reversed())
            #expect(try readFile(folder + "/fetch.starts") == Array("--url http://a --url http://b\n".utf8))
            let requested = String(decoding: try readFile(folder + "/fetch.asked"), as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            // The time and the questions; then an empty line, which the script may not have come
            // to.
            #expect(
                requested.count >= 3 && requested[0].hasPrefix("within ") && requested[1...2] == ["debuginfo aa", "debuginfo bb"],
                "\(requested)")
        }
    }

    /// As a service has it, whose run has no end.
    @Test func `after a period everything is requested again, with a budget of its own`() throws {
        try withProgram("") { _, folder in
            // Nothing the first time, which uses up all of the budget; a file the next.
            let script = """
                #!/bin/sh
                if [ -e "$0.second" ]; then echo "aa debuginfo found http://a /cache/aa/debuginfo"; exec cat > /dev/null; fi
                touch "$0.second"
                exec sleep 60
                """
            try writeFile(folder + "/fetch", Array(script.utf8))
            let program = FetchProgram(
                path: folder + "/fetch", servers: ["http://a"], budget: .milliseconds(300), showsProgress: false, period: .seconds(2),
                options: ["--given-hosts-only"])
            let spent = [DebuginfodResult.Outcome.failed("the time budget of 0.3 s is used up")]
            #expect(program.results(for: [questions[0]]).map(\.outcome) == spent)
            #expect(program.results(for: [questions[0]]).map(\.outcome) == spent)
            _ = try run("sleep", ["2"])
            #expect(program.results(for: [questions[0]]).map(\.outcome) == [.found(path: "/cache/aa/debuginfo", source: "http://a")])
        }
    }

    @Test func `one that hangs is ended when the budget is spent`() throws {
        try withProgram("echo \"aa debuginfo missing gone\"; exec sleep 60", budget: .seconds(1)) { program, _ in
            let start = ContinuousClock.now
            #expect(program.results(for: questions).map(\.outcome) == [.missing("gone"), .failed("the time budget of 1 s is used up")])
            #expect(ContinuousClock.now - start < .seconds(3))
            // Nothing is requested from then on.
            let more = DebuginfodRequest(.executable, questions[0].id)
            let next = ContinuousClock.now
            #expect(program.results(for: [more]).map(\.outcome) == [.failed("the time budget of 1 s is used up")])
            #expect(ContinuousClock.now - next < .milliseconds(500))
        }
    }

    @Test func `one that ends early leaves the rest unanswered`() throws {
        try withProgram("echo \"aa debuginfo missing gone\"; exit 1") { program, folder in
            #expect(
                program.results(for: questions).map(\.outcome) == [.missing("gone"), .failed("\(folder)/fetch ended before it replied")])
        }
    }

    /// It closes its input at once and reports that, so that all requests come too late.
    @Test func `one that ends before it is asked is heard all the same`() throws {
        for _ in 0..<20 {
            try withProgram("exec <&-; echo \"aa debuginfo missing gone\"; exit 1") { program, folder in
                #expect(
                    program.results(for: questions).map(\.outcome) == [
                        .missing("gone"), .failed("\(folder)/fetch ended before it replied"),
                    ])
            }
        }
    }

    @Test func `lines that answer nothing are passed over`() throws {
        let script =
            "echo hello; echo; echo \"cc debuginfo missing gone\"; echo \"aa debuginfo missing gone\"; echo \"bb debuginfo missing gone\"; cat > /dev/null"
        try withProgram(script) { program, _ in
            #expect(program.results(for: questions).map(\.outcome) == [.missing("gone"), .missing("gone")])
        }
    }

    @Test func `one that is not there`() {
        let program = FetchProgram(path: "/no/such/program", servers: ["http://a"], budget: .seconds(5), showsProgress: false)
        #expect(
            program.results(for: [questions[0]]).map(\.outcome) == [
                .failed("it cannot be run: /no/such/program: no such file or directory")
            ]
        )
    }
}
