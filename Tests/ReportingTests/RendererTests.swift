import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolFiles
import SymbolSources
import Symbolication
import Testing

/// One small report in each output, word for word as the contract has it.
struct RendererTests {
    private func symbolicated() -> SymbolicatedReport {
        var report = CrashReport(format: "test")
        report.process.name = "App"
        report.process.pid = 7
        report.process.version = "1.2"
        var cause = CrashCause(kind: .machException)
        cause.type = "EXC_BAD_ACCESS"
        cause.signal = "SIGSEGV"
        cause.address = RuntimeAddress(0)
        report.cause = cause
        var app = BinaryImage(name: "App", path: "/Applications/App")
        app.base = RuntimeAddress(0x1_0000_0000)
        app.id = ImageID(text: "4c4c44fc55553144a11be947a8e8e6fe")
        var system = BinaryImage(name: "libc.so.6", path: "/usr/lib/libc.so.6")
        system.base = RuntimeAddress(0x2_0000_0000)
        report.images = [app, system]
        var first = Frame(index: 0, kind: .programCounter, address: RuntimeAddress(0x2_0000_0010), range: 0..<1)
        first.image = 1
        first.printed = PrintedSymbol(name: "abort", offset: 16)
        let second = Frame(index: 1, kind: .returnAddress, address: RuntimeAddress(0x1_0000_0110), range: 1..<2)
        let third = Frame(index: 2, kind: .omitted(count: 3), address: nil, range: 2..<3)
        report.threads = [ThreadTrace(index: 0, name: "main", crashed: true, frames: [first, second, third]), ThreadTrace(index: 1)]
        var result = SymbolicatedReport(report: report)
        var one = FrameOutcome(.unresolved("no symbol file for libc.so.6"))
        one.lookupAddress = RuntimeAddress(0x2_0000_0010)
        one.image = 1
        one.imageOffset = ImageOffset(0x10)
        let inner = FrameResult.Function(
            name: "inner()", mangledName: "_Z5innerv", offset: nil, isInlined: true,
            location: SourceLocation(file: "/src/a.cpp", line: 3, column: 9))
        let outer = FrameResult.Function(
            name: "main", mangledName: "main", offset: 16, isInlined: false, location: SourceLocation(file: "/src/a.cpp", line: 12))
        var two = FrameOutcome(.resolved(FrameResult(functions: [inner, outer], imageName: "App"), .debugInformation))
        two.lookupAddress = RuntimeAddress(0x1_0000_010f)
        two.image = 0
        two.imageOffset = ImageOffset(0x110)
        two.note = "a.o is missing"
        result.threads = [[one, two, FrameOutcome(.notLookedUp)], []]
        let file = ImageSymbols.File(candidate: SymbolFileCandidate(path: "/dsyms/App", origin: .given), proof: .identity)
        result.images = [
            ImageOutcome(image: app, status: .found, files: [file]), ImageOutcome(image: system, status: .missing),
        ]
        result.notes = ["a note"]
        return result
    }

    private func text(_ renderer: some Renderer) -> String {
        let none: [UInt8] = []
        return String(
            decoding: renderer.render(SymbolicatedLog(path: "x.log", reports: [symbolicated()]), source: none.span), as: UTF8.self)
    }

    @Test func `JSON has the schema's names, in its order, and leaves out what is not known`() {
        let expected = [
            #"{"schema":1,"log":"x.log","format":"test","process":{"name":"App","version":"1.2","pid":7},"#,
            #""cause":{"kind":"machException","type":"EXC_BAD_ACCESS","signal":"SIGSEGV","address":"0x0"},"#,
            #""meaning":"The program accessed address 0: a null pointer.","#,
            #""threads":[{"index":0,"name":"main","crashed":true,"frames":["#,
            #"{"index":0,"kind":"programCounter","address":"0x200000010","lookupAddress":"0x200000010","image":1,"imageOffset":"0x10","#,
            #""status":"unresolved","reason":"no symbol file for libc.so.6","printed":{"name":"abort","offset":16}},"#,
            #"{"index":1,"kind":"returnAddress","address":"0x100000110","lookupAddress":"0x10000010f","image":0,"imageOffset":"0x110","#,
            #""status":"resolved","functions":[{"name":"inner()","mangledName":"_Z5innerv","inlined":true,"file":"/src/a.cpp","line":3,"column":9},"#,
            #"{"name":"main","offset":16,"file":"/src/a.cpp","line":12}],"note":"a.o is missing"},"#,
            #"{"index":2,"kind":"omitted","count":3}]},{"index":1,"frames":[]}],"#,
            #""images":[{"name":"App","path":"/Applications/App","id":"4C4C44FC-5555-3144-A11B-E947A8E8E6FE","base":"0x100000000","#,
            #""symbols":{"status":"found","path":"/dsyms/App","origin":"given"}},"#,
            #"{"name":"libc.so.6","path":"/usr/lib/libc.so.6","base":"0x200000000","#,
            #""symbols":{"status":"missing","reason":"no symbol file for libc.so.6"}}],"notes":["a note"]}"#,
        ]
        #expect(text(JSONRenderer()) == expected.joined() + "\n")
    }

    @Test func `text begins with process, version, cause and the first frame of the user's own code`() {
        let expected = """
            Process:       App [7]
            Version:       1.2
            Cause:         EXC_BAD_ACCESS (SIGSEGV) at 0x0
            Meaning:       The program accessed address 0: a null pointer.
            Your code:     inner() in App (/src/a.cpp:3)
            Log:           x.log (test)

            Thread 0 (main) crashed:
            0    libc.so.6  0x0000000200000010  abort + 16
            1    App        0x0000000100000110  inner() [inlined] (/src/a.cpp:3)
            1    App        0x0000000100000110  main + 16 (/src/a.cpp:12) [see the notes]
            ...   3 frames left out

            Thread 1:
              no frames

            Images:
              0x0000000100000000  App <4C4C44FC-5555-3144-A11B-E947A8E8E6FE>
                  symbols: /dsyms/App
              0x0000000200000000  libc.so.6
                  no symbol file for libc.so.6

            Notes:
              a note

            """
        #expect(text(TextRenderer()) == expected)
    }

    @Test func `a cause that no rule is known for has no meaning`() {
        var unknown = symbolicated()
        unknown.report.cause = CrashCause(kind: .other)
        unknown.report.cause?.message = "the kettle is empty"
        let none: [UInt8] = []
        for renderer in [TextRenderer(), JSONRenderer()] as [any Renderer] {
            let bytes = renderer.render(SymbolicatedLog(path: "x.log", reports: [unknown]), source: none.span)
            #expect(!String(decoding: bytes, as: UTF8.self).lowercased().contains("meaning"))
        }
    }

    /// A report whose frames have no images, as text.
    private func text(_ frames: [(Frame, FrameOutcome)], _ cause: CrashCause? = nil) -> String {
        var report = CrashReport(format: "test")
        report.cause = cause
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames.map(\.0))]
        var result = SymbolicatedReport(report: report)
        result.threads = [frames.map(\.1)]
        let none: [UInt8] = []
        return String(decoding: TextRenderer().render(SymbolicatedLog(path: "x.log", reports: [result]), source: none.span), as: UTF8.self)
    }

    private func frame(_ index: Int, _ name: String, address: UInt64? = nil, isInlined: Bool = false) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, range: index..<index + 1)
        frame.printed = PrintedSymbol(name: name)
        frame.isInlined = isInlined
        return frame
    }

    /// The rows of frames: they begin with their numbers.
    private func rows(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.first?.isNumber == true } }

    @Test func `an inlined call that the log shows is left out only where the result of its own holder has it`() {
        func function(_ name: String, isInlined: Bool) -> FrameResult.Function {
            FrameResult.Function(name: name, mangledName: name, offset: isInlined ? nil : 16, isInlined: isInlined, location: nil)
        }
        let result = FrameResult(functions: [function("pour", isInlined: true), function("fill", isInlined: false)], imageName: "App")
        let shown = text([
            (frame(0, "weigh", isInlined: true), FrameOutcome(.partOfNextFrame)),
            (frame(1, "load"), FrameOutcome(.unresolved("no symbols"))),
            (frame(2, "pour", isInlined: true), FrameOutcome(.partOfNextFrame)),
            (frame(3, "fill"), FrameOutcome(.resolved(result, .debugInformation))),
        ])
        #expect(rows(shown) == ["0    weigh", "1    load", "3    pour [inlined]", "3    fill + 16"])
    }

    @Test func `an address has eight digits where it fits 32 bits, else sixteen`() {
        let addresses: [UInt64] = [0xf7ee_1549, 0x0804_91f6, 0xffff_ffff, 0x1_0000_0000]
        let shown = text(addresses.enumerated().map { (frame($0, "f", address: $1), FrameOutcome(.unresolved("no symbols"))) })
        #expect(
            rows(shown) == [
                "0    0xf7ee1549  f", "1    0x080491f6  f", "2    0xffffffff  f", "3    0x0000000100000000  f",
            ])
    }

    @Test func `a signal that is the cause's type is named once`() {
        var cause = CrashCause(kind: .signal)
        cause.type = "SIGSEGV"
        cause.signal = "SIGSEGV"
        cause.address = RuntimeAddress(0x10)
        #expect(text([], cause).hasPrefix("Cause:         SIGSEGV at 0x10\n"))
    }

    /// Apple's reports have the address in the subtype, in the codes, and as the address.
    @Test(arguments: [
        (
            "KERN_INVALID_ADDRESS at 0x0000000000000018, 0x0000000000000001, 0x0000000000000018",
            "EXC_BAD_ACCESS (SIGSEGV) KERN_INVALID_ADDRESS at 0x18"
        ), ("0x0000000000000001, 0x0000000000000018", "EXC_BAD_ACCESS (SIGSEGV) 0x0000000000000001 at 0x18"),
        ("SEGV_MAPERR", "EXC_BAD_ACCESS (SIGSEGV) SEGV_MAPERR at 0x18"),
    ]) func `the address of a cause is written once`(codes: String, line: String) {
        var cause = CrashCause(kind: .machException, type: "EXC_BAD_ACCESS", signal: "SIGSEGV", codes: codes)
        cause.address = RuntimeAddress(0x18)
        #expect(text([], cause).hasPrefix("Cause:         \(line)\n"))
    }

    /// The only result is in App, which has no path here.
    @Test func `the user's own images are those that the user names`() {
        for others in [["libc.so.6"], ["/nowhere/"], ["/nowhere", "Ap"]] {
            #expect(!text(TextRenderer(ownCode: OwnCodeRule(own: others))).contains("Your code:"))
        }
        #expect(text(TextRenderer(ownCode: OwnCodeRule(own: ["App"]))) == text(TextRenderer()))
    }

    @Test func `the other threads are left out if only the crashed one is wanted`() {
        #expect(!text(TextRenderer(threads: .crashed)).contains("Thread 1"))
        #expect(!text(JSONRenderer(threads: .crashed)).contains(#"{"index":1,"frames""#))
    }

    @Test func `colour only adds escape sequences`() {
        let colored = text(TextRenderer(theme: .color))
        #expect(colored.contains("\u{1b}[1;31mThread 0 (main) crashed:\u{1b}[0m"))
        var plain = colored
        for code in ["1", "1;31", "36", "2", "0"] { plain = plain.replacing("\u{1b}[\(code)m", with: "") }
        #expect(plain == text(TextRenderer()))
    }

    @Test func `the first error of a chain follows the cause`() {
        var report = symbolicated()
        report.report.rootCause = RootCause(cause: CrashCause(kind: .languageException, type: "IOError", message: "closed"), stacks: [])
        func text(_ renderer: some Renderer) -> String {
            let none: [UInt8] = []
            return String(decoding: renderer.render(SymbolicatedLog(path: "x", reports: [report]), source: none.span), as: UTF8.self)
        }
        #expect(text(TextRenderer()).contains("SIGSEGV) at 0x0\nCaused by:     IOError: closed\n"))
        #expect(
            text(JSONRenderer()).contains(
                #""address":"0x0"},"rootCause":{"kind":"languageException","type":"IOError","message":"closed"},"#))
    }

    @Test func `a terminal's control characters in a log are shown, not sent`() {
        var report = symbolicated()
        report.report.process.name = "App\u{1b}]0;evil\u{7}"
        let none: [UInt8] = []
        let text = TextRenderer().render(SymbolicatedLog(path: "x", reports: [report]), source: none.span)
        #expect(!text.contains(0x1b))
    }
}

struct EscapingTests {
    private func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONString.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a\n\r\tb", "\"a\\n\\r\\tb\""),
        ("\u{1}\u{1f}\u{7f}", "\"\\u0001\\u001f\\u007f\""),
        ("größe 🪨", "\"größe 🪨\""), ("", "\"\""),
    ])
    func `JSON strings as RFC 8259 has them`(text: String, expected: String) {
        #expect(json(text) == expected)
    }

    @Test func `control characters never reach a terminal`() {
        #expect(PlainText.line("a\u{1b}[31mb\u{7}") == "a\\u{1b}[31mb\\u{7}")
        #expect(PlainText.line("a\nb\tc") == "a\\nb c")
        #expect(PlainText.line("größe") == "größe")
    }
}
