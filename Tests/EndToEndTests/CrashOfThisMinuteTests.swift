import TestSupport
import Testing

/// The first use of a new user: a program crashes here and now, and cairn is given its output and
/// nothing else. The rows say where everything is that is needed. The function and the line of each
/// call come from comments in the programs' sources (`Tests/Crashes/programs`), never from cairn.
/// `scripts/checks/verify-crashes` runs all compilers, levels and kinds of programs; here are some
/// of each.
@Suite(.enabled(if: CrashingProgram.isInstalled("gcc"), "gcc is not installed"))
struct CrashOfThisMinuteTests {
    static let programs = [
        CrashingProgram("gcc", "-O2"), CrashingProgram("gcc", "-O0", .noPie, stripped: true),
        CrashingProgram("clang", "-O2", stripped: true), CrashingProgram("clang", "-O0", .noPie),
        CrashingProgram("rustc", "-O2", stripped: true), CrashingProgram("swiftc", "-O"),
        CrashingProgram("swiftc", "-Onone", stripped: true),
    ].filter { CrashingProgram.isInstalled($0.compiler) }

    static let staticPrograms = [CrashingProgram("gcc", "-O2", .staticPie), CrashingProgram("clang", "-O0", .staticPie, stripped: true)]
        .filter { CrashingProgram.isInstalled($0.compiler) }

    /// Each crash of a program: one in the middle of a function, in an inlined call, after a call,
    /// in a handler; in a function's first instruction, preceded by another function, which may end
    /// in a call that does not return; `abort` as the last instruction of a function, whose return
    /// address is the next one's first.
    @Test(arguments: programs) func `a program's own stack is answered from the paths in its rows`(program: CrashingProgram) throws {
        let truth = try MarkedStacks(source: program.source)
        try withTemporaryFolder { folder in
            try program.build(in: folder)
            for name in truth.cases {
                let log = try run("./a", ["-", name], directory: folder).standardError
                try writeFile(folder + "/err", log)
                let alone = truth.own(try report("err", in: folder).threads[0].frames)
                #expect(alone == truth.expected(name, like: alone), "cairn err: \(name)")
                let elsewhere = truth.own(try report(folder + "/err", in: "/").threads[0].frames)
                #expect(elsewhere == truth.expected(name, like: elsewhere), "cairn FOLDER/err: \(name)")

                let filtered = truth.own(rows: try cairn(["filter"], in: folder, input: log).output)
                #expect(filtered == truth.expected(name, like: filtered), "./a 2>&1 | cairn filter: \(name)")
                let ran = try cairn(["ci", "--", "./a", "-", name], in: folder)
                let relayed = truth.own(rows: ran.output + ran.errors)
                #expect(relayed == truth.expected(name, like: relayed), "cairn ci -- ./a: \(name)")

                try writeFile(folder + "/err", try run(folder + "/a", ["-", name], directory: folder).standardError)
                let absolute = truth.own(try report(folder + "/err", in: "/").threads[0].frames)
                #expect(absolute == truth.expected(name, like: absolute), "rows with the whole path: \(name)")
            }
        }
    }

    /// No row of libc is taken for something that this stack has not; where its debug file is
    /// installed, each has its name.
    @Test func `libc's rows are named where its debug file is installed`() throws {
        try withTemporaryFolder { folder in
            try CrashingProgram("gcc", "-O2").build(in: folder)
            try writeFile(folder + "/err", try run("./a", ["-", "abort"], directory: folder).standardError)
            let report = try report("err", in: folder)
            let libc = try #require(report.images.firstIndex { $0.name.hasPrefix("libc.so") })
            let frames = report.threads[0].frames.filter { $0.image == libc && $0.inlined != true }
            // By their places in the text: the trampoline, what `abort` calls, `abort`, and what
            // calls `main`.
            let names = frames.map { frame in frame.functions?.last.map { $0.name.drop { $0 == "_" } } }
            let possible: [Set<String>] = [
                ["restore_rt"], ["pthread_kill_implementation", "pthread_kill", "pthread_kill_internal"], ["gsignal", "GI_raise", "raise"],
                ["abort", "GI_abort"], ["libc_start_call_main"], ["libc_start_main_impl", "libc_start_main"],
            ]
            for (name, possible) in zip(names, possible) {
                guard let name else { continue }
                #expect(possible.contains { name.hasPrefix($0) }, "\(names)")
            }
            let id =
                try run("sh", ["-c", "readelf -n \"$1\" | sed -n 's/.*Build ID: //p'", "sh", "/lib/x86_64-linux-gnu/libc.so.6"]).lines.first
                ?? ""
            if TestPaths.isReadable("/usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug") {
                #expect(!names.contains(nil), "\(names)")
            }
        }
    }

    /// glibc prints bare addresses of a static program: who names it, by `--symbols` or as `ci`'s
    /// command, gets its base by its calls.
    @Test(arguments: staticPrograms) func `a static program's addresses are placed by its calls`(program: CrashingProgram) throws {
        let truth = try MarkedStacks(source: program.source)
        try withTemporaryFolder { folder in
            try program.build(in: folder)
            for name in truth.cases {
                try writeFile(folder + "/err", try run("./a", ["-", name], directory: folder).standardError)
                let given = truth.own(try report("--symbols", "a", "err", in: folder).threads[0].frames)
                #expect(given == truth.expected(name, like: given), "cairn --symbols a err: \(name)")
                let ran = try cairn(["ci", "--", "./a", "-", name], in: folder)
                let relayed = truth.own(rows: ran.output + ran.errors)
                #expect(relayed == truth.expected(name, like: relayed), "cairn ci -- ./a: \(name)")
            }
        }
    }

    /// gcc 12's runtime prints no build ID.
    @Test(arguments: [
        CrashingProgram("gcc", "-O0", source: "sanitized.c"), CrashingProgram("gcc", "-O2", stripped: true, source: "sanitized.c"),
    ])
    func `AddressSanitizer's rows are answered from their paths`(program: CrashingProgram) throws {
        let truth = try MarkedStacks(source: program.source)
        try withTemporaryFolder { folder in
            do { try program.build(in: folder, flags: ["-fsanitize=address", "-fno-omit-frame-pointer"]) } catch {
                // The runtime is a package of its own in some distributions.
                return
            }
            for name in ["overflow", "null"] {
                let log = try run("./a", [name], environment: ["ASAN_OPTIONS": "symbolize=0"], directory: folder).standardError
                try writeFile(folder + "/err", log)
                let report = try report("err", in: folder)
                let found = truth.own(report.threads[0].frames)
                #expect(found == truth.expected(name, like: found), "\(name)")
                if name == "overflow" {
                    let others = Array(report.threads.dropFirst()) + (report.additionalBacktraces ?? [])
                    let allocated = truth.own(others.first?.frames ?? [])
                    #expect(allocated == truth.expected(name, kind: "ALLOCATED", like: allocated))
                }
                let filtered = try cairn(["filter"], in: folder, input: log).output
                let first = truth.own(rows: String(filtered.prefix(upTo: filtered.firstRange(of: "\n\n")?.lowerBound ?? filtered.endIndex)))
                #expect(first == truth.expected(name, like: first), "\(filtered)")
                let relayed = try cairn(["ci", "--", "./a", name], in: folder, environment: ["ASAN_OPTIONS": "symbolize=0"]).errors
                let ran = truth.own(rows: String(relayed.prefix(upTo: relayed.firstRange(of: "\n\n")?.lowerBound ?? relayed.endIndex)))
                #expect(ran == truth.expected(name, like: ran), "\(relayed)")
            }
        }
    }

    /// A release build as most are: stripped, so that `RUST_BACKTRACE=full` prints addresses and
    /// `<unknown>`; the unstripped twin is what was built. Each frame of the program has a name,
    /// and its line; the standard library's are the twin's own words, which its own reader of debug
    /// information finds.
    @Test(.enabled(if: CrashingProgram.isInstalled("rustc"), "rustc is not installed"), arguments: ["-O0", "-O2"])
    func `a stripped Rust program is answered from its unstripped twin`(optimisation: String) throws {
        let truth = try MarkedStacks(source: "crash.rs")
        try withTemporaryFolder { folder in
            try CrashingProgram("rustc", optimisation).build(in: folder)
            try run("sh", ["-c", "mkdir twin && cp a twin/a && strip --strip-all a"], directory: folder).requireSuccess()
            let variables: [String: String?] = ["RUST_BACKTRACE": "full"]
            try writeFile(folder + "/err", try run("./a", ["map", "panic"], environment: variables, directory: folder).standardError)
            let rows = try readFile(folder + "/map").split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            let own = rows.filter { $0.hasSuffix("/a") }
            let first = try #require(own.first.flatMap { UInt64($0.prefix { $0 != "-" }, radix: 16) })
            let last = try #require(own.last.flatMap { UInt64($0.drop { $0 != "-" }.dropFirst().prefix { $0 != " " }, radix: 16) })
            let report = try report("--symbols", "twin/a", "err", in: folder)
            let inside = report.threads[0].frames.filter { frame in
                guard frame.inlined != true, let address = frame.address.flatMap({ UInt64($0.dropFirst(2), radix: 16) }) else {
                    return false
                }
                return (first..<last).contains(address)
            }
            #expect(inside.count > 10)
            #expect(inside.allSatisfy { $0.functions?.isEmpty == false })
            let found = truth.own(inside)
            #expect(found == truth.expected("panic", kind: "PANIC", like: found))

            // The same code without the strip: the standard library finds its own lines.
            let backtrace = try run("twin/a", ["-", "panic"], environment: variables, directory: folder).errors
            // Rows of libc, which has debug information of its own here or there, come last.
            let theirs = backtrace.matches(of: #/\n +at (\S+?):(\d+)(?::\d+)?(?=\n)/#).map {
                "\($0.1.split(separator: "/").last ?? ""):\($0.2)"
            }
            .filter { !$0.hasPrefix("libc") || $0.contains(".rs:") }
            let ours = inside.flatMap { $0.functions ?? [] }.compactMap { function in
                function.line.flatMap { $0 > 0 ? "\(function.file?.split(separator: "/").last ?? ""):\($0)" : nil }
            }
            #expect(ours == theirs)
        }
    }
}

/// Return addresses that pointer authentication has signed (arm64e): bits above the address space
/// are no part of an address. A made report is signed here, and must be symbolicated as it was
/// without.
struct SignedReturnAddressTests {
    private let folder = "logs/apple-crash/CrashExample-exception"
    private let binary = "binaries/CrashExample/out"

    /// A row of the program as PLCrashReporter writes it for an address that is in no image:
    /// `1 ??? 0x5a6b900104a383f8 0x0 + 0`.
    private func signed(_ line: String, _ signature: UInt64, _ bits: UInt64) -> String {
        guard let row = line.wholeMatch(of: #/(\d+ +)CrashExample +\t +0x([0-9a-f]+) 0x[0-9a-f]+ \+ \d+/#),
            let address = UInt64(row.2, radix: 16)
        else { return line }
        return row.1 + "???                           \t0x" + String(address | signature << bits, radix: 16) + " 0x0 + 0"
    }

    /// The last is the signature of a real report, which said macOS and used more bits than macOS
    /// does.
    @Test(arguments: [(0x0b4d7 as UInt64, 47 as UInt64), (0x1f26a, 47), (0x00001, 47), (0xb4_d720, 39)])
    func `a signed return address is answered as the unsigned one`(signature: UInt64, bits: UInt64) throws {
        let log = String(decoding: try readFile(TestPaths.fixture(folder + "/exception.crash")), as: UTF8.self)
        let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { signed(String($0), signature, bits) }.joined(separator: "\n")
        try #require(text.matches(of: #/\d+ +\?\?\? /#).count == 5)
        let plain = try #require(try jsonLogs(try cairn("-", "--symbols", binary, "--format", "json", "-q", input: log)).first)
        let result = try #require(try jsonLogs(try cairn("-", "--symbols", binary, "--format", "json", "-q", input: text)).first)
        func frames(_ report: JSONLog) -> [JSONLog.Frame] { (report.exceptionBacktrace?.frames ?? []) + report.threads.flatMap(\.frames) }
        var compared = 0
        for (before, after) in zip(frames(plain), frames(result)) {
            #expect(before.functions?.map(\.name) == after.functions?.map(\.name))
            #expect(before.functions?.map(\.line) == after.functions?.map(\.line))
            if before.address != after.address || before.functions?.contains(where: { $0.line != nil }) == true { compared += 1 }
        }
        #expect(compared >= 5)
        #expect(
            result.notes?.contains { $0.contains(#/pointer authentication|signed|signature/#.ignoresCase()) } == true,
            "\(result.notes ?? [])")
    }
}
