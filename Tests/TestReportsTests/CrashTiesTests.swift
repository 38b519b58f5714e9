import CrashLogModel
import Symbolication
import TestSupport
import Testing

@testable import TestReports

/// Crashes of processes that test runners have started: which test each belongs to.
struct CrashTiesTests {
    private typealias Call = Scene.Call

    /// A process that a signal ended on a line of `a.c`.
    private func crash(_ scene: Scene, line: Int, _ functions: [String] = ["main"]) -> [Call] {
        functions.map { Call(name: $0, file: scene.root + "/a.c", line: line) }
    }

    /// The tests that the collector names for each line.
    private func tests(_ failures: [Failure]) -> [Int: [String]] {
        Dictionary(failures.compactMap { failure in failure.location.map { ($0.line, failure.tests) } }) { $0 + $1 }
    }

    /// ctest 3.25's own log of a run.
    @Test func `ctest's log has the program of each test`() {
        let log = """
            Start testing: Nov 29 12:09 UTC
            ----------------------------------------------------------
            4/8 Testing: shop.asserts
            4/8 Test: shop.asserts
            Command: "/src/shop/build/asserts" "--all"
            Directory: /src/shop/build
            "shop.asserts" start time: Nov 29 12:09 UTC
            Output:
            ----------------------------------------------------------
            Command: "/bin/other"
            <end of output>
            """
        #expect(CTestLog(Array(log.utf8).span).programs == ["shop.asserts": "/src/shop/build/asserts"])
    }

    /// Both end by SIGABRT while both run: only the programs tell them apart.
    @Test func `of tests that run side by side the program says which one crashed`() throws {
        let log = ["one", "two"].map { "1/2 Test: shop.\($0)\nCommand: \"/srv/\($0)\"\n" }.joined()
        try Scene.with(["a.c": "", "Testing/Temporary/LastTest.log": log]) { scene in
            var collector = scene.collector()
            collector.add(text: "Test project \(scene.root)\n    Start 1: shop.one\n    Start 2: shop.two\n")
            for (number, name) in [(1, "two"), (2, "one")] {
                collector.meetEnd(of: Int32(number))
                var report = Scene.crash([crash(scene, line: number)])
                report.report.process.path = "/srv/" + name
                let isNew = collector.add(memory: report, of: Int32(number))
                #expect(isNew)
            }
            for (number, name) in [(1, "one"), (2, "two")] {
                collector.add(text: "\(number)/2 Test #\(number): shop.\(name) ......***Exception: SegFault  0.01 sec\n")
            }
            #expect(tests(collector.finish()) == [1: ["shop.two"], 2: ["shop.one"]])
        }
    }

    @Test func `a crash belongs to the test that ran when its process ended`() throws {
        try Scene.with(["a.c": ""]) { scene in
            var collector = scene.collector()
            for (number, name) in [(1, "one"), (2, "two")] {
                collector.add(text: "    Start \(number): shop.\(name)\n")
                collector.meetEnd(of: Int32(number))
                collector.add(text: "\(number)/3 Test #\(number): shop.\(name) ......***Exception: SegFault  0.01 sec\n")
            }
            collector.add(text: "    Start 3: shop.three\n")
            // They are read when a third test runs.
            let areNew = [1, 2].map { collector.add(memory: Scene.crash([crash(scene, line: $0)]), of: Int32($0)) }
            #expect(areNew == [true, true])
            collector.add(text: "3/3 Test #3: shop.three ....   Passed    0.01 sec\n33% tests passed, 2 tests failed out of 3\n")
            let failures = collector.finish()
            #expect(tests(failures) == [1: ["shop.one"], 2: ["shop.two"]])
            #expect(collector.tally?.line == "2 tests failed: 2 with a line")
        }
    }

    @Test func `of tests side by side the signal says which, or none is named`() throws {
        try Scene.with(["a.c": ""]) { scene in
            func run(_ second: String) -> [Int: [String]] {
                var collector = scene.collector()
                collector.add(text: "    Start 1: shop.one\n    Start 2: shop.two\n")
                collector.meetEnd(of: 1)
                collector.meetEnd(of: 2)
                collector.add(text: "1/2 Test #2: shop.two ......\(second)\n1/2 Test #1: shop.one ......***Exception: SegFault  0.01 sec\n")
                _ = collector.add(memory: Scene.crash([crash(scene, line: 1)]), of: 1)
                _ = collector.add(memory: Scene.crash([crash(scene, line: 2)], second.contains("aborted") ? "SIGABRT" : "SIGSEGV"), of: 2)
                let failures = collector.finish()
                // Each crash is there once, whatever is known of its test.
                #expect(failures.count == 2)
                return tests(failures)
            }
            #expect(run("Subprocess aborted***Exception:   0.01 sec") == [1: ["shop.one"], 2: ["shop.two"]])
            #expect(run("***Exception: SegFault  0.01 sec") == [1: [], 2: []])
        }
    }

    /// GoogleTest starts a process that is to crash (`EXPECT_DEATH`), and goes on.
    @Test func `a process whose test passed is no failure, in a failing run too`() throws {
        try Scene.with(["a.c": "", "t.cc": ""]) { scene in
            var collector = scene.collector()
            collector.add(text: "[ RUN      ] CartDeathTest.Dies\n")
            collector.meetEnd(of: 7)
            collector.add(text: "[       OK ] CartDeathTest.Dies (6 ms)\n[ RUN      ] Cart.Totals\nt.cc:4: Failure\nno\n")
            _ = collector.add(memory: Scene.crash([crash(scene, line: 1)]), of: 7)
            collector.add(text: "[  FAILED  ] Cart.Totals (0 ms)\n[  FAILED  ] 1 test, listed below:\n")
            #expect(collector.finish().map(\.location?.path) == ["t.cc"])
            #expect(collector.tally?.line == "1 test failed: its line is known")
        }
    }

    /// ctest shows the output of a program after its end: the function of the stack is that of GoogleTest's test.
    @Test func `a death test in a program that ctest runs is no failure`() throws {
        try Scene.with(["a.c": "", "t.cc": ""]) { scene in
            var collector = scene.collector()
            collector.add(text: "    Start 1: shop.tests\n")
            collector.meetEnd(of: 7)
            let calls = crash(scene, line: 1, ["give_up", "(anonymous namespace)::CartDeathTest_Dies_Test::TestBody()"])
            _ = collector.add(memory: Scene.crash([calls]), of: 7)
            collector.add(
                text: """
                    1/1 Test #1: shop.tests .....***Failed    0.01 sec
                    [ RUN      ] CartDeathTest.Dies
                    [       OK ] CartDeathTest.Dies (6 ms)
                    [ RUN      ] Cart.Totals
                    t.cc:4: Failure
                    no
                    [  FAILED  ] Cart.Totals (0 ms)
                    0% tests passed, 1 tests failed out of 1

                    """)
            #expect(collector.finish().map(\.location?.path) == ["t.cc"])
            #expect(collector.tally?.line == "1 test failed: its line is known")
        }
    }

    @Test func `a crash without a line has the line of the runner's report`() throws {
        try Scene.with(["cart.bats": ""]) { scene in
            var collector = scene.collector()
            _ = collector.add(memory: Scene.crash([[Call(name: "kill", image: Scene.libc)]]))
            collector.add(
                text: "not ok 1 a program crashes\n# (in test file cart.bats, line 9)\n#   `./shop' failed with status 139\n1..1\n")
            let failures = collector.finish()
            #expect(failures.count == 1)
            #expect(failures.first?.rule == "crash/SIGSEGV" && failures.first?.location?.line == 9)
            #expect(failures.first?.tests == ["a program crashes"])
        }
    }
}

extension Scene {
    /// A report of a process that a signal has ended.
    fileprivate static func crash(_ threads: [[Call]], _ signal: String = "SIGSEGV") -> SymbolicatedReport {
        report(threads, format: "elf-core") {
            $0.cause?.type = nil
            $0.cause?.signal = signal
        }
    }
}
