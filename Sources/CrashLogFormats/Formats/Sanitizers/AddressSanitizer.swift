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

    package var reader = SanitizerReader(tool, format: name)

    package init() {}

    package static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence {
        if SanitizerRow.beginsStack(line) { return .possible }
        return SanitizerRow.mayBeginStack(line) ? .weak : .none
    }
}
