import TestSupport
import Testing

/// `cairn filter`: a live stream with its stacks symbolicated. The founding example's log and
/// symbols, whose results are in other tests.
struct FilterTests {
    private static let symbols = TestPaths.fixture("binaries/CrashExample/out/CrashExample")
    private static let answer = "-[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)"

    /// Runs a script that writes into the filter: `"$1"` is the program, `"$2"` the symbols.
    private func script(_ text: String) throws -> RunResult {
        try run("sh", ["-c", text, "sh", TestPaths.cairn, Self.symbols])
    }

    @Test(arguments: ["", "a\n", "a", "a\n\n\u{1b}[1mb\r\nc", "[1/3] Compiling\n{ \"half\": [1,\n", "\u{0}\u{1}\n"])
    func `what is no trace passes unchanged`(text: String) throws {
        #expect(try cairn("filter", input: text).output == text)
    }

    @Test func `a trace is answered in its place`() throws {
        let log = "before\nStack: (\n    6805,\n    1\n)\nafter\n"
        let result = try cairn("filter", "--symbols", Self.symbols, input: log)
        #expect(result.output == log.replacing("    6805,", with: "    6805,  " + Self.answer))
        #expect(result.status == 0)
    }

    /// The writer goes on only when the reader has seen what came so far: a prompt without an end
    /// of its line.
    @Test func `an unfinished line is shown without its end`() throws {
        let result = try script(
            """
            folder=$(mktemp -d) && mkfifo "$folder/seen" || exit 9
            { printf 'name: '; read -r _; printf 'x\\nStack: (\\n    6805,\\n)\\nlast\\n'; } < "$folder/seen" \\
                | timeout 60 "$1" filter --symbols "$2" | { exec 3> "$folder/seen"; head -c 6; echo go >&3; cat; }
            rm -r "$folder"
            """)
        #expect(result.output == "name: x\nStack: (\n    6805,  \(Self.answer)\n)\nlast\n")
    }

    /// The stack's end never comes. It is shown after a quarter of a second, long before it counts as ended after two, and what follows
    /// later passes as it is.
    @Test func `a trace is shown while its writer is silent`() throws {
        let result = try script(
            """
            folder=$(mktemp -d) && mkfifo "$folder/seen" || exit 9
            begin=$(date +%s%N)
            { printf 'Stack: (\\n    6805,\\n'; read -r _; printf 'last\\n'; } < "$folder/seen" \\
                | timeout 60 "$1" filter --symbols "$2" | {
                    exec 3> "$folder/seen"; read -r _; read -r line; echo "$line"
                    [ $(($(date +%s%N) - begin)) -lt 1800000000 ] && echo soon; echo go >&3; cat; }
            rm -r "$folder"
            """)
        #expect(result.output == "6805,  \(Self.answer)\nsoon\nlast\n")
    }

    /// Somebody made the pipe non-blocking, as Node.js does; the filter's reader is slow.
    @Test func `pipes that do not block lose nothing`() throws {
        let result = try script(
            """
            head -c 3000000 /dev/zero | tr '\\0' x | python3 -c 'import os, subprocess, sys
            os.set_blocking(1, False)
            sys.exit(subprocess.call([sys.argv[1], "filter"]))' "$1" | { sleep 0.3; wc -c; }
            """)
        #expect(result.output.trimmingPrefix { $0 == " " } == "3000000\n")
    }
}
