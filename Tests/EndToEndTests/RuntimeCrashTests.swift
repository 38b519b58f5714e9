import TestSupport
import Testing

/// Crashes of Go, Rust and Java programs whose debug information is in files of its own, compared
/// with the results of llvm-symbolizer, and with those of each runtime that has that information.
struct RuntimeCrashTests {
    private static func report(_ log: String, symbols: String) throws -> JSONLog {
        let result = try cairn("symbolicate", "logs/" + log, "--symbols", "binaries/" + symbols, "--format", "json", "--quiet")
            .requireSuccess()
        return try #require(try jsonLogs(result).first)
    }

    private static func name(_ path: String?) -> String { path?.split(separator: "/").last.map(String.init) ?? "" }

    /// A result's places, and those of a row of `out/*.tsv`.
    private static func locations(_ frame: JSONLog.Frame) -> String {
        (frame.functions ?? []).map { "\(name($0.file)):\($0.line ?? 0)" }.joined(separator: ",")
    }

    private static func functions(_ frame: JSONLog.Frame) -> String { (frame.functions ?? []).map(\.name).joined(separator: ",") }

    // MARK: Go

    @Test func `C frames of a Go program`() throws {
        let rows = try table(TestPaths.fixture("binaries/GoCrash/out/tank.c-frames.tsv"))
        #expect(rows.count > 10)
        for row in rows {
            let report = try Self.report("go-panic/GoCrash/" + (row["log"] ?? ""), symbols: "GoCrash/out/tank.debug")
            let frames = ((report.additionalBacktraces ?? []) + report.threads).flatMap(\.frames).filter {
                $0.address == row["address"] && $0.lookupAddress == row["lookup"]
            }
            #expect(!frames.isEmpty, "\(row)")
            for frame in frames {
                #expect(Self.functions(frame) == row["functions"], "\(row)")
                #expect(Self.locations(frame) == row["places"], "\(row)")
            }
        }
    }

    /// Go prints name, file and line of its own frames from the program's line table; cairn finds
    /// the same by the program counter, or by name and offset where there is none.
    @Test(arguments: ["nil-single", "nil-crash", "goroutine-single", "cgo-crash", "traced-crash", "library-single"])
    func `Go's own rows say what the debug information says`(log: String) throws {
        let report = try Self.report("go-panic/GoCrash/\(log).txt", symbols: "GoCrash/out/tank.debug")
        let text = String(decoding: try readFile(TestPaths.fixture("logs/go-panic/GoCrash/\(log).txt")), as: UTF8.self)
        // The rows of Go: the name, `file:line`, the offset in hexadecimal. An inlined call's row
        // belongs to the row below it.
        let printed = text.matches(
            of: #/(?m)^(?:created by )?([^\s]+?)(?:\(.*\))?(?: in goroutine \d+)?\n\t(\S+):(\d+)(?: \+0x([0-9a-f]+))?.*$/#)
        let frames = report.threads.flatMap(\.frames) + (report.additionalBacktraces ?? []).flatMap(\.frames)
        var compared = 0
        for row in printed {
            guard let offset = row.output.4.flatMap({ UInt64($0, radix: 16) }) else { continue }
            let name = row.output.1 == "panic" ? "runtime.gopanic" : String(row.output.1)
            let found = frames.compactMap(\.functions).first { $0.last?.offset == offset && $0.last?.name.hasPrefix(name) == true }
            // There is no debug information of the code between C and Go: `_cgo_gotypes.go` is the
            // compiler's own.
            guard let function = found?.last else {
                #expect(["runtime.goexit", "main._Cfunc_leak", "main._Cfunc_spill"].contains(name), "\(row.output.0)")
                continue
            }
            #expect(function.file.map { $0.hasSuffix(Self.name(String(row.output.2))) } == true, "\(row.output.0)")
            // If a call was inlined, the line of the call is the debug information's, and Go 1.19
            // writes another one there than into its line table: 28 for `main.fill`'s 25, as
            // llvm-symbolizer reads it too. The inlined function's own line is the same in both.
            if found?.count == 1 { #expect(function.line == Int(row.output.3), "\(row.output.0)") }
            if let inner = found?.first, inner.inlined == true {
                #expect(
                    text.contains("\(inner.name)(...)\n\t") && text.contains("\(Self.name(inner.file)):\(inner.line ?? 0)\n"),
                    "\(row.output.0)")
            }
            compared += 1
        }
        #expect(compared >= 3)
    }

    @Test func `a library that the log does not place has no answer`() throws {
        let report = try Self.report("go-panic/GoCrash/library-crash.txt", symbols: "GoCrash/out/tank.debug")
        let frame = try #require(report.additionalBacktraces?.first?.frames.first)
        #expect(frame.address == "0x7ffff7fbc0f9" && frame.functions == nil)
        #expect(frame.reason == "the log has no module list, and no given symbol file has code at this address")
    }

    @Test func `a trace whose rows all have names and lines is complete, and the signal's address misses nothing`() throws {
        let result = try cairn("logs/go-panic/GoCrash/nil-single.txt", "--format", "text")
        #expect(result.status == 0 && result.standardError.isEmpty)
    }

    // MARK: Rust

    /// The whole output of a stripped program with `RUST_BACKTRACE=1`, with rustc's standard library 1.90.
    @Test func `a panic without rows says how to get them`() throws {
        let log = """
            thread 'main' (21454) panicked at shopd.rs:5:9:
            index out of bounds: the len is 3 but the index is 5
            stack backtrace:
            note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

            """
        let result = try cairn(input: log)
        #expect(result.status == 1)
        #expect(
            result.errors.contains("To get it, also from a stripped program, run the program with RUST_BACKTRACE=full."))
    }

    /// Rows of a full backtrace as names with places, inlined calls by the row that has them:
    /// address, name, `file:line:column`.
    private static func rows(_ log: String) throws -> [(address: String, name: String, location: String)] {
        let text = String(decoding: try readFile(TestPaths.fixture("logs/rust-panic/RustCrash/\(log).txt")), as: UTF8.self)
        return text.matches(of: #/(?m)^ +\d+: +(0x[0-9a-f]+) - (.*)(?:\n +at (.*))?$/#).map {
            (String($0.output.1), String($0.output.2), $0.output.3.map(String.init) ?? "")
        }
    }

    /// The standard library's own names have hashes: of crates in brackets,
    /// `core[c1f1a4ba060b9bfa]`, and of functions after them, `main::fill::hed1633f76694d05b`.
    private static func plain(_ name: String) -> String { name.replacing(#/\[[0-9a-f]{15,16}\]|::h[0-9a-f]{16}$/#, with: "") }

    @Test func `a stripped Rust program is answered as it answers itself`() throws {
        let itself = try Self.rows("full-itself")
        let report = try Self.report("rust-panic/RustCrash/full-stripped.txt", symbols: "RustCrash/out/tank.debug")
        var compared = 0
        for frame in report.threads[0].frames {
            guard let address = frame.address, let functions = frame.functions else { continue }
            let own = itself.filter { $0.address == address }
            #expect(functions.map(\.name) == own.map { Self.plain($0.name) }, "\(address)")
            // Code that the compiler gives no line (line 0) has no place in theirs.
            let locations = functions.map { $0.line ?? 0 == 0 ? "" : "\(Self.name($0.file)):\($0.line ?? 0):\($0.column ?? 0)" }
            #expect(locations == own.map { $0.location.isEmpty ? "" : Self.name($0.location) }, "\(address)")
            compared += 1
        }
        // Twenty-three rows; the last has no address, three are the C library's and the other
        // library's.
        #expect(compared == 20)
    }

    @Test func `a position-independent one and its library have none`() throws {
        let report = try Self.report("rust-panic/RustCrash/pie-stripped.txt", symbols: "RustCrash/out/tank.debug")
        #expect(report.threads[0].frames.allSatisfy { $0.functions == nil })
        #expect(report.threads[0].frames[11].reason == "the log has no module list, and no given symbol file has code at this address")
        let library = try #require(
            try Self.report("rust-panic/RustCrash/full-stripped.txt", symbols: "RustCrash/out/tank.debug").threads[0].frames.dropFirst(13)
                .first)
        #expect(library.address?.hasPrefix("0x7ffff7") == true && library.functions == nil)
    }

    // MARK: Java

    @Test func `a native library of a Java program`() throws {
        for row in try table(TestPaths.fixture("binaries/JavaNative/out/libtank.frames.tsv")) {
            let report = try Self.report("jvm-hserr/JavaNative/" + (row["log"] ?? ""), symbols: "JavaNative")
            let frames = report.threads[0].frames
            let frame = try #require(frames.first { $0.index == Int(row["row"] ?? "") })
            #expect(
                frame.imageOffset == row["offset"] && Self.functions(frame) == row["functions"] && Self.locations(frame) == row["places"],
                "\(row)")
        }
    }

    /// The machine prints the holder's name with the innermost line; so the two are compared part
    /// by part.
    @Test func `the library is answered as a recent machine answers it`() throws {
        let itself = String(decoding: try readFile(TestPaths.fixture("logs/jvm-hserr/JavaNative/recent-itself.log")), as: UTF8.self)
        let own = itself.matches(of: #/(?m)^C  \[libtank\.so\+(0x[0-9a-f]+)\]  (\w+)\+0x([0-9a-f]+)  \((.*)\)$/#)
        let frames = try Self.report("jvm-hserr/JavaNative/recent-stripped.log", symbols: "JavaNative").threads[0].frames
        #expect(own.count == 2)
        for row in own {
            let frame = try #require(frames.first { $0.imageOffset.map { "\($0)" } == String(row.output.1) })
            #expect(frame.functions?.last?.name == String(row.output.2) && frame.functions?.last?.offset == UInt64(row.output.3, radix: 16))
            #expect(frame.functions?.first.map { "\(Self.name($0.file)):\($0.line ?? 0)" } == String(row.output.4))
        }
    }

    /// The same library in the words of the other Java machine and of Python: places in it by
    /// offset, link address, and symbol.
    @Test func `the same library in a javacore and in a Python interpreter's C stack`() throws {
        let javacore = try cairn("logs/jvm-javacore/JavaNative/javacore.txt", "--symbols", "binaries/JavaNative", "--quiet").output
        #expect(javacore.contains("pour [inlined] (tank.c:7, 0x00007F8B7C0B3106 [libtank.so+0x1106])\n"))
        #expect(javacore.contains("fill+0x6 (tank.c:13, 0x00007F8B7C0B3106 [libtank.so+0x1106])\n"))
        #expect(javacore.contains("Java_Tank_drain+0xb (tank.c:24, 0x00007F8B7C0B314B [libtank.so+0x114b])\n"))
        let python = try cairn("logs/python-trace/c-stack/trace.txt", "--symbols", "binaries/JavaNative", "--quiet").output
        #expect(python.contains("libtank.so\", at pour [inlined] [0x7f3cbe2af106] at /src/tank.c:7\n"))
        #expect(python.contains("libtank.so\", at fill+0x6 [0x7f3cbe2af106] at /src/tank.c:13\n"))
        #expect(python.contains("libtank.so\", at Java_Tank_drain+0xb [0x7f3cbe2af14b] at /src/tank.c:24\n"))
    }
}
