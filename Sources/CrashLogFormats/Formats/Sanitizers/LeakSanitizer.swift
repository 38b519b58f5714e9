/// The reports of LeakSanitizer (`lsan_common.cpp`), alone or as a part of AddressSanitizer. No
/// thread is to blame: each block of leaked memory has the stack that allocated it,
/// `Direct leak of 8 byte(s) in 1 object(s) allocated from:`.
package struct LeakSanitizer: SanitizerFormat {
    package static let name = "sanitizer-lsan"
    package static let summary = "LeakSanitizer’s reports: where leaked memory was allocated"
    package static let tool = SanitizerTool.leak
    package static let triggers = tool.triggers

    package var reader = SanitizerReader(tool, format: name)

    package init() {}
}
