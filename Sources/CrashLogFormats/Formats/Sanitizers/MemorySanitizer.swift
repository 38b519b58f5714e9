/// The reports of MemorySanitizer (`msan_report.cpp`), with the origins of the value where
/// `-fsanitize-memory-track-origins` follows them.
package struct MemorySanitizer: SanitizerFormat {
    package static let name = "sanitizer-msan"
    package static let summary = "MemorySanitizer’s reports: uses of memory that was never written"
    package static let tool = SanitizerTool.memory
    package static let triggers = tool.triggers

    package var reader = SanitizerReader(tool, format: name)

    package init() {}
}
