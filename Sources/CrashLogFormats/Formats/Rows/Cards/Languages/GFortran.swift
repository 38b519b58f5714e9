internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that the run-time library of GNU Fortran prints:
    ///
    ///     Program received signal SIGSEGV: Segmentation fault - invalid memory reference.
    ///
    ///     Backtrace for this error:
    ///     #2  0x401194 in ???
    ///     #3  0x4011f4 in moor_
    ///     	at /src/harbour.f90:12
    ///
    /// libbacktrace moves return addresses back, except for a frame that a signal interrupted (`simple_unwind`,
    /// `libbacktrace/simple.c`: `if (!ip_before_insn) --pc`; measured with gcc 12). The rows are those of
    /// `libgfortran/runtime/backtrace.c`.
    static let gfortran = StackCard(
        name: "gfortran",
        summary: "run-time errors of GNU Fortran: “Backtrace for this error:”, “Error termination. Backtrace:”",
        openings: [
            .start("Backtrace for this error:"), .start("Error termination. Backtrace:"), .start("Fortran runtime error: "),
        ]
            + ["SIGSEGV", "SIGFPE", "SIGABRT", "SIGILL", "SIGBUS"].map { .start("Program received signal \($0): ") },
        isCertain: true,
        rule: .movedBack,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("Program received signal ") { return SignalText.cause(text).map { .cause($0) } }
            if text.hasPrefix("Fortran runtime error: ") {
                return .cause(
                    CrashCause(
                        kind: .runtimeError, type: "Fortran runtime error", message: text.from("Fortran runtime error: ".utf8.count).text))
            }
            return text.hasPrefix("Backtrace for this error:") || text.hasPrefix("Error termination. Backtrace:") ? .skipped : nil
        })
}
