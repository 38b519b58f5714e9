import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Reports as they were found in trackers, forums and mails (`Fixtures/damaged`) give the same as
/// the undamaged report.
struct PastedReportsTests {
    private static func log(_ name: String) -> SampleLog { SampleLog(bytes: TestPaths.bytes(of: TestPaths.fixture("damaged/" + name))) }

    /// The report whole, in all kinds of damage that lose nothing.
    static let whole = [
        "undamaged.crash", "indented-4.txt", "indented-tab.txt", "indented-1.txt", "html-paragraphs.html", "html-div.html",
        "pre-glued.html",
        "bbcode-glued.txt", "images-en-dash.crash", "images-blank-lines.crash", "images-wrapped.crash", "quoted-printable.txt",
        "json-string.json",
        "empty-image-name.crash",
    ]

    @Test(arguments: whole) func `a damaged report says what the undamaged one does`(name: String) throws {
        let log = Self.log(name)
        let report = try log.report()
        #expect(report.format == "apple-crash")
        #expect(report.process.name == "Demo" && report.process.pid == 77 && report.process.identifier == "com.example.Demo")
        #expect(report.process.path == "/Applications/Demo.app/Contents/MacOS/Demo" && report.process.version == "1.0 (1)")
        #expect(report.architecture == .arm64 && report.platform == "macOS 13.1 (22C65)")
        #expect(report.threads.map(\.index) == [0, 1] && report.threads.map(\.crashed) == [true, false])
        #expect(report.threads[0].frames.map(\.hex) == ["0x104a383d4", "0x104a383f8", "0x104a38408", "0x1c1dd8dec"])
        #expect(report.threads[1].frames.map(\.hex) == ["0x104a383a8"])
        #expect(report.allFrames.map(\.image) == [0, 0, 0, 1, 0])
        #expect(report.images.map(\.name) == ["Demo", "dyld"])
        #expect(
            report.images.map { $0.id?.description } == ["4C4C44F6-5555-3144-A1C7-8F23AF66DDA8", "11111111-2222-3333-8444-555555555555"])
        #expect(report.images.map { $0.base?.description } == ["0x104a38000", "0x1c1dd0000"])
        #expect(!report.hasUnreadImages)
    }

    @Test(arguments: whole) func `an answer changes the frame's row alone`(name: String) throws {
        let log = Self.log(name)
        let symbolicated = log.symbolicated {
            $0.address?.value == 0x1_04a3_83f8 ? .function("outer<A>", offset: 32, "/src/demo.c", 6) : nil
        }
        let report = try log.report()
        if report.allFrames[1].printed?.name == nil {
            let row = try #require(report.allFrames.dropFirst().first)
            let isPage = name.hasSuffix(".html")
            let plain = log.text(of: row).replacing(
                " 0x104a38000 + 1016", with: isPage ? " outer&lt;A&gt; + 32 (demo.c:6)" : " outer<A> + 32 (demo.c:6)")
            #expect(symbolicated.text == log.text.replacing(log.text(of: row), with: plain))
        }
        #expect(log.symbolicated { _ in nil }.bytes == log.bytes)
        #expect(try symbolicated.report().allFrames.map(\.hex) == report.allFrames.map(\.hex))
    }

    @Test func `a page's code without the report around it`() throws {
        let report = try Self.log("pre-glued-no-images.html").report()
        #expect(report.threads.map { $0.frames.map(\.hex) } == [["0x104a383d4", "0x104a383f8", "0x104a38408"]])
        #expect(report.allFrames.map(\.imageOffset?.value) == [980, 1016, 1032])
    }

    @Test func `a cut document gives what was complete`() throws {
        let cut = try Self.log("truncated.ips").report()
        #expect(cut.allFrames.map(\.hex) == ["0x104a383d4", "0x104a383f8", "0x104a38408", "0x1c1dd8dec"])
        #expect(cut.images.map(\.name) == ["Demo", "dyld"])
        #expect(cut.notes.contains { $0.contains("ends early") })
        let inside = try Self.log("truncated-in-images.ips").report()
        #expect(inside.allFrames.map(\.hex) == ["0x104a383d4", "0x104a383f8", "0x104a38408", "none"])
        #expect(inside.images.map { $0.id?.description } == ["4C4C44F6-5555-3144-A1C7-8F23AF66DDA8"])
        let quoted = try Self.log("quoted-ips.txt").report()
        #expect(quoted.allFrames.map(\.hex) == cut.allFrames.map(\.hex) && quoted.images.map(\.id) == cut.images.map(\.id))
        #expect(quoted.process.name == "Demo" && quoted.cause?.signal == "SIGTRAP")
    }

    @Test func `white space that is gone`() throws {
        let report = try Self.log("collapsed.txt").report()
        #expect(report.process.name == "Demo" && report.process.pid == 77 && report.architecture == .arm64)
        #expect(report.platform == "macOS 13.1 (22C65)" && report.process.version == "1.0 (1)")
        #expect(report.threads.map { $0.frames.map(\.hex) } == [["0x104a383d4", "0x104a383f8", "0x104a38408", "0x1c1dd8dec"]])
        #expect(report.threads[0].crashed)
    }

    @Test func `a head that was cut off inside a thread`() throws {
        let report = try Self.log("head-cut.crash").report()
        #expect(report.stacks.map { $0.frames.map(\.hex) } == [["0x104a38408", "0x1c1dd8dec"], ["0x104a383a8"]])
        // The first row is not the thread's first.
        #expect(report.stacks[0].frames.map(\.kind) == [.returnAddress, .returnAddress])
        #expect(report.allFrames.map(\.image) == [0, 1, 0])
    }

    @Test func `several stacks without heads are several reports`() throws {
        let reports = Self.log("two-headless-stacks.txt").parsed().reports
        #expect(reports.map { $0.allFrames.map(\.hex) } == [["0x104b383d4", "0x1c1dd8dec"], ["0x104a383d4", "0x104a383f8"]])
        #expect(reports.map(\.images.count) == [0, 1])
    }

    @Test func `a page with a report that has no stack`() throws {
        let report = try Self.log("dyld-html.html").report()
        #expect(report.process.name == "Demo" && report.architecture == .x86_64 && report.cause?.type == "EXC_BREAKPOINT")
        #expect(report.cause?.message?.contains("Library not loaded: @rpath/libexample.0.dylib") == true)
        #expect(report.notes.contains("The report has no stack."))
    }

    @Test func `spindump's stacks that it could not read`() throws {
        let report = try Self.log("spindump-truncated-backtrace.txt").report()
        #expect(report.format == "apple-spindump" && report.process.name == "Demo" && report.cause?.type == "hang")
        #expect(
            report.stacks.map { $0.frames.map(\.hex) }
                == Array(repeating: ["none", "0x104a38408", "0x104a383f8", "0xfffffe0008317850"], count: 2))
        #expect(report.stacks.allSatisfy { $0.frames[0].kind == .truncated })
        let part = try Self.log("spindump-fragment.txt").report()
        #expect(part.threads.map { $0.frames.map(\.hex) } == [["0x1c1dd8dec", "0x104a38408", "0x104a383f8", "0xfffffe0008317850"]])
        #expect(part.threads[0].frames.map(\.depth) == [0, 1, 2, 3])
    }

    @Test func `a word before each line`() throws {
        let report = try Self.log("swift-prefix-info.txt").report()
        #expect(report.format == "swift-backtrace" && report.allFrames.map(\.hex) == ["0x104a383d4", "0x104a383f8"])
        #expect(report.allFrames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test(arguments: ["nsexception-dots.txt", "nsexception-words.txt", "nsexception-interleaved.txt"])
    func `what others write inside an exception's parentheses does not end it`(name: String) throws {
        let report = try Self.log(name).report()
        #expect(report.allFrames.map(\.hex) == ["0x1a26d5370", "0x104a383f8", "0x104a38408"])
        #expect(report.allFrames.map(\.index) == [0, 5, 6])
    }

    @Test func `a log that looks damaged everywhere is not read for ever`() {
        let log = Self.log("images-en-dash.crash").bytes
        func identities(_ limit: Int) -> Int {
            var limits = Limits.standard
            limits.rereadTraceBytes = limit
            var stream = LogStream(limits: limits)
            let reports = (stream.feed(log.span) + stream.finish()).flatMap(\.reports)
            return reports.flatMap(\.images).count { $0.id != nil }
        }
        // The whole log is one trace.
        #expect(identities(log.count) == 2)
        #expect(identities(log.count - 1) == 0)
    }

    /// The identifiers are there, and cannot be read: files must not be matched by name.
    @Test func `a list of images that cannot be read is no missing list`() throws {
        let lines = Self.log("undamaged.crash").text.split(separator: "\n", omittingEmptySubsequences: false)
        let damaged = lines.map { $0.hasPrefix("       0x") ? $0.split(separator: " - ").joined(separator: " ~ ") : String($0) }
        let report = try SampleLog(damaged.joined(separator: "\n")).report()
        #expect(report.hasUnreadImages)
        #expect(report.notes.contains { $0.contains("2 lines that could not be read") })
        #expect(!report.notes.contains("The report has no list of binary images."))
    }
}
