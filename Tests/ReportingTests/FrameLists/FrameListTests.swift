import Testing

@testable import Reporting

struct FrameListTests {
    private static func list(_ name: String, _ text: String) -> FrameList {
        let bytes = Array(text.utf8)
        return FrameList(name: name, text: bytes.span)
    }

    @Test func grammar() {
        let list = Self.list(
            "own",
            """
            # a comment

              sentinel core::panicking::*
            irrelevant libc.so*!abort
            nonsense f
            prefix
            library *
            prefix *assert*
            """)
        #expect(
            list.problems.map(\.description) == [
                "line 5: “nonsense” is not a kind; expected one of sentinel, irrelevant, prefix, library",
                "line 6: no pattern follows “prefix”",
                "line 7: the pattern matches every function",
            ])
        let lists = FrameLists([list])
        #expect(lists.roles(function: "core::panicking::panic_fmt", module: "ledger").isSentinel)
        #expect(!lists.roles(function: "core::panic", module: "ledger").isSentinel)
        #expect(lists.roles(function: "abort", module: "libc.so.6").isIrrelevant)
        #expect(!lists.roles(function: "abort", module: "foundry").isIrrelevant)
        #expect(lists.roles(function: "my_assert_that", module: "").isPrefix)
    }

    @Test(arguments: [
        ("f", "f", true), ("f", "ff", false), ("f*", "f", true), ("*f", "of", true), ("a*b*c", "abc", true), ("a*b*c", "a1b2c", true),
        ("a*b*c", "acb", false),
        ("*a*", "bab", true), ("ab*ba", "aba", false), ("**x", "x", true), ("a*a", "a", false), ("-[NS* init]", "-[NSArray init]", true),
    ])
    func patterns(_ pattern: String, _ name: String, _ matches: Bool) {
        #expect(FramePattern(Array(pattern.utf8)[...]).matches(function: Array(name.utf8), module: []) == matches)
    }

    /// A frame without a name is met by its image alone.
    @Test func unnamed() {
        #expect(FramePattern(Array("libasan.so*!*".utf8)[...]).matches(function: [], module: Array("libasan.so.8".utf8)))
        #expect(!FramePattern(Array("*a*".utf8)[...]).matches(function: [], module: Array("libasan.so.8".utf8)))
    }

    @Test func ownListsTakePlaces() {
        let own = FrameLists.standard.adding([Self.list("rust", "irrelevant only::this")])
        #expect(!own.roles(function: "rust_begin_unwind", module: "").isSentinel)
        #expect(own.roles(function: "only::this", module: "").isIrrelevant)
        #expect(own.roles(function: "abort", module: "").isIrrelevant, "the other lists stay")
        #expect(own.lists.count == FrameLists.standard.lists.count)
    }

    @Test func standardListsAreRead() {
        for list in FrameLists.standard.lists {
            #expect(list.problems.isEmpty, "\(list.name)")
            #expect(!list.entries.isEmpty, "\(list.name)")
        }
    }

    @Test func `lines are for the languages and formats that are named above them`() {
        let list = Self.list(
            "own",
            """
            language rust go
            library core::*
            language any
            library everywhere
            format kernel-* bsd-panic
            irrelevant panic
            language klingon
            """)
        #expect(
            list.problems.map(\.description) == [
                "line 7: not a language; expected any, or of cPlusPlus, rust, swift, objectiveC, d, go, java, javaScript, python, other"
            ])
        let lists = FrameLists([list])
        #expect(lists.roles(function: "core::slice", module: "", language: .rust).isLibrary)
        #expect(!lists.roles(function: "core::slice", module: "", language: .cPlusPlus).isLibrary)
        #expect(lists.roles(function: "everywhere", module: "", language: .java).isLibrary)
        #expect(lists.roles(function: "panic", module: "", format: "kernel-oops").isIrrelevant)
        #expect(!lists.roles(function: "panic", module: "", format: "gdb-bt").isIrrelevant)
    }

    /// One word is a library's in one language, and a program's own in another.
    @Test(
        arguments: [
            ("core::Buffer::append(char const*)", "buffer.cpp", "gdb-bt", false), ("alloc::Arena::grow", "arena.cpp", "gdb-bt", false),
            ("core::slice::sort::merge", "library/core/src/slice/sort.rs", "gdb-bt", true),
            ("core::slice::index::index", nil, "gdb-bt", true),
            ("core::Buffer::append", nil, "gdb-bt", false), ("_ZN4core6Buffer6appendEPKc", nil, "glibc-backtrace", false),
            ("std::vector<int>::at(unsigned long)", nil, "gdb-bt", true),
            // Go's packages, Java's and Python's files.
            ("io.ReadAll", "/usr/local/go/src/io/io.go", "go-panic", true),
            ("io.netty.util.Recycler.get", "Recycler.java", "java-trace", false),
            ("net.minecraft.client.Minecraft.run", "Minecraft.java", "java-trace", false),
            ("check", "/app/errors.py", "python-trace", false),
            ("run", "/app/PySweeper.py", "python-trace", false), ("java.util.HashMap.get", "HashMap.java", "java-trace", true),
            ("load", "/app/java.py", "python-trace", false), ("Task.run", "/app/task.js", "node-native", false),
            ("clone", "/app/deep.js", "node-native", false), ("Array.forEach", "node:internal", "node-native", false),
            ("Array.subscript.getter", nil, "swift-backtrace", true),
            // Apple's C functions, and a class that begins with the same letters.
            ("CFRelease", nil, "apple-crash", true), ("CFrame::paint()", "frame.cpp", "windows-cdb", false),
            // The C library's functions, and functions that begin like them.
            ("memcpy", nil, "gdb-bt", true), ("__memmove_avx_unaligned_erms", nil, "gdb-bt", true), ("strtol", nil, "gdb-bt", true),
            ("mempool_get", "pool.c", "gdb-bt", false), ("stream_open", "stream.c", "gdb-bt", false),
            ("string_join", "join.c", "gdb-bt", false),
            ("log_printf", "log.c", "gdb-bt", false), ("qsort_rows", "rows.c", "gdb-bt", false),
            // The kernel's functions, in its logs.
            ("worker_thread", "pool.c", "gdb-bt", false), ("worker_thread", nil, "kernel-oops", true),
            ("kmalloc_trace", nil, "kernel-oops", true),
        ] as [(String, String?, String, Bool)])
    func `whose a function is follows from its language, not from a word`(name: String, file: String?, format: String, isTheirs: Bool) {
        let roles = FrameLists.standard.roles(of: NormalizedName(name, file: file, format: format), module: "", format: format)
        #expect((roles.isLibrary || roles.isMachinery) == isTheirs)
    }
}
