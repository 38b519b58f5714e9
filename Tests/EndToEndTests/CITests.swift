import TestSupport
import Testing

/// `cairn ci -- COMMAND`: the command runs as it would without it.
struct CITests {
    private func shell(_ script: String, _ arguments: String...) throws -> RunResult {
        try run("sh", ["-c", script, "sh", TestPaths.cairn] + arguments, environment: ["SWIFT_BACKTRACE": nil as String?])
    }

    @Test(arguments: ["exit 0", "exit 7", "exit 255", "kill -TERM $$", "kill -KILL $$", "kill -SEGV $$", "kill -INT $$", "exec false"])
    func `the command's end is this one's`(command: String) throws {
        let alone = try shell("sh -c \"$2\"; echo $?", command)
        #expect(try shell("\"$1\" ci -- sh -c \"$2\"; echo $?", command).output == alone.output)
    }

    @Test func `what cannot be run has the shell's status`() throws {
        let missing = try shell("\"$1\" ci -- no-such-command; echo $?")
        #expect(missing.output == "127\n")
        #expect(missing.errors.contains("no-such-command: no such file or directory"))
        #expect(try shell("\"$1\" ci -- /etc/passwd; echo $?").output == "126\n")
        let none = try shell("\"$1\" ci; echo $?")
        #expect(none.output == "64\n" && none.errors.contains("cairn ci -- COMMAND"))
    }

    /// Bytes of every kind, on both streams, with and without a last line's end.
    @Test func `output comes through unchanged, each stream by itself`() throws {
        let command = "printf 'a\\0b\\377\\n::error::x\\r\\n\\033[1mbold'; printf 'err\\n{\\n' >&2"
        let alone = try shell("sh -c \"$2\" | od -c", command)
        #expect(try shell("\"$1\" ci -- sh -c \"$2\" | od -c", command).output == alone.output)
        let both = try shell("\"$1\" ci -- sh -c \"$2\" > /dev/null", command)
        #expect(both.errors == "err\n{\n")
    }

    /// One pipe for both: what a program writes to them in turn stays in turn.
    @Test func `the order of two streams that are one holds`() throws {
        let command = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done"
        let alone = try shell("sh -c \"$2\" 2>&1", command)
        #expect(try shell("\"$1\" ci -- sh -c \"$2\" 2>&1", command).output == alone.output)
    }

    @Test(arguments: ["TERM", "INT", "HUP", "USR1", "QUIT"]) func `signals are passed on`(signal: String) throws {
        let command = "trap 'echo got \(signal); exit 3' \(signal); echo ready; while :; do sleep 0.1; done"
        // A shell's background commands ignore some of them from the start; Python's do not.
        let script = """
            import os, signal, subprocess, sys
            command = subprocess.Popen([sys.argv[1], "ci", "--", "sh", "-c", sys.argv[2]], stdout=subprocess.PIPE, text=True)
            line = command.stdout.readline()
            os.kill(command.pid, signal.SIG\(signal))
            print(line + command.stdout.read() + str(command.wait()))
            """
        #expect(try run("python3", ["-c", script, TestPaths.cairn, command]).output == "ready\ngot \(signal)\n3\n")
    }

    /// A process that the command left running holds the pipe open; cairn does not wait for it.
    @Test func `the end is not waited for where a process was left behind`() throws {
        let result = try shell("time timeout 20 \"$1\" ci -- sh -c 'sleep 30 & echo done'; echo $?")
        #expect(result.output == "done\n0\n")
    }

    @Test func `standard input is the command's`() throws {
        let result = try run(TestPaths.cairn, ["ci", "--", "cat"], input: Array("line\nrest".utf8))
        #expect(result.output == "line\nrest")
    }

    /// A terminal of Python's making, 97 columns wide. What is typed reaches the command; Control-C
    /// is a signal to it; the modes are given back.
    @Test func `on a terminal the command has one`() throws {
        try withTemporaryFolder { folder in
            try writeFile(
                folder + "/drive.py",
                Array(
                    """
                    import fcntl, os, pty, struct, sys, termios
                    begin, set_up = os.pipe()
                    process, master = pty.fork()
                    if process == 0:
                        os.close(set_up)
                        os.read(begin, 1)
                        os.execv(sys.argv[1], [sys.argv[1], "ci", "--"] + sys.argv[2:])
                    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))
                    before = termios.tcgetattr(master)
                    os.close(set_up)
                    seen = b""
                    sent = [(b"name? ", b"anna\\n"), (b"sleeping", b"\\x03")]
                    try:
                        while True:
                            part = os.read(master, 4096)
                            if not part: break
                            seen += part
                            if sent and sent[0][0] in seen: os.write(master, sent.pop(0)[1])
                    except OSError: pass
                    status = os.waitpid(process, 0)[1]
                    sys.stdout.write(seen.decode() + "status %d\\n" % status)
                    """.utf8))
            let command = """
                stty size; test -t 0 && test -t 1 && test -t 2 && echo terminals; printf 'name? '; read -r name; echo "hello $name"
                trap 'echo interrupted; exit 5' INT; echo sleeping; while :; do sleep 0.1; done
                """
            let result = try run("python3", [folder + "/drive.py", TestPaths.cairn, "sh", "-c", command])
            let lines = result.output.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines == ["31 97", "terminals", "name? anna", "hello anna", "sleeping", "^Cinterrupted", "status \(5 << 8)", ""])
        }
    }

    /// The folder's own program, whose C says nothing when it crashes or hangs.
    private static let source = """
        #include <pthread.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static int __attribute__((noinline)) take(volatile int *place) { return *place + 1; }
        static void __attribute__((noinline)) wait_for_it(void) {
            pthread_mutex_lock(&lock);
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        static void __attribute__((noinline)) give_up(void) { void abort(void); abort(); }
        static void __attribute__((noinline)) stop(void) { __builtin_trap(); }
        int main(int count, char **arguments) {
            if (count > 1 && arguments[1][0] == 'w') wait_for_it();
            if (count > 1 && arguments[1][0] == 'a') give_up();
            if (count > 1 && arguments[1][0] == 's') stop();
            return take((volatile int *)8);
        }

        """

    private func withProgram(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/program.c", Array(Self.source.utf8))
            try makeFolders(folder + "/.git")
            // A build ID, and the debug information in a file of its own.
            let script = """
                cd "$1" && clang -g -O1 -Wl,--build-id program.c -o program && objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug program
                """
            try Toolchain.shell(script, ["sh", folder]).requireSuccess()
            try body(folder)
        }
    }

    /// Whatever the limit of core files is, and wherever the system would put them.
    @Test(arguments: ["0", "unlimited"]) func `a crash is seen, its stack shown and annotated, and no core file is left`(limit: String)
        throws
    {
        try withProgram { folder in
            let script = "cd \"$2\" && ulimit -S -c $3 && \"$1\" ci --annotations github -- ./program; echo $?"
            let result = try shell(script, folder, limit)
            #expect(result.lines.first?.hasPrefix("::error file=program.c,line=3,endLine=3,") == true, "\(result.output + result.errors)")
            #expect(result.lines.first?.contains("title=SIGSEGV in take::") == true)
            #expect(result.lines.dropFirst() == ["139"])
            #expect(
                result.errors.contains(" (\(folder)/program):\n") && result.errors.contains("Cause:         SIGSEGV SEGV_MAPERR at 0x8\n"))
            #expect(result.errors.contains("take + ") && result.errors.contains("(\(folder)/program.c:3)\n"), "\(result.errors)")
            #expect(result.errors.contains("cairn: note: ci: 1 failure: program.c:3: SIGSEGV in take\n"), "\(result.errors)")
            if limit == "0" { #expect(!TestPaths.files(under: folder).contains { $0.hasPrefix(folder + "/core") }) }
        }
    }

    /// As ctest does: each test is a process of its own, in a folder of its own.
    @Test func `each process of a run has its own stack, wherever it runs`() throws {
        try withProgram { folder in
            let script = """
                cd "$2" && mkdir -p build/one build/two && \"$1\" ci --annotations github -- sh -c '
                (cd build/one && ../../program); (cd build/two && ../../program abort); (cd / && "$0" stop); exit 8' "$2/program"; echo $?
                """
            let result = try shell(script, folder)
            let lines = result.lines.filter { $0.hasPrefix("::error ") }
            #expect(result.lines.last == "8" && lines.count == 3, "\(result.output + result.errors)")
            for line in [3, 9, 10] { #expect(lines.contains { $0.contains("file=program.c,line=\(line),") }, "\(lines)") }
            #expect(!TestPaths.files(under: folder).contains { $0.contains("core") })
        }
    }

    /// Without it, core files are what is left: the working directory is the folder, so that a relative pattern leads there.
    @Test func `a core file that was left is read where processes are not watched`() throws {
        guard try run("cat", ["/proc/sys/kernel/core_pattern"]).output.hasPrefix("core") else { return }
        try withProgram { folder in
            let script = "cd \"$2\" && ulimit $3 && \"$1\" ci --no-debugger --annotations github -- ./program; echo $?; rm -f core*"
            let left = try shell(script, folder, "-c unlimited")
            #expect(left.lines.first?.hasPrefix("::error file=program.c,line=3,endLine=3,") == true, "\(left.output + left.errors)")
            #expect(left.errors.contains("cairn: ci: the core file \(folder)/core"), "\(left.errors)")
            let none = try shell(script, folder, "-S -c 0")
            #expect(none.lines.dropFirst() == ["139"] && none.output.contains("its core file would be read"), "\(none.output)")
            #expect(none.errors.contains("cairn: note: ci: 1 failure: SIGSEGV\n"), "\(none.errors)")
        }
    }

    /// The service takes `::error` for a command at the beginning of a line alone: pytest's dots are a line's beginning when a test ends its process.
    @Test(arguments: ["printf .FFFE.F", "printf .FFFE.F >&2", "printf 'a\\n.'", "printf 'a\\r'"])
    func `an annotation begins a line wherever the command ended`(output: String) throws {
        let result = try shell(
            "{ \"$1\" ci --no-debugger --annotations github -- sh -c '\(output.replacing("'", with: "'\\''")); kill -SEGV $$'; } 2>&1")
        // A carriage return and a line feed are one character of Swift.
        let annotations = result.standardOutput.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }.filter {
            $0.contains("::error")
        }
        #expect(annotations.count == 1 && annotations[0].hasPrefix("::error "), "\(result.output)")
    }

    /// Frames as Swift 6.3's backtracer prints them of an index out of range.
    @Test func `an annotation has the runtime's message, and the function that was called`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/Cart.swift", Array("struct Cart {\n  func first() -> Int { items[4] }\n}\n".utf8))
            try makeFolders(folder + "/.git")
            let text = """
                Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range

                *** Program crashed: Illegal instruction at 0x00007fa78216df7f ***

                Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

                Thread 0 "shop" crashed:

                0      0x00007fa78216df7f closure #1 in closure #1 in _assertionFailure(_:_:file:line:flags:) + 623 in libswiftCore.so
                1 [ra] 0x00007fa7822f961f _assertionFailure(_:_:file:line:flags:) + 302 in libswiftCore.so
                2 [ra] 0x00007fa78290df65 specialized Array.subscript.getter + 84 in libswiftSwiftOnoneSupport.so
                3 [ra] 0x000055e9178fb077 Cart.first() + 102 in shop at \(folder)/Cart.swift:2:25

                """
            try writeFile(folder + "/out.txt", Array(text.utf8))
            let result = try shell("cd \"$2\" && \"$1\" ci --annotations github -- sh -c 'cat out.txt >&2; exit 1'", folder)
            let line = try #require(result.lines.first)
            #expect(line.hasPrefix("::error file=Cart.swift,line=2,endLine=2,col=25,title="), "\(result.output)\(result.errors)")
            #expect(line.contains("::Fatal error: Index out of range%0A"))
            #expect(line.contains("Called from this line; crashed in Array.subscript.getter."))
        }
    }

    @Test func `a run ends with a line on what went wrong, and a good one with none`() throws {
        #expect(try shell("\"$1\" ci -- true").errors.isEmpty)
        let log = TestPaths.fixture("logs/sanitizer-asan")
        let some = try #require(try run("sh", ["-c", "ls */*.txt */*.log 2>/dev/null | head -1"], directory: log).lines.first)
        try withTemporaryFolder { folder in
            // Elsewhere another process may leave a core file at the same time.
            let result = try shell(
                "cd \"$3\" && \"$1\" ci --no-debugger -- sh -c 'cat \"$1\" >&2; exit 1' sh \"$2\"", log + "/" + some, folder)
            let last = result.errors.split(separator: "\n").last ?? ""
            #expect(result.status == 1 && last.hasPrefix("cairn: note: ci: 1 failure: "), "\(last)")
        }
    }

    @Test func `gdb is asked where a program stands that says nothing itself`() throws {
        try withProgram { folder in
            let script = "cd \"$2\" && \"$1\" ci $3 --timeout 1 --annotations github -- ./program wait < /dev/null; echo $?"
            let result = try shell(script, folder)
            #expect(result.lines.first?.hasPrefix("::error file=program.c,line=6,endLine=6,") == true, "\(result.output + result.errors)")
            #expect(result.lines.first?.contains("title=timeout in wait_for_it::") == true)
            // As timeout(1): 124, however the program ended.
            #expect(result.lines.dropFirst() == ["124"])
            #expect(result.errors.contains(" in wait_for_it () at program.c:6\n"))
            let untold = try shell(script, folder, "--no-debugger")
            #expect(untold.lines.first?.hasPrefix("::error title=SIGQUIT::") == true)
            #expect(!untold.errors.contains("according to gdb"))
        }
    }

    @Test func `a command over its time is asked where it stands`() throws {
        let command = "trap 'echo here; exit 4' QUIT; while :; do sleep 0.1; done"
        let result = try shell("\"$1\" ci --timeout 0.5 -- sh -c \"$2\" < /dev/null; echo $?", command)
        #expect(result.output == "here\n124\n")
        #expect(result.errors.contains("longer than 0.5 seconds"))
    }

    @Test func `the environment gets what crashes need, and keeps what is set`() throws {
        let command = "echo $SWIFT_BACKTRACE; echo $ASAN_SYMBOLIZER_PATH; readlink $UBSAN_SYMBOLIZER_PATH; echo $RUST_BACKTRACE"
        let script = "export SWIFT_BACKTRACE=threads=crashed ASAN_SYMBOLIZER_PATH=/x; unset UBSAN_SYMBOLIZER_PATH RUST_BACKTRACE;"
        let result = try shell(script + "\"$1\" ci -- sh -c \"$2\"", command)
        #expect(result.lines.first?.hasPrefix("threads=crashed,enable=yes,symbolicate=off") == true)
        #expect(result.lines.dropFirst().first == "/x")
        #expect(result.lines.dropFirst(2).first?.hasSuffix("/cairn") == true)
        #expect(result.lines.last == "full")
        #expect(try shell(script + "\"$1\" ci --no-environment -- sh -c \"$2\"", command).output == "threads=crashed\n/x\n\n")
    }
}
