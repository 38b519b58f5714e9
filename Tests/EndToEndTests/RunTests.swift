import TestSupport
import Testing

/// `cairn run`: programs that crash here, wherever the system would put a core file, or if it writes none.
///
/// A sample of scripts/checks/verify-run, with the same programs: `Tests/Crashes/run`.
@Suite(.enabled(if: Toolchain.has("clang"), "clang is not beside swift"))
struct RunTests {
    private static let sources = TestPaths.root + "/Tests/Crashes/run/"

    /// The comment `// CRASH segv, thread: write_null` is at the line where write_null crashes in these cases.
    private static func expected(_ name: String, in file: String) throws -> (function: String, location: String) {
        let lines = try String(decoding: readFile(sources + file), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let cases = line.firstRange(of: "// CRASH ")?.upperBound, let colon = line[cases...].firstIndex(of: ":"),
                line[cases..<colon].split(separator: ", ").contains(Substring(name))
            else { continue }
            let function = String(line[line.index(colon, offsetBy: 2)...])
            // The sentence at the file's beginning has an example.
            if !function.contains(" ") { return (function, "\(file):\(index + 1)") }
        }
        throw RunError(description: "no line of \(file) is marked \(name)")
    }

    private static let signals: [(name: String, status: Int32, cause: String)] = [
        ("segv", 139, "SIGSEGV"), ("call", 139, "SIGSEGV"), ("abort", 134, "SIGABRT"), ("assert", 134, "SIGABRT"), ("free", 134, "SIGABRT"),
        ("overflow", 139, "SIGSEGV"), ("fpe", 136, "SIGFPE"), ("bus", 135, "SIGBUS"), ("trap", 132, "SIGILL"), ("thread", 139, "SIGSEGV"),
        ("handler", 139, "SIGSEGV"), ("exits", 139, "SIGSEGV"),
    ]

    /// Compiles the program of C, and unless it is static the library that it opens.
    private func withProgram(_ options: [String], _ body: (_ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            func make(_ arguments: [String]) throws {
                let made = try Toolchain.run("clang", ["-g", "-w"] + options + arguments, directory: folder)
                try #require(made.status == 0, "\(made.errors)")
            }
            try make([Self.sources + "crash.c", "-o", "crash", "-lpthread"])
            if !options.contains("-static") { try make(["-shared", "-fPIC", Self.sources + "library.c", "-o", "library.so"]) }
            try body(folder)
        }
    }

    /// - Parameter limit: `ulimit -c` of cairn and the program.
    private func runs(
        _ arguments: String, in folder: String, limit: String = "0", below command: String = "", input: String = ""
    ) throws -> RunResult {
        // The shell says how cairn ended: by the signal's number, plus 128.
        try run(
            "sh", ["-c", "ulimit -S -c \(limit); \(command) \"$0\" run \(arguments); exit $?", TestPaths.cairn], input: Array(input.utf8),
            environment: [
                "CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent", "SWIFT_BACKTRACE": "enable=no", "GOTRACEBACK": "crash",
            ], directory: folder)
    }

    private func check(_ result: RunResult, shows name: String, in file: String) throws {
        let (function, location) = try Self.expected(name, in: file)
        let reports = result.errors.split(separator: "\n").filter { $0.hasPrefix("Process: ") }
        #expect(reports.count == 1, "\(name): \(result.errors)")
        let own = result.errors.split(separator: "\n").first { $0.hasPrefix("Your code: ") } ?? ""
        #expect(own.contains(function) && own.hasSuffix("/\(location))"), "\(name): \(function) \(location): \(result.errors)")
    }

    @Test(arguments: [["-O0"], ["-O1"], ["-O1", "-static"]])
    func `each crash has its function, its line and the program's own status`(options: [String]) throws {
        try withProgram(options) { folder in
            let files = TestPaths.files(under: folder).sorted()
            for (name, status, cause) in Self.signals {
                let result = try runs("./crash \(name)", in: folder)
                #expect(result.status == status, "\(name): \(result.errors)")
                #expect(result.output == "before \(name)\n", "\(name)")
                #expect(result.errors.contains(cause), "\(name): \(result.errors)")
                try check(result, shows: name, in: "crash.c")
            }
            #expect(TestPaths.files(under: folder).sorted() == files, "no core file is left")
        }
    }

    @Test func `a crash in a library has the library's line`() throws {
        try withProgram(["-O1"]) { folder in
            let result = try runs("./crash library", in: folder)
            #expect(result.status == 139)
            try check(result, shows: "library", in: "library.c")
        }
    }

    /// The names of another file that is at its path now would be wrong.
    @Test(arguments: ["deleted", "replaced"], ["-Wl,--build-id", "-Wl,--build-id=none"])
    func `a library whose file is gone has no names, and the reason is said`(name: String, identifier: String) throws {
        try withProgram(["-O1", identifier]) { folder in
            let result = try runs("./crash \(name)", in: folder)
            let rows = result.errors.split(separator: "\n").filter { $0.contains("gone.so") }
            #expect(result.status == 139 && !rows.isEmpty, "\(result.errors)")
            #expect(!result.errors.contains("write_there") && !rows.contains { $0.contains("crash.c") }, "\(result.errors)")
            #expect(result.errors.contains("\nImages:\n"), "\(result.errors)")
        }
    }

    @Test(arguments: ["child", "fork", "vfork"])
    func `a crash of a child is shown, and the status is the program's`(name: String) throws {
        try withProgram(["-O1"]) { folder in
            let result = try runs("./crash \(name)", in: folder)
            #expect(result.status == 5, "\(result.errors)")
            try check(result, shows: name == "vfork" ? "vfork" : "segv", in: "crash.c")
        }
    }

    @Test func `a crash of a child for which the program does not wait is shown`() throws {
        try withProgram(["-O1"]) { folder in
            let result = try runs("./crash orphan", in: folder)
            #expect(result.status == 6, "\(result.errors)")
            try check(result, shows: "orphan", in: "crash.c")
        }
    }

    @Test func `a crash in a program that the program became is shown`() throws {
        try withProgram(["-O1"]) { folder in
            let result = try runs("./crash chain again", in: folder)
            #expect(result.status == 139, "\(result.errors)")
            try check(result, shows: "chain", in: "crash.c")
        }
    }

    /// The other compilers, each with the cases in which their runtimes raise the signal.
    @Test(arguments: [
        (
            compiler: "swiftc", options: ["-parse-as-library", "-O", "-g"], file: "crash.swift",
            cases: [("trap", 132), ("exception", 132), ("segv", 139)]
        ),
        (
            compiler: "rustc", options: ["--edition", "2021", "-g", "-Cpanic=abort"], file: "crash.rs",
            cases: [("exception", 134), ("overflow", 134)]
        ),
        (compiler: "go", options: ["build"], file: "crash.go", cases: [("segv", 134), ("abort", 134), ("overflow", 134)]),
    ])
    func `a crash of another language has its function and line`(
        compiler: String, options: [String], file: String, cases: [(String, Int)]
    ) throws {
        guard let path = Toolchain.path(compiler) ?? Installed.path(compiler) else {
            print("left out: no \(compiler) here")
            return
        }
        try withTemporaryFolder { folder in
            let source = Self.sources + file
            let made = try run(
                path, options + (compiler == "go" ? ["-o", "crash", source] : [source, "-o", "crash"]),
                environment: ["CGO_ENABLED": "0", "GO111MODULE": "off", "GOCACHE": folder + "/cache"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            for (name, status) in cases {
                let result = try runs("./crash \(name)", in: folder)
                #expect(result.status == Int32(status), "\(name): \(result.errors)")
                #expect(result.output == "before \(name)\n", "\(name)")
                try check(result, shows: name, in: file)
            }
        }
    }

    @Test func `a program that does not crash is left alone`() throws {
        try withProgram(["-O1"]) { folder in
            for (arguments, input, status) in [
                ("./crash none", "", 3), ("./crash raised", "", 3), ("./crash handled", "", 4), ("./crash input", "xaxbx", 3),
                ("-- ./crash input", "x", 1),
            ] {
                let result = try runs(arguments, in: folder, input: input)
                #expect(result.status == Int32(status) && result.errors.isEmpty, "\(arguments): \(result.status) \(result.errors)")
            }
            // The program's own options are not cairn's.
            let echoed = try runs("echo --symbols -- --help", in: folder)
            #expect(echoed.status == 0 && echoed.output == "--symbols -- --help\n", "\(echoed.output) \(echoed.errors)")
        }
    }

    @Test func `what cannot be run has the shell's status`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/text", Array("no program\n".utf8))
            let missing = try runs("./nothing", in: folder)
            #expect(missing.status == 127 && missing.errors.contains("./nothing") && missing.errors.split(separator: "\n").count == 1)
            let text = try runs("./text", in: folder)
            #expect(text.status == 126 && text.errors.contains("./text"), "\(text.errors)")
            #expect(try runs("", in: folder).status == 64)
        }
    }

    /// A signal for the program alone reaches it through cairn, and cairn ends as the program did.
    @Test func `a signal that ends cairn ends the program`() throws {
        try withTemporaryFolder { folder in
            // Threads that run tests hold signals back, and what they start would do so too.
            let unblocked = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
            let script = """
                "$0" run sleep 60 & until pgrep -P $! sleep > child; do sleep 0.05; done
                kill -TERM $!; wait $!; echo $?; kill -0 $(cat child) 2> /dev/null; echo $?
                """
            let result = try run("python3", ["-c", unblocked, "/bin/bash", "-c", script, TestPaths.cairn], directory: folder)
            #expect(result.output == "143\n1\n", "\(result.output) \(result.errors)")
        }
    }

    /// A process can have one tracer, and the leak check of AddressSanitizer is one.
    @Test func `a program with AddressSanitizer finds its leaks`() throws {
        try withTemporaryFolder { folder in
            try writeFile(
                folder + "/leak.c",
                Array("#include <stdlib.h>\nint main(void) { void *volatile m = malloc(77); m = 0; return m != 0; }\n".utf8))
            let made = try Toolchain.run("clang", ["-g", "-fsanitize=address", "leak.c", "-o", "leak"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            let alone = try run(folder + "/leak", [], directory: folder)
            let watched = try runs("./leak", in: folder)
            #expect(watched.status == alone.status, "\(watched.errors)")
            #expect(watched.errors.contains("77 byte(s)") == alone.errors.contains("77 byte(s)"), "\(watched.errors)")
        }
    }

    @Test func `a program that traces another one can do so`() throws {
        try withTemporaryFolder { folder in
            let made = try Toolchain.run("clang", [Self.sources + "tracer.c", "-o", "tracer"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            let result = try runs("./tracer", in: folder)
            #expect(result.status == 13 && result.errors.isEmpty, "\(result.status) \(result.errors)")
        }
    }

    // MARK: - Without ptrace

    /// Whether the kernel writes core files into the working directory: `core`, or with the process' number.
    private static let writesCores =
        (try? readFile("/proc/sys/kernel/core_pattern")).map { String(decoding: $0, as: UTF8.self) == "core\n" } ?? false

    @Test(
        .enabled(if: writesCores, "core_pattern is not core: the kernel writes no core files into the working directory"),
        arguments: [("0", false), ("unlimited", true)])
    func `where ptrace is refused, the core file is shown, and only the run's own is removed`(limit: String, remains: Bool) throws {
        try withProgram(["-O1"]) { folder in
            let made = try Toolchain.run("clang", [Self.sources + "without-ptrace.c", "-o", "without-ptrace"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            for (name, status) in [("segv", 139), ("thread", 139), ("child", 5)] {
                let before = TestPaths.files(under: folder)
                let result = try runs("./crash \(name)", in: folder, limit: limit, below: "./without-ptrace")
                #expect(result.status == Int32(status), "\(name): \(result.errors)")
                #expect(result.output.hasPrefix("before \(name)\n"))
                #expect(result.errors.hasPrefix("cairn: warning: run: the system does not let ./crash be watched (ptrace is refused)."))
                try check(result, shows: name == "child" ? "segv" : name, in: "crash.c")
                let left = TestPaths.files(under: folder).filter { !before.contains($0) }
                #expect(left.isEmpty == !remains, "\(left)")
                for file in left { _ = try run("rm", [file]) }
            }
            let none = try runs("./crash none", in: folder, limit: limit, below: "./without-ptrace")
            #expect(none.status == 3 && none.errors.split(separator: "\n").count == 1, "\(none.errors)")
        }
    }

    @Test func `where ptrace is refused and no core file can be had, the reason is said`() throws {
        try withProgram(["-O1"]) { folder in
            let made = try Toolchain.run("clang", [Self.sources + "without-ptrace.c", "-o", "without-ptrace"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            let result = try runs("./crash segv", in: folder, below: "ulimit -H -c 0; ./without-ptrace")
            #expect(result.status == 139)
            #expect(
                result.errors.contains("and its stack is not shown. ") && result.errors.contains("the hard limit is 0"), "\(result.errors)")
        }
    }

    /// The kernel alone has them, while the process lives.
    @Test func `threads have the names that the program gave them`() throws {
        let source = """
            #define _GNU_SOURCE
            #include <pthread.h>
            #include <unistd.h>
            static pthread_barrier_t barrier;
            static void *work(void *name) {
                if (name) pthread_setname_np(pthread_self(), name);
                pthread_barrier_wait(&barrier);
                for (;;) pause();
            }
            int main(void) {
                pthread_t thread;
                alarm(30);
                pthread_barrier_init(&barrier, 0, 3);
                pthread_create(&thread, 0, work, "tax rates");
                pthread_create(&thread, 0, work, 0);
                pthread_barrier_wait(&barrier);
                *(volatile int *)0 = 1;
            }
            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            try Toolchain.run("clang", ["-g", "a.c", "-o", "prog", "-lpthread"], directory: folder).requireSuccess()
            let result = try runs("./prog", in: folder)
            let threads = result.errors.split(separator: "\n").filter { $0.hasPrefix("Thread ") }
            // `Thread 1 (tax rates, ID 71):`, without the number.
            let titles = threads.map { $0.replacing("crashed", with: "").filter { !$0.isNumber } }
            #expect(titles == ["Thread  (ID ) :", "Thread  (tax rates, ID ):", "Thread  (ID ):"], "\(result.errors)")
        }
    }

    /// Go reserves 64 MB for its heap, in which the panic's value is, and uses a part of it.
    @Test(.enabled(if: Installed.has("go"), "go is missing"))
    func `a message in a large heap is the cause`() throws {
        try withTemporaryFolder { folder in
            try writeFile(
                folder + "/a.go",
                Array("package main\nimport \"os\"\nfunc main() { panic(\"no cart for \" + os.Args[1]) }\n".utf8))
            try TestSupport.run("sh", ["-c", "go build -o prog a.go"], directory: folder).requireSuccess()
            let result = try runs("./prog somebody", in: folder)
            #expect(result.status == 134)
            #expect(result.errors.contains("Cause:         SIGABRT SI_TKILL: panic: no cart for somebody\n"), "\(result.errors)")
        }
    }

    /// node writes the list of the code that it compiles into /tmp.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/node"), "node is missing"))
    func `frames of JavaScript have the names of the list that node writes`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.js", Array("function inner() { process.abort(); }\nfunction outer() { inner(); }\nouter();\n".utf8))
            let result = try runs("/usr/bin/node --perf-basic-prof --interpreted-frames-native-stack a.js", in: folder)
            #expect(result.status == 134)
            let process = try #require(result.errors.split(separator: "\n").first { $0.hasPrefix("Process:") })
            let number = try #require(process.split(separator: "[").last?.dropLast())
            _ = try run("rm", ["-f", "/tmp/perf-\(number).map"])
            let names = result.errors.split(separator: "\n").filter { $0.contains("JS:~") && $0.contains("/a.js:") }
            #expect(names.count == 3)
            #expect(names[0].contains("JS:~inner ") && names[1].contains("JS:~outer ") && names[2].contains("JS:~ "))
        }
    }
}
