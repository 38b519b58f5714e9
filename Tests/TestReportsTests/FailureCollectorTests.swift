import BinaryPrimitives
import CrashLogModel
import Symbolication
import TestSupport
import Testing

@testable import TestReports

struct FailureCollectorTests {
    private typealias Call = Scene.Call

    private let source = "public func head(_ values: [Int]) -> Int {\n    values[0]\n}\n"

    @Test func theFirstOwnFrameIsThePlace() throws {
        try Scene.with(["Sources/App/Head.swift": source, ".build/checkouts/dep/Sources/Dep/Dep.swift": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                text:
                    "Test Case 'HeadTests.testEmpty' started at 2026-11-22 09:10:14.840\nSwift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range\n"
            )
            collector.add(
                Scene.report([
                    [
                        Call(name: "raise", image: Scene.libc),
                        Call(
                            name: "_assertionFailure", file: "/home/build-user/swift/stdlib/public/core/AssertCommon.swift", line: 144,
                            image: "/opt/swift/libswiftCore.so"),
                        Call(name: "Array.subscript.getter", file: "/<compiler-generated>", line: 0),
                        Call(name: "expanded", file: "@__swiftmacro_4main1fyyF6expectfMf_.swift", line: 3),
                        Call(name: "Dep.call()", file: scene.root + "/.build/checkouts/dep/Sources/Dep/Dep.swift", line: 7),
                        Call(name: "head(_:)", file: scene.root + "/Sources/App/Head.swift", line: 2, column: 5),
                        Call(name: "main", file: scene.root + "/Sources/App/Head.swift", line: 1),
                    ]
                ]))
            let failures = collector.finish()
            let failure = try #require(failures.first)
            #expect(failures.count == 1)
            #expect(failure.kind == .crash)
            #expect(failure.rule == "crash/SIGSEGV")
            #expect(failure.title == "Index out of range in head(_:)")
            #expect(failure.location == Failure.Location(path: "Sources/App/Head.swift", line: 2, column: 5))
            #expect(failure.tests == ["HeadTests.testEmpty"])
            #expect(failure.message == "Fatal error: Index out of range\nBad pointer dereference at 0x0")
            #expect(failure.locationRemark == "Called from this line; crashed in Array.subscript.getter.")
            let reasons = failure.stacks.first?.frames.map(\.reason) ?? []
            #expect(
                reasons == [
                    "libc.so.6 is the C library", "libswiftCore.so is Swift’s runtime", "it is code that the compiler made",
                    "it is the expansion of a macro",
                    "it is what SwiftPM built or fetched (.build)", "Sources/App/Head.swift is in the repository",
                    "Sources/App/Head.swift is in the repository",
                ])
            #expect(
                failure.excerpt?.text == """
                      1 | public func head(_ values: [Int]) -> Int {
                    > 2 |     values[0]
                        |     ^
                      3 | }

                    """)
        }
    }

    /// Swift's backtracer and AddressSanitizer print a stack before the process ends; C programs do not.
    @Test func `a crash that a process printed and left in memory counts once`() throws {
        try Scene.with(["Sources/App/Head.swift": ""]) { scene in
            let report = Scene.report([[Call(name: "main", file: scene.root + "/Sources/App/Head.swift", line: 9)]])
            var printed = scene.collector()
            printed.add(report)
            // The second process at the line has printed nothing.
            let (known, new) = (printed.add(memory: report), printed.add(memory: report))
            #expect(!known && new)
            var silent = scene.collector()
            let (first, second) = (silent.add(memory: report), silent.add(memory: report))
            #expect(first && second)
            let failures = silent.finish()
            #expect(failures.map(\.count) == [2] && failures.first?.location?.line == 9)
            // A runner that shows the output when it ends: the printed report stays, with its message.
            var late = scene.collector()
            _ = late.add(memory: report)
            late.add(text: "App/Head.swift:9: Fatal error: too heavy\n")
            late.add(report)
            let shown = late.finish()
            #expect(shown.map(\.count) == [1] && shown.first?.message.hasPrefix("Fatal error: too heavy") == true)
            // The message of another process is not this one's.
            var other = scene.collector()
            other.add(text: "App/Head.swift:3: Fatal error: not mine\n")
            _ = other.add(memory: report)
            #expect(other.finish().first?.message.contains("not mine") == false)
            #expect(printed.finish().map(\.count) == [1])
        }
    }

    /// A frame of an image without symbols comes before the first line: that line is a caller, and
    /// the output says so.
    @Test func unknownFramesBeforeThePlaceAreTold() throws {
        try Scene.with(["a.c": ""]) { scene in
            var collector = scene.collector()
            collector.add(Scene.report([[Call(), Call(name: "main", file: scene.root + "/a.c", line: 9)]]))
            let failure = try #require(collector.finish().first)
            #expect(failure.location?.line == 9)
            #expect(
                failure.locationRemark
                    == "Called from this line; crashed in app; one frame before it may be your code, too: no symbol file for app."
            )
        }
    }

    /// Debian's libstdc++ has no symbols of the functions between `std::terminate` and `abort`.
    @Test func `a function without a name that only raises an error is not where it crashed`() throws {
        try Scene.with(["a.cpp": ""]) { scene in
            var collector = scene.collector()
            let nameless = Call(image: "/usr/lib/libstdc++.so.6")
            collector.add(
                Scene.report([
                    [
                        Call(name: "abort", image: Scene.libc), nameless, nameless,
                        Call(name: "std::terminate()", image: "/usr/lib/libstdc++.so.6"),
                        Call(name: "__cxa_throw", image: "/usr/lib/libstdc++.so.6"),
                        Call(name: "thrower", file: scene.root + "/a.cpp", line: 9),
                    ]
                ]))
            let failure = try #require(collector.finish().first)
            #expect(failure.location?.line == 9)
            #expect(failure.locationRemark == nil)
        }
    }

    /// The log lists an inlined call, and what resolves its holder knows of none: the log's own row
    /// has the line.
    @Test func inlinedRowsOfTheLogStay() throws {
        try Scene.with(["a.go": ""]) { scene in
            var report = Scene.report([
                [
                    Call(name: "main.take", file: scene.root + "/a.go", line: 3),
                    Call(name: "main.run", file: scene.root + "/a.go", line: 9),
                ]
            ])
            let row = PrintedSymbol(name: "main.take", location: SourceLocation(file: scene.root + "/a.go", line: 3))
            report.report.threads[0].frames[0].isInlined = true
            report.report.threads[0].frames[0].printed = row
            report.threads[0][0].result = .partOfNextFrame
            var collector = scene.collector()
            collector.add(report)
            let failure = try #require(collector.finish().first)
            #expect(failure.location?.line == 3)
            #expect(failure.stacks.first?.frames.map(\.function) == ["main.take", "main.run"])
        }
    }

    /// 41 calls of one function, of which the innermost crashed at another address: 40 are one cycle, and 39 repeat it.
    @Test func `a recursion is shown once`() throws {
        try Scene.with(["a.c": ""]) { scene in
            let call = Call(name: "depth", file: scene.root + "/a.c", line: 3)
            var report = Scene.report([[Call](repeating: call, count: 41) + [Call(name: "main", file: scene.root + "/a.c", line: 9)]])
            for index in 1...40 { report.report.threads[0].frames[index].address = RuntimeAddress(0x5000) }
            var collector = scene.collector()
            collector.add(report)
            let failure = try #require(collector.finish().first)
            let frames = try #require(failure.stacks.first).frames
            #expect(frames.map(\.function) == ["depth", "depth", "main"])
            #expect(frames[1].repetition == Failure.Repetition(period: 1, times: 39))
            #expect(FailureText.rows(frames, limit: 9).contains("\n  … the frame above, 39 more times\n"))
        }
    }

    @Test func withoutAnOwnLineNoneIsInvented() throws {
        try Scene.with(["a.c": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                Scene.report([[Call(name: "abort", image: Scene.libc), Call(name: "strange", file: "/elsewhere/b.c", line: 3)]]))
            let failure = try #require(collector.finish().first)
            #expect(failure.location == nil)
            #expect(failure.excerpt == nil)
            #expect(failure.title == "SIGSEGV in strange")
            #expect(
                failure.missingLocationReason
                    == "None of the 2 frames is in your code. Closest: “strange” (no file of the repository has the name b.c).")
        }
    }

    @Test func aHangThatNoThreadShowsIsSaidInWords() throws {
        try Scene.with(["a.swift": ""]) { scene in
            var collector = scene.collector()
            let waiting = [
                Call(name: "sigsuspend", image: Scene.libc), Call(name: "_dispatch_sig_thread", image: "/opt/swift/libdispatch.so"),
            ]
            collector.add(
                Scene.report([waiting, [Call(name: "futex", image: Scene.libc)]]) {
                    $0.cause?.type = "Terminated"
                    $0.cause?.signal = "3"
                })
            let failure = try #require(collector.finish().first)
            #expect(failure.kind == .hang)
            #expect(failure.rule == "hang/SIGQUIT")
            #expect(failure.location == nil)
            #expect(
                failure.missingLocationReason?.hasPrefix(
                    "No thread has a frame of your code (2 threads examined). A task that waits for a continuation")
                    == true)
        }
    }

    @Test func aHangOfAnotherThreadNamesIt() throws {
        try Scene.with(["a.swift": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                Scene.report([
                    [Call(name: "sigsuspend", image: Scene.libc)],
                    [Call(name: "futex", image: Scene.libc), Call(name: "work()", file: scene.root + "/a.swift", line: 4)],
                ]) { $0.cause?.type = "Terminated" })
            let failure = try #require(collector.finish().first)
            #expect(failure.location == Failure.Location(path: "a.swift", line: 4))
            #expect(failure.locationRemark == "This is the current line of thread 1, the only one with a frame of your code.")
        }
    }

    @Test func equalFailuresAreOne() throws {
        try Scene.with(["a.c": ""]) { scene in
            var collector = scene.collector()
            for test in ["one", "two", "one"] {
                collector.add(Scene.report([[Call(name: "f", file: scene.root + "/a.c", line: 3)]]), during: test)
            }
            collector.add(Scene.report([[Call(name: "f", file: scene.root + "/a.c", line: 4)]]))
            let failures = collector.finish()
            #expect(failures.map(\.count) == [3, 1])
            #expect(failures.first?.tests == ["one", "two"])
        }
    }

    @Test func theUserDecidesWhatIsOwn() throws {
        try Scene.with(["vendor/v.c": "", "gen/g.c": ""]) { scene in
            let report = Scene.report([
                [Call(name: "g", file: scene.root + "/gen/g.c", line: 1), Call(name: "v", file: scene.root + "/vendor/v.c", line: 2)]
            ])
            func firstPath(_ collector: FailureCollector) -> String? {
                var collector = collector
                collector.add(report)
                return collector.finish().first?.location?.path
            }
            #expect(firstPath(scene.collector()) == "gen/g.c")
            #expect(firstPath(scene.collector(own: ["vendor"], notOwn: ["gen/"])) == "vendor/v.c")
            #expect(firstPath(scene.collector(notOwn: ["app"])) == nil)
            #expect(firstPath(scene.collector(own: ["vendor/v.c"], notOwn: ["app", scene.root])) == "vendor/v.c")
        }
    }

    /// A death test's crash is no error, and its last words are not the next crash's.
    @Test func whatAPassingRunPrintsIsAWarning() throws {
        try Scene.with(["a.c": ""]) { scene in
            var collector = scene.collector()
            collector.add(text: "[ RUN      ] A.Dies\nApp/X.swift:2: Fatal error: meant\n[       OK ] A.Dies (1 ms)\n")
            collector.add(Scene.report([[Scene.Call(name: "f", file: scene.root + "/a.c", line: 3)]]))
            let failure = try #require(collector.finish(commandSucceeded: true).first)
            #expect(failure.level == .warning)
            #expect(failure.message == "Bad pointer dereference at 0x0")
            #expect(String(decoding: GitHubAnnotations().render([failure]), as: UTF8.self).hasPrefix("::warning file=a.c,line=3,"))
            #expect(FailureText(failure).remarks == ["The command succeeded nevertheless: a test may expect this failure."])
        }
    }

    @Test func rulesAreStable() {
        func rule(_ format: String, _ kind: CrashCause.Kind, _ type: String?, _ signal: String? = nil) -> String {
            var report = CrashReport(format: format)
            report.cause = CrashCause(kind: kind)
            report.cause?.type = type
            report.cause?.signal = signal
            return FailureRule(report).id
        }
        #expect(rule("sanitizer-asan", .runtimeError, "heap-buffer-overflow") == "sanitizer/heap-buffer-overflow")
        #expect(rule("sanitizer-tsan", .runtimeError, "data race") == "sanitizer/data-race")
        #expect(rule("sanitizer-lsan", .runtimeError, "detected memory leaks") == "sanitizer/leak")
        #expect(rule("swift-backtrace", .signal, "Illegal instruction") == "crash/SIGILL")
        #expect(rule("swift-backtrace", .signal, "Terminated", "3") == "hang/SIGQUIT")
        #expect(rule("gdb-bt", .signal, "Segmentation fault", "SIGSEGV") == "crash/SIGSEGV")
        #expect(rule("go-panic", .signal, "SIGQUIT", "SIGQUIT") == "hang/SIGQUIT")
        #expect(rule("go-panic", .languageException, "panic") == "panic/go")
        #expect(rule("rust-panic", .languageException, "panic") == "panic/rust")
        #expect(rule("python-trace", .languageException, "ValueError") == "exception/ValueError")
        #expect(rule("apple-crash", .machException, "EXC_BAD_ACCESS", "SIGSEGV") == "crash/SIGSEGV")
        #expect(rule("python-trace", .languageException, "::error::\u{1b}[31m<b>") == "exception/error-31m-b")
    }

    @Test func aFailedAssertionOfCNamesItsLine() throws {
        try Scene.with(["src/queue.c": "a\nb\n"]) { scene in
            var collector = scene.collector()
            collector.add(text: "queue_test: ../src/queue.c:2: int pop(struct queue *): Assertion `count > 0' failed.\n")
            collector.add(
                Scene.report([[Scene.Call(name: "raise", image: Scene.libc), Scene.Call(name: "abort", image: Scene.libc)]]) {
                    $0.cause?.signal = "6"
                })
            let failure = try #require(collector.finish().first)
            #expect(failure.rule == "crash/SIGABRT")
            #expect(failure.location == Failure.Location(path: "src/queue.c", line: 2))
            #expect(failure.message.hasPrefix("Assertion `count > 0' failed."))
            #expect(failure.locationRemark == "The process printed this line; no frame of its stack is in your code.")
        }
    }

    @Test func aSignalWithoutAnyStackIsAFailure() throws {
        try Scene.with(["Sources/App/Head.swift": source]) { scene in
            var collector = scene.collector()
            collector.add(text: "App/Head.swift:2: Fatal error: boom\n")
            collector.add(signal: 4)
            let failure = try #require(collector.finish().first)
            #expect(failure.rule == "crash/SIGILL")
            #expect(failure.location == Failure.Location(path: "Sources/App/Head.swift", line: 2))
            #expect(failure.message == "Fatal error: boom")
            var other = scene.collector()
            other.add(Scene.report([[Call(name: "f", file: scene.root + "/Sources/App/Head.swift", line: 3)]]))
            other.add(signal: 11)
            #expect(other.finish().count == 1)
        }
    }
}
