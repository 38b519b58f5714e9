import TestSupport
import Testing

/// Logs of engines of WebAssembly, with the modules of `Fixtures/binaries/WebAssembly`: each frame's line is that of its `FRAME` comment
/// in `crane.c`, and the expected traps of Wasmtime are those that it writes itself when it reads the DWARF.
struct WebAssemblyTests {
    private static let modules = TestPaths.fixture("binaries/WebAssembly/out")

    private func log(_ name: String) throws -> String { String(decoding: try readFile(TestPaths.fixture("logs/" + name)), as: UTF8.self) }

    private func answer(_ log: String, _ symbols: String...) throws -> (lines: [String], errors: String) {
        let result = try cairn(symbols.flatMap { ["-s", Self.modules + "/" + $0] } + ["-"], input: log)
        return (result.lines, result.errors)
    }

    /// The line of each function's `FRAME` comment.
    private static func lines() throws -> [String: Int] {
        let source = String(decoding: try readFile(TestPaths.fixture("binaries/WebAssembly/crane.c")), as: UTF8.self)
        var lines: [String: Int] = [:]
        for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let mark = line.firstRange(of: "/* FRAME ") else { continue }
            lines[String(line[mark.upperBound...].prefix { $0 != " " })] = number + 1
        }
        return lines
    }

    /// The functions and lines of rows that name `/src/crane.c`.
    private func frames(_ rows: [String]) -> [String] {
        rows.compactMap { row in
            guard let file = row.firstRange(of: "/src/crane.c:") else { return nil }
            let parts = row[..<file.lowerBound].split { " @(,".contains($0) }.filter { !["at", "-", "[inlined]"].contains($0) }
            return "\(parts.last ?? "") \(row[file.upperBound...].prefix { $0.isNumber })"
        }
    }

    private static let stack = ["share", "weigh", "answer", "ask", "lift"]

    @Test(arguments: ["debug", "optimized"])
    func `Wasmtime's traps become those that it writes with debug information`(build: String) throws {
        let found = try answer(try log("wasmtime/crane/\(build).txt"), build + ".wasm")
        let details = try log("wasmtime/crane/\(build)-details.txt")
        #expect(
            found.lines.filter { !$0.hasPrefix("note: ") }
                == details.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
        // Such a trap has everything already.
        #expect(try answer(details, build + ".wasm").lines.joined(separator: "\n") + "\n" == details)
    }

    @Test(arguments: ["debug", "optimized"])
    func `rows of V8 get the lines of the source, and rows of JavaScript stay`(build: String) throws {
        let (text, lines) = (try log("javascript-error/crane/\(build).txt"), try Self.lines())
        let found = try answer(text, build + ".wasm")
        #expect(frames(found.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" })
        for kept in ["    at pull (file:///src/run.mjs:4:47)", "    at file:///src/run.mjs:6:15", "Node.js v20.20.2"] {
            #expect(found.lines.contains(kept))
        }
        // The positions stay, so that a second run has the same text.
        #expect(found.lines.filter { $0.contains(":wasm-function[1]:0x") }.count == 2)
        #expect(try answer(found.lines.joined(separator: "\n") + "\n", build + ".wasm").lines == found.lines)
    }

    /// A test run of Node: its own failure, and the frames of the trap.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/node"), "node is missing"), arguments: ["optimized", "stripped"])
    func `a trap in the output of a command gets its lines as it runs`(build: String) throws {
        let module = Self.modules + "/\(build).wasm"
        let command = ["node", TestPaths.fixture("binaries/WebAssembly/run.mjs"), module]
        let (found, lines) = (try cairn(["ci", "-s", Self.modules + "/optimized.wasm", "--"] + command), try Self.lines())
        // Node writes the error that ended it to standard error.
        let errors = found.errors.split(separator: "\n").map(String.init)
        let rows = frames(errors.filter { $0.contains(" at ") })
        #expect(rows == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(found.output) \(found.errors)")
        #expect(errors.contains("RuntimeError: divide by zero") && found.status == 1)
    }

    /// V8 and Wasmtime have no name for a module without a `name` section.
    @Test(arguments: [["optimized.wasm"], ["stripped.wasm"], ["optimized.wasm", "stripped.wasm"], [""]])
    func `a module without a name is found by its functions`(symbols: [String]) throws {
        let lines = try Self.lines()
        for name in ["javascript-error/crane/stripped.txt", "wasmtime/crane/stripped.txt"] {
            let result = try cairn(symbols.flatMap { ["-s", Self.modules + "/" + $0] } + ["-"], input: try log(name))
            // Wasmtime has the source below the row.
            let isBelow = name.hasPrefix("wasmtime")
            let pairs = zip(result.lines, result.lines.dropFirst()).filter { row, _ in row.contains(" - ") }
            let joined = isBelow ? pairs.map { row, source in row + " " + source } : result.lines
            let rows = frames(joined)
            #expect(rows == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(name) with \(symbols): \(result.lines)")
            #expect(result.errors.contains("its functions are where the log has them"), "\(result.errors)")
        }
    }

    @Test func `a module of another build is refused, with the function that differs`() throws {
        for name in ["javascript-error/crane/stripped.txt", "wasmtime/crane/stripped.txt"] {
            let text = try log(name)
            let found = try answer(text, "debug.wasm")
            #expect(found.lines.joined(separator: "\n") + "\n" == text)
            #expect(
                found.errors.contains("it is another build. The log has the function 2 at 0x89, and the file has the function 1"),
                "\(found.errors)")
        }
        try withTemporaryFolder { folder in
            try writeFile(folder + "/optimized.wasm", try readFile(Self.modules + "/debug.wasm"))
            let result = try cairn(["-s", folder, TestPaths.fixture("logs/wasmtime/crane/optimized.txt")])
            #expect(
                result.errors.contains("The log has the function answer at 0x89, and the file has the function weigh"), "\(result.errors)")
        }
    }

    /// SpiderMonkey's rows, by "Developer-Facing Display Conventions" of the WebAssembly Web API; JavaScriptCore gives no positions.
    @Test func `rows of Firefox get their lines, those of Safari stay`() throws {
        let text = """
            weigh@https://crane.example/optimized.wasm:wasm-function[1]:0x7b
            answer@https://crane.example/optimized.wasm:wasm-function[2]:0x89
            pull@https://crane.example/run.mjs:4:47
            ask@https://crane.example/optimized.wasm:wasm-function[3]:0xae
            lift@https://crane.example/optimized.wasm:wasm-function[4]:0xd9
            @https://crane.example/run.mjs:6:15
            <?>.wasm-function[4]@[wasm code]

            """
        let (found, lines) = (try answer(text, "optimized.wasm"), try Self.lines())
        #expect(frames(found.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(found)")
        #expect(found.lines.contains("pull@https://crane.example/run.mjs:4:47") && found.lines.contains("<?>.wasm-function[4]@[wasm code]"))
        #expect(try answer(found.lines.joined(separator: "\n") + "\n", "optimized.wasm").lines == found.lines)
    }

    /// Rows as consoles and programs print them, of the functions and positions in `optimized.txt`.
    private static func rows(_ module: String, _ row: (_ name: String, _ module: String, _ function: Int, _ offset: Int) -> String)
        -> String
    {
        [("weigh", 1, 0x7b), ("answer", 2, 0x89), ("ask", 3, 0xae), ("lift", 4, 0xd9)].map { row($0.0, module, $0.1, $0.2) + "\n" }.joined()
    }

    private static func v8(_ name: String, _ module: String, _ function: Int, _ offset: Int) -> String {
        "    at \(name) (\(module):wasm-function[\(function)]:0x\(String(offset, radix: 16)))"
    }

    private static let url = "https://crane.example/optimized.wasm"

    /// First lines by the sources of Chrome's and Firefox' consoles, of Node and of Emscripten; the last four rows' form is measured in Node 20:
    /// `--trace-uncaught` prints 0x20c as 525.
    @Test(arguments: [
        "loading failed: RuntimeError: divide by zero\n" + rows(url, v8),
        "berth.js:77 Uncaught (in promise) RuntimeError: divide by zero\n" + rows(url, v8),
        "exiting due to exception: RuntimeError: divide by zero,RuntimeError: divide by zero\n" + rows(url, v8),
        "Trace: here 0\n" + rows(url, v8),
        "exception thrown: RuntimeError: divide by zero," + rows(url) { "\($0)@\($1):wasm-function[\($2)]:0x\(String($3, radix: 16))" },
        "Uncaught RuntimeError: divide by zero\n" + rows("optimized.wasm") { "    at \($0) (\($1):0x\(String($3, radix: 16)))" },
        "Thrown at:\n" + rows("wasm://wasm/optimized.wasm-00087f1e") { "    at $\($0) (\($1):1:\($3 + 1))" },
        "RuntimeError: divide by zero\n" + rows("https://crane.example/assets/optimized-3f2a1b9c.wasm", v8),
        "RuntimeError: divide by zero\n" + rows("blob:nodedata:0d7f2bde", v8),
        "RuntimeError: divide by zero\n" + rows("data:application/wasm;base64,AGFzbQ==", v8),
    ])
    func `rows of consoles and programs get their lines`(text: String) throws {
        let (found, lines) = (try answer(text, "optimized.wasm"), try Self.lines())
        #expect(frames(found.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(found)")
        // What comes before the rows stays.
        #expect(found.lines.first?.hasPrefix(text.prefix { $0 != "\n" && $0 != "," }) == true)
        #expect(try answer(found.lines.joined(separator: "\n") + "\n", "optimized.wasm").lines == found.lines)
    }

    @Test func `the error behind other text is the cause`() throws {
        let text = "exiting due to exception: RuntimeError: unreachable,RuntimeError: unreachable\n" + Self.rows(Self.url, Self.v8)
        let report = try cairn(["--format", "text", "--no-local", "-"], input: text).lines
        #expect(report.first == "Cause:         RuntimeError: unreachable", "\(report)")
    }

    /// V8 distinguishes modules without a name by the number in the URL.
    @Test func `two modules without a name in one stack are found by their functions`() throws {
        let (debug, lines) = (try log("javascript-error/crane/debug.txt"), try Self.lines())
        let own = debug.split(separator: "\n").filter { $0.contains(":wasm-function[") }.map { row in
            let position = row[(row.firstRange(of: ":wasm-function[")?.lowerBound ?? row.endIndex)...]
            return "    at wasm://wasm/000ab4f2\(position.dropLast())\n"
        }
        let text = "RuntimeError: divide by zero\n" + Self.rows("wasm://wasm/23552386", Self.v8) + own.joined()
        let found = try answer(text, "debug.wasm", "optimized.wasm")
        let expected = Self.stack.map { "\($0) \(lines[$0] ?? 0)" }
        #expect(frames(found.lines) == expected + expected, "\(found)")
    }

    /// As `emcc -gseparate-dwarf` leaves it: llvm-objcopy writes the sizes of sections in five bytes, so that the code is elsewhere in the
    /// module than in its debug file.
    @Test func `positions count in the module, and not in its debug file`() throws {
        let (whole, lines) = (try readFile(Self.modules + "/optimized.wasm"), try Self.lines())
        func number(_ value: Int) -> [UInt8] { (0..<5).map { UInt8(value >> ($0 * 7) & 0x7f) | ($0 < 4 ? 0x80 : 0) } }
        var (module, position, moved) = (Array(whole[..<8]), 8, 0)
        while position < whole.count {
            let id = whole[position]
            var (size, start) = (0, position + 1)
            repeat {
                size |= Int(whole[start] & 0x7f) << (7 * (start - position - 1))
                start += 1
            } while whole[start - 1] >= 0x80
            if id > 0 {
                module += [id] + number(size)
                if id == 10 { moved = module.count - start }
                module += whole[start..<start + size]
            }
            position = start + size
        }
        let reference = ["external_debug_info", "whole.debug.wasm"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        module += [0] + number(reference.count) + reference
        try #require(moved > 0)
        try withTemporaryFolder { folder in
            try writeFile(folder + "/optimized.wasm", module)
            try writeFile(folder + "/whole.debug.wasm", whole)
            let text = "RuntimeError: divide by zero\n" + Self.rows(Self.url) { Self.v8($0, $1, $2, $3 + moved) }
            for symbols in [folder, folder + "/optimized.wasm"] {
                let result = try cairn(["-s", symbols, "-"], input: text)
                #expect(frames(result.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(result.output)\(result.errors)")
            }
        }
    }

    /// DWARF gives the address that `get` returns to, which is that of the next call: engines give that call itself.
    @Test(.enabled(if: Toolchain.has("clang", "wasm-ld"), "no clang or wasm-ld beside swift"))
    func `a call that directly follows another is looked up as it is`() throws {
        let source = """
            #define KEEP __attribute__((noinline))
            volatile int zero;
            KEEP int get(int a) { return zero + a; }
            KEEP int weigh(int a) { return 7 / a; }
            KEEP int stow(int a) {
              return weigh(  // 6
                  get(a)) + 1;
            }
            KEEP int load(int a) {
              return stow(  // 10
                  get(a)) + 2;
            }
            KEEP int moor(int a) { return load(a) + 3; }
            __attribute__((export_name("land"))) int land(int a) { return moor(a) + 4; }

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/stow.c", Array(source.utf8))
            let flags = ["-target", "wasm32-unknown-unknown", "-g", "-O1", "-nostdlib", "-c", folder + "/stow.c", "-o", folder + "/stow.o"]
            try Toolchain.run("clang", flags).requireSuccess()
            try Toolchain.run("wasm-ld", ["--no-entry", folder + "/stow.o", "-o", folder + "/stow.wasm"]).requireSuccess()
            // `call`, and the function's number in five bytes: of get and weigh in stow, of get and stow in load, in moor and in land.
            let bytes = try readFile(folder + "/stow.wasm")
            let calls = bytes.indices.dropLast(5).filter { at in
                bytes[at] == 0x10 && bytes[at + 1] >= 0x80 && bytes[at + 2...at + 4].allSatisfy { $0 == 0x80 } && bytes[at + 5] == 0
            }
            try #require(calls.count == 6)
            let rows = [("stow", 2, calls[1]), ("load", 3, calls[3]), ("moor", 4, calls[4]), ("land", 5, calls[5])]
            let text =
                "RuntimeError: divide by zero\n    at JSON.parse (<anonymous>)\n"
                + rows.map { Self.v8($0.0, "https://crane.example/stow.wasm", $0.1, $0.2) + "\n" }.joined()
            let found = try cairn(["-s", folder + "/stow.wasm", "-"], input: text)
            for (name, line) in [("stow", 6), ("load", 10), ("moor", 13), ("land", 14)] {
                #expect(found.output.contains("at \(name) (\(folder)/stow.c:\(line):"), "\(found.output)\(found.errors)")
            }
        }
    }

    /// iwasm 2.4.3 printed such rows for another module: of V8's 0x260, 0x2f4 and 0x38f it has 0x261, 0x2fa and 0x395, the positions
    /// of the next instructions. A division is one byte (0x7b + 1), a call six: 0x10, and the function's number in five (0x89 + 6).
    @Test func `rows of WAMR are the addresses after the instructions`() throws {
        let text = """
            #00: 0x007c - weigh
            #01: 0x008f - answer
            #02: 0x00b4 - ask
            #03: 0x00df - $f4

            Exception: integer divide by zero

            """
        let (found, lines) = (try answer(text, "optimized.wasm"), try Self.lines())
        #expect(frames(found.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(found)")
        #expect(try answer(found.lines.joined(separator: "\n") + "\n", "optimized.wasm").lines == found.lines)
    }

    /// The form of Wasmer's `RuntimeError`.
    @Test func `rows of Wasmer get their lines`() throws {
        let text = """
            RuntimeError: integer divide by zero
                at weigh (optimized.wasm[1]:0x7b)
                at answer (optimized.wasm[2]:0x89)
                at <unnamed> (optimized.wasm[3]:0xae)
                at lift (optimized.wasm[4]:0xd9)

            """
        let (found, lines) = (try answer(text, "optimized.wasm"), try Self.lines())
        #expect(frames(found.lines) == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(found)")
    }

    /// The build ID of `optimized.wasm`: 20 bytes after `build_id` and their number.
    private static func buildID() throws -> String {
        let bytes = try readFile(modules + "/optimized.wasm")
        let mark = Array("build_id".utf8) + [20]
        let start = try #require((0..<bytes.count - mark.count).first { Array(bytes[$0..<$0 + mark.count]) == mark }) + mark.count
        return bytes[start..<start + 20].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// As Sentry's SDK for browsers makes an event (its integration for WebAssembly): `rel:N` counts all of the list, source maps too,
    /// and the debug ID is the first 16 bytes of the build ID and an age of 0.
    @Test(arguments: [true, false])
    func `events of Sentry name the module by its build ID`(hasCodeID: Bool) throws {
        let id = try Self.buildID()
        let identity = hasCodeID ? #""code_id":"\#(id)""# : #""debug_id":"\#(id.prefix(32))0""#
        func event(_ identity: String) -> String {
            let frames = [0xd9, 0xae, 0x89, 0x7b].map {
                #"{"platform":"native","filename":"https://crane.example/a1b2.wasm","instruction_addr":"0x\#(String($0, radix: 16))","addr_mode":"rel:1"}"#
            }
            let images = #"{"type":"sourcemap","debug_id":"0"},{"type":"wasm",\#(identity),"code_file":"https://crane.example/a1b2.wasm"}"#
            return
                #"{"event_id":"1","exception":{"values":[{"type":"RuntimeError","stacktrace":{"frames":[{"filename":"https://crane.example/run.js","function":"run","lineno":6,"colno":15},\#(frames.joined(separator: ","))]}}]},"debug_meta":{"images":[\#(images)]}}"#
        }
        let lines = try Self.lines()
        let result = try cairn(["-s", Self.modules, "--format", "json", "-"], input: event(identity))
        let report = try #require(try jsonLogs(result).first, "\(result.errors)")
        let frames = (report.exceptionBacktrace?.frames ?? []) + report.threads.flatMap(\.frames)
        let found = frames.flatMap { $0.functions ?? [] }.map { "\($0.name) \($0.line ?? 0)" }
        #expect(found == Self.stack.map { "\($0) \(lines[$0] ?? 0)" }, "\(result.output)")
        // Another build of the module is in the folder, and no file has this one.
        let other = try cairn(["-s", Self.modules, "-"], input: event(#""code_id":"\#(String(id.reversed()))""#))
        #expect(!other.output.contains("crane.c"))
    }

    // MARK: Tools

    @Test func `an index of a module has the same lines`() throws {
        try withTemporaryFolder { folder in
            let (file, log) = (Self.modules + "/optimized.wasm", TestPaths.fixture("logs/javascript-error/crane/optimized.txt"))
            let direct = try cairn(["-s", file, log])
            let settings: [String: String?] = ["CAIRN_CACHE": folder]
            try cairn(["index", file], environment: settings).requireSuccess()
            #expect(TestPaths.files(under: folder).contains { $0.hasSuffix(".cairnidx") })
            #expect(try cairn(["-s", file, log], environment: settings).lines == direct.lines)
        }
    }

    /// Lines alone: LLVM looks names up in the symbol table first, and counts its addresses from the file's first byte.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/llvm-symbolizer-19"), "llvm-symbolizer-19 (package llvm-19) is not installed"))
    func `llvm-symbolizer counts from the code, as LLVM's own does`() throws {
        let file = Self.modules + "/optimized.wasm"
        let addresses = (0..<0x90).map { "0x" + String($0, radix: 16) }
        func lines(_ output: String) -> [String] { output.split(separator: "\n").map(String.init).filter { $0.contains(":") } }
        let own = lines(try cairn(["llvm-symbolizer", "--obj=" + file] + addresses).output)
        #expect(own.contains { $0.hasPrefix("/src/crane.c:9:") })
        #expect(try own == lines(run("/usr/bin/llvm-symbolizer-19", ["--obj=" + file] + addresses).output))
    }
}
