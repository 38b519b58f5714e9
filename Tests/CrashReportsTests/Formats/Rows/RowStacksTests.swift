import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// Rows of programs that no card describes, in the forms of those programs; the addresses, names and modules are made.
struct RowStacksTests {
    struct Row: Equatable, CustomStringConvertible {
        var address: UInt64?
        var image: String?
        var name: String?
        var location: ImageLocation?
        var line: Int?

        var description: String {
            "\(address.map { String($0, radix: 16) } ?? "-") \(image ?? "-") \(name ?? "-") \(location.map { "\($0)" } ?? "-") \(line ?? 0)"
        }
    }

    private func rows(_ text: String, reports count: Int = 1, sourceLocation: Testing.SourceLocation = #_sourceLocation) -> [Row] {
        let reports = SampleLog(text).parsed().reports
        #expect(reports.count == count, sourceLocation: sourceLocation)
        return reports.flatMap(\.stacks).flatMap(\.frames).map { frame in
            Row(
                address: frame.address?.value, image: frame.imageName, name: frame.printed?.name, location: frame.imageLocation,
                line: frame.printed?.location?.line)
        }
    }

    private func link(_ value: UInt64) -> ImageLocation { .linkAddress(LinkAddress(value)) }
    private func symbol(_ name: String, _ offset: UInt64) -> ImageLocation { .symbol(SymbolLocation(name: name, offset: offset)) }

    /// Servers overwrite the title that glibc prints as the program's name: the module is the text before the first
    /// blank or colon.
    @Test func `process titles`() {
        let found = rows(
            """
            ./harbour-server *:6379(moor+0x1fc)[0x59e41ef01bac]
            ./harbour-server *:6379(+0x205d94)[0x59e41f036d94]
            /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x8b)[0x798fd5e2a28b]
            postgres: skipper db [local] SELECT(errbacktrace+0x5b) [0x55d0c0a1b2c3]
            /usr/sbin/zabbix_server: poller #1 [got 1 values in 0.0 sec, idle 1 sec](+0x1b2c3) [0x55d0c0a1b2d3]

            """)
        #expect(found.map(\.image) == ["harbour-server", "harbour-server", "libc.so.6", "postgres", "zabbix_server"])
        // 0x59e41f036d94 − 0x205d94 is the load bias, and 0x59e41ef01bac minus the bias is 0xd0bac.
        #expect(
            found.map(\.location) == [
                link(0xd0bac), link(0x205d94), symbol("__libc_start_main", 0x8b), symbol("errbacktrace", 0x5b), link(0x1b2c3),
            ])
    }

    @Test(arguments: [
        ("# 1 /lib/libc.so.6(+0x33250) [0x7f5ac9fb7250]\n# 2 harbour(moor+0x1715) [0x40f565]\n", ["libc.so.6", "harbour"]),
        ("1. /lib64/libc.so.6(+0x14bcd0) [0x7f838c192cd0]\n2. /opt/bin/harbour(moor(Ship*)+0x96) [0x30eff76]\n", ["libc.so.6", "harbour"]),
        (
            "  0x4351b6: harbour() [0x4351b6]\n  0x7fb2b4990390: libpthread.so.0(+0x11390) [0x7fb2b4990390]\n",
            ["harbour", "libpthread.so.0"]
        ),
        (
            "[1] /lib/libc.so.6(+0x46210) [0x7f020be03210] (??:0)\n[2] /opt/harbour() [0xbcc6f6] (/src/harbour.cpp:2301)\n",
            ["libc.so.6", "harbour"]
        ),
        (" > /usr/lib64/libc.so.6(_exit+0x1d) [0xdb44d]\n > /opt/harbour() [0x688]\n", ["libc.so.6", "harbour"]),
        (
            "6: [/lib64/libpthread.so.0(+0x7dc5) [0x7f838e86bdc5]]\n5: [./harbour(moor+0x2a) [0x55d0c0a1b2c3]]\n",
            ["harbour", "libpthread.so.0"]
        ),
    ]) func `numbers of all kinds before glibc's rows`(text: String, images: [String]) {
        #expect(rows(text).map(\.image) == images)
    }

    @Test(arguments: [
        "May 25 00:50:27.802548 MyDUT INFO supervisord: harbour ", "[5816] 06 May 01:00:10 # ",
        "2018.05.10 14:48:11.468212 [ 4085 ] <Error> BaseDaemon: ",
        "info:  ", "\t| ", "worker-3 stderr> ", "  \"",
    ]) func `prefixes that nobody knows`(prefix: String) {
        let found = rows("\(prefix)/opt/harbour(moor+0x45)[0x55a16c7bfcb5]\n\(prefix)/opt/harbour(berth+0xd0)[0x55a16c7c0480]\n")
        #expect(found.map(\.image) == ["harbour", "harbour"])
        #expect(found.map(\.name) == ["moor", "berth"])
    }

    /// Ruby since 2.6 prints inlined calls without an address, above the row that they are in
    /// (addr2line.c).
    @Test func `rows without an address are inlined into the row below`() {
        let report = SampleLog(
            """
            /usr/lib/libharbour.so.3.1(harbour_print+0x11) [0x7fdc2222ca28] dump.c:759
            /usr/lib/libharbour.so.3.1(harbour_report) dump.c:1045
            /usr/lib/libharbour.so.3.1(harbour_signal+0xf0) [0x7fdc2202a7f0] error.c:821

            """
        ).parsed().reports.first
        let frames = report?.threads.first?.frames ?? []
        #expect(frames.map(\.printed?.name) == ["harbour_print", "harbour_report", "harbour_signal"])
        #expect(frames.map(\.isInlined) == [false, true, false])
        #expect(frames.map(\.printed?.location?.line) == [759, 1045, 821])
        #expect(frames.map(\.address?.value) == [0x7fdc_2222_ca28, 0x7fdc_2202_a7f0, 0x7fdc_2202_a7f0])
    }

    @Test func `a place behind a row is no name`() {
        let found = rows(
            "/usr/lib/libharbour.so.1(+0x180e13) [0xb769ae13] dump.c:796\n/usr/lib/libharbour.so.1(moor+0x49) [0xb756d2a9] error.c:277\n/usr/lib/libharbour.so.1(+0x10ab3c) [0xb7624b3c] ??\t??:0\n"
        )
        #expect(found.map(\.name) == [nil, "moor", nil])
        #expect(found.map(\.line) == [796, 277, nil])
    }

    /// Rows of MariaDB's `my_print_stacktrace` (mysys/stacktrace.c), which has used addr2line.
    @Test func `a place before the name`() {
        let found = rows(
            "mysys/stacktrace.c:215(my_print_stacktrace)[0x5570e8d1a4ce]\n??:0(__restore_rt)[0x7f8a7d3b8730]\nsql/main.cc:34(main)[0x5570e8512345]\n"
        )
        #expect(found.map(\.name) == ["my_print_stacktrace", "__restore_rt", "main"])
        #expect(found.map(\.line) == [215, nil, 34])
    }

    /// Rows of Crystal's `Exception::CallStack` (src/exception/call_stack).
    @Test func `decimal offsets and a module behind them`() {
        let found = rows(
            "[0x55f5d3c8a8e6] *Exception::CallStack::print_backtrace:Nil +118 in /tmp/a\n[0x7f1de6d58520] ?? +139766 in /lib/libc.so.6\n[0x55f5d3c6b0c2] main +66 in /tmp/a\n"
        )
        #expect(found.map(\.image) == ["a", "libc.so.6", "a"])
        #expect(found.map(\.name) == ["*Exception::CallStack::print_backtrace:Nil", nil, "main"])
    }

    /// Zig's panics (lib/std/debug.zig) quote the source between the rows.
    @Test func `lines of source between rows`() {
        let found = rows(
            """
            /home/u/src/main.zig:12:9: 0x1034c70 in moor (main)
                const x = a[i];
                    ^
            /home/u/src/main.zig:20:5: 0x1034b6d in main (main)
                moor(5);
                ^

            """)
        #expect(found.map(\.name) == ["moor", "main"])
        #expect(found.map(\.line) == [12, 20])
    }

    /// Rows of `ustack()` of illumos and DTrace.
    @Test func `module and function without an address`() {
        let found = rows("              libc.so.1`_read+0x15\n              harbour`moor+0x1a\n              harbour`main+0x44\n")
        #expect(found.map(\.image) == ["libc.so.1", "harbour", "harbour"])
        #expect(found.map(\.location) == [symbol("_read", 0x15), symbol("moor", 0x1a), symbol("main", 0x44)])
    }

    @Test func `keys and values`() {
        let found = rows(
            "level=fatal msg=\"stack\" frame=0 addr=0x55a16c7bfcb5 func=moor off=0x45 lib=/opt/harbour\nlevel=fatal msg=\"stack\" frame=1 addr=0x55a16c7c0480 func=berth off=0xd0 lib=/opt/harbour\n"
        )
        #expect(found.map(\.name) == ["moor", "berth"])
        // 0x55a16c7bfcb5 − 0x45 is not a page boundary: the offset counts from the function.
        #expect(found.map(\.location) == [symbol("moor", 0x45), symbol("berth", 0xd0)])
    }

    @Test func `a row that cannot be read is counted`() throws {
        let report = try SampleLog(
            "(1) moor @ 0x7f1c2a1234ab\n(2) garbled by the terminal\n(3) berth @ 0x7f1c2a1235cd\n"
        ).report()
        #expect(report.threads[0].frames.map(\.index) == [1, 3])
        #expect(report.notes.contains { $0.contains("(2) garbled by the terminal") })
    }

    @Test func `what is left out between numbered rows does not end the stack`() throws {
        let report = try SampleLog("1: harbour::moor() [0x5622e9d06e7e]\n...\n7: main [0x5622e9f6dfb9]\n8: _start [0x5622e9f6d000]\n")
            .report()
        #expect(report.threads[0].frames.map(\.index) == [1, 7, 8])
    }

    @Test func `one row alone, small numbers and tables are no stack`() {
        for text in [
            "worker 3: (Harbour::moor()+0x1e) 0x5622e9d06e7e\n", "status[0x10]\nctrl[0x14]\nmask[0x18]\n",
            "0x0000000000401136 main\n0x0000000000401150 moor\n0x0000000000401190 berth\n",
        ] {
            #expect(SampleLog(text).parsed().reports.isEmpty, "\(text)")
        }
    }

    /// If no bracket closes a row, a mark separates it from the result. A symbolicated log is read as before.
    @Test func `results`() throws {
        let log = SampleLog("    @     0x56164b1cec64 Harbour::moor()\n    @     0x56164b1cbc9a (unknown)\n")
        let symbolicated = log.symbolicated { _ in .function("moor", offset: 4, "/src/harbour.cc", 12) }
        #expect(
            symbolicated.text
                == "    @     0x56164b1cec64 Harbour::moor() ==> moor at /src/harbour.cc:12\n    @     0x56164b1cbc9a (unknown) ==> moor at /src/harbour.cc:12\n"
        )
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.printed?.name) == ["moor", "moor"])
        #expect(frames.map(\.address?.value) == [0x5616_4b1c_ec64, 0x5616_4b1c_bc9a])
    }

    /// Sixteen digits without `0x` at a line's beginning, in brackets and after a terminal's colour; files of Windows;
    /// a number directly after the prefix.
    @Test(arguments: [
        "000055d0c0a1b4e5 Harbour::moor(Ship&)\n000055d0c0a1b2c3 main\n",
        "\u{1b}[31m0x000055d0c0a1b4e5 Harbour::moor(Ship&)\n\u{1b}[31m0x000055d0c0a1b2c3 main\n",
        "[0] 0x55d0c0a1b4e5 Harbour::moor(Ship&) C:\\harbour\\ferry.dll\n[1] 0x55d0c0a1b2c3 main C:\\harbour\\ferry.dll\n",
        "ERROR:harbour.crash:[0] 0x55d0c0a1b4e5 Harbour::moor(Ship&)\nERROR:harbour.crash:[1] 0x55d0c0a1b2c3 main\n",
        "    crash_test.go:12: 0x55d0c0a1b4e5 Harbour::moor(Ship&)\n    crash_test.go:12: 0x55d0c0a1b2c3 main\n",
        "3f2a9c1b7d4e | 0  0x55d0c0a1b4e5 Harbour::moor(Ship&)\n3f2a9c1b7d4e | 1  0x55d0c0a1b2c3 main\n",
    ]) func `rows at the beginning of a line, and behind what is a log's`(text: String) throws {
        let frames = try SampleLog(text).report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x55d0c0a1b4e5", "0x55d0c0a1b2c3"])
        #expect(frames.map { $0.printed?.name } == ["Harbour::moor(Ship&)", "main"])
        #expect(frames.allSatisfy { $0.printed?.location == nil && ($0.imageName ?? "ferry.dll") == "ferry.dll" })
    }

    /// One row is one frame, although it has two location fields.
    @Test func `brackets around the file`() throws {
        let report = try SampleLog("#0 [/opt/libtide.so+0x21c888]  0x7fe658c3f888\n#1 [/opt/libtide.so+0x21bbf6]  0x7fe658c3ebf6\n")
            .report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x7fe658c3f888", "0x7fe658c3ebf6"])
        #expect(report.threads[0].frames.map(\.imageLocation) == [0x21c888, 0x21bbf6].map { .linkAddress(LinkAddress($0)) })
    }
}

/// `OpeningPairs` may find too many cards for a line, but never too few.
@Suite struct OpeningPairsTests {
    private func cards(in line: String) -> [String] {
        let bytes = Array(line.utf8)
        let found = OpeningPairs(StackCards.all).cards(in: bytes.span, bytes.span.trimmed())
        return StackCards.all.indices.filter { found & 1 << $0 != 0 }.map { StackCards.all[$0].name }
    }

    @Test func `each opening's line names its card, with and without blanks before it`() {
        for card in StackCards.all {
            for opening in card.openings {
                #expect(cards(in: opening.text).contains(card.name), "\(opening.text)")
                #expect(cards(in: "    " + opening.text + " x").contains(card.name), "\(opening.text)")
            }
        }
    }

    @Test func `most rows name no card`() {
        #expect(cards(in: "./harbour(+0x11f0)[0x5605e08941f0]").isEmpty)
        #expect(cards(in: " [<ffffffff8119e1c7>] ? do_sys_open+0x117/0x290").isEmpty)
        #expect(cards(in: "").isEmpty)
    }

    /// A set of cards is a single number, with a bit for each card.
    @Test func `there are no more cards than bits`() { #expect(StackCards.all.count <= OpeningPairs.Cards.bitWidth) }
}
