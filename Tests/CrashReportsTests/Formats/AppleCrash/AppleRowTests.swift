import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// The grammar of Apple's frame rows: every form of the text after the address.
struct AppleRowTests {
    private func row(_ text: String) throws -> AppleRow {
        let row = AppleRow(Array(text.utf8).span)
        return try #require(row)
    }
    private func location(_ file: String, _ line: Int) -> BinaryPrimitives.SourceLocation { .init(file: file, line: line) }

    @Test func `name and offset`() throws {
        let row = try row("2   dyld                          \t       0x11beb451e start + 462")
        #expect(row.index == 2 && row.imageName == "dyld" && row.address == 0x1_1beb_451e)
        #expect(row.symbol.printed == PrintedSymbol(name: "start", offset: 462))
        #expect(row.symbol.imageOffset == nil && !row.symbol.isInlined)
    }

    @Test(
        arguments: [
            // 0x10e30e000 + 15941 = 0x10e30e000 + 0x3e45 = 0x10e311e45
            ("0   CrashingTest                  \t       0x10e311e45 0x10e30e000 + 15941", 15941),
            // 0x1a95 − 2709 = 0x1a95 − 0xa95 = 0x1000, a page: the image's name means its base.
            ("5   CrashExample                        0x0000000000001a95 CrashExample + 2709", 2709),
            ("5   CrashExample                        0x0000000100001508 _mh_execute_header + 5384", 5384),
        ] as [(String, UInt64)])
    func `base and offset tell no name`(text: String, offset: UInt64) throws {
        let row = try row(text)
        #expect(row.symbol.imageOffset == offset)
        #expect(row.symbol.printed == nil)
    }

    @Test func `the name of the image is the name of a function unless it is at a page`() throws {
        // 0x1a95 − 20 = 0x1a81
        #expect(try row("5   tool    0x0000000000001a95 tool + 20").symbol.printed == PrintedSymbol(name: "tool", offset: 20))
    }

    @Test func `a base that does not fit is not believed`() throws {
        // 0x6164 + 20869 = 0x6164 + 0x5185 = 0xb2e9, not 0x6185
        let row = try row("5   CrashTester                     0x00006185 0x6164 + 20869 (+[Crasher throwException] + 33)")
        #expect(row.symbol.imageOffset == nil)
        #expect(row.symbol.printed == PrintedSymbol(name: "+[Crasher throwException]", offset: 33))
    }

    @Test func `KSCrash puts the symbol behind base and offset`() throws {
        // 0x1a000 + 20342 = 0x1a000 + 0x4f76
        let row = try row("0   CrashTester                     0x0001ef76 0x1a000 + 20342 (-[Crasher dereferenceBadPointer] + 6)")
        #expect(row.symbol.imageOffset == 20342)
        #expect(row.symbol.printed == PrintedSymbol(name: "-[Crasher dereferenceBadPointer]", offset: 6))
    }

    @Test(
        arguments: [
            ("main + 20 (main.m:14)", "main", 20, "main.m", 14),
            ("start_wqthread + 4 (:-1)", "start_wqthread", 4, nil, 0),
            ("static App.$main() + 24 (/<compiler-generated>:4)", "static App.$main()", 24, "/<compiler-generated>", 4),
            ("-[MyClass crashingMethod] (in CrashingTest) (main.m:21)", "-[MyClass crashingMethod]", nil, "main.m", 21),
            ("main (main.m:16)", "main", nil, "main.m", 16),
            ("<redacted> + 88", nil, 88, nil, 0),
            ("operator+(A const&, A const&) + 12 (a b.cpp:3)", "operator+(A const&, A const&)", 12, "a b.cpp", 3),
            (
                "+[BSAnimationSettings+ 5824552 (UIKit) tryAnimatingWithSettings:] + 824",
                "+[BSAnimationSettings+ 5824552 (UIKit) tryAnimatingWithSettings:]", 824, nil, 0
            ),
            ("halt", "halt", nil, nil, 0),
        ] as [(String, String?, UInt64?, String?, Int)])
    func `names, offsets, files and lines`(text: String, name: String?, offset: UInt64?, file: String?, line: Int) throws {
        let printed = try #require(try row("3   App   0x0000000104130e7a " + text).symbol.printed)
        #expect(printed == PrintedSymbol(name: name, offset: offset, location: file.map { location($0, line) }))
    }

    @Test func `inlined calls`() throws {
        let row = try row("16  App    \t       0x100e09d84 specialized static NSApplicationDelegate.main() + 24 [inlined]")
        #expect(row.symbol.isInlined)
        #expect(row.symbol.printed == PrintedSymbol(name: "specialized static NSApplicationDelegate.main()", offset: 24))
    }

    @Test(
        arguments: [
            ("17  CBL Bug Demo                        0x0000000100c74007 main + 135", "CBL Bug Demo"),
            ("12  ...ple.CoreFoundation         \t0x00007fff8dcfa233 __CFRunLoopRun + 1078", "...ple.CoreFoundation"),
            ("0   ???                           \t0000000000 0 + 0", "???"),
            (" #0   0x8fe01280 in halt", nil),
        ] as [(String, String?)])
    func `image names with blanks, cut off, unknown, or none`(text: String, name: String?) throws {
        #expect(try row(text).imageName == name)
    }

    @Test(arguments: [
        "", "0", "0   App", "App 0x1000 main", "0   App   1000 main", "0 0x1000 main", "0   App   0xzz main",
        "0   App 0x11112222333344445 x",
        "99999999999999999999 App 0x1 x",
    ])
    func `everything else is no row`(text: String) {
        let isRow = AppleRow(Array(text.utf8).span) != nil
        #expect(!isRow)
    }
}
