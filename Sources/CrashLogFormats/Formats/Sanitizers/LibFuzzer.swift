/// The reports of libFuzzer itself (`FuzzerLoop.cpp`), whose rows the sanitizer that it runs with
/// prints.
package struct LibFuzzer: SanitizerFormat {
    package static let name = "sanitizer-libfuzzer"
    package static let summary = "libFuzzer’s own reports: deadly signals, timeouts, out of memory, early exits"
    package static let tool = SanitizerTool.libFuzzer
    package static let triggers = tool.triggers

    package var reader = SanitizerReader(tool, format: name)

    package init() {}
}
