/// The reports of HWAddressSanitizer (`hwasan_report.cpp`), which are AddressSanitizer's with tags
/// and, at the end, registers.
package struct HWAddressSanitizer: SanitizerFormat {
    package static let name = "sanitizer-hwasan"
    package static let summary = "HWAddressSanitizer’s reports (AArch64, RISC-V, x86-64)"
    package static let tool = SanitizerTool.hardwareAddress
    package static let triggers = tool.triggers

    package var reader = SanitizerReader(tool, format: name)

    package init() {}
}
