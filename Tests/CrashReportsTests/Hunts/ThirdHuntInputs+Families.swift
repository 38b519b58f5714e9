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
