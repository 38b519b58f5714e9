import Foundation
import TestSupport
import Testing

/// `--debuginfod` against Debian's server, and beside elfutils' client.
struct DebuginfodTests {
    /// Build IDs as `eu-readelf -n` prints them.
    private let shapesID = "ab8d96dcc9de627ace64ea0173e42adb457cb353"
    private let dwzID = "3e8f02bfa93378736510dea59908247e3815c477"
    private let commonID = "85ba417839e4122fddf1a9095b3bb534796e36d2"
    private let unknownID = "00112233445566778899aabbccddeeff00112233"

    /// A report as AddressSanitizer writes it without its symbolizer: an offset into a module, and
    /// the module's build ID.
    private func log(_ frames: [(module: String, offset: String, id: String)]) -> String {
        let rows = frames.enumerated().map { index, frame in
            "    #\(index) 0x55555000\(frame.offset.dropFirst(2)) (/opt/app/\(frame.module)+\(frame.offset)) (BuildId: \(frame.id))\n"
        }
        return
            "==1234==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d0c0de1130 bp 0x7ffe sp 0x7ffe\n"
            + "READ of size 4 at 0x602000000010 thread T0\n" + rows.joined() + "\n"
    }

    /// The addresses of `shapes`, each with the functions that llvm-symbolizer gives, innermost
    /// first.
    private func shapes() throws -> [(offset: String, rows: [[String: String]])] {
        var expected: [(offset: String, rows: [[String: String]])] = []
        for row in try table(TestPaths.fixture("binaries/Stripped/out/shapes.expected.tsv")) where row["function"] != "" {
            let isInner = (Int(row["inline_depth"] ?? "") ?? 0) > 0
            if isInner, !expected.isEmpty {
                expected[expected.count - 1].rows.append(row)
            } else {
                expected.append((row["address"] ?? "", [row]))
            }
        }
        return expected
    }

    private func shapesLog() throws -> String { log(try shapes().map { ("shapes", $0.offset, shapesID) }) }

    private func expectShapes(_ result: RunResult) throws {
        let frames = try #require(try jsonLogs(result).first?.threads.first).frames
        let expected = try shapes()
        #expect(expected.count > 30 && frames.count == expected.count)
        for (frame, rows) in zip(frames, expected.map(\.rows)) {
            #expect(
                frame.functions?.map { $0.mangledName ?? $0.name } == rows.map { $0["linkage_name"] ?? "" }, "\(frame.reason ?? "")")
            #expect(frame.functions?.map { $0.file ?? "" } == rows.map { $0["file"] ?? "" })
            #expect(frame.functions?.map { String($0.line ?? 0) } == rows.map { $0["line"] == "" ? "0" : $0["line"] ?? "" })
        }
    }

    private func withFolders(_ files: [String], _ body: (_ served: String, _ cache: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            _ = try run("mkdir", [folder + "/served", folder + "/cache"])
            for file in files { _ = try run("cp", [TestPaths.fixture("binaries/" + file), folder + "/served"]) }
            try body(folder + "/served", folder + "/cache")
        }
    }

    /// Errors of servers, beside the summary of unresolved frames.
    private func problems(_ result: RunResult) -> [Substring] {
        result.errors.split(separator: "\n").filter { $0.hasPrefix("cairn: warning: debuginfod:") }
    }

    private func environment(_ url: String? = nil, cache: String) -> [String: String?] {
        DebuginfodServer.environment(url, cache: cache)
    }

    @Test func `frames are answered by what the server has, then without it, and elfutils' client finds the file too`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: shapesID)
            let input = try shapesLog()
            let arguments = ["symbolicate", "--format", "json", "--debuginfod", server.url, "-"]
            let first = try cairn(arguments, input: input, environment: environment(cache: cache))
            #expect(first.status == 0 && first.errors == "", "\(first.errors)")
            try expectShapes(first)
            let path = "\(cache)/\(shapesID)/debuginfo"
            #expect(try readFile(path) == readFile(served + "/shapes-linked.debug"))

            server.stop()
            let second = try cairn(arguments, input: input, environment: environment(cache: cache))
            #expect(second.output == first.output && second.errors == "", "\(second.errors)")

            // No server is needed: nobody listens on the discard port.
            let client = try run(
                "debuginfod-find", ["debuginfo", shapesID], environment: environment("http://127.0.0.1:9", cache: cache))
            #expect(client.lines == [path], "\(client.errors)")
        }
    }

    @Test func `what elfutils' client has downloaded is used without the network`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: shapesID)
            #expect(
                try run("debuginfod-find", ["debuginfo", shapesID], environment: environment(server.url, cache: cache)).status == 0)
            server.stop()
            try expectShapes(try cairn(["-", "--format", "json"], input: try shapesLog(), environment: environment(cache: cache)))
        }
    }

    @Test func `a miss is remembered for both clients`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: shapesID)
            let input = log([("absent", "0x1000", unknownID)])
            let result = try cairn(["-", "--debuginfod", server.url], input: input, environment: environment(cache: cache))
            #expect(result.status == 0 && result.output == input && problems(result) == [], "\(result.errors)")
            for kind in ["debuginfo", "executable"] { #expect(try readFile("\(cache)/\(unknownID)/\(kind)") == []) }
            server.stop()
            // A question would end with a complaint: the server is gone.
            let again = try cairn(["-", "--debuginfod", server.url], input: input, environment: environment(cache: cache))
            #expect(problems(again) == [])
            let client = try run("debuginfod-find", ["debuginfo", unknownID], environment: environment(server.url, cache: cache))
            #expect(client.errors == "Server query failed: No such file or directory\n")
        }
    }

    /// Without a debug file, the binary's own symbols are better than nothing.
    @Test func `a binary without debug information gives its symbols`() throws {
        try withFolders(["Stripped/out/shapes-symbols-only"]) { served, cache in
            // The server takes a file without debug information for no debug file; the real client
            // says when it has the binary.
            let server = try DebuginfodServer(serving: served, until: shapesID, kind: "executable")
            let offset = try #require(try shapes().first { $0.rows.count == 1 }).offset
            let result = try cairn(
                ["-", "--format", "json", "--debuginfod", server.url], input: log([("shapes", offset, shapesID)]),
                environment: environment(cache: cache))
            let frame = try #require(try jsonLogs(result).first?.threads.first?.frames.first)
            #expect(frame.status == "symbolOnly", "\(result.errors)")
        }
    }

    /// `dwz-one` has its names in `dwz-common`; llvm-symbolizer looks up the addresses in the
    /// program before dwz.
    @Test func `what dwz moved out of a debug file is fetched with it`() throws {
        try withFolders(["SplitUnits/out/dwz-one", "SplitUnits/out/dwz-common"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: dwzID)
            let before = TestPaths.fixture("binaries/SplitUnits/out/dwz-before")
            let offsets = try run("nm", ["--defined-only", before]).lines.compactMap { line -> String? in
                let fields = line.split(separator: " ")
                guard fields.count == 3, fields[1].lowercased() == "t", fields[2].hasPrefix("_Z"),
                    let address = UInt64(fields[0], radix: 16)
                else { return nil }
                return "0x" + String(address, radix: 16)
            }
            #expect(offsets.count > 5)
            let input = log(offsets.map { ("dwz", $0, dwzID) })
            let result = try cairn(
                ["-", "--format", "json", "--debuginfod", server.url], input: input, environment: environment(cache: cache))
            #expect(try readFile("\(cache)/\(commonID)/debuginfo") == readFile(served + "/dwz-common"))
            let frames = try #require(try jsonLogs(result).first?.threads.first).frames
            let peer = try run("llvm-symbolizer-19", ["--obj=" + before, "--output-style=JSON", "--no-inlines"] + offsets)
            #expect(frames.count == offsets.count)
            let answers = try JSONDecoder().decode([PeerAnswer].self, from: Data(peer.standardOutput))
            for (frame, answer) in zip(frames, answers) {
                let outer = try #require(frame.functions?.last, "\(frame)")
                #expect(outer.name == answer.Symbol.first?.FunctionName)
                #expect(outer.file == answer.Symbol.first?.FileName)
            }
        }
    }

    private struct PeerAnswer: Decodable {
        struct Row: Decodable {
            var FunctionName: String
            var FileName: String
        }
        var Symbol: [Row]
    }

    @Test func `explain tells what each server said`() throws {
        try withFolders([]) { _, cache in
            let url = "http://127.0.0.1:\(try LoopbackListener.freePort())"
            let input = log([("absent", "0x1000", unknownID)])
            let requested = try cairn(
                ["explain", "--verbose", "-", "--debuginfod", url], input: input, environment: environment(cache: cache))
            #expect(requested.status == 3)
            #expect(requested.output.contains("nothing at \(url)/buildid/\(unknownID)/debuginfo"), "\(requested.output)")
            #expect(requested.output.contains("the debug file was not fetched: \(url): connection refused"), "\(requested.output)")
            // Servers of the environment are named, and not queried.
            let named = try cairn(["explain", "-"], input: input, environment: environment(url, cache: cache))
            #expect(
                named.output.contains("download it from \(url) (DEBUGINFOD_URLS): --debuginfod"),
                "\(named.output)")
            #expect(!named.output.contains("connection refused"))
        }
    }

    /// Two seconds for a server that does not respond, or is not there at all; what local files say
    /// is complete.
    @Test(arguments: [false, true]) func `an unreachable server costs no more than the budget`(isFull: Bool) throws {
        try withFolders([]) { _, cache in
            let listener = try LoopbackListener(isFull: isFull)
            let url = "http://127.0.0.1:\(listener.port)"
            let expected = try shapes()
            let input = log(
                expected.map { ("shapes", $0.offset, shapesID) } + [("absent", "0x1000", unknownID), ("other", "0x1000", dwzID)])
            let local = ["-", "--format", "json", "--symbols", "binaries/Stripped/out/shapes-zlib"]
            let without = try cairn(local, input: input, environment: environment(cache: cache))
            let start = ContinuousClock.now
            let with = try cairn(
                local + ["--debuginfod", url, "--time-budget", "2"], input: input, environment: environment(cache: cache))
            let time = ContinuousClock.now - start
            #expect(time > .seconds(1.5) && time < .seconds(3), "\(time)")
            #expect(with.status == 0 && with.output == without.output)
            let frames = try #require(try jsonLogs(with).first?.threads.first).frames
            #expect(frames.filter { $0.functions != nil }.count == expected.count)
            #expect(problems(with) == ["cairn: warning: debuginfod: 2 files were not fetched: \(url): no reply in time"])
            // No response does not mean that the server has no file.
            #expect(TestPaths.files(under: cache) == [])
            withExtendedLifetime(listener) {}
        }
    }

    @Test func `without the option no socket is opened, whatever the environment says`() throws {
        try withFolders([]) { _, cache in
            let listener = try LoopbackListener()
            let trace = cache + "/trace"
            guard try run("strace", ["-o", "/dev/null", "true"]).status == 0 else {
                return print("strace cannot trace here: that no socket is opened was not tested")
            }
            let input = Array(log([("absent", "0x1000", unknownID)]).utf8)
            let url = "http://127.0.0.1:\(listener.port)"
            func calls(_ options: [String], follow: Bool) throws -> [Substring] {
                let strace = ["-qq", "-o", trace, "-e", "trace=network"] + (follow ? ["-f"] : [])
                let result = try run(
                    "strace", strace + [TestPaths.cairn, "-"] + options, input: input,
                    environment: environment(url, cache: cache + "/c"))
                #expect(result.status == 0)
                return String(decoding: try readFile(trace), as: UTF8.self).split(separator: "\n").filter { $0.contains("(") }
            }
            #expect(try calls([], follow: true) == [])
            // With it, the core itself opens none either: another program does.
            #expect(try calls(["--debuginfod", "--time-budget", "1", "-q"], follow: false) == [])
            #expect(
                try calls(["--debuginfod", "--time-budget", "1", "-q"], follow: true).contains {
                    $0.contains("connect(") && $0.contains("htons(\(listener.port))")
                })
            withExtendedLifetime(listener) {}
        }
    }

    @Test func `the servers of the environment are asked where none is given`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: shapesID)
            let requested = try cairn(
                ["--debuginfod", "-", "--format", "json"], input: try shapesLog(), environment: environment(server.url, cache: cache))
            try expectShapes(requested)
        }
        let none = try cairn(["--debuginfod", "-"], environment: environment(nil, cache: "/nowhere"))
        #expect(none.status == 64 && none.output == "")
        #expect(
            none.errors
                == "cairn: error: --debuginfod: no server given: expected a URL after it, or in DEBUGINFOD_URLS (see cairn symbolicate --help)\n"
        )
    }

    /// `.cairn.json` says so for a project; the command line has the last word.
    @Test func `settings may ask for it`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let share = "\(cache)/share/buildid/\(shapesID)"
            _ = try run("mkdir", ["-p", share])
            _ = try run("mv", [served + "/shapes-linked.debug", share + "/debuginfo"])
            let server = "file://\(cache)/share"
            func lookUp(_ settings: String, _ options: [String] = [], servers: String? = nil) throws -> RunResult {
                try writeFile(cache + "/.cairn.json", Array(settings.utf8))
                _ = try run("rm", ["-rf", cache + "/c"])
                return try run(
                    TestPaths.cairn, ["-", "--format", "json", "-q"] + options, input: Array(try shapesLog().utf8),
                    environment: environment(servers, cache: cache + "/c").merging(["XDG_CONFIG_HOME": "/nonexistent"]) { $1 },
                    directory: cache)
            }
            try expectShapes(try lookUp("{\"debuginfod\": [\"\(server)\"], \"timeBudget\": 5}"))
            try expectShapes(try lookUp("{\"debuginfod\": true}", servers: server))
            try expectShapes(try lookUp("{\"debuginfod\": [\"file:///nowhere\"]}", ["--debuginfod", server]))
            for result in [
                try lookUp("{\"debuginfod\": [\"\(server)\"]}", ["--no-debuginfod"]),
                try lookUp("{\"debuginfod\": false}", servers: server), try lookUp("{\"debuginfod\": true}"),
                try lookUp("{\"timeBudget\": 5}", servers: server),
            ] {
                let frames = try #require(try jsonLogs(result).first?.threads.first).frames
                #expect(result.status == 0 && frames.allSatisfy { $0.functions == nil }, "\(result.errors)")
            }
        }
    }

    /// URLs after the option are servers, everything else a log, wherever the option is.
    @Test func `logs may stand on both sides of the option`() throws {
        try withFolders([]) { _, cache in
            for name in ["a", "b", "c"] { try writeFile("\(cache)/\(name)", Array(log([(name, "0x1000", unknownID)]).utf8)) }
            let url = "file://\(cache)/share"
            let result = try cairn(
                ["\(cache)/a", "--debuginfod", url, url, "\(cache)/b", "-q", "\(cache)/c"],
                environment: environment(nil, cache: cache + "/cache")
            ).requireSuccess()
            #expect(result.output == ["a", "b", "c"].map { log([($0, "0x1000", unknownID)]) }.joined())
        }
    }

    @Test func `without the program that fetches, the rest is answered`() throws {
        try withFolders([]) { folder, cache in
            _ = try run("cp", [TestPaths.cairn, cache + "/cairn"])
            let result = try run(
                cache + "/cairn",
                [
                    "-", "--debuginfod", "http://127.0.0.1:9", "--symbols", TestPaths.fixture("binaries/Stripped/out/shapes-zlib"),
                    "--format", "json",
                ],
                input: Array(try shapesLog().utf8), environment: ["PATH": "/usr/bin:/bin"])
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "cairn: error: --debuginfod: the program cairn-tools was not found: expected it next to cairn, or in PATH\n")
            try expectShapes(result)
        }
    }

    @Test func `a line on a terminal shows what arrives, and goes`() throws {
        try withFolders(["Stripped/out/shapes-linked.debug"]) { served, cache in
            let server = try DebuginfodServer(serving: served, until: shapesID)
            try writeFile(cache + "/log", Array(try shapesLog().utf8))
            func terminal(_ options: String) throws -> String {
                // `script` runs a command at a terminal of its own, and prints what came out there.
                let command = "\(TestPaths.cairn) --debuginfod \(server.url) \(options) \(cache)/log -o \(cache)/out"
                return try run("script", ["-qec", command, "/dev/null"], environment: environment(nil, cache: cache + "/c")).output
            }
            let quiet = try terminal("--quiet")
            #expect(quiet == "")
            _ = try run("rm", ["-rf", cache + "/c"])
            let shown = try terminal("")
            #expect(shown.hasPrefix("\rdebuginfod: 0 of 1 files, 0.0 MB\u{1B}[K"), "\(shown)")
            #expect(shown.contains("\rdebuginfod: 1 of 1 files"))
            #expect(shown.hasSuffix("\r\u{1B}[K"))
        }
    }

    /// OpenSSL serves the files of a folder over HTTPS, with a certificate that only
    /// `SSL_CERT_FILE` makes trusted.
    @Test func `over HTTPS, with the authority that is trusted`() throws {
        try withFolders([]) { served, cache in
            _ = try run("mkdir", ["-p", "\(served)/buildid/\(shapesID)"])
            _ = try run(
                "cp", [TestPaths.fixture("binaries/Stripped/out/shapes-linked.debug"), "\(served)/buildid/\(shapesID)/debuginfo"])
            try run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", served + "/key.pem", "-out", served + "/cert.pem",
                    "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                ]
            ).requireSuccess()
            let port = try LoopbackListener.freePort()
            let script = "openssl s_server -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem -WWW -quiet >/dev/null 2>&1 & echo $!"
            let process = try #require(try run("sh", ["-c", script], directory: served).lines.first)
            defer { _ = try? run("kill", ["-KILL", process]) }
            let url = "https://127.0.0.1:\(port)"
            let arguments = ["fetch", "--url", url, "--time-budget", "10", shapesID]
            let found = "\(shapesID) debuginfo found \(url) \(cache)/\(shapesID)/debuginfo"
            let trusting = environment(nil, cache: cache).merging(["SSL_CERT_FILE": served + "/cert.pem"]) { $1 }
            var result = try cairn(arguments, environment: trusting)
            for _ in 0..<50 where result.output.contains("connection refused") {
                _ = try run("sleep", ["0.1"])
                result = try cairn(arguments, environment: trusting)
            }
            #expect(result.status == 0 && result.lines == [found], "\(result.output)\(result.errors)")
            _ = try run("rm", ["-rf", "\(cache)/\(shapesID)"])
            let distrusting = try cairn(
                arguments, environment: environment(nil, cache: cache).merging(["SSL_CERT_FILE": nil as String?]) { $1 })
            #expect(distrusting.status == 3)
            #expect(distrusting.output.hasPrefix("\(shapesID) debuginfo failed \(url): no secure connection"), "\(distrusting.output)")
        }
    }
}
