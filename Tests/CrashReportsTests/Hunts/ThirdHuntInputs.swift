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
