import Testing

@testable import Reporting

/// Stacks of real panics and aborts, with the function that the crash is in by the source.
struct MachineryTests {
    private static func beginning(_ names: [String], format: String) -> String {
        let machinery = Machinery(names.map { Machinery.Function($0, file: nil, module: "") }, format: format)
        return names.indices.first { !machinery.contains($0) }.map { names[$0] } ?? ""
    }

    @Test(arguments: [
        (
            [
                "__rustc::rust_begin_unwind", "core::panicking::panic_fmt", "core::panicking::panic_bounds_check", "shop::first",
                "shop::main",
            ], "shop::first"
        ),
        (
            ["testing.tRunner.func1.2", "testing.tRunner.func1", "panic", "runtime.goPanicIndex", "main.total", "main.TestTotal"],
            "main.total"
        ),
        (["runtime.gopanic", "runtime.panicmem", "runtime.sigpanic", "main.load", "main.main"], "main.load"),
        (
            [
                "__pthread_kill_implementation", "raise", "abort", "__gnu_cxx::__verbose_terminate_handler()",
                "__cxxabiv1::__terminate(void (*)())",
                "std::terminate()", "__cxa_throw", "thrower(char const*)", "main",
            ], "thrower(char const*)"
        ),
        (["__pthread_kill_implementation", "raise", "abort", "__assert_fail_base", "__assert_fail", "check", "main"], "check"),
        (
            ["__pthread_kill_implementation", "raise", "abort", "__libc_message", "__fortify_fail", "__stack_chk_fail", "smash", "main"],
            "smash"
        ),
        (
            ["__pthread_kill_implementation", "raise", "abort", "__libc_message", "malloc_printerr", "_int_free", "free", "twice", "main"],
            "twice"
        ),
        // glibc 2.31: sysdeps/unix/sysv/linux/raise.c has it inlined.
        (["__libc_signal_restore_set", "raise", "abort", "__assert_fail_base", "__assert_fail", "check", "main"], "check"),
        (["__pthread_kill_implementation", "raise", "on_crash", "<signal handler called>", "load", "main"], "load"),
        (
            [
                "closure #1 in closure #1 in _assertionFailure(_:_:file:line:flags:)", "_assertionFailure(_:_:file:line:flags:)",
                "Cart.first()",
            ], "Cart.first()"
        ),
        (["Swift runtime failure: arithmetic overflow", "Cart.total()", "static Main.main()"], "Cart.total()"),
    ]) func `the functions that raise an error are not where a crash is`(names: [String], crash: String) {
        #expect(Self.beginning(names, format: "test") == crash)
    }

    @Test func `a stack without them begins with its first function`() {
        let machinery = Machinery([Machinery.Function("load", file: nil, module: "app")], format: "test")
        #expect(machinery.beginning == 0 && !machinery.contains(0))
    }
}
