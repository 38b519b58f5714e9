import TestSupport
import Testing

/// `cairn run`: programs that crash here, wherever the system would put a core file, or if it writes none.
@Suite(.enabled(if: Toolchain.has("clang"), "clang is not beside swift"))
struct RunTests {
    /// The line of each crash, and the functions around it, are in the source's comments.
    private static let source = """
        #define _GNU_SOURCE
        #include <assert.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/wait.h>
        #include <unistd.h>
        #define APART __attribute__((noinline)) static
        #define STAY __asm__ volatile("" ::: "memory")
        static volatile int *volatile null, zero;
        static volatile int (*volatile null_function)(void);
        APART void write_null(void) { *null = 1; STAY; } // segv, thread, child, handler: write_null
        APART void call_null(void) { null_function(); STAY; } // call: call_null
        APART void give_up(void) { abort(); STAY; } // abort: give_up
        APART void check(int n) { assert(n == 1); STAY; } // assert: check
        APART void free_twice(void) { void *volatile m = malloc(99); free(m); free(m); STAY; } // free: free_twice
        APART int deep(int n) { volatile char room[256]; room[n & 255] = 1; return deep(n + 1) + room[n & 255]; } // overflow: deep
        APART int divide(int n) { return 7 / n; } // fpe: divide
        APART void read_beyond(void) { // bus: read_beyond
            FILE *file = tmpfile();
            char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
            zero = map[7]; STAY; // bus: read_beyond
        }
        APART void trap(void) { __builtin_trap(); } // trap: trap
        static void *in_thread(void *a) { write_null(); STAY; return a; }
        static void on_fault(int n) { signal(n, SIG_DFL); raise(n); }
        int main(int count, char **a) {
            const char *name = count > 1 ? a[1] : "";
            printf("before %s\\n", name);
            fflush(stdout);
            if (!strcmp(name, "segv")) write_null();
            if (!strcmp(name, "call")) call_null();
            if (!strcmp(name, "abort")) give_up();
            if (!strcmp(name, "assert")) check(zero);
            if (!strcmp(name, "free")) free_twice();
            if (!strcmp(name, "overflow")) zero = deep(1);
            if (!strcmp(name, "fpe")) zero = divide(zero);
            if (!strcmp(name, "bus")) read_beyond();
            if (!strcmp(name, "trap")) trap();
            if (!strcmp(name, "thread")) { pthread_t t; pthread_create(&t, NULL, in_thread, NULL); pthread_join(t, NULL); }
            if (!strcmp(name, "child")) { if (fork() == 0) { if (chdir("/")) return 8; write_null(); } int s; wait(&s); return 5; }
            if (!strcmp(name, "handler")) { signal(SIGSEGV, on_fault); write_null(); }
            if (!strcmp(name, "caught")) { signal(SIGUSR1, SIG_IGN); raise(SIGUSR1); }
            if (!strcmp(name, "input")) { int c, n = 0; while ((c = getchar()) != EOF) n += c == 'x'; return n; }
            return 3;
        }

        """

    /// For a case: the function, and the line that its comment is on.
    private static func expected(_ name: String) -> (function: String, line: Int) {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated().reversed() {
            guard let comment = line.firstRange(of: "// ")?.upperBound, let colon = line[comment...].firstIndex(of: ":"),
                line[comment..<colon].split(separator: ", ").contains(Substring(name))
            else { continue }
            return (String(line[line.index(colon, offsetBy: 2)...]), index + 1)
        }
        preconditionFailure("no line for \(name)")
    }

    private static let signals: [(name: String, status: Int32, cause: String)] = [
        ("segv", 139, "SIGSEGV"), ("call", 139, "SIGSEGV"), ("abort", 134, "SIGABRT"), ("assert", 134, "SIGABRT"), ("free", 134, "SIGABRT"),
        ("overflow", 139, "SIGSEGV"), ("fpe", 136, "SIGFPE"), ("bus", 135, "SIGBUS"), ("trap", 132, "SIGILL"), ("thread", 139, "SIGSEGV"),
        ("handler", 139, "SIGSEGV"),
    ]

    private func withProgram(_ options: [String], _ body: (_ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/fault.c", Array(Self.source.utf8))
            let made = try Toolchain.run("clang", ["-g"] + options + ["fault.c", "-o", "fault", "-lpthread"], directory: folder)
            try #require(made.status == 0, "\(made.errors)")
            try body(folder)
        }
    }

    /// - Parameter limit: `ulimit -c` of cairn and the program.
    private func runs(_ arguments: String, in folder: String, limit: String = "0", input: String = "") throws -> RunResult {
        // The shell says how cairn ended: by the signal's number, plus 128.
        try run(
            "sh", ["-c", "ulimit -c \(limit); \"$0\" run \(arguments); exit $?", TestPaths.cairn], input: Array(input.utf8),
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"], directory: folder)
    }

    @Test(arguments: [["-O0"], ["-O1"], ["-O1", "-static"]])
    func `each crash has its function, its line and the program's own status`(options: [String]) throws {
        try withProgram(options) { folder in
            for (name, status, cause) in Self.signals {
                let result = try runs("./fault \(name)", in: folder)
                let (function, line) = Self.expected(name)
                #expect(result.status == status, "\(name): \(result.errors)")
                #expect(result.output == "before \(name)\n", "\(name)")
                #expect(result.errors.contains(cause), "\(name): \(result.errors)")
                #expect(result.errors.contains("\(function)") && result.errors.contains("fault.c:\(line)"), "\(name): \(result.errors)")
            }
            #expect(TestPaths.files(under: folder).sorted() == [folder + "/fault", folder + "/fault.c"], "no core file is left")
        }
    }

    @Test func `a crash of a child is shown, and the status is the program's`() throws {
        try withProgram(["-O1"]) { folder in
            let result = try runs("./fault child", in: folder)
            let (function, line) = Self.expected("child")
            #expect(
                result.status == 5 && result.errors.contains("\(function)") && result.errors.contains("fault.c:\(line)"), "\(result.errors)"
            )
        }
    }

    @Test func `a program that does not crash is left alone`() throws {
        try withProgram(["-O1"]) { folder in
            for (arguments, input, status) in [
                ("./fault", "", 3), ("./fault caught", "", 3), ("./fault input", "xaxbx", 3), ("-- ./fault input", "x", 1),
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
}
