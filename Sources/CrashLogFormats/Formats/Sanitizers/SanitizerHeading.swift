internal import BinaryPrimitives
internal import CrashLogModel

/// The sanitizers whose reports are built of the same parts (compiler-rt's and libsanitizer's
/// `sanitizer_common`), and libFuzzer.
package enum SanitizerTool: String, CaseIterable, Sendable {
    case address = "AddressSanitizer"
    case hardwareAddress = "HWAddressSanitizer"
    case leak = "LeakSanitizer"
    case memory = "MemorySanitizer"
    case thread = "ThreadSanitizer"
    case undefinedBehavior = "UndefinedBehaviorSanitizer"
    case libFuzzer

    /// Texts one of which occurs in every line that `SanitizerHeading` reads for the tool.
    var triggers: [String] {
        guard self != .libFuzzer else { return ["ERROR: libFuzzer: "] }
        return [
            "ERROR: " + rawValue + ": ", "WARNING: " + rawValue + ": ", rawValue + ": CHECK failed: ",
            rawValue + " CHECK failed: ",
        ]
    }
}

/// The line that a report begins with:
///
///     ==9024==ERROR: AddressSanitizer: heap-use-after-free on address 0x604000000014 at pc 0x7ffff7fb3295 bp 0x7fffffffe6a0 sp 0x7fffffffe698
///     ==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x7efef5995c27 bp 0x7fff15768f00 sp 0x7fff15768ef0 T0)
///     ==12254== ERROR: AddressSanitizer: heap-buffer-overflow on address …          before 2013; libFuzzer still
///     WARNING: ThreadSanitizer: data race (pid=9292)
///     ==7==AddressSanitizer: CHECK failed: asan_thread.cpp:369 "((ptr[0] == kCurrentStackFrameMagic)) != (0)" (0x0, 0x0)
///
/// `Report` of `sanitizer_common.cpp` writes `==%d==`; Fuchsia's and some tools that copy reports
/// leave it out.
struct SanitizerHeading {
    var tool: SanitizerTool
    var pid: Int?
    /// The error, up to the line's end: `heap-use-after-free on address …`.
    var text: String
    /// The runtime found its own state broken.
    var isCheck = false

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        pid = SanitizerHeading.readProcess(&rest)
        rest.skipBlanks()
        let isAnnounced = rest.consume("ERROR: ") || rest.consume("WARNING: ")
        var name = 0
        while let byte = rest.at(name), isLetter(byte) { name += 1 }
        let word = rest.upTo(name)
        guard name > 0, let tool = SanitizerTool.allCases.first(where: { word.equals($0.rawValue) }) else { return nil }
        self.tool = tool
        rest = rest.from(name)
        if isAnnounced {
            guard rest.consume(": "), rest.count > 0 else { return nil }
        } else {
            guard pid != nil, tool != .libFuzzer, rest.consume(": CHECK failed: ") || rest.consume(" CHECK failed: ") else { return nil }
            isCheck = true
        }
        text = rest.trimmed().text
        if pid == nil, let mark = rest.firstRange(of: "(pid=") {
            pid = rest.from(mark.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
        }
    }

    /// Takes `==9024==`, as every line of `Report` begins.
    static func readProcess(_ line: inout Span<UInt8>) -> Int? {
        var rest = line
        guard rest.consume("=="), let pid = rest.readDecimal(), rest.consume("=="), let number = Int(exactly: pid) else { return nil }
        line = rest
        return number
    }
}

/// The line with which UndefinedBehaviorSanitizer reports one location of undefined behaviour
/// (`Diag::~Diag` of `ubsan_diag.cpp`). Its stack follows if `print_stacktrace=1` requests one.
///
///     ub.cpp:3:62: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'
///     (/src/a.out+0x1234): runtime error: call to function f() through pointer to incorrect function type
///     <unknown>: runtime error: execution reached an unreachable program point
struct UndefinedBehaviorLine {
    /// Source location or module, with the line's wording.
    var location: String
    var message: String

    init?(_ line: Span<UInt8>) {
        let line = line.trimmed()
        let mark = ": runtime error: "
        guard let range = line.firstRange(of: mark), range.upperBound < line.count else { return nil }
        let head = line.upTo(range.lowerBound)
        guard head.equals("<unknown>") || SanitizerModule(endOf: head)?.start == 0 || UndefinedBehaviorLine.isLocation(head) else {
            return nil
        }
        location = head.text
        message = line.from(range.upperBound).text
    }

    /// Whether the text is `FILE:LINE` or `FILE:LINE:COLUMN`. Go's `panic: runtime error:` and a
    /// sentence before the message are not.
    private static func isLocation(_ text: Span<UInt8>) -> Bool {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        guard text.from(colon + 1).decimal != nil else { return false }
        // A line of a JSON log has quotes before it.
        return !text.contains(": ") && text.firstIndex(of: UInt8(ascii: "\"")) == nil
    }
}
