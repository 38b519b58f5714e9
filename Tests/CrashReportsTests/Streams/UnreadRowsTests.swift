import CrashLogModel
import Testing

@testable import CrashReports

/// Rows inside a trace that its format does not understand are counted, and the first is quoted.
struct UnreadRowsTests {
    private static func notes(rows: [String]) -> [String] {
        let log = """
            Process:         Demo [4242]
            Identifier:      com.example.demo
            Version:         1.0 (1)
            OS Version:      macOS 14.1 (23B74)
            Report Version:  12

            Exception Type:  EXC_CRASH (SIGABRT)
            Crashed Thread:  0

            Thread 0 Crashed:
            \(rows.joined(separator: "\n"))

            Binary Images:
            0x104a38000 - 0x104a3bfff Demo (1.0) <5C1B02F0F36B3D6C8B3BC5C4A9B7A0F1> /Applications/Demo

            """
        return CrashLog.parse(Array(log.utf8).span).reports.flatMap(\.notes)
    }

    private static let rows = [
        "0   Demo                                   0x0000000104a383d4 boom + 12",
        "1   Demo                                   0x0000000104a383f8 0x104a38000 + 1016",
        "2   Demo                                   0x0000000104a38400 main + 16",
    ]

    @Test func `a stack that is read whole has no note`() {
        #expect(Self.notes(rows: Self.rows) == [])
    }

    @Test func `one row`() {
        let rows = [Self.rows[0], "1   Demo  <0x104a383f8> ~~ 1016", Self.rows[2]]
        #expect(Self.notes(rows: rows) == ["A row could not be parsed: 1   Demo  <0x104a383f8> ~~ 1016"])
    }

    @Test func `several rows, the first of which is quoted`() {
        let rows = [Self.rows[0], "1   Demo  <0x104a383f8> ~~ 1016", "2   Demo  <0x104a383fc> ~~ 1020", Self.rows[2]]
        #expect(Self.notes(rows: rows) == ["2 rows could not be parsed, the first: 1   Demo  <0x104a383f8> ~~ 1016"])
    }

    @Test func `a line without a row's number or address is no row`() {
        #expect(Self.notes(rows: [Self.rows[0], "<snip>", "1 Demo", Self.rows[2]]) == [])
    }
}
