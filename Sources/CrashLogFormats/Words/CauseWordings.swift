internal import CrashLogModel

/// The wordings of programs that print their own stack when a signal ends them.
package enum CauseWordings {
    package static let all: [CauseWording] = [
        // `11:40:21 UTC - mysqld got signal 11 ;`, `[ERROR] /usr/sbin/mariadbd got signal 11 ;`
        CauseWording("mysqld got signal ", .anywhere, .number, source: "MySQL, sql/signal_handler.cc"),
        CauseWording("mariadbd got signal ", .anywhere, .number, source: "MariaDB, sql/signal_handler.cc"),
        // `Redis 7.0.0 crashed by signal: 11, si_code: 1`; the line below it:
        // `Accessing address: 0x18`. Valkey's, Disque's and others' are alike.
        CauseWording(" crashed by signal: ", .anywhere, .number, source: "Redis, src/debug.c, sigsegvHandler"),
        CauseWording("Accessing address: ", .start, .none, address: "", source: "Redis, src/debug.c, sigsegvHandler"),
        CauseWording("SIGSEGV caused by address: ", .start, .none, address: "", source: "Redis 2.8, src/debug.c, sigsegvHandler"),
        // `/srv/harbour.rb:12: [BUG] Segmentation fault at 0x0000000000000018`
        CauseWording(
            "[BUG] ", .anywhere, .words, address: " at ",
            source: "Ruby, signal.c, check_stack_overflow and error.c, rb_bug_for_fatal_signal"),
        // `*** Caught signal (Segmentation fault) **`
        CauseWording("*** Caught signal (", .anywhere, .words, end: ")", source: "Ceph, src/global/signal_handler.cc, handle_fatal_signal"),
        // `[node7:4242] Signal: Segmentation fault (11)`, `Signal code: Address not mapped (1)`,
        // `Failing at address: 0x18`
        CauseWording("Signal: ", .start, .words, end: " (", source: "Open MPI, opal/util/stacktrace.c, show_stackframe"),
        CauseWording("Signal code: ", .start, .none, source: "Open MPI, opal/util/stacktrace.c, show_stackframe"),
        CauseWording("Failing at address: ", .start, .none, address: "", source: "Open MPI, opal/util/stacktrace.c, show_stackframe"),
        // `handle_crash: Program crashed with signal 11`
        CauseWording("Program crashed with signal ", .anywhere, .number, source: "Godot, platform/linuxbsd/crash_handler_linuxbsd.cpp"),
        // `Got a SIGSEGV while executing native code. This usually indicates`
        CauseWording(
            "Got a ", .start, .name, end: " while executing native code",
            source: "Mono, mono/mini/mini-exceptions.c, mono_handle_native_crash"),
        // `Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4242 (worker),
        // pid 4200 (harbour)`
        CauseWording(
            "Fatal signal ", .anywhere, .number, end: " (", address: "fault addr ",
            source: "Android, debuggerd/handler/debuggerd_handler.cpp, log_signal_summary"),
        // `<Fatal> BaseDaemon: … Received signal Segmentation fault (11)`
        CauseWording(") Received signal ", .anywhere, .words, end: " (", source: "ClickHouse, src/Daemon/BaseDaemon.cpp, SignalListener"),
        // `Caught Segmentation fault, suspect faulting address 0x0`
        CauseWording(
            "Caught ", .start, .words, end: ", suspect faulting address", address: " ",
            source: "Envoy, source/server/backtrace.h and signal_action.cc"),
        // `*** Signal 11 (SIGSEGV) (0x30) received by PID 4242 (…) (code: address not mapped to
        // object), stack trace: ***`
        CauseWording(
            "*** Signal ", .start, .number, end: " (", address: ") (",
            source: "folly, folly/debugging/symbolizer/SignalHandler.cpp, dumpSignalInfo"),
        // `*** SIGSEGV received at time=1716799045 on cpu 3 ***`
        CauseWording(
            "*** ", .start, .name, end: " received at time=", source: "Abseil, absl/debugging/failure_signal_handler.cc, WriteSignalMessage"
        ),
        // `*** SIGSEGV (@0x18) received by PID 4242 (TID 0x7f…) from PID 24; stack trace: ***`
        CauseWording("*** ", .start, .name, end: " (@", address: "", source: "glog, src/signalhandler.cc, DumpSignalInfo"),
        // `Program received signal SIGSEGV: Segmentation fault - invalid memory reference.`
        CauseWording(
            "Program received signal ", .start, .name, end: ": ",
            source: "gfortran, libgfortran/runtime/compile_options.c, backtrace_handler"),
        // `forrtl: severe (174): SIGSEGV, segmentation fault occurred`
        CauseWording("): ", .anywhere, .name, end: ", segmentation fault occurred", source: "Intel Fortran, error 174"),
        // `[4242] signal (11.1): Segmentation fault`
        CauseWording("signal (", .start, .number, source: "Julia, src/signals-unix.c"),
        // `Segmentation fault on shard 5.`
        CauseWording("", .start, .words, end: " on shard ", source: "Seastar, src/core/reactor.cc, sigsegv_action"),
        // `Segmentation fault (Address not mapped to object [0x8])`
        CauseWording(
            "", .start, .words, end: " (Address not mapped to object", address: " [",
            source: "psiginfo(3), which backward-cpp's SignalHandling calls"),
        CauseWording(
            "", .start, .words, end: " (Invalid permissions for mapped object", address: " [",
            source: "psiginfo(3), which backward-cpp's SignalHandling calls"),
        // `[node7:4242:0:4242] Caught signal 11 (Segmentation fault: address not mapped to object
        // at address 0x8)`
        CauseWording("Caught signal ", .start, .number, address: " at address ", source: "UCX, src/ucs/debug/debug.c, ucs_handle_error"),
        // `*** Segmentation fault`
        CauseWording("*** ", .start, .words, isWhole: true, source: "glibc before 2.35, debug/segfault.c"),
        // `server process (PID 4242) was terminated by signal 11: Segmentation fault`
        CauseWording(
            " was terminated by signal ", .anywhere, .number, end: ": ",
            source: "PostgreSQL, src/backend/postmaster/postmaster.c, LogChildExit"),
    ]
}
