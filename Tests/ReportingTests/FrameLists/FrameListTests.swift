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
}
