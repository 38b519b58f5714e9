#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The cache folder in every state that it can be found in: results are what they are without
    /// one.
    struct CacheFolderTests {
        private static let program = "binaries/CXX/out/cxx-gcc-dwarf5-O2"
        private static let addresses = (0..<512).map { "0x" + String(0x1000 + $0 * 8, radix: 16) + "\n" }.joined()

        private func index(_ cache: String) throws -> RunResult { try cairn(["index", Self.program], environment: ["CAIRN_CACHE": cache]) }

        private func lookUp(_ cache: String) throws -> String {
            let result = try cairn(
                ["llvm-symbolizer", "--obj=" + Self.program], input: Self.addresses, environment: ["CAIRN_CACHE": cache])
            #expect(result.status == 0 && result.errors.isEmpty)
            return result.output
        }

        private func expected() throws -> String {
            let output = try lookUp("/dev/null/cache")
            #expect(output.contains("main\n"))
            return output
        }

        private func names(_ folder: String) -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

        private func withCache(_ body: (_ cache: String, _ index: String) throws -> Void) throws {
            try withTemporaryFolder { folder in
                let cache = folder + "/cache"
                try index(cache).requireSuccess()
                try body(cache, cache + "/indexes/" + (try #require(names(cache + "/indexes").first)))
            }
        }

        /// Ended by force in front of each call that changes a file, one run after the other; each
        /// finds what the last one left. `strace(1)` does it: `inject=SET:signal=KILL:when=N`.
        @Test func `one that dies while it writes leaves nothing that stays`() throws {
            let calls = "/^(p?write(64)?|ftruncate|fallocate|rename.*|link.*|mkdir.*|flock|f(data)?sync)$"
            func index(_ cache: String, endedAt call: Int) throws -> RunResult {
                let inject = [
                    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=\(calls):signal=KILL:when=\(call)",
                ]
                return try run(
                    inject[0], inject.dropFirst() + [TestPaths.cairn, "index", TestPaths.fixture(Self.program)],
                    environment: ["CAIRN_CACHE": cache])
            }
            guard Installed.has("strace"), try run("strace", ["-qq", "-o", "/dev/null", "true"]).status == 0 else {
                return print("strace is not installed or may not trace: a process that is ended while it writes is not tried")
            }
            try withCache { cache, whole in
                let other = cache + "-3"
                // 128 + 9: ended by SIGKILL.
                var call = 1
                while try index(other, endedAt: call).status == 128 + SIGKILL, call < 200 {
                    // At most what this one has left.
                    #expect(names(other + "/indexes").filter { $0.hasPrefix(".") }.count <= 1)
                    call += 1
                }
                #expect(call > 3, "it was ended \(call - 1) times")
                #expect(try lookUp(other) == expected())
                #expect(names(other + "/indexes") == names(cache + "/indexes"))
                #expect(try readFile(other + "/indexes/" + names(other + "/indexes")[0]) == readFile(whole))
            }
        }

        @Test func `on a full disk none is made, and nothing stays`() throws {
            guard try run("unshare", ["-rm", "true"]).status == 0 else {
                return print("no file system of its own can be mounted here: a full disk is not tried")
            }
            try withTemporaryFolder { folder in
                let script = """
                    mount -t tmpfs -o size=4k none "$2" && CAIRN_CACHE="$2" "$1" index "$3"; echo "$?"; find "$2" -type f | wc -l; printf 0x1190 | CAIRN_CACHE="$2" "$1" llvm-symbolizer --obj="$3"
                    """
                let result = try run(
                    "unshare", ["-rm", "sh", "-c", script, "sh", TestPaths.cairn, folder, TestPaths.fixture(Self.program)])
                let answer = try cairn(
                    ["llvm-symbolizer", "--obj=" + Self.program], input: "0x1190", environment: ["CAIRN_CACHE": "/dev/null/cache"]
                ).lines
                #expect(result.lines == ["1", "0"] + answer)
                #expect(result.errors.hasPrefix("cairn: ") && result.errors.hasSuffix("no space left on device\n"), "\(result.errors)")
                #expect(result.errors.split(separator: "\n").count == 1)
            }
        }

        /// Cached indexes are used; nothing can be added, and the time of their last use does not
        /// change.
        @Test func `a cache that may only be read is read`() throws {
            try withCache { cache, whole in
                let expected = try expected()
                guard let become = try unprivilegedCommand() else {
                    return print("the built binary lies where only the superuser may go: a cache of another user is not tried")
                }
                let before = try run("sh", ["-c", "chmod -R a+rX,a-w \"$(dirname \"$1\")\" && stat -c %Y \"$2\"", "sh", cache, whole]).lines
                func other(_ arguments: String...) throws -> RunResult {
                    try run(
                        become[0], become.dropFirst() + [TestPaths.cairn] + arguments, input: Array(Self.addresses.utf8),
                        environment: ["CAIRN_CACHE": cache], directory: TestPaths.fixture(""))
                }
                let used = try other("llvm-symbolizer", "--obj=" + Self.program)
                #expect(used.status == 0 && used.output == expected && used.errors.isEmpty)
                #expect(try run("stat", ["-c", "%Y", whole]).lines == before)
                let refused = try other("index", "binaries/CXX/out/cxx-clang-dwarf5-O2")
                #expect(
                    refused.status == 1 && refused.errors.hasSuffix("permission denied\n")
                        && refused.errors.split(separator: "\n").count == 1)
                // Nor may its contents be seen.
                try run("chmod", ["000", cache + "/indexes"]).requireSuccess()
                let closed = try other("llvm-symbolizer", "--obj=" + Self.program)
                #expect(closed.status == 0 && closed.output == expected && closed.errors.isEmpty)
                try run("chmod", ["-R", "u+rwX", (cache as NSString).deletingLastPathComponent]).requireSuccess()
            }
        }

        @Test func `a cache that is a link is what it leads to`() throws {
            try withCache { cache, _ in
                for target in [cache, "/dev/null/elsewhere"] {
                    let link = cache + "-link"
                    try run("ln", ["-sfn", target, link]).requireSuccess()
                    #expect(try lookUp(link) == expected())
                    let made = try index(link)
                    #expect(made.status == (target == cache ? 0 : 1), "\(made.errors)")
                    #expect(made.errors.split(separator: "\n").count == (target == cache ? 0 : 1))
                }
                #expect(names(cache + "/indexes").count == 1)
            }
        }

        /// Commands that put something else in an index's place, and whether the next `cairn index`
        /// replaces it.
        static let occupants = [
            ("ln -s \"$2\" \"$1\"", true), ("ln -s /dev/zero \"$1\"", true), ("ln -s /nowhere \"$1\"", true), ("ln -s \"$1\" \"$1\"", true),
            ("mkfifo \"$1\"", true), ("mkdir \"$1\"", false), ("truncate -s 1T \"$1\"", true), (": > \"$1\"", true),
        ]

        @Test(arguments: occupants)
        func `what stands in an index's place is not waited for, followed or believed`(command: String, isReplaced: Bool) throws {
            try withCache { cache, whole in
                let bytes = try readFile(whole)
                let bystander = cache + "/../bystander"
                try writeFile(bystander, Array("not an index".utf8))
                try run("sh", ["-c", "rm \"$1\" && \(command)", "sh", whole, bystander]).requireSuccess()
                #expect(try lookUp(cache) == expected())
                let made = try index(cache)
                #expect(made.status == (isReplaced ? 0 : 1), "\(made.errors)")
                #expect(try readFile(bystander) == Array("not an index".utf8))
                if isReplaced { #expect(try readFile(whole) == bytes) }
                #expect(names(cache + "/indexes").count == 1)
            }
        }
    }
#endif
