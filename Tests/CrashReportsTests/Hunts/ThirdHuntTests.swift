import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// `hunt/turn3` beside the corpus.
let thirdHuntFolder: String? = TestPaths.corpus.map { $0 + "/../hunt/turn3" }.flatMap {
    TestPaths.isReadable($0 + "/other/README.md") ? $0 : nil
}

/// Crash texts behind lines of loggers and CI systems, tables and register dumps, and families that were not read: each gives the rows
/// that its README and the log itself say.
@Suite(.enabled(if: thirdHuntFolder != nil, "the hunt's inputs are absent"))
struct ThirdHuntTests {
    typealias Input = OtherHuntTests.Input

    @Test(arguments: ThirdHuntInputs.all) func `the rows are those of the log`(input: Input) throws {
        let folder = try #require(thirdHuntFolder)
        let log = SampleLog(bytes: try readFile(folder + "/" + input.file)).parsed()
        OtherHuntTests.expectRows(input.rows, formats: input.formats, signal: input.signal, in: log)
    }
}

/// Expected results of the inputs of `hunt/turn3` that are read.
enum ThirdHuntInputs {
    typealias Input = ThirdHuntTests.Input

    static let all = noStacks + prefixes + apple + applePlatforms + systems + families

    // MARK: What is no stack

    /// Registers and tables.
    private static let noStacks = [
        "02-registers-colon", "02-registers-gdb-arm64", "02-registers-gdb", "02-registers-two-columns-behind-prefix",
        "02-registers-with-module",
        "03-table-csv", "03-table-linker-map", "03-table-readelf-frames",
    ].map { Input("other/\($0).txt", [], "") }

    // MARK: Known rows behind unknown prefixes

    /// 0x55d0c0a0b1c2 - 0x1c2 is the start of `_ZN4Moor3runEv`; 0x7f1f5a429d90 - 0x29d90 is a
    /// page's boundary.
    static let glibc = """
        0 r 55d0c0a0b1c2 berth 1c2 _ZN4Moor3runEv
        1 r 7f1f5a429d90 libquay.so.6 29d90 -
        2 r 7f1f5a429e40 libquay.so.6 * __quay_main
        3 r 55d0c0a0b0a5 berth 25 _start
        """
    private static let gdb = """
        0 p 555555555159 - * moor
        1 r 555555555190 - * quay_all
        2 r 7ffff7df824a * * __libc_start_call_main
        3 r 5555555550a5 - * _start
        """

    private static let prefixes = [
        Input(
            "other/01-equals-sign-taken-for-a-mail.txt", ["gdb-bt"], signal: "SIGSEGV",
            """
            0 p 40110d - - -
            1 r 40111f - - -
            2 r 401132 - - -
            3 r 401146 - - -
            """),
        Input("other/05-time-in-prefix-is-no-writer-apache.txt", ["glibc-backtrace"], glibc),
        Input("other/05-time-in-prefix-is-no-writer-terminal.txt", ["gdb-bt"], signal: "SIGSEGV", gdb),
        Input("other/06-json-lines-glibc-rows.txt", ["glibc-backtrace"], glibc),
        Input("other/08-line-between-rows-taken-for-a-name.txt", ["glibc-backtrace"], glibc),
        Input("other/06-json-lines-zap.txt", ["glibc-backtrace"], glibc),
        Input(
            "other/07-known-rows-behind-unknown-prefix-arduino.txt", ["sanitizer-asan"],
            """
            0 e 55d0c0a0b1c3 berth 11c3 -
            1 e 7f1f5a429d8f libquay.so.6 29d8f -
            2 e 55d0c0a0b0a4 berth 10a4 -
            0 e 7f1f5a5349c1 libasan.so.8 b76a8 -
            1 e 55d0c0a0b1c3 berth 11c3 -
            """),
        Input("other/07-known-rows-behind-unknown-prefix-box.txt", ["gdb-bt"], gdb),
        Input(
            "other/07-known-rows-behind-unknown-prefix-cloudwatch-csv.txt", ["rust-panic"],
            """
            0 r 55d0c0a0b1c2 - - -
            1 r 55d0c0a0c1c2 - - core::fmt::write::h01edf6dd68a42c9c
            """),
        Input(
            "other/07-known-rows-behind-unknown-prefix-klog-android.txt", ["android-tombstone"], signal: "SIGSEGV",
            """
            0 e - libmoor.so 1a2b4 moor
            1 e - libmoor.so 1b2b4 -
            2 e - libc.so b63b0 __pthread_start(void*)
            """),
        Input("other/07-known-rows-behind-unknown-prefix-logrus.txt", ["go-panic"], "0 r - - 1d main.moor"),
        Input("other/07-known-rows-behind-unknown-prefix-markdown-list.txt", ["gdb-bt"], signal: "SIGSEGV", gdb),
        Input(
            "other/07-known-rows-behind-unknown-prefix-openwrt-kernel.txt", ["kernel-oops"],
            """
            0 p - moor.ko 1c moor_run
            1 r - moor.ko 33 quay_ioctl
            """),
        Input(
            "other/07-known-rows-behind-unknown-prefix-pylog-gdb.txt", ["gdb-bt"], signal: "SIGSEGV",
            """
            0 p 40110d - - -
            1 r 401130 * - -
            """),
        Input(
            "other/07-known-rows-behind-unknown-prefix-ray-go.txt", ["go-panic"], signal: "SIGSEGV",
            """
            0 p 47b541 * * *
            0 p - - 1d main.moor
            1 r - - 2a main.main
            """),
        Input(
            "other/07-known-rows-behind-unknown-prefix-slurm-kernel.txt", ["kernel-oops"],
            """
            0 p - moor.ko 1c moor_run
            1 r - moor.ko 33 quay_ioctl
            2 r - vmlinux 5b do_syscall_64
            """),
        // The rows of two processes, each in the order of its own.
        Input(
            "other/31-two-processes-one-stack-srun.txt", ["glibc-backtrace", "glibc-backtrace"],
            glibc + "\n"
                + """
                0 r 66d0c0a0b1c2 ferry 1c2 _ZN4Moor3runEv
                1 r 7e1f5a429d90 libquay.so.6 29d90 -
                2 r 7e1f5a429e40 libquay.so.6 * __quay_main
                3 r 66d0c0a0b0a5 ferry 25 _start
                """),
    ]

    // MARK: Apple's reports behind prefixes

    /// 0x102c443a4 - 0x102c44000 = 0x3a4.
    private static let crash = """
        0 p 102c443a4 Long 3a4 *
        1 r 102c44464 Long 464 *
        0 p 102c443b0 Long 3b0 *
        1 r 102c44464 Long 464 *
        """

    /// 0x102c44390 - 0x102c44000 = 0x390.
    private static let ips = """
        0 p 102c44390 Long 390 *
        1 r 102c443a4 Long 3a4 *
        2 r 102c4443c Long 43c *
        """

    /// The heaviest stack, and the thread's.
    private static let spindump = """
        0 r 102c44464 Long 464 *
        1 r 102c4443c Long 43c *
        2 p 102c44390 Long 390 *
        0 r 102c44464 Long 464 *
        1 r 102c4443c Long 43c *
        2 p 102c44390 Long 390 *
        """

    private static let apple = [
        Input("apple/00-undamaged.crash", ["apple-crash"], signal: "SIGTRAP", crash),
        Input("apple/06-oslog-prefix.txt", ["apple-crash"], signal: "SIGTRAP", crash),
        Input("apple/06b-box-prefix.txt", ["apple-crash"], signal: "SIGTRAP", crash),
        Input("apple/06c-comment-prefix.txt", ["apple-crash"], signal: "SIGTRAP", crash),
        Input("apple/06d-star-prefix.txt", ["apple-crash"], signal: "SIGTRAP", crash),
        Input("apple/06e-line-numbers.txt", ["apple-crash"], signal: "SIGTRAP", crash),
        Input(
            "apple/05-prose-before-head-cut.md", ["apple-crash"],
            """
            18 r 18fe8efd8 UIKit * UIApplicationMain
            19 r 102c44464 Long 464 *
            20 r 19995ba9c libdyld.dylib * start
            0 p 102c443b0 Long 3b0 *
            1 r 102c44464 Long 464 *
            0 p 21a6c246c libsystem_pthread.dylib * start_wqthread
            0 p 21a6c246c libsystem_pthread.dylib * start_wqthread
            """),
        Input("apple/07-ips-spindump-indented.txt", ["apple-spindump"], spindump),
        Input("apple/07b-ips-spindump-undamaged.ips", ["apple-spindump"], spindump),
        Input(
            "apple/17c-panic-string-escaped.txt", ["apple-panic"],
            """
            0 r fffffe0046176200 * * *
            1 r fffffe00462e9a24 * * *
            2 r fffffe00462e7b20 * * *
            """),
        Input(
            // The seventh address is 0x1c6c4 at the first line's end and 731c below.
            "apple/23-hard-wrapped-80.txt", ["apple-crash"], signal: "SIGTRAP",
            """
            0 r 19a1fe3e8 * * *
            1 r 1993ec0a4 * * *
            2 r 19a106158 * * *
            3 r 102c443a4 Long * *
            4 r 102c4443c Long * *
            5 r 102c44464 Long * *
            6 r 1c6c4731c * * *
            7 r 184b9fa30 * * *
            8 r 180c4f884 * * *
            9 r 1804b6e28 * * *

            """ + crash),
        Input("apple/24-ips-diff.txt", ["apple-ips"], ips),
        Input("apple/24b-ips-line-numbers.txt", ["apple-ips"], ips),
        Input("apple/24c-ips-coloured.txt", ["apple-ips"], ips),
        Input("apple/24d-ips-undamaged.ips", ["apple-ips"], ips),
        Input(
            "apple/27-minidump-stackwalk-pc-below.txt", ["minidump-stackwalk"],
            """
            0 p 102c44390 Long * step
            1 r 102c443a4 Long * first
            """),
        Input("apple/07c-spindump-boxed.txt", ["apple-spindump"], spindump),
    ]

    // MARK: Systems

    private static let systems = [
        Input(
            "other/04-zephyr-thread-is-no-frame.txt", ["zephyr"],
            """
            1 r * * * -
            0 p * * * -
            """),
        Input(
            "other/10-build-id-in-brackets.txt", ["android-tombstone"], signal: "SIGSEGV",
            """
            0 e - libmoor.so 12389c -
            1 e - libmoor.so 13c92f -
            """),
        Input(
            "other/10-ohos-threads.txt", ["android-tombstone"],
            """
            0 e - ld-musl-aarch64.so.1 153e90 epoll_wait
            1 e - libquay.so a5030 quay::Poller::PollOnce(int)
            0 e - libquay.so 7072c quay::Manager::Try(quay::Thread const*, int)
            1 e - ld-musl-aarch64.so.1 1bb0b4 start
            """),
        Input(
            "other/11-gdb-in-at-library.txt", ["gdb-bt"],
            """
            0 p 7f5b54b8d26c libc.so.6 - -
            1 r 7f5b54b3da08 libc.so.6 * raise
            2 r 556ccefc85a8 - - -
            3 r 7f5b54b8b44b libc.so.6 - -
            """),
        Input(
            "other/11-gdb-title-as-path.txt", ["gdb-bt"], signal: "SIGSEGV",
            """
            0 p 7ffba7f30f7b librope.so.2 * rope
            1 r 7ffba7f77077 - * moor
            """),
        Input(
            "other/15-arm32-trampoline.txt", ["stack-rows"],
            """
            1 r 220f90 - 5c berth(int, siginfo_t*, void*)
            2 * 76bc46c0 - 0 __default_rt_sa_restorer
            3 p 76bc345c - a0 rope
            """),
        Input(
            "other/08-word-behind-row-taken-for-a-name.txt", ["vmkernel"],
            """
            0 p 420002512369 vmkernel 2 moor
            1 r 42000250913c vmkernel 9d quay
            2 r 420003b6e914 ferry 8d rope
            """),
        Input(
            "other/20-xen-call-trace.txt", ["xen"],
            """
            0 p * * * quay_free
            1 r * * * rope_update
            2 ru * * * __high_rope
            """),
        Input(
            "other/22-haiku-report.txt", ["haiku"],
            """
            0 p 1c0cc7a - 6 Berth::moor(Berth)
            1 r 1b9e5f0 - 7f0 Quay::Received(BMessage*)
            2 r f50661 librope.so 38167 -
            """),
        // The address is in the line of registers below each row.
        Input(
            "other/26-stackwalk-all-named.txt", ["minidump-stackwalk"],
            """
            0 p 634d08af45fe berth * moor_run
            1 r 7fb2a328f6ba libquay.so.6 * quay_main
            """),
        Input(
            "other/28-esxi-purple-screen.txt", ["vmkernel"],
            """
            0 p 41801cd9c266 vmkernel db9 moor
            1 r 41801cd9fc73 vmkernel 18a quay
            2 r 41801cd3ced0 vmkernel 247 rope
            """),
    ]
}

extension ThirdHuntInputs {
    /// Families that were not read, and stacks whose head is cut off.
    static let families = kernels + cutHeads + devices + runtimes + glibcRows

    // MARK: Kernels

    private static let kernels = [
        Input("other/16-powerpc-faulting-instruction.txt", ["kernel-oops"], "0 p c00000000069d168 - - -"),
        Input(
            "other/16-powerpc-head-cut.txt", ["kernel-oops"],
            """
            0 p c000000000ac0ce8 vmlinux 18 moor_run
            1 r c000000000159748 vmlinux 4a8 quay_run.isra.11
            2 r c000000000150aec vmlinux 13c rope_new
            3 r c00000000010c124 vmlinux 164 _do_rope
            """),
        // 77e1f034 - 77d98000 = 87034, 77e24928 - 77e00000 = 24928.
        Input(
            "other/17-kernel-record-behind-a-prompt.txt", ["kernel-segfault", "kernel-segfault"], signal: "SIGSEGV",
            """
            0 p 77e1f034 libc.so 87034 -
            1 r 77e1f3f8 libc.so 873f8 -
            0 p 77e24928 libc.so 24928 -
            1 r 43b69b quay 3b69b -
            """),
        // 5615da3dea02 - 5615da1aa000 = 234a02.
        Input(
            "other/17-kernel-record-inside-a-line.txt", ["kernel-segfault"], signal: "SIGSEGV", "0 p 5615da3dea02 berth 234a02 -"),
        Input(
            "other/17-kernel-rows-without-head.txt", ["kernel-oops"],
            """
            0 ru - vmlinux 5 srso_alias_return_thunk
            1 ru - vmlinux 79 moor_ptes.constprop.0
            2 ru - vmlinux bc quay_pfn
            3 ru - moor.ko 3b0 rope_fault
            4 r - vmlinux 35 ferry_val
            """),
        // Two threads of one report.
        Input(
            "other/18-openbsd-first-trace.txt", ["bsd-panic"],
            """
            0 r - bsd 226 pool_moor
            1 r - bsd 1e7 fxp_quay
            2 r - bsd 6d Xintr_ioapic0
            0 r - bsd 4 Debugger
            1 r - bsd b i386_ipi_db
            """),
        // The row below `cmntrap` is the interrupted one.
        Input(
            "other/24-illumos-panicstack.txt", ["illumos-panic"],
            """
            0 r - unix 1169 trap
            1 r - unix e9 cmntrap
            2 p - moor 5b moor_ioctl
            3 r - genunix 153 ioctl
            """),
    ]

    // MARK: Cut heads

    private static let cutHeads = [
        Input(
            "other/12-sanitizer-cut-head.txt", ["sanitizer-asan"],
            """
            0 e 5646ef225cff - - moor
            1 e 5646ef229ae2 - - quay
            2 e 76c294e77a41 - - asan_thread_start
            3 e 76c294bbaaa3 libc.so.6 9caa3 -
            0 e 5646eeb38bcf - - ferry
            """),
        Input(
            "other/19-coredumpctl-cut-without-offsets.txt", ["systemd-coredump"],
            """
            2 r 557b7e62bcd5 Berth * -
            3 r 7f7c79a8157f libpthread.so.0 * start_thread
            4 r 7f7c7834c0e3 libc.so.6 * __clone
            0 p 7f7c78341667 libc.so.6 * __poll
            1 r 7f7c79958130 libquay.so.0 * -
            """),
        Input(
            "other/30-addresses-in-a-document.txt", ["address-list"],
            """
            0 e 55697dc748 - - -
            1 e 7f929b8820 - - -
            2 e 5569c4ba68 - - -
            3 e 5569c9ced8 - - -
            """),
    ]

    // MARK: Devices

    private static let devices = [
        Input(
            "other/21-optee-call-stack.txt", ["op-tee"],
            """
            0 p 212900 7fc5c039-0542-4ee1-80af-b4eab2f1998d * -
            1 r 20f601 7fc5c039-0542-4ee1-80af-b4eab2f1998d * -
            2 r 20723f 7fc5c039-0542-4ee1-80af-b4eab2f1998d * -
            """),
        // 3221234688 = 0xC0002400.
        Input(
            "other/23-mcu-esp-hal.txt", ["esp-hal"],
            """
            0 p * * 4ff403a6 -
            1 r * * c0002400 -
            """),
        Input(
            "other/23-mcu-mbed.txt", ["cortex-m-registers"],
            """
            1 r * * 613 -
            0 p * * 182c -
            """),
        Input(
            "other/23-mcu-nordic.txt", ["cortex-m-registers"],
            """
            0 p * * 2565a -
            1 r * * dcd5 -
            """),
        Input("other/23-mcu-zephyr-1.txt", ["zephyr"], "0 p * * 10bd2 -"),
        // 3f2485b8 - c05b8 = 3f188000, and so in each row.
        Input(
            "other/13-module-plus-offset-in-parentheses.txt", ["creport"],
            """
            1 ru 3f248850 ferrySdk c0850 -
            0 p 3f248850 ferrySdk c0850 -
            2 r 3f2485b8 ferrySdk c05b8 -
            3 r 3f2a1c44 ferrySdk 119c44 -
            4 r 2b0a1c40 Application 1c40 -
            """),
    ]

    // MARK: Runtimes

    private static let runtimes = [
        Input(
            "other/14-rows-without-address-dropped.txt", ["node-native"],
            """
            1 r - node - node::Abort()
            2 r 11e7fec node 11e7fec -
            3 r - node - v8::Utils::ReportOOMFailure(char const*, bool)
            4 r - node - v8::internal::V8::FatalProcessOutOfMemory(char const*, bool)
            5 r dee3b3 node dee3b3 -
            """),
        Input(
            "other/25-graal-frame-size.txt", ["graal-native-image"],
            """
            0 p 7ff669b6d776 - - -
            1 r 7ff669b6d6fc - - -
            2 r 7ff669b693c9 - - -
            """),
        Input(
            "other/27-windows-names-in-parentheses.txt", ["windows-cdb"],
            """
            0 p 7ff83f446835 ferry-2.0 - moor_has_breakpoint
            1 r 7ff83f28bd04 ferry-2.0 - moor_class_init
            2 r 7ff6b422027a Berth - -
            """),
        Input(
            "other/27-windows-visual-studio.txt", ["windows-cdb"],
            """
            0 p 7ff90e8ba68c quay.dll - -
            1 r 7ff90e8cdfb5 quay.dll - -
            2 r 7ff90f6a97d7 quay.dll - -
            """),
        Input(
            "other/29-wasmtime.txt", ["wasmtime"],
            """
            0 e - * f2f3 -
            1 e - * d9e6 -
            2 e - * c7a9 -
            """),
    ]

    // MARK: Rows of glibc

    private static let glibcRows = [
        Input(
            "other/07-known-rows-behind-unknown-prefix-grep.txt", ["glibc-backtrace"],
            """
            0 r 55d0c0a0b1c2 berth 1c2 _ZN4Moor3runEv
            1 r 7f1f5a429d90 libquay.so.6 29d90 -
            2 r 55d0c0a0b0a5 berth 25 _start
            """),
        Input("other/07-known-rows-behind-unknown-prefix-pylog-glibc.txt", ["glibc-backtrace"], glibc),
        Input(
            "other/08-question-marks-with-parentheses-taken-for-a-name.txt", ["stack-rows"],
            """
            0 * 7ff14e9f9602 - - -
            1 * 7ff14ea52767 - - -
            """),
        Input(
            "other/09-another-machine-s-libraries.txt", ["glibc-backtrace"],
            """
            0 r 5b9aa2116de4 quay 42fde4 -
            1 r 5b9aa2116896 quay 42f896 -
            2 r 786c39242520 libc.so.6 42520 -
            3 r 786c3985c49c libm.so.6 1349c -
            4 r 5b9aa2ba914c quay ec214c -
            """),
    ]
}

/// Logs of Apple's platforms, loaded at 0x102c44000: 0x390 is in `step`, 0x3a4 in `first`, 0x43c in `report`, 0x464 in `main`.
extension ThirdHuntInputs {
    static let applePlatforms = offsets + services + tools + appleKernels

    // MARK: Rows that count from the image

    private static let offsets = [
        Input(
            "apple/01-crashlytics-crashed-heading.txt", ["crashlytics"],
            """
            0 p - Long 390 -
            1 r - Long 3a4 -
            2 r - Long 43c -
            3 r - UIKitCore 1cd5e4 UIApplicationMain
            """),
        Input(
            "apple/02-crashlytics-line-as-offset.txt", ["crashlytics"],
            """
            0 p - Long 390 step
            1 r - Long 3a4 first
            2 r - Long 43c report
            3 r - Long 464 main
            """),
        Input(
            "apple/03-mh-execute-header.txt", ["crashlytics"],
            """
            0 r - Long 390 -
            1 r - Long 3a4 -
            2 r - Long 43c -
            3 r - UIKitCore 1cd5e4 UIApplicationMain
            """),
        Input(
            "apple/03b-mh-execute-header-addresses.txt", ["darwin-backtrace"],
            """
            0 r 102c443a4 Long 3a4 -
            1 r 102c4443c Long 43c -
            2 r 102c44464 Long 464 -
            3 r 1979ea000 dyld * start
            """),
        Input(
            "apple/03c-mh-execute-header-lldb.txt", ["lldb-bt"], signal: "SIGABRT",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r 7fff5a4ce115 libdyld.dylib * start
            """),
        // 0x199a82bd0 + 84, 0x102c44398 + 12, 0x102c443b0 + 140, 0x1979ea000 + 6076: rows with a name have the function's beginning.
        Input(
            "apple/04-exclusivity.txt", ["swift-runtime-trace"],
            """
            0 r 199a82c24 libswiftCore.dylib * swift_beginAccess
            1 r 102c443a4 Long * first
            2 r 102c4443c Long * report
            3 r 102c44464 Long 464 -
            4 r 1979eb7bc dyld * start
            """),
        Input(
            "apple/15-hex-offsets.crash", ["apple-crash"],
            """
            0 p 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            """),
        Input(
            "apple/19-matlab-mac.txt", ["stack-rows"],
            """
            0 r 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            """),
        Input(
            "apple/28-image-base-column.txt", ["apple-crash"],
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r - Long - first
            """),
        Input(
            "apple/31-sentry-unsymbolicated.txt", ["apple-crash"],
            """
            0 p 102c443b0 Long 3b0 -
            1 r 102c44464 Long 464 -
            2 r 1979ea17c libdyld.dylib 17c -
            """),
        Input(
            "apple/31b-address-base-offset-disagree.txt", ["darwin-backtrace"],
            """
            0 r 102c443a4 Long 3a4 -
            1 r 102c4443c Long 43c -
            2 r 102c44464 Long 464 -
            """),
    ]

    // MARK: Services

    private static let services = [
        Input(
            "apple/08-sentry.txt", ["apple-crash"], signal: "SIGTRAP",
            """
            0 p 102c443b0 Long - report
            1 r 102c44464 Long - main
            0 p 102c443a4 Long - first
            1 r 102c44464 Long - main
            0 p 3b1ddd6d0 libsystem_kernel.dylib - __workq_kernreturn
            """),
        Input(
            "apple/08b-sentry-crashed-first.txt", ["apple-crash"], signal: "SIGSEGV",
            """
            0 p 102c443b0 Long - report
            1 r 102c44464 Long - main
            0 p 3b1ddd6d0 libsystem_kernel.dylib - __workq_kernreturn
            """),
        Input(
            "apple/09-bugsnag-event.json", ["bugsnag-json"],
            """
            0 p 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            0 p 102c443a4 Long 3a4 first
            1 r 102c4443c Long 43c report
            """),
        Input(
            "apple/10-measure.json", ["measure-json"], signal: "SIGSEGV",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            """),
        Input(
            "apple/11-datadog-other-build.json", ["datadog-json"], signal: "SIGSEGV",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r 102c4443c Long 43c -
            0 p 102c443a4 Long 3a4 -
            """),
        Input(
            "apple/12-asc-diagnostic-logs.json", ["metrickit"],
            """
            0 r 102c44464 Long 464 main
            1 p 102c4443c Long 43c -
            """),
        Input(
            "apple/16-crashlytics-flutter.txt", ["dart"],
            """
            0 e 106d377c7 - a0fc7 _kDartIsolateSnapshotInstructions
            1 e 106d3778f - a0f8f _kDartIsolateSnapshotInstructions
            2 e 106cd9257 - 42a57 _kDartIsolateSnapshotInstructions
            """),
    ]

    // MARK: Tools

    private static let tools = [
        Input("apple/22-dyld-print.txt", [], ""),
        Input(
            "apple/13-lldb-image-list.txt", ["lldb-bt"],
            """
            0 p 102c44390 Long - -
            1 r 102c443a4 Long - -
            2 r 102c4443c Long - -
            3 r 18e3a6b98 dyld - start
            """),
        Input(
            "apple/14-lldb-crashlog-other-build.txt", ["stack-rows"],
            """
            0 * 102c44390 Long * step
            1 * 102c443a3 Long * first
            2 * 102c4443b Long * report
            3 * 18e3a6b97 dyld * start
            """),
        Input(
            "apple/18b-ipsw-crash.txt", ["ipsw"],
            // 0x1c18b61e0 - 0x27010000
            """
            0 p - libobjc.A.dylib 19a8a61e0 _objc_msgSend
            1 r - CoreFoundation 18585676c -[__NSDictionaryM objectForKeyedSubscript:]
            2 r - Demo 185ed9230 -[Worker update:]
            """),
        Input(
            "apple/20-xctrace-time-profile.xml", ["xctrace"],
            """
            * r 102c443a3 Long 3a3 -
            * r 102c443a3 Long 3a3 -
            * r 102c4443b Long 43b -
            """),
        Input(
            "apple/21-lldb-no-addresses.txt", ["lldb-bt"],
            """
            0 p - Long 8 step
            1 r - Long c first
            2 r - Long 8c report
            3 r - libdispatch.dylib 208 _dispatch_root_queue_drain
            """),
        Input(
            "apple/25-rows-without-offset.txt", ["apple-crash"],
            """
            3 * - TCC - __TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__
            4 r - Long - report
            """),
        Input(
            "apple/29-swift-elided-head.txt", ["swift-backtrace"],
            """
            0 p 7f254648e96e libc.so.6 - -
            1 r 7f2547655359 libFoundation.so - Process.run()
            """),
        Input(
            "apple/30-spindump-rows-alone.txt", ["apple-spindump"],
            """
            0 r 19761f658 libxpc.dylib 20658 -
            1 r 19761f478 libxpc.dylib 20478 -
            2 p 102c44390 Long 390 -
            """),
    ]

    // MARK: Kernels

    private static let appleKernels = [
        Input(
            "apple/17-panic-head-cut.txt", ["apple-panic"],
            """
            0 r ffffff801168fefd mach_kernel * _handle_debugger_trap
            1 r ffffff80117f2636 mach_kernel * _kdp_i386_trap
            2 r ffffff80117e19a3 mach_kernel * _kernel_trap
            """),
        Input(
            "apple/17b-panic-arm64-head-cut.txt", ["apple-panic"],
            """
            0 r fffffe0030a01cf0 - - -
            1 r fffffe0030b726a4 - - -
            2 r fffffe0030b7089c - - -
            3 r fffffe00309a7b88 - - -
            """),
        Input(
            "apple/18-ipsw-panic-listing.txt", ["ipsw"],
            """
            0 p - image_355 43c -
            1 r - image_355 464 -
            2 r - image_2 8134ab8 -
            3 r - image_2 7ab6460 -
            0 p - image_0 1007188b20 -
            1 r - image_0 10077cb9e8 -
            """),
        Input(
            "apple/26-panic-reason-two-lines.txt", ["apple-panic"],
            """
            0 r fffffe0043ef4020 - - -
            1 r fffffe0043ef4040 - - -
            """),
    ]
}

/// Facts that are not in the rows.
@Suite(.enabled(if: thirdHuntFolder != nil, "the hunt's inputs are absent"))
struct ThirdHuntAppleTests {
    private func report(_ file: String) throws -> CrashReport {
        let folder = try #require(thirdHuntFolder)
        return try #require(SampleLog(bytes: try readFile(folder + "/apple/" + file)).parsed().reports.first)
    }

    @Test func `a panic's reason has all its lines`() throws {
        let report = try report("26-panic-reason-two-lines.txt")
        #expect(report.cause?.message == "refcnt: overflow\n(rc=0xfffffe1f3ec31274, count=17, max=16) @refcnt.c:68")
    }

    @Test func `Sentry's threads are numbered and named`() throws {
        let report = try report("08-sentry.txt")
        #expect(report.threads.map(\.index) == [1, 0, 2])
        #expect(report.threads.map(\.name) == ["worker", "com.apple.main-thread", nil])
        #expect(report.threads.map(\.crashed) == [true, false, false])
        #expect(report.platform == "iOS 18.5 (22F76)")
        #expect(try self.report("08b-sentry-crashed-first.txt").threads.map(\.index) == [0, 1])
    }

    @Test func `a head with lines left out says what happened`() throws {
        let report = try report("29-swift-elided-head.txt")
        #expect(report.cause?.address?.value == 0x7f253c22f000)
        #expect(report.platform == "Linux (Ubuntu 22.04.5 LTS)")
    }

    @Test func `rows with names alone are the crashed thread's`() throws {
        let report = try report("25-rows-without-offset.txt")
        #expect(report.threads.map(\.index) == [1] && report.threads.allSatisfy(\.crashed))
    }

    @Test func `images of lldb's list have identity and load address`() throws {
        let image = try #require(report("13-lldb-image-list.txt").images.first { $0.name == "Long" })
        #expect(image.base?.value == 0x102c44000)
        #expect(image.id?.description == "4C4C44ED-5555-3144-A1F6-E835C4EE10B4")
    }

    @Test(arguments: ["11-datadog-other-build.json", "14-lldb-crashlog-other-build.txt"])
    func `a UUID beside the rows is the image's`(file: String) throws {
        let image = try #require(report(file).images.first { $0.name == "Long" })
        #expect(image.id?.description == "00000000-5555-3144-A1F6-E835C4EE10B4")
    }

    @Test(arguments: ["09-bugsnag-event.json", "10-measure.json", "12-asc-diagnostic-logs.json", "20-xctrace-time-profile.xml"])
    func `frames of services bring identity and load address`(file: String) throws {
        let image = try #require(report(file).images.first { $0.name == "Long" })
        #expect(image.base?.value == 0x102c44000)
        #expect(image.id?.description == "4C4C44ED-5555-3144-A1F6-E835C4EE10B4")
    }
}
