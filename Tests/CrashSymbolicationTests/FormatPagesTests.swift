import CrashSymbolication
import TestSupport
import Testing

/// Each log format has its page in the documentation, which the first page names, and its row in
/// the table of formats.
struct FormatPagesTests {
    private static let catalogue = TestPaths.root + "/Sources/CrashSymbolication/CrashSymbolication.docc"

    @Test(.enabled(if: TestPaths.isReadable(catalogue), "the sources are not here"), arguments: FormatRegistry.standard.names)
    func `a format has a page with a before and an after`(name: String) throws {
        let page = String(decoding: try readFile(Self.catalogue + "/Formats/\(name).md"), as: UTF8.self)
        #expect(page.hasPrefix("# \(name)\n"))
        for heading in ["## Where such logs come from", "## What they lack", "## Before and after"] { #expect(page.contains(heading)) }
        let first = String(decoding: try readFile(Self.catalogue + "/CrashSymbolication.md"), as: UTF8.self)
        #expect(first.contains("- <doc:\(name)>\n"))
        let table = String(decoding: try readFile(TestPaths.root + "/Documentation/formats.md"), as: UTF8.self)
        #expect(table.contains("\n| [`\(name)`](../Sources/CrashSymbolication/CrashSymbolication.docc/Formats/\(name).md) | "))
    }
}
