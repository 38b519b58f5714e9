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
