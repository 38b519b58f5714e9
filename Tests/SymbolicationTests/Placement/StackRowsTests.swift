import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Symbolication

/// Which rows may be below the trampoline of signal handlers, by what the log says. The stacks are
/// glibc's, of programs whose handlers print `backtrace_symbols_fd`.
@Suite struct StackRowsTests {
    /// `libc.so.6` is a row without a name, `libc.so.6:raise` one with.
    private func below(_ rows: [String], format: String = "glibc-backtrace") -> [Int] {
        let images = ["a", "libc.so.6", "libpthread.so.0", "libfoo.so"].map { BinaryImage(name: $0) }
        let frames = rows.enumerated().map { index, text in
            let parts = text.split(separator: ":").map(String.init)
            var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(0x1000), range: index..<index + 1)
            frame.image = images.firstIndex { $0.name == parts[0] }
            frame.imageName = frame.image == nil ? nil : parts[0]
            if parts.count > 1 { frame.printed = PrintedSymbol(name: parts[1]) }
            return frame
        }
        var report = CrashReport(format: format)
        report.images = images
        let found = StackRows.belowTrampolines(ThreadTrace(index: 0, frames: frames), of: report)
        return found.indices.filter { found[$0] }
    }

    @Test func `the row below an unnamed row of the C library, which is below a handler`() {
        #expect(below(["a", "libc.so.6", "a", "a", "libc.so.6", "libc.so.6:__libc_start_main", "a"]) == [2])
        #expect(below(["a", "libpthread.so.0", "libfoo.so", "a"]) == [2])
        // qemu's and the kernel's own pages belong to no file.
        #expect(below(["a", "?", "a"]) == [2])
        // If rows need not name a module, a row without one shows nothing.
        #expect(below(["a", "?", "a"], format: "chromium") == [])
    }

    @Test func `not where the row of the C library has a function's name`() {
        #expect(below(["a", "libc.so.6:qsort", "a"]) == [])
    }

    @Test func `the trampoline's name`() {
        #expect(below(["a", "libc.so.6:__restore_rt", "a"]) == [2])
    }

    /// `raise` without a name below it: the C library's own functions were called.
    @Test func `not among rows of the C library`() {
        #expect(below(["a", "libc.so.6", "libc.so.6", "a"]) == [])
        #expect(below(["libc.so.6", "libc.so.6", "a"]) == [])
    }
}
