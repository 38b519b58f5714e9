import BinaryPrimitives
import SymbolFiles
import Testing

struct DebuginfodRequestTests {
    private let id = ImageID(bytes: [0xab, 0xcd, 0xef, 0x01])

    @Test func `a question is a line`() throws {
        let question = DebuginfodRequest(.debuginfo, try #require(id))
        #expect(question.line == "debuginfo abcdef01")
        #expect(DebuginfodRequest(line: "debuginfo ABCDEF01") == question)
        for wrong in [
            "", "debuginfo", "source abcdef01", "debuginfo xyz", "debuginfo abcdef01 more", "debuginfo ../../etc", "debuginfo 00",
        ] {
            #expect(DebuginfodRequest(line: wrong) == nil, "\(wrong)")
        }
    }

    /// debuginfod(8): `/buildid/BUILDID/debuginfo`, `/buildid/BUILDID/executable`.
    @Test func `where a server has it`() throws {
        let id = try #require(id)
        #expect(DebuginfodRequest(.debuginfo, id).url(at: "https://example.org") == "https://example.org/buildid/abcdef01/debuginfo")
        #expect(
            DebuginfodRequest(.executable, id).url(at: "https://example.org/sub//")
                == "https://example.org/sub/buildid/abcdef01/executable")
    }

    @Test func `an answer is a line, whatever the server's words are`() throws {
        let question = DebuginfodRequest(.executable, try #require(id))
        let outcomes: [DebuginfodResult.Outcome] = [
            .found(path: "/home/a user/cache/abcdef01/executable", source: "http://127.0.0.1:8002"), .missing("nobody has it"),
            .failed("HTTP 500"),
        ]
        for outcome in outcomes {
            let result = DebuginfodResult(question, outcome)
            #expect(DebuginfodResult(line: result.line) == result)
        }
        let odd = DebuginfodResult(question, .failed("two\nlines\u{1B}[0m"))
        #expect(odd.line == "abcdef01 executable failed two lines [0m")
        for wrong in [
            "", "abcdef01 executable", "abcdef01 executable found", "abcdef01 executable found http://x", "abcdef01 x missing y",
            "zz executable missing y",
        ] {
            #expect(DebuginfodResult(line: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `servers are URLs`() {
        #expect(
            DebuginfodServerList.servers(in: " https://a.example http://b.example/x  ima:enforcing file:///srv\n")
                == ["https://a.example", "http://b.example/x", "file:///srv"])
        #expect(!DebuginfodServerList.isURL("crash.log"))
        #expect(!DebuginfodServerList.isURL("http://"))
        #expect(!DebuginfodServerList.isURL("http://a b"))
    }
}
