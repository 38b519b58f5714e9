import BinaryPrimitives
import SymbolFiles
import Synchronization
import TestSupport
import Testing

/// Behaviour of `cairn` for all results of the program that fetches: scripts replace it.
struct FetchProgramTests {
    private let questions = ["aa", "bb"].compactMap { ImageID(text: $0) }.map { RequestedFile(.debuginfo, $0) }

    private func withProgram<Result>(_ script: String, budget: Duration = .seconds(20), _ body: (FetchProgram, String) throws -> Result)
        throws -> Result
    {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/fetch", Array("#!/bin/sh\n\(script)\n".utf8))
            _ = try run("chmod", ["+x", folder + "/fetch"])
            return try body(
                FetchProgram(
                    path: folder + "/fetch", servers: ["http://a", "http://b"].map { SymbolServer(url: $0, layouts: [.debuginfod]) },
                    budget: budget, showsProgress: false), folder)
        }
    }

    /// A script that replies as the protocol says, and counts how often it was started.
    private let good = """
        exec 2>/dev/null
        echo "$*" >> "$0.starts"
        while read number kind id; do
            echo "$number $kind $id" >> "$0.asked"
            case "$kind $id" in
            "debuginfo id=aa") echo "$number found http://a /cache/aa/debuginfo" ;;
            "debuginfo id=bb") echo "$number missing http://a does not have it" ;;
            esac
        done
        """

    @Test func `it is started once, and asked everything once`() throws {
        try withProgram(good) { program, folder in
            let expected: [DownloadResult.Outcome] = [
                .found(path: "/cache/aa/debuginfo", source: "http://a"), .missing("http://a does not have it"),
            ]
            #expect(program.results(for: questions).map(\.outcome) == expected)
            #expect(program.results(for: questions.reversed()).map(\.outcome) == expected.reversed())
            #expect(try readFile(folder + "/fetch.starts") == Array("--url debuginfod+http://a --url debuginfod+http://b\n".utf8))
            let requested = String(decoding: try readFile(folder + "/fetch.asked"), as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            // The time and the questions; then an empty line, which the script may not have come
            // to.
            #expect(
                requested.count >= 3 && requested[0].hasPrefix("within ")
                    && requested[1...2] == ["1 debuginfo id=aa", "2 debuginfo id=bb"],
                "\(requested)")
        }
    }

    private func service(_ script: String, _ folder: String, budget: Duration) throws -> FetchProgram {
        try writeFile(folder + "/fetch", Array(("#!/bin/sh\n" + script).utf8))
        return FetchProgram(
            path: "/bin/sh", command: folder + "/fetch", servers: [], budget: budget, showsProgress: false, isService: true)
    }

    @Test func `for a service one that hung is started again, with a budget of its own`() throws {
        try withTemporaryFolder { folder in
            // Nothing the first time; a file the next.
            let program = try service(
                """
                if [ -e "$0.second" ]; then echo "2 found http://a /cache/aa/debuginfo"; exec cat > /dev/null; fi
                touch "$0.second"
                exec sleep 60
                """, folder, budget: .milliseconds(300))
            let late = DownloadResult.Outcome.failed("the time budget of 0.3 s is used up")
            #expect(program.results(for: [questions[0]]).map(\.outcome) == [late])
            #expect(program.results(for: [questions[0]]).map(\.outcome) == [.found(path: "/cache/aa/debuginfo", source: "http://a")])
        }
    }

    @Test func `a service requests a missing file again`() throws {
        try withTemporaryFolder { folder in
            let program = try service(
                "while read number rest; do case $rest in debuginfo*) echo \"$number missing $number\" ;; esac; done\n", folder,
                budget: .seconds(20))
            #expect(program.results(for: [questions[0]]).map(\.outcome) == [.missing("1")])
            #expect(program.results(for: [questions[0]]).map(\.outcome) == [.missing("2")])
        }
    }

    @Test func `a slow file holds up nobody who requests another`() throws {
        try withTemporaryFolder { folder in
            // The first is replied to when the second was.
            let program = try service(
                """
                while read number kind id; do
                    case $id in
                    id=aa) slow=$number; touch "$0.slow" ;;
                    id=bb) echo "$number missing quick"; echo "$slow missing slow" ;;
                    esac
                done
                """, folder, budget: .seconds(20))
            let slow = Mutex<[DownloadResult.Outcome]>([])
            let done = WorkQueue<Void>(maxWeight: .max)
            let isRunning = Parallel.start { [questions] in
                let outcomes = program.results(for: [questions[0]]).map(\.outcome)
                slow.withLock { $0 = outcomes }
                _ = done.add((), weight: 0)
            }
            try #require(isRunning)
            // Its request is on its way: replies are read in the order of the requests.
            while try run("cat", [folder + "/fetch.slow"]).status != 0 {}
            #expect(program.results(for: [questions[1]]).map(\.outcome) == [.missing("quick")])
            _ = done.next()
            #expect(slow.withLock { $0 } == [.missing("slow")])
        }
    }

    @Test func `one that hangs is ended when the budget is spent`() throws {
        try withProgram("echo \"1 missing gone\"; exec sleep 60", budget: .seconds(1)) { program, _ in
            let start = ContinuousClock.now
            #expect(program.results(for: questions).map(\.outcome) == [.missing("gone"), .failed("the time budget of 1 s is used up")])
            #expect(ContinuousClock.now - start < .seconds(3))
            // Nothing is requested from then on.
            let more = RequestedFile(.executable, try #require(ImageID(text: "aa")))
            let next = ContinuousClock.now
            #expect(program.results(for: [more]).map(\.outcome) == [.failed("the time budget of 1 s is used up")])
            #expect(ContinuousClock.now - next < .milliseconds(500))
        }
    }

    @Test func `one that ends early leaves the rest unanswered`() throws {
        try withProgram("echo \"1 missing gone\"; exit 1") { program, folder in
            #expect(
                program.results(for: questions).map(\.outcome) == [.missing("gone"), .failed("\(folder)/fetch ended before it replied")])
        }
    }

    /// It closes its input at once and reports that, so that all requests come too late.
    @Test func `one that ends before it is asked is heard all the same`() throws {
        for _ in 0..<20 {
            try withProgram("exec <&-; echo \"1 missing gone\"; exit 1") { program, folder in
                #expect(
                    program.results(for: questions).map(\.outcome) == [
                        .missing("gone"), .failed("\(folder)/fetch ended before it replied"),
                    ])
            }
        }
    }

    @Test func `lines that answer nothing are passed over`() throws {
        let script =
            "echo hello; echo; echo \"77 missing gone\"; echo \"1 missing gone\"; echo \"2 missing gone\"; cat > /dev/null"
        try withProgram(script) { program, _ in
            #expect(program.results(for: questions).map(\.outcome) == [.missing("gone"), .missing("gone")])
        }
    }

    @Test func `one that is not there`() {
        let program = FetchProgram(
            path: "/no/such/program", servers: [SymbolServer(url: "http://a", layouts: [.debuginfod])], budget: .seconds(5),
            showsProgress: false)
        #expect(
            program.results(for: [questions[0]]).map(\.outcome) == [
                .failed("it cannot be run: /no/such/program: no such file or directory")
            ]
        )
    }
}
