import TestSupport
import Testing

/// Logs that are not files of UTF-8: live streams, interleaved writers, UTF-16. The founding
/// example's log, whose results other tests know.
struct StreamTests {
    private static let symbols = TestPaths.fixture("binaries/CrashExample/out/CrashExample")

    /// The writer sends its second part only when the reader has seen the first, and the trace only
    /// when it has seen the second: a program that waits for more than it needs would wait for
    /// ever.
    @Test func `a live log passes as it is written, and a trace when it has ended`() throws {
        let script = """
            folder=$(mktemp -d) && mkfifo "$folder/seen" || exit 9
            { echo first; read -r _; echo 'Stack: ('; echo '    6805,'; echo ')'; read -r _; echo last; } < "$folder/seen" \\
                | timeout 60 "$1" symbolicate --quiet --symbols "$2" - \\
                | { exec 3> "$folder/seen"; read -r line; echo "$line"; echo go >&3
                    read -r _; read -r line; read -r end; echo "$line $end"; echo go >&3; cat; }
            rm -r "$folder"
            """
        let result = try run("sh", ["-c", script, "sh", TestPaths.cairn, Self.symbols])
        #expect(
            result.lines == ["first", "6805,  -[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94) )", "last"])
    }

    /// Two runs of one program in two containers, between other lines: 6805 is in line 94, 6381 in
    /// `main`.
    @Test func `two processes' interleaved traces are both answered`() throws {
        let log = """
            web_1  | 2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (
            job_1  | 2008-10-26 13:25:43.386 CrashExample[7:1] Stack: (
            web_1  |     6805,
            cache_1  | 1:M ready to accept connections
            job_1  |     6381,
            web_1  | )
            deploy finished
            job_1  | )

            """
        let result = try cairn("symbolicate", "--symbols", Self.symbols, "-", input: log)
        #expect(result.status == 0)
        let expected = log.replacing(
            "    6805,", with: "    6805,  -[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)"
        )
        .replacing("    6381,", with: "    6381,  main + 45 (main.m:9)")
        #expect(result.output == expected)
    }

    @Test(arguments: [false, true]) func `a log in UTF-16 is answered in UTF-16`(isBigEndian: Bool) throws {
        func utf16(_ text: String) -> [UInt8] {
            ("\u{FEFF}" + text).utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        let before = "Größe\r\nStack: (\r\n    6805,\r\n    6381\r\n)\r\n"
        let after = before.replacing(
            "6805,", with: "6805,  -[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)"
        )
        .replacing("6381\r\n", with: "6381  main + 45 (main.m:9)\r\n")
        // The result as numbers: it is no UTF-8.
        let result = try run(
            "sh", ["-c", "\"$1\" symbolicate --symbols \"$2\" - | od -An -v -tu1", "sh", TestPaths.cairn, Self.symbols],
            input: utf16(before))
        #expect(result.output.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0) } == utf16(after))
    }
}
