#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A folder of symbols as no build leaves it: everything that a file system can hold, and
    /// somewhere in it the file that is meant.
    struct OddTreeTests {
        static let log = "logs/apple-ips/CrashExample-exception/exception.ips"
        static let symbols = "binaries/CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample"

        /// Makes it in the working folder; `$1` is the file that is meant, called like its image.
        static let script = #"""
            odd=$(printf 'line\nfeed \033[31mred') && mkdir deep wide "$odd" && cp "$1" "$odd/CrashExample"
            ln -s . loop && ln -s b a && ln -s a b && ln -s /nowhere dangling.so && ln -s ../wide wide/up && ln -s "$PWD" deep/all
            mkfifo CrashExample pipe.debug pipe.apk pipe.crash "$(printf 'pipe\033]0;title\007.so')"
            ln -s /dev/zero zero.so && ln -s /dev/zero zero.apk && ln -s /dev/full full.debug && ln -s /dev/tty tty.so
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.so")'
            python3 -c '
            import os
            magics = [b"\177ELF\2\1\1", b"\317\372\355\376\14\0\0\1", b"\312\376\272\276\0\0\0\2", b"PK\3\4", b"\37\213\10\0", b"MYSG\0\1", b"BCSymbolMap Version: 2.0\n", b"cairnidx"]
            sparse = {"sparse-%d%s" % (number, suffix): magic for number, magic in enumerate(magics, 1) for suffix in (".so", ".apk")}
            for name, beginning in (sparse | {"sparse.so": b"", "sparse.tar": b"", "sparse.debug": b""}).items():
                open(name, "wb").write(beginning)
                os.truncate(name, 1 << 40)
            os.chdir("deep")
            for number in range(300):
                os.mkdir("folder-%d-with-a-name" % number); os.chdir("folder-%d-with-a-name" % number)
            open("end.so", "w")
            os.chdir(os.environ["TOP"] + "/wide")
            for number in range(20000): open("file-%d" % number, "w")'
            """#

        /// Deep folders have paths that no call takes whole: they are removed from inside.
        private func withTree(_ body: (_ tree: String) throws -> Void) throws {
            try withTemporaryFolder { folder in
                let tree = folder + "/tree"
                try makeFolders(tree)
                try run(
                    "sh", ["-e", "-c", Self.script, "sh", TestPaths.fixture(Self.symbols)], environment: ["TOP": tree], directory: tree
                ).requireSuccess()
                try body(tree)
            }
        }

        /// Runs cairn for a minute at most; 124 is `timeout`'s word for longer.
        private func timed(_ arguments: [String], _ directory: String = TestPaths.fixture("")) throws -> RunResult {
            let clean: [String: String?] = [
                "CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent", "CAIRN_CACHE": "/dev/null/cache",
            ]
            let limited = "ulimit -v 8000000000; exec timeout 60 \"$@\""
            return try run("sh", ["-c", limited, "sh", TestPaths.cairn] + arguments, environment: clean, directory: directory)
        }

        private func isOrderly(_ result: RunResult) -> Bool {
            [0, 1, 3].contains(result.status)
                && result.errors.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy {
                    $0.isEmpty || $0.hasPrefix("cairn: ")
                }
        }

        @Test func `symbolicate, explain and symbols list find the file that is meant, and wait for nothing`() throws {
            try withTree { tree in
                let expected = try timed([Self.log, "--symbols", Self.symbols])
                let result = try timed([Self.log, "--symbols", tree])
                #expect(isOrderly(result), "\(result.status) \(result.errors)")
                #expect(result.output == expected.output)
                let explained = try timed(["explain", Self.log, "--symbols", tree])
                #expect(isOrderly(explained), "\(explained.status) \(explained.errors)")
                #expect(explained.output.contains("CrashExample"))
                let list = try timed(["symbols", "list", tree])
                #expect(isOrderly(list), "\(list.status) \(list.errors)")
                #expect(list.lines.contains { $0.contains("x86_64") })
            }
        }

        @Test(arguments: ["inspect", "index", "symbolicate --symbols"])
        func `each thing in it by itself is an answer or one line`(command: String) throws {
            try withTree { tree in
                for name in try FileManager.default.contentsOfDirectory(atPath: tree).sorted() {
                    let path = tree + "/" + name
                    let tokens = command.split(separator: " ").map(String.init)
                    let arguments = tokens.count > 1 ? [Self.log, tokens[1], path] : tokens + [path]
                    let result = try timed(arguments)
                    #expect(isOrderly(result), "\(name): \(result.status) \(result.errors)")
                    if tokens.count == 1, PathKind.isNoFile(path) { #expect(result.status == 1 && !result.errors.isEmpty, "\(name)") }
                }
            }
        }

        /// Pipes, devices and sockets are not logs of a folder, and none is waited for; a
        /// terabyte that was never written is reported.
        @Test func `a batch over such a folder ends`() throws {
            try withTree { tree in
                try run("cp", [TestPaths.fixture(Self.log), tree + "/wide/crash.ips"]).requireSuccess()
                let result = try timed(["batch", tree, "--store", tree + "/../store", "--symbols", tree])
                // On a slow machine there is progress among the errors.
                #expect([0, 1].contains(result.status), "\(result.status) \(result.errors)")
                #expect(result.lines.first?.contains(" files: 1 new crash log, ") == true, "\(result.output)")
                #expect(result.errors.contains("/sparse.so: more than a gigabyte of it was never written"), "\(result.errors)")
            }
        }

        /// A file that is read as a whole is refused if it has no end, or if it is a sparse file
        /// that no memory could hold.
        @Test(arguments: ["/dev/zero", "sparse"])
        func `what no memory holds is refused`(name: String) throws {
            try withTemporaryFolder { folder in
                try writeFile(folder + "/sparse", [])
                try cutFile(folder + "/sparse", to: 1 << 40)
                let path = name.hasPrefix("/") ? name : folder + "/" + name
                if name == "sparse" {
                    let problem =
                        "more than a gigabyte of it was never written (a hole). To read what follows: tail --bytes=+N"
                    for command in [["symbolicate"], ["explain"], ["anonymize"], ["formats"]] {
                        let result = try timed(command + [path])
                        #expect(
                            result.status == 1 && result.errors == "cairn: error: \(path): \(problem)\n",
                            "\(result.status) \(result.errors)")
                    }
                }
                for arguments in (name == "sparse" ? [] : [["formats", path]]) + [
                    ["atos", "-o", Self.symbols, "-arch", "x86_64", "-f", path]
                ] {
                    let result = try timed(arguments)
                    #expect(
                        result.status == 1 && result.errors == "cairn: error: \(path): file too large\n",
                        "\(result.status) \(result.errors)")
                }
            }
        }

        /// A pipe is a log as good as any.
        @Test func `a log that is a pipe is read from it`() throws {
            try withTemporaryFolder { folder in
                let script = "mkfifo \"$2/pipe\" && { cat \"$3\" > \"$2/pipe\" & exec \"$1\" \"$2/pipe\" --symbols \"$4\"; }"
                let piped = try run(
                    "sh", ["-c", script, "sh", TestPaths.cairn, folder, Self.log, Self.symbols], directory: TestPaths.fixture(""))
                #expect(piped.output == (try cairn(Self.log, "--symbols", Self.symbols).output))
            }
        }

        /// The mode bits do not stop the superuser: the user nobody runs it instead.
        @Test func `what may not be read is passed over, and told where it is looked for`() throws {
            try withTemporaryFolder { folder in
                guard let become = try unprivilegedCommand() else {
                    return print("the built binary lies where only the superuser may go: files that may not be read are not tried")
                }
                let script = """
                    chmod 755 "$1" && mkdir "$1/tree" "$1/tree/open" "$1/tree/closed" && cp "$2" "$1/tree/closed/CrashExample" && cp "$2" "$1/tree/CrashExample" \\
                    && chmod 000 "$1/tree/closed" "$1/tree/CrashExample" && cp "$2" "$1/tree/open/CrashExample" && cp "$3" "$1/log"
                    """
                try #require(
                    try run("sh", ["-c", script, "sh", folder, TestPaths.fixture(Self.symbols), TestPaths.fixture(Self.log)]).status == 0)
                func cairn(_ arguments: String...) throws -> RunResult {
                    try run(
                        become[0], become.dropFirst() + [TestPaths.cairn] + arguments,
                        environment: [
                            "XDG_CONFIG_HOME": "/nonexistent", "CAIRN_CACHE": "/dev/null/cache", "CAIRN_SYMBOLS": nil as String?,
                        ])
                }
                let answered = try cairn(folder + "/log", "--symbols", folder + "/tree")
                #expect(answered.status == 0 && answered.output.contains("CrashExampleAppDelegate.m"))
                for command in ["inspect", "index"] {
                    let closed = try cairn(command, folder + "/tree/CrashExample")
                    #expect(
                        closed.status == 1 && closed.errors == "cairn: error: \(folder)/tree/CrashExample: permission denied\n",
                        "\(closed.errors)"
                    )
                }
                try run("chmod", ["-R", "u+rwX", folder]).requireSuccess()
            }
        }
    }

    /// Kind of the file that a name leads to.
    private enum PathKind {
        /// Neither a file nor a folder, or nothing.
        static func isNoFile(_ path: String) -> Bool {
            var information = stat()
            guard unsafe stat(path, &information) == 0 else { return true }
            return information.st_mode & S_IFMT != S_IFREG && information.st_mode & S_IFMT != S_IFDIR
        }
    }
#endif
