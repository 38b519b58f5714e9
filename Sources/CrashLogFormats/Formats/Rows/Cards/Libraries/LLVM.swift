internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of LLVM prints, as in clang, lld, clangd, lldb, Swift's and Rust's compilers:
    ///
    ///     Stack dump:
    ///     0.	Program arguments: harbourc -c tide.c
    ///      #0 0x0000757e27fc4d90 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so.18.1+0x7c4d90)
    ///      #2 0x0000757e2724c1d0 __restore_rt (/usr/lib/libc.so.6+0x3d1d0)
    ///
    /// `PrintStackTrace` (`llvm/lib/Support/Unix/Signals.inc`) prints the addresses of `backtrace(3)`: return
    /// addresses, except for the row below the trampoline. The offset counts from the load bias
    /// (`findModulesAndOffsets`: `dlpi_addr`). On Darwin, and if no symbolizer is available, rows have the symbol of
    /// `dladdr(3)` after the image.
    static let llvm = StackCard(
        name: "llvm-stack-dump",
        summary: "crash handler of LLVM: “Stack dump:” of clang, lld, swift-frontend, rustc",
        openings: [
            .start("PLEASE submit a bug report to "), .start("Stack dump:"), .start("Stack dump without symbol names"),
        ],
        isCertain: true,
        maxUnrecognizedLines: 8,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("PLEASE submit a bug report") || text.hasPrefix("Stack dump") { return .skipped }
            guard let length = contextLength(text) else { return nil }
            var context = text.from(length).trimmed()
            guard context.consume("Program arguments: ") else { return .skipped }
            let end = context.firstIndex(of: UInt8(ascii: " ")) ?? context.count
            return .process(name: Path.foreignName(of: context.upTo(end).text), pid: nil)
        })

    /// Length of `12.<tab>` at the beginning of a line about the compiler's activity (`PrettyStackTraceEntry`,
    /// `llvm/lib/Support/PrettyStackTrace.cpp`).
    private static func contextLength(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.readDecimal() != nil, rest.consume(".\t") else { return nil }
        return text.count - rest.count
    }
}
