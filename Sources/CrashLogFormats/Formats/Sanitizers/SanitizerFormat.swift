internal import BinaryPrimitives
package import CrashLogModel

/// The reports of one sanitizer: what all of them share (see `SanitizerReader`).
package protocol SanitizerFormat: LineFormat {
    static var tool: SanitizerTool { get }
    var reader: SanitizerReader { get set }

    /// Whether `line`, in which the tool's heading is not, begins a trace.
    static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence
}

extension SanitizerFormat {
    package static var triggers: [String] { tool.triggers }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == tool ? .certain : beginsWithoutHeading(plain)
    }

    package static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence { .none }

    package var incompleteTraceMessage: String {
        reader.standsAlone
            ? "looks like a frame of \(Self.name), but the heading above the stack is missing."
            : "looks like the beginning of \(Self.name), but no stack follows it."
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict { reader.consume(line, at: range) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, results: results, in: log)
    }
}

/// The reports of AddressSanitizer (`asan_errors.cpp`): wrong uses of memory, and signals. See
/// `SanitizerReader`.
///
/// A stack without a report around it is recognised by its first row.
/// `__sanitizer_print_stack_trace` prints one for programs that call it (assertions, log
/// libraries). The row must name its module. (Once symbolicated, it is text like any other.)
package struct AddressSanitizer: SanitizerFormat {
    package static let name = "sanitizer-asan"
    package static let summary = "AddressSanitizer’s reports (clang, gcc, MSVC), and stacks of `__sanitizer_print_stack_trace`"
    package static let tool = SanitizerTool.address
    package static let triggers = tool.triggers + ["    #0 0x", " (/"] + (0...9).map { "\($0) 0x" }
    package static var isDecidedByShape: Bool { true }
    package var reader = SanitizerReader(tool, format: name)
    package init() {}

    package static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence {
        if SanitizerRow.beginsStack(line) { return .possible }
        return SanitizerRow.mayBeginStack(line) ? .weak : .none
    }
}

/// The reports of HWAddressSanitizer (`hwasan_report.cpp`), which are AddressSanitizer's with tags
/// and, at the end, registers.
package struct HWAddressSanitizer: SanitizerFormat {
    package static let name = "sanitizer-hwasan"
    package static let summary = "HWAddressSanitizer’s reports (AArch64, RISC-V, x86-64)"
    package static let tool = SanitizerTool.hardwareAddress
    package var reader = SanitizerReader(tool, format: name)
    package init() {}
}

/// The reports of LeakSanitizer (`lsan_common.cpp`), alone or as a part of AddressSanitizer. No
/// thread is to blame: each block of leaked memory has the stack that allocated it,
/// `Direct leak of 8 byte(s) in 1 object(s) allocated from:`.
package struct LeakSanitizer: SanitizerFormat {
    package static let name = "sanitizer-lsan"
    package static let summary = "LeakSanitizer’s reports: where leaked memory was allocated"
    package static let tool = SanitizerTool.leak
    package var reader = SanitizerReader(tool, format: name)
    package init() {}
}

/// The reports of libFuzzer itself (`FuzzerLoop.cpp`), whose rows the sanitizer that it runs with
/// prints.
package struct LibFuzzer: SanitizerFormat {
    package static let name = "sanitizer-libfuzzer"
    package static let summary = "libFuzzer’s own reports: deadly signals, timeouts, out of memory, early exits"
    package static let tool = SanitizerTool.libFuzzer
    package var reader = SanitizerReader(tool, format: name)
    package init() {}
}

/// The reports of MemorySanitizer (`msan_report.cpp`), with the origins of the value where
/// `-fsanitize-memory-track-origins` follows them.
package struct MemorySanitizer: SanitizerFormat {
    package static let name = "sanitizer-msan"
    package static let summary = "MemorySanitizer’s reports: uses of memory that was never written"
    package static let tool = SanitizerTool.memory
    package var reader = SanitizerReader(tool, format: name)
    package init() {}
}

/// The reports of ThreadSanitizer (`tsan_report.cpp`). Its rows have no addresses, only the
/// module's name, without its folder, and the offset in it:
///
///     WARNING: ThreadSanitizer: data race (pid=9292)
///       Read of size 4 at 0x7b0400000000 by thread T1:
///         #0 <null> <null> (race+0x1233)
///
///       Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):
///         #0 <null> <null> (race+0x1240)
package struct ThreadSanitizer: SanitizerFormat {
    package static let name = "sanitizer-tsan"
    package static let summary = "ThreadSanitizer’s reports: data races, lock orders, leaked threads"
    package static let tool = SanitizerTool.thread
    package var reader = SanitizerReader(tool, format: name)
    package init() {}
}

/// The reports of UndefinedBehaviorSanitizer and of clang's control flow integrity
/// (`ubsan_diag.cpp`): one line, with a stack where `print_stacktrace=1` requests it. In programs
/// that are not otherwise sanitized it reports signals as AddressSanitizer does.
package struct UndefinedBehaviorSanitizer: SanitizerFormat {
    package static let name = "sanitizer-ubsan"
    package static let summary = "UndefinedBehaviorSanitizer’s runtime errors, with and without a stack; control flow integrity"
    package static let tool = SanitizerTool.undefinedBehavior
    package static let triggers = tool.triggers + [": runtime error: "]
    package var reader = SanitizerReader(tool, format: name)
    package init() {}

    package static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence { UndefinedBehaviorLine(line) == nil ? .none : .certain }
}
