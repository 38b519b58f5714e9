import CrashLogFormats
import CrashLogModel
import Testing

/// Text that is split off a line, and text that is not.
struct LinePrefixTests {
    private func rest(of line: String) -> String {
        let bytes = Array(line.utf8)
        return String(decoding: bytes[LinePrefix(of: bytes.span).length...], as: UTF8.self)
    }

    @Test(arguments: [
        ("2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (", "Stack: (", "CrashExample", 41720),
        ("2015-04-22 20:06:39.576 CBL Bug Demo[17575:1449718] -[A b]: text", "-[A b]: text", "CBL Bug Demo", 17575),
        ("2021-10-20 17:25:36.668223+0800 dSYMDemo[39533:359760] *** x", "*** x", "dSYMDemo", 39533),
        ("2026-10-07 19:31:28.194 Df CrashDemo[99482:9ada0d] y", "y", "CrashDemo", 99482),
        ("Demo App[459:707] *** z", "*** z", "Demo App", 459),
        // journalctl and syslog
        ("Oct  6 13:25:43 host crashd[812]: text", "text", "crashd", 812),
        ("2026-11-21T10:00:00+0100 host crashd[812]: text", "text", "crashd", 812),
        ("crashd[812]: text", "text", "crashd", 812),
        // `log show`: Timestamp Thread Type Activity PID TTL
        (
            "2024-01-05 12:00:00.000000+0100 0x1a2b     Error       0x0                  123    0    App: (Foundation) *** x", "*** x",
            "App", 123
        ),
    ])
    func `a date and a process are split off`(line: String, text: String, process: String, pid: Int) {
        let prefix = LinePrefix(of: Array(line.utf8).span)
        #expect(rest(of: line) == text)
        #expect(prefix.processName == process)
        #expect(prefix.pid == pid)
    }

    @Test(arguments: [
        "2026-11-21T00:18:13.408Z text", "[2026-11-21 00:18:13] text", "2026-11-21 00:18:13,408 text", "\u{FEFF}text", "13:25:43.385 text",
        // docker compose, with and without its colours; the Container Runtime Interface; kubectl
        // --prefix
        "web_1  | text", "\u{1B}[36mweb-1  |\u{1B}[0m text", "2026-11-21T00:18:13.408123456Z stdout F text", "[pod/web-1/main] text",
        // GitHub's raw log and `gh run view --log`; GitLab
        "2026-11-21T00:18:13.4081234Z text", "build\tRun tests\t2026-11-21T00:18:13.4081234Z text", "2026-11-21T00:18:13.408123Z 00O text",
        // logcat: threadtime, time, brief
        "11-21 00:18:13.408  1234  1240 F DEBUG   : text", "11-21 00:18:13.408 F/DEBUG   ( 1234): text", "F/DEBUG   ( 1234): text",
        // its forms with a year, of a tag and of a thread alone; Android Studio's old and new
        "2026-11-21 00:18:13.408  1234  1240 F DEBUG   : text", "2026-11-21 00:18:13.408 +0100  1234  1240 F DEBUG   : text",
        "F/DEBUG   : text", "  190   190 F DEBUG   : text", "12345 12346 F DEBUG   : text", "DEBUG   : text", "libc    : text",
        "11:27:14.977  A  text", "[        ] F/DEBUG   (  190): text", "[ +120 ms] F/DEBUG   (  190): text",
        "F( 1234: 1240) text", "2026-11-21 00:18:13.408 29547-29547/? A/DEBUG: text",
        "2026-11-21 00:18:13.408 29547-29560/com.example.shop E/Shop: text",
        "2026-11-21 00:18:13.408 29547-29560 DEBUG                   pid-29547                            A  text",
        // dmesg, with the caller's number; printk's priority; journalctl -k
        "[   12.345678] text", "[   12.345678][ T1234] text", "<4>[   12.345678] text", "Oct 26 13:25:43 host kernel: [   12.345678] text",
        "[   35.046212][ T5851] text", "[   44.381409][    C4] text", "** 93 printk messages dropped ** [  322.962139] text",
        // a serial console that ends lines the other way round; Zircon's log, and Fuchsia's
        "\rtext", "\r[    1.5] text",
        "[00131.346] 01102.01116> text", "[00115.266979][1102][1191][core/a:b_c][starnix] WARN: text",
        // valgrind; a mail's quotation; a logger's level
        "==123== text", "> text", ">> text", "[error] text", "[pid 123] text",
        // Buildkite; ctest; pytest; TeamCity; fastlane; flutter; PM2
        "\u{1B}_bk;t=1763719200123\u{07}text", "12: text", "E   text", "[10:00:00]W:\t text", "[10:00:00] :\t text", "[10:00:00]: text",
        "[  +12 ms] text",
        "0|app      | text",
        // RFC 5424; Heroku; Cloud Foundry; journalctl's other forms; a syslog line without a
        // number; Apple's relay
        "<134>1 2026-11-21T10:00:00.123Z host app 812 ID47 [x@32473 iut=\"3\\]\"][y z=\"\"] text", "<11>1 - host app - - - text",
        "2026-11-21T10:00:00.123456+00:00 app[web.1]: text", "2026-11-21T10:00:00.12+0000 [APP/PROC/WEB/0] ERR text",
        "[ 1234.567890] host app[812]: text", "1763719200.123456 host app[812]: text", "Sat 2026-11-21 10:00:00 CET host app[812]: text",
        "Nov 21 10:00:00 host app: text", "Nov 21 10:00:00 iPhone app(libsystem)[812] <Error>: text",
        // docker service logs; dmesg -T, -e, -x; /dev/kmsg
        "web.1.k5eapsbs2g3h@node-1    | text", "[Sat Nov 21 10:00:00 2026] text", "[Nov21 10:00] text", "[  +0.000123] text",
        "kern  :err   : [   12.345678] text", "4,1234,12345678,-;text",
        // one after another
        "2026-11-21T00:18:13.4081234Z web_1  | 2008-10-26 13:25:43.385 App[1:2] text",
    ])
    func `what writers put before their lines is split off`(line: String) { #expect(rest(of: line) == "text") }

    @Test(arguments: [
        "web_1  |     252,", "11-21 00:18:13.408  1234  1240 F DEBUG   :     252,", "[   12.345678]     252,", "==123==     252,",
    ]) func `the text's own blanks stay`(line: String) { #expect(rest(of: line) == "    252,") }

    @Test(arguments: [
        "Process:         git-merge [39769]", "0   CoreFoundation   0x00dc75a9 __exceptionPreprocess + 185", "2 [ra] 0x00007ffff7026bcc",
        "-[NSArray objectAtIndex:]", "2008-10-26", "", "[0:1] x", "[0x400abc] x", "[<ffffffff810735ce>] x", "[12] x",
        "[c000000010f93150] [c000000008028668] x", "[00404e2c] x", "[ INFO: suspicious RCU usage. ]", "** 93 messages", "#0  0x1 in main",
        "    3|  code", "==123==ERROR: AddressSanitizer: x", "2528013804,", "0x1000 - 0x2fff  App",
        // Rows of Node's and Xorg's stacks, not ctest's numbers; rows of lists; a logger's words
        "10: 0xb7a940 node::Abort()", "10: /usr/lib/xorg/Xorg (xorg_backtrace+0x4d) [0x49ce18]", "0: /usr/bin/X", "1,2,3", "E  text",
        "1 2026", "<300>1 x", "  190   190 F text", "  3   0x1 A: x", "[      ] x", "DEBUG: x",
        "[Callstack] 0x00007f43b2d02cff x",
        "--- x", "[New Thread 0x7f (LWP 1)] x",
    ])
    func `everything else is the line's own`(line: String) { #expect(rest(of: line) == line) }
}
