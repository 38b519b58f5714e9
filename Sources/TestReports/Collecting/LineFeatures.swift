internal import BinaryPrimitives

/// Features of a line, found in one pass over its bytes. Most lines of a build or of a test's log
/// name no test and no failure, and nothing else reads them.
struct LineFeatures {
    /// There is an escape or a carriage return in it.
    private(set) var hasControls = false
    /// There is a colon after the last letter of "error" or "failed".
    private(set) var hasColonAfterWords = false

    init(_ line: Span<UInt8>) {
        let bytes = line.rawBytes
        var controls: UInt64 = 0
        var colonsAfterWords: UInt64 = 0
        var last: UInt64 = 0
        var index = 0
        // Eight bytes at a time, the first the lowest; zeros fill the last eight up.
        while index < bytes.byteCount {
            let left = bytes.byteCount &- index
            let word = left >= 8 ? bytes.word64(at: index) : bytes.bits(at: index &* 8, left &* 8)
            controls |= Self.matches(of: 0x1B, in: word) | Self.matches(of: 0x0D, in: word)
            let colons = Self.matches(of: UInt8(ascii: ":"), in: word)
            if colons != 0 {
                let before = word << 8 | last
                colonsAfterWords |=
                    colons & (Self.matches(of: UInt8(ascii: "r"), in: before) | Self.matches(of: UInt8(ascii: "d"), in: before))
            }
            last = word >> 56
            index &+= 8
        }
        hasControls = controls != 0
        hasColonAfterWords = colonsAfterWords != 0
    }

    /// The high bit of each byte that is `byte`.
    @inline(__always)
    private static func matches(of byte: UInt8, in word: UInt64) -> UInt64 {
        // A byte that is zero gets no carry into its high bit, and has none of its own.
        let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let rest = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return ~(((rest & lows) &+ lows) | rest | lows)
    }

    /// Whether a line with these features says nothing about tests and failures: it lacks the
    /// beginnings of such lines of test runners and processes, and their words before a colon. Only
    /// for a reader that has nothing open.
    func isIrrelevant(_ line: Span<UInt8>) -> Bool {
        guard !hasColonAfterWords else { return false }
        guard let first = line.at(0), let last = line.at(line.count - 1) else { return true }
        switch first {
        case UInt8(ascii: "m"): if line.hasPrefix("make"), line.hasSuffix("'") { return false }  // the folder of `make check`
        case UInt8(ascii: "X"): if line.hasPrefix("XPASS: ") { return false }
        case UInt8(ascii: "T"):
            if line.hasPrefix("Test ") || line.hasPrefix("Testsuite ") || line.hasPrefix("Tests: ") || NodeConsole.isError(line) {
                return false
            }
        case UInt8(ascii: "A"), UInt8(ascii: "R"): if NodeConsole.isError(line) { return false }
        case UInt8(ascii: "E"): if line.hasPrefix("ERROR: ") || NodeConsole.isError(line) { return false }  // automake
        // GoogleTest: `[ RUN      ]`, `[-----`, `[=====`; not `[12/40] Compiling`. `[doctest] `.
        case UInt8(ascii: "["):
            if let next = line.at(1), next < UInt8(ascii: "0") || next == UInt8(ascii: "=") || next == UInt8(ascii: "d") { return false }
        // `go test`, automake, prove
        case UInt8(ascii: "F"): if line.hasPrefix("FAIL\t") || line.hasPrefix("FAIL: ") || line.hasPrefix("Failed ") { return false }
        case UInt8(ascii: "o"): if line.hasPrefix("ok ") { return false }  // TAP, `go test`
        case UInt8(ascii: "c"): if line.hasPrefix("collect") { return false }  // pytest
        case UInt8(ascii: "n"): if line.hasPrefix("not ok ") { return false }
        case UInt8(ascii: "#"): return false  // comments of TAP
        case UInt8(ascii: "S"): if line.hasPrefix("Summary of all ") { return false }  // Jest
        // ctest's results, and the summaries of ctest and bats.
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            let head = line.upTo(24)
            if head.firstRange(of: " test") != nil || head.firstRange(of: " Test") != nil { return false }
            if head.firstRange(of: " failed") != nil { return false }  // `pytest -q`
            if line.upTo(6).firstIndex(of: UInt8(ascii: "/")) != nil { return false }  // meson: `2/8 shop / reads FAIL 0.02s`
        case UInt8(ascii: "="), UInt8(ascii: "-"): return false  // pytest's and Rust's headings, `go test -v`
        case 0xC0...: return false  // Swift Testing's signs
        // `    --- FAIL: TestTable/two_words (0.00s)`
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            var rest = line
            rest.skipBlanks()
            // ctest: `    Start 2: reads`, ` 2/12 Test  #2: reads ....`. TAP's subtests. Signs of bats, node and Jest.
            switch rest.at(0) {
            case UInt8(ascii: "-"), UInt8(ascii: "#"), (0xC0...0xFF)?: return false
            case UInt8(ascii: "S"): if rest.hasPrefix("Start ") { return false }
            case UInt8(ascii: "p"): if rest.hasPrefix("process didn't exit ") { return false }  // cargo
            case UInt8(ascii: "n"), UInt8(ascii: "o"): if rest.hasPrefix("not ok ") || rest.hasPrefix("ok ") { return false }
            case (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
                if rest.upTo(16).firstRange(of: " Test") != nil || rest.upTo(6).firstIndex(of: UInt8(ascii: "/")) != nil { return false }
            default: break
            }
            if line.firstRange(of: " \u{2717} ") != nil || line.upTo(48).firstRange(of: "s] ") != nil { return false }  // nextest
        // `thread 'main' panicked at src/main.rs:2:5:`, the summaries of Catch2 and `cargo test`, node's repetition.
        case UInt8(ascii: "t"): if last == UInt8(ascii: ":") || line.hasPrefix("test ") { return false }
        default: break
        }
        switch last {
        case UInt8(ascii: "e"): return !line.hasSuffix(": Failure")
        // C's assertions; where a Perl program died: `no such item at t/dies.t line 5.`
        case UInt8(ascii: "."):
            if let before = line.at(line.count - 2), isDigit(before) { return line.lastRange(of: " line ") == nil }
            return !line.hasSuffix("' failed.")
        default: return true
        }
    }
}
