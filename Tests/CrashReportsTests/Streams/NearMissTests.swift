import BinaryPrimitives
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel
@testable import CrashReports

/// The error of a log without a report: the line that came nearest, and the part that is missing.
struct NearMissTests {
    private func problem(_ text: String, parts: Int = .max) -> String? {
        var stream = LogStream()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(parts, max(1, bytes.count))) {
            _ = stream.feed(Array(bytes[start..<min(bytes.count, start + min(parts, bytes.count))]).span)
        }
        _ = stream.finish()
        return stream.problemsAtEnd.map(\.description).first
    }

    /// The number is arithmetic: so many lines come before.
    @Test(arguments: [0, 1, 11, 5000]) func `the line is counted`(before: Int) {
        let text = String(repeating: "a line of nothing\n", count: before) + "./prog [0x401234]\nand more\n"
        let message =
            "no crash report found. Line \(before + 1) looks like a frame of glibc-backtrace, but a single row without a heading is not read as a stack."
        for parts in [7, 4096, Int.max] { #expect(problem(text, parts: parts) == message) }
    }

    @Test(arguments: [
        ("Traceback (most recent call last):", "the beginning of python-trace, but no stack follows it."),
        ("==3==ERROR: AddressSanitizer: SEGV on", "the beginning of sanitizer-asan, but no stack follows it."),
        ("panic: x", "the beginning of go-panic, but no stack follows it."),
        ("\tat com.example.Main.main(Main.java:12)", "a frame of java-trace, but the line with the exception above it is missing."),
        ("    #1 0x401233 in foo a.c:3", "a frame of sanitizer-asan, but the heading above the stack is missing."),
        ("#3  0x0000555 in foo () at a.c:3", "a frame of gdb-bt, but frame #0 above it is missing."),
        (
            "4   Foo   0x0000000104f1c5a8 0x104f18000 + 17832",
            "a frame of apple-crash, but the line above the stack, such as \"Thread 0 Crashed:\", is missing."
        ),
    ]) func `what is missing is said`(line: String, message: String) {
        #expect(problem("x\n\(line)\ny\n") == "no crash report found. Line 2 looks like \(message)")
    }

    @Test(arguments: ["    @     0x7fdc098843c0 (unknown)"])
    func `a row of a format that is not supported has an address of code`(line: String) {
        #expect(
            problem("x\n\(line)\ny\n")
                == "no crash report found. Line 2 has an address of code, but is a row of no format that is supported. "
                + "For single addresses: cairn atos -o PROGRAM -l BASE ADDRESS…")
        // A size or a mask is not such an address.
        #expect(problem("flags 0xffffffffffff0000 set\n0x1000 bytes\n") == "no crash report found")
    }

    @Test(arguments: ["just text\n", "at noon (we met)\n", "#1 is the best\n", "12 apples\n", "# 1\n", "#include <a>\n"])
    func `without any the formats are a command`(text: String) {
        #expect(problem(text) == "no crash report found")
    }

    @Test func `line feeds are counted`() {
        for count in [0, 1, 31, 32, 33, 63, 64, 8159, 8160, 8161, 8192, 20_000] {
            let bytes = (0..<count).map { UInt8($0 % 3 == 0 ? 10 : 65) }
            #expect(bytes.span.countLineFeeds() == (count + 2) / 3, "\(count)")
            #expect([UInt8](repeating: 10, count: count).span.countLineFeeds() == count)
        }
    }
}
