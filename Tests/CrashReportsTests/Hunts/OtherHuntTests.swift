import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// `hunt/other` beside the corpus.
private let huntFolder: String? = TestPaths.corpus.map { $0 + "/../hunt/other" }.flatMap {
    TestPaths.isReadable($0 + "/README.md") ? $0 : nil
}

/// Logs of Linux, Android, kernels, runtimes and small systems that could not be read once: each
/// gives the rows that its README and the log itself state.
///
/// Expectations follow from the inputs' digits, and from the address rules of the writers, which
/// the cards cite.
@Suite(.enabled(if: huntFolder != nil, "the hunt's inputs are absent"))
struct OtherHuntTests {
    /// A row as it must be read: `3 p 10e30de3 clickhouse 1a0 DB::Harbour::moor(int)`.
    ///
    /// Its number; its kind (`r` return address, `p` what was executing, `e` looked up as it is;
    /// `i` inlined, `u` unreliable); its address in memory; its image; its offset from the base of
    /// its location; its function. `-` is nothing, and `*` is anything.
    struct Row: Sendable, CustomStringConvertible {
        var fields: [String]
        var description: String { fields.joined(separator: " ") }

        init(_ text: String) {
            let parts = text.split(separator: " ", maxSplits: 5).map(String.init)
            fields = parts + [String](repeating: "*", count: max(0, 6 - parts.count))
        }

        init(_ frame: Frame, of report: CrashReport) {
            let kind =
                switch frame.kind {
                case .returnAddress: "r"
                case .programCounter: "p"
                case .exact: "e"
                default: "?"
                }
            let image = frame.image.map { report.images[$0].name } ?? frame.imageName
            fields = [
                "\(frame.index)", kind + (frame.isInlined ? "i" : "") + (frame.isUnreliable ? "u" : ""),
                frame.address.map { String($0.value, radix: 16) } ?? "-", image ?? "-",
                Row.distance(frame.imageLocation).map { String($0, radix: 16) } ?? "-", frame.printed?.name ?? "-",
            ]
        }

        private static func distance(_ location: ImageLocation?) -> UInt64? {
            switch location {
            case .offset(let offset): offset.value
            case .linkAddress(let address): address.value
            case .fileOffset(let offset), .relativePC(let offset): offset
            case .symbol(let symbol): symbol.offset
            case .mapping(let mapping): mapping.offset
            default: nil
            }
        }

        func fits(_ expected: Row) -> Bool { zip(fields, expected.fields).allSatisfy { $0 == $1 || $1 == "*" } }
    }

    struct Input: Sendable, CustomTestStringConvertible {
        var file: String
        /// The formats of the reports in it.
        var formats: [String]
        /// The rows in the order of the log.
        var rows: [Row]
        var signal: String?
        /// Why it is read otherwise today: the test fails once it is right.
        var missed: String?
        var testDescription: String { file }

        init(_ file: String, _ formats: [String], signal: String? = nil, missed: String? = nil, _ rows: String) {
            (self.file, self.formats, self.signal, self.missed) = (file, formats, signal, missed)
            self.rows = rows.split(separator: "\n").map { Row(String($0)) }
        }
    }

    @Test(arguments: OtherHuntInputs.all) func `the rows are those of the log`(input: Input) throws {
        let folder = try #require(huntFolder)
        let log = SampleLog(bytes: try readFile(folder + "/" + input.file)).parsed()
        #expect(log.reports.count == input.formats.count)
        #expect(zip(log.reports, input.formats).allSatisfy { $0.format == $1 || $1 == "*" }, "\(log.reports.map(\.format))")
        if let signal = input.signal { #expect(log.reports.first?.cause?.signal == signal) }
        let frames = log.reports.flatMap { report in report.allFrames.map { (start: $0.range.lowerBound, row: Row($0, of: report)) } }
        let rows = frames.sorted { $0.start < $1.start }.map(\.row)
        #expect(rows.count == input.rows.count)
        let wrong = zip(rows, input.rows).filter { !$0.fits($1) }
        guard let reason = input.missed else {
            #expect(wrong.isEmpty)
            return
        }
        withKnownIssue("\(input.file): \(reason)") { #expect(wrong.isEmpty) }
    }

    /// Expects the formats, the signal and the rows of a log's reports, one report after the other.
    static func expectRows(_ expected: [Row], formats: [String], signal: String?, in log: CrashLog) {
        #expect(log.reports.count == formats.count)
        #expect(zip(log.reports, formats).allSatisfy { $0.format == $1 || $1 == "*" }, "\(log.reports.map(\.format))")
        if let signal { #expect(log.reports.first?.cause?.signal == signal) }
        let rows = log.reports.flatMap { report in report.allFrames.map { Row($0, of: report) } }
        #expect(rows.count == expected.count)
        let wrong = zip(rows, expected).filter { !$0.fits($1) }
        #expect(wrong.isEmpty)
    }

    /// The inputs are numbered from 01 to 52.
    @Test func `no input is left out`() {
        let numbers = OtherHuntInputs.all.compactMap { Int($0.file.prefix(2)) }.sorted()
        #expect(numbers == Array(1...52))
    }
}

/// Expected results of the inputs of `hunt/other`.
enum OtherHuntInputs {
    typealias Input = OtherHuntTests.Input

    static let all = servers + runtimes + devices + tools

    private static let trampoline =
        "the log alone does not say which row is the trampoline; where files are given, their code does"

    // MARK: Programs that print their own stack

    private static let servers = [
        // 0x5605e08941f0 - 0x11f0 = 0x5605e0893000. The third row is the one that was executing:
        // `weigh` at line 20.
        Input(
            "01-glibc-signal-trampoline-unnamed.txt", ["glibc-backtrace"], signal: "SIGSEGV", missed: trampoline,
            """
            0 r 5605e08941f0 harbour 11f0 -
            1 r 7f61cfb63050 libc.so.6 3c050 -
            2 p 5605e089421e harbour 121e -
            3 r 5605e0894248 harbour 1248 -
            """),
        // The module is the text up to the first blank.
        Input(
            "02-glibc-process-title-as-module.txt", ["glibc-backtrace"],
            """
            0 r 59e41ef01bac harbour-server * moor
            1 r 59e41f036d94 harbour-server 205d94 -
            2 r 798fd5e2a28b libc.so.6 * __libc_start_main
            3 r 55d0c0a1b2c3 postgres * errbacktrace
            4 r 55d0c0a1b2d3 zabbix_server 1b2c3 -
            """),
        Input(
            "03-ceph-no-module.txt", ["ceph"],
            """
            1 r 7fd4fedaeb20 libpthread.so.0 12b20 -
            2 r 562cbdfcaa61 - 91 Harbour::moor(Ship&, int)
            3 r 562cbda865e2 ceph-osd 8865e2 -
            4 r 562cbd77f956 ceph-osd 57f956 -
            5 r - - - main()
            6 r - - - __libc_start_main()
            7 r - - - _start()
            """),
        Input(
            "04-glibc-row-numberings.txt",
            ["glibc-backtrace", "glibc-backtrace", "glibc-backtrace", "glibc-backtrace", "strace", "glibc-backtrace"],
            """
            1 r 7f5ac9fb7250 libc.so.6 33250 -
            2 r 40f565 harbour * moor
            1 r 7f838c192cd0 libc.so.6 14bcd0 -
            2 r 30eff76 harbour * moor(Ship*)
            0 r 4351b6 harbour 4351b6 -
            1 r 7fb2b4990390 libpthread.so.0 11390 -
            1 r 7f020be03210 libc.so.6 46210 -
            2 r bcc6f6 harbour bcc6f6 -
            0 r - libc.so.6 1d _exit
            1 r - harbour 688 -
            6 r 7f838e86bdc5 libpthread.so.0 7dc5 -
            5 r 55d0c0a1b2c3 harbour * moor
            """),
        Input(
            "05-ruby-inlined-rows-split.txt", ["ruby"],
            """
            0 r 7fdc2222ca28 libharbour.so.3.1 * harbour_print
            1 ri 7fdc2202a7f0 libharbour.so.3.1 * harbour_report
            1 r 7fdc2202a7f0 libharbour.so.3.1 * harbour_signal
            2 ri 7fdc2221a31f libharbour.so.3.1 * harbour_yield
            2 r 7fdc2221a31f libharbour.so.3.1 * harbour_block
            """),
        Input(
            "06-place-behind-row-taken-for-name.txt", ["glibc-backtrace"],
            """
            0 r b769ae13 libharbour.so.1 180e13 -
            1 r b756d2a9 libharbour.so.1 * moor
            2 r b7624b3c libharbour.so.1 10ab3c -
            """),
        Input(
            "07-d-druntime-question-module.txt", ["druntime"],
            """
            0 e 7f8889d6639d - - onArrayIndexError
            1 e 555d7294b306 - - -
            2 e 555d7294b34a - - -
            3 e 555d7294b3bc - - void harbour.moor(int)
            """),
        // The row below the trampoline equals the program counter, which the library could not read
        // here.
        Input(
            "08-glog.txt", ["glog"], signal: "SIGSEGV",
            """
            0 r 7fdc098843c0 - - -
            1 p 56164b1cec64 - - Harbour::moor()
            2 r 56164b1cbc9a - - -
            """),
        Input(
            "09-absl.txt", ["abseil"], signal: "SIGSEGV",
            """
            0 p 7fde64ca37e3 - - harbour::Moor()
            1 r 7fde8a1a53c0 - - -
            2 r 7fde64ca3674 - - harbour::Berth()
            3 r 7fde64ca32ce - - -
            """),
        Input(
            "10-folly.txt", ["folly"], signal: "SIGSEGV",
            """
            0 e - - 58190c folly::symbolizer::(anonymous namespace)::signalHandler(int, siginfo_t*, void*)
            1 e - - 140ff -
            2 e - - 50b96f harbour::moor()
            """),
        Input(
            "17-clickhouse.txt", ["clickhouse"], signal: "SIGSEGV",
            """
            3 p - clickhouse 10e30de3 DB::Harbour::moor(int)
            4 r - clickhouse 10e3d2c3 -
            """),
        // 0x5609CC4000E4 - 0x5609C75C7000 = 0x4E390E4.
        Input(
            "18-mongodb-json.txt", ["mongodb-json"],
            """
            0 r 5609cc4000e4 <unknown> 4e390e4 harbour::moor()
            1 r 7f0fbb43b520 libtide.so.1 42520 -
            """),
        Input(
            "19-seastar.txt", ["seastar", "seastar"], signal: "SIGSEGV",
            """
            0 e - <unknown> 2ee2d82 -
            1 e - <unknown> 2e886bb -
            2 e - libtide.so.6 3853e -
            0 e - <unknown> a1234 -
            1 e - <unknown> b5678 -
            2 e - libtide.so.6 abcd -
            """),
        Input(
            "22-llvm-stack-dump.txt", ["llvm-stack-dump"],
            """
            0 r 757e27fc4d90 libLLVM.so.18.1 7c4d90 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)
            1 r 757e27fc1d4d libLLVM.so.18.1 7c1d4d -
            2 r 757e2724c1d0 libc.so.6 3d1d0 __restore_rt
            3 p 757e2fdf7fc5 libharbour.so.18.1 3f7fc5 -
            10 r 60512ebe7fd5 harbourc afd5 main
            """),
        Input(
            "23-backward-cpp.txt", ["backward-cpp"], signal: "SIGSEGV",
            """
            3 e 55b35919f7ad harbour * _start
            2 e 7fb7655cc082 - - __libc_start_main
            1 e 7f91b97ef21e libtide.so * -
            0 e 55b35919fc04 harbour * moor(int)
            """),
        Input(
            "24-envoy.txt", ["envoy", "envoy"], signal: "SIGSEGV",
            """
            0 r 4b47a5 harbour 4b47a5 -
            20 r f965a4 - * Harbour::moor()
            """),
        Input(
            "40-haproxy.txt", ["haproxy"],
            """
            0 r 5dc900 - 70 moor
            1 r 7f477dd0c3a0 libtide 123a0 -
            """),
        Input(
            "43-greenplum.txt", ["greenplum"],
            """
            1 r 7f1a4d50d918 libharbour.so 258 moor
            2 r 7f1a4d52ea03 libharbour.so * -
            3 r 4027db harbour * main
            """),
        Input(
            "49-cause-in-words.txt", ["glibc-backtrace"], signal: "SIGSEGV", missed: trampoline,
            """
            0 r 55f48c960d9c mysqld * my_print_stacktrace
            1 r 55f48c268309 mysqld * handle_fatal_signal
            2 r 7fe1f80f50e0 libpthread.so.0 110e0 -
            3 p 55f48c7e8f5e mysqld * moor
            """),
        Input(
            "50-firefox-mozstackwalk.txt", ["moz-stack-walk"],
            """
            1 r - libxul.so 1180 -
            2 r - libxul.so 11bc moor(Ship*)
            """),
        Input(
            "52-prefixes-not-known.txt", ["glibc-backtrace", "glibc-backtrace", "glibc-backtrace", "glibc-backtrace"],
            """
            0 r 55a16c7bfcb5 harbour * moor
            1 r 55a16c7c0480 harbour * berth
            0 r 7fe1734a27dc harbour * moor
            1 r 7fe1734c0c10 harbour * berth
            0 r 30eff76 harbour * moor
            1 r 30eff96 harbour * berth
            3 r 5622e9d06e7e - 1e moor()
            4 r 5622e9f6dfb9 - 729 berth()
            """),
    ]

    // MARK: Languages and their run-time libraries

    private static let runtimes = [
        Input(
            "13-pytorch.txt", ["pytorch"],
            """
            3 r 7e3b07e98ba6 libharbour.so 20ba6 -
            4 r 7e3b07e9a507 libharbour.so * harbour::Ship::~Ship()
            8 r 510ceb python 510ceb -
            """),
        Input(
            "20-gfortran.txt", ["gfortran"], signal: "SIGSEGV",
            """
            0 e 7f1113a218c2 - - -
            1 e 7f1113d1d04f - - -
            2 e 401194 - - -
            3 e 4011f4 - - moor_
            4 e - - - -
            """),
        // 0x…390 is the trampoline of Ubuntu 16.04's libpthread.
        Input(
            "21-intel-fortran.txt", ["intel-fortran"], signal: "SIGSEGV",
            """
            0 r 51394d harbour 51394d -
            1 r 7f6e894bb390 libpthread-2.23.s * -
            2 p 477210 harbour 477210 harbour_mp_moor_
            """),
        Input(
            "25-dart-flutter.txt", ["dart", "dart-vm"],
            """
            0 e 7a128a45d6 <unknown> 5645d6 -
            0 p d0416679 libflutter.so 1216679 -
            """),
        Input(
            "38-mono.txt", ["mono"],
            """
            0 r 7fb9e3ca5c19 libharbour.so.1 * -
            1 r 7fb9e3c54a31 libharbour.so.1 * moor
            2 r 7fb9e3620980 libtide.so.0 * -
            """),
        Input(
            "39-varnish-libunwind-and-others.txt", ["libunwind"],
            """
            0 r 565c2614 - 2a5 moor
            1 r 5665dba5 - 44 berth
            """),
        Input(
            "45-boost-stacktrace.txt", ["boost-stacktrace"],
            """
            0 r 7fffe8aa7b0f libharbour.so * -
            1 r - - - moor(int)
            2 r 555555554abc harbour * -
            """),
        Input(
            "46-jhsdb-mixed.txt", ["*"],
            """
            0 p 7f1d35063f16 - c6 __futex_abstimed_wait_common
            1 r 7f1d350665d8 - 1e8 moor
            """),
        Input(
            "47-julia-unknown-function.txt", ["julia-crash"], signal: "SIGSEGV",
            """
            0 e - libharbour.so - moor
            1 e 7fae1b1868a2 - - -
            """),
        Input(
            "48-il2cpp-in-java-trace.txt", ["java-trace"], signal: "SIGSEGV",
            """
            0 * - libil2cpp.so 559590 -
            1 * - libunity.so 3b40f0 -
            """),
    ]

    // MARK: Kernels, small systems, Android

    private static let devices = [
        // 0x55d0c0a1b2c3 - 0x55d0c0a1a000 = 0x12c3 in the mapping; `72de4` is the position in the
        // file.
        Input(
            "11-kernel-user-segfault.txt", ["kernel-segfault", "kernel-segfault", "kernel-segfault", "kernel-segfault"],
            signal: "SIGSEGV",
            """
            0 p 55d0c0a1b2c3 harbour 12c3 -
            0 p 7f623575ade4 libtide.so.1 72de4 -
            0 p 55d0c0a1b2c3 harbour 12c3 -
            """),
        Input(
            "14-esp32.txt", ["esp-idf"],
            """
            0 e - <unknown> 4008b562 -
            1 e - <unknown> 400dc81f -
            2 e - <unknown> 400d3962 -
            """),
        Input(
            "15-esp8266-and-c3.txt", ["esp8266", "esp-idf"],
            """
            0 p - <unknown> 4020a5d4 -
            1 ru - <unknown> 4020190c -
            0 p - <unknown> 42005322 -
            1 r - <unknown> 42005316 -
            """),
        // The link registers have the Thumb bit. The order is the log's: Zephyr and PX4 print it
        // first.
        Input(
            "16-microcontrollers.txt", ["zephyr", "cortex-m-registers", "cortex-m-registers", "u-boot"],
            """
            1 r - <unknown> 8001705 -
            0 p - <unknown> 800c104 -
            1 r - <unknown> 80148dd -
            0 p - <unknown> 8014900 -
            1 r - <unknown> 802cdcf -
            0 p - <unknown> 8014c1c -
            0 p - <unknown> 4022e8ae -
            1 r - <unknown> 4022e506 -
            """),
        // Rows in four ways of writing a line of logcat.
        Input(
            "26-android-fragments-and-prefixes.txt",
            ["android-tombstone", "android-tombstone", "android-tombstone", "android-tombstone"],
            """
            0 e - libharbour.so 77148 -
            1 e - libharbour.so 76c68 _Z4moori
            0 e - libharbour.so 77148 -
            0 e - libharbour.so 77148 -
            0 e - libharbour.so 77148 -
            12 e - libharbour.so 139684 moor
            """),
        Input(
            "27-android-apk-with-buildid-only.txt", ["android-tombstone"],
            """
            0 e - base.apk 1166 -
            1 e - split_config.arm64_v8a.apk 1139620 -
            """),
        Input(
            "28-android-function-without-parentheses.txt", ["android-tombstone"],
            """
            0 e - libharbour.so 62d6b4 harbour::Moor(harbour::Ship*)
            1 e - libharbour.so 6a26c0 Berth
            """),
        Input(
            "32-kernel-without-kallsyms.txt", ["kernel-oops"],
            """
            0 p 800d9088 - - -
            1 r 80081f20 - - -
            """),
        Input(
            "33-kernel-arm-function-entered-at.txt", ["kernel-oops"],
            """
            0 p c01f3218 - - -
            1 r c01f32a0 - - -
            2 r c0248048 - - -
            """),
        Input(
            "34-kernel-arm64-hex-pc.txt", ["kernel-oops"],
            """
            0 p ffffffc010123456 - - -
            1 r ffffffc010123400 - - -
            """),
        Input(
            "51-mips-oops.txt", ["kernel-oops"],
            """
            0 p 8003ab3c vmlinux 4 moor
            1 r 80036f64 vmlinux 14 berth
            """),
    ]

    // MARK: Tools

    private static let tools = [
        // Offsets count from 0x108000; 0x471a4e is the program's as well, whose file its row does
        // not name.
        Input(
            "12-valgrind.txt", ["valgrind"],
            """
            0 e 10a991 harbour * moor
            1 e 10ab3b harbour * -
            2 e 5324fc4 libtide.so.1 * -
            3 e 471a4e harbour * main
            """),
        Input(
            "29-stack-cut-at-its-top.txt", ["*"],
            """
            4 r 7ffff7ab1234 libtide.so * moor
            5 r 7ffff7ab5678 libtide.so * berth
            6 r 555555554abc - * main
            """),
        Input(
            "30-systemd-stack-begins-at-6.txt", ["systemd-coredump"],
            """
            6 r 5a48b12 harbour 5848b12 -
            7 r 56b78a5 harbour 54b78a5 -
            """),
        Input(
            "31-sanitizer-fragment-as-address-list.txt", ["sanitizer-asan"],
            """
            3 e 7ffff7fb3294 libharbour.so 1294 -
            4 e 7ffff7fb3394 libharbour.so 1394 -
            """),
        Input("35-bracketed-words-are-no-stack.txt", [], ""),
        Input(
            "36-eu-stack.txt", ["eu-stack"],
            """
            0 p 7f6079cfbdd0 - - pause
            1 r 55bb5442a166 - - -
            2 r 7f6079c4f24a - - __libc_start_call_main
            0 p 7f6079cfbdd0 - - read
            """),
        Input(
            "37-lldb.txt", ["lldb-bt"], signal: "SIGSEGV",
            """
            0 p 450158 harbour c5 moor
            1 r 55b8c46881f8 harbour - -
            2 r 7f43885c5d2d - - -
            """),
        Input(
            "41-bcc-memleak.txt", ["bcc"],
            """
            0 r 7f05944c098c libtide.so.6.0.30 * _Znwm
            1 r 558508caa1bb harbour * moor
            2 r 7f0594212d90 libc.so.6 * -
            3 r b515dd6bd2425100 - - -
            """),
        Input(
            "42-compute-sanitizer.txt", ["compute-sanitizer"],
            """
            0 r - harbour.so 9544e launch_moor(Ship*, int)
            1 r - libtide.so.1 2d725e tide
            2 r - harbour 36feb -
            """),
        Input(
            "44-wine.txt", ["winedbg"],
            """
            0 p 38e0040 harbour 34e0040 -
            1 r 7b463dae * * moor
            """),
    ]
}
