import CrashReports
import Testing

/// What is split off a line, and what is not.
struct LinePrefixTests {
    @Test(arguments: [
        ("2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (", "Stack: (", "CrashExample", 41720),
        ("2015-04-22 20:06:39.576 CBL Bug Demo[17575:1449718] -[A b]: text", "-[A b]: text", "CBL Bug Demo", 17575),
        ("2021-10-20 17:25:36.668223+0800 dSYMDemo[39533:359760] *** x", "*** x", "dSYMDemo", 39533),
        ("2026-10-07 19:31:28.194 Df CrashDemo[99482:9ada0d] y", "y", "CrashDemo", 99482),
        ("Demo App[459:707] *** z", "*** z", "Demo App", 459),
    ])
    func `a date and a process are split off`(line: String, rest: String, process: String, pid: Int) {
        let bytes = Array(line.utf8)
        let prefix = LinePrefix(of: bytes.span)
        #expect(String(decoding: bytes[prefix.length...], as: UTF8.self) == rest)
        #expect(prefix.processName == process)
        #expect(prefix.pid == pid)
    }

    @Test(arguments: ["2026-11-21T00:18:13.408Z text", "[2026-11-21 00:18:13] text", "2026-11-21 00:18:13,408 text", "\u{FEFF}text"])
    func `a date alone and a byte order mark are split off`(line: String) {
        let bytes = Array(line.utf8)
        #expect(String(decoding: bytes[LinePrefix(of: bytes.span).length...], as: UTF8.self) == "text")
    }

    @Test(arguments: [
        "Process:         git-merge [39769]", "0   CoreFoundation   0x00dc75a9 __exceptionPreprocess + 185", "2 [ra] 0x00007ffff7026bcc",
        "-[NSArray objectAtIndex:]", "2008-10-26", "", "[0:1] x",
    ])
    func `everything else is the line's own`(line: String) {
        #expect(LinePrefix(of: Array(line.utf8).span).length == 0)
    }
}
