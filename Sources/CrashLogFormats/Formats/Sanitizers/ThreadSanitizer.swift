/// The reports of ThreadSanitizer (`tsan_report.cpp`). Its rows have no addresses but the module's
/// name, without its folder, and the place in it:
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
    package static let triggers = tool.triggers

    package var reader = SanitizerReader(tool, format: name)

    package init() {}
}
