import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Reports that came through mail, a web page or a copy: broken lines, HTML's entities, hard
/// blanks.
struct AppleCrashDamageTests {
    /// Broken before the address, inside a name, before the offset, before the file; rows that are
    /// whole in between.
    private static let mailed = """
        Process:         App [7]
        Path:
        /Applications/A folder whose name is long/Another folder inside/Some
        more/App
        Version:         1.0
        Exception Type:  EXC_BAD_ACCESS (SIGBUS)

        Thread 0 Crashed:
        0   com.example.an-identifier-that-is-longer-than-mail-likes-its-lines
        0x00001010 0x1000 + 16
        1   App                           	0x00001020 -[Thing
        doThis:withThat:] + 32
        2   App                           	0x00001030 f +
        48
        3   App                           	0x00001040 g + 64
        (thing.m:12)
        4   App                           	0x00001050 h + 80

        Binary Images:
            0x1000 -     0x1fff +com.example.an-identifier 1.0
        (7) <01d2a9d51f8a35c892287c7cca13c5fc>
        /Applications/A folder/App
            0x3000 -     0x3fff  libb.dylib ??? (???) /usr/local/lib/a/path/with
        a blank/libb.dylib
            0x5000 -     0x5fff  libc.dylib ??? (???) /usr/lib/libc.dylib

        """

    @Test func `broken rows are put together`() throws {
        let log = SampleLog(Self.mailed)
        let report = try log.report()
        #expect(report.process.pid == 7 && report.process.version == "1.0")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4])
        #expect(frames.map(\.hex) == ["0x1010", "0x1020", "0x1030", "0x1040", "0x1050"])
        #expect(frames.map { $0.printed?.name } == [nil, "-[Thing doThis:withThat:]", "f", "g", "h"])
        #expect(frames.map { $0.printed?.offset } == [nil, 32, 48, 64, 80])
        #expect(frames[0].imageOffset == ImageOffset(16))
        #expect(frames[3].printed?.location == SourceLocation(file: "thing.m", line: 12))
        #expect(log.text(of: frames[1]) == "1   App                           \t0x00001020 -[Thing\ndoThis:withThat:] + 32")
    }

    @Test func `broken lines of the image list are put together`() throws {
        let images = try SampleLog(Self.mailed).report().images
        #expect(
            images.map(\.path) == ["/Applications/A folder/App", "/usr/local/lib/a/path/with a blank/libb.dylib", "/usr/lib/libc.dylib"])
        #expect(images[0].id?.hexadecimal == "01d2a9d51f8a35c892287c7cca13c5fc")
    }

    @Test func `a line below the list is no part of a path that is whole`() throws {
        let report = try SampleLog(
            "Thread 0 Crashed:\n0   x   0x1 y + 0\n\nBinary Images:\n"
                + "       0x102a64000 -        0x102ac3fff  dyld (*) <cdcef6a6-0a85-5716-9faf-29b1736e4d5e> /usr/lib/dyld\n"
                + "Sample analysis of process 5120 written to file /dev/stdout\n"
        ).report()
        #expect(report.images.map(\.path) == ["/usr/lib/dyld"])
    }

    @Test func `an answered row is one line`() throws {
        let symbolicated = SampleLog(Self.mailed).symbolicated { .function("found", offset: $0.address?.value ?? 0, "/src/a.c", 9) }
        #expect(
            symbolicated.text.contains(
                "\n0x00001010 found + 4112 (a.c:9)\n1   App                           \t0x00001020 found + 4128 (a.c:9)\n2   App"))
        // The name in the row had a source location.
        #expect(symbolicated.text.contains("\n3   App                           \t0x00001040 g + 64\n(thing.m:12)\n"))
        #expect(try symbolicated.report().allFrames.map(\.hex) == ["0x1010", "0x1020", "0x1030", "0x1040", "0x1050"])
        #expect(symbolicated.symbolicated { .function("found", offset: $0.address?.value ?? 0, "/src/a.c", 9) }.bytes == symbolicated.bytes)
    }

    @Test func `a quoted report is put together as well`() throws {
        let quoted = Self.mailed.split(separator: "\n", omittingEmptySubsequences: false).map { "> " + $0 }.joined(separator: "\n")
        let log = SampleLog(quoted)
        let report = try log.report()
        #expect(report.allFrames.map(\.hex) == ["0x1010", "0x1020", "0x1030", "0x1040", "0x1050"])
        let symbolicated = log.symbolicated { _ in .function("found", offset: 1, "/src/a.c", 9) }
        #expect(symbolicated.text.contains("\n> 1   App                           \t0x00001020 found + 1 (a.c:9)\n> 2   App"))
    }

    private static let html = """
        Process:         R&amp;D [7]
        Exception Type:  EXC_CRASH (SIGABRT)

        Application Specific Information:
        reason: &apos;a &lt; b&apos;

        Thread 0 Crashed:
        0   R&amp;D                       	0x00001010 std::vector&lt;int&gt;::push_back(int const&amp;) + 16
        1   R&amp;D                       	0x00001020 0x1000 + 32

        Binary Images:
            0x1000 -     0x1fff +R&amp;D ??? (???) &lt;01d2a9d51f8a35c892287c7cca13c5fc&gt; /Applications/R&amp;D

        """

    @Test func `HTML's entities are decoded, and answers are encoded`() throws {
        let log = SampleLog(Self.html)
        let report = try log.report()
        #expect(report.process.name == "R&D")
        #expect(report.cause?.message == "reason: 'a < b'")
        let frames = report.threads[0].frames
        #expect(frames[0].printed == PrintedSymbol(name: "std::vector<int>::push_back(int const&)", offset: 16))
        #expect(frames.map(\.imageName) == ["R&D", "R&D"])
        #expect(report.images[0].name == "R&D" && report.images[0].path == "/Applications/R&D")
        #expect(report.images[0].id?.hexadecimal == "01d2a9d51f8a35c892287c7cca13c5fc")
        #expect(report.notes == ["The report is HTML: names in it are unescaped for lookup, and results are escaped."])
        let result: (Frame) -> FrameResult? = {
            $0.address?.value == 0x1020 ? .function("f<A&&>()", offset: 32, "/src/<compiler-generated>", 0) : nil
        }
        let symbolicated = log.symbolicated(result)
        #expect(symbolicated.text.contains("\t0x00001020 f&lt;A&amp;&amp;&gt;() + 32 (&lt;compiler-generated&gt;:0)\n"))
        #expect(try symbolicated.report().threads[0].frames[1].printed?.name == "f<A&&>()")
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test func `C++ of a plain report is no HTML`() throws {
        let report = try SampleLog("Thread 0 Crashed:\n0   App   0x1010 f(A&, B&&) + 16\n").report()
        #expect(report.threads[0].frames[0].printed?.name == "f(A&, B&&)")
        #expect(!report.notes.contains { $0.contains("HTML") })
    }

    @Test func `hard blanks are blanks`() throws {
        let log = SampleLog("Thread 0 Crashed:\n0\u{A0}\u{A0}\u{A0}App\u{A0}\u{A0}\u{A0}0x1010\u{A0}0x1000 + 16\n")
        #expect(try log.report().threads[0].frames.map(\.hex) == ["0x1010"])
        let symbolicated = log.symbolicated { _ in .function("f", offset: 16) }
        #expect(symbolicated.text == "Thread 0 Crashed:\n0\u{A0}\u{A0}\u{A0}App\u{A0}\u{A0}\u{A0}0x1010 f + 16\n")
    }

    /// Xcode names one function for code that several share: that is not a result.
    @Test func `a shared function's name is none`() throws {
        let log = SampleLog("Thread 0 Crashed:\n0   App   0x10412d251 <deduplicated_symbol> + 1\n")
        #expect(try log.report().threads[0].frames[0].printed == PrintedSymbol(offset: 1))
        #expect(log.symbolicated { _ in .function("f", offset: 16) }.text == "Thread 0 Crashed:\n0   App   0x10412d251 f + 16\n")
    }

    @Test func `several stacks beside the threads`() throws {
        let report = try SampleLog(
            """
            Process:   App [7]
            Exception Type:  EXC_CRASH (SIGABRT)

            Application Specific Information:
            *** First throw call stack:
            (0x1010 0x1020)
            Dyld Error Message:
              Library not loaded: libx.dylib

            Application Specific Backtrace 1:
            0   App   0x1030 f + 1

            Last Exception Backtrace:
            0   App   0x1040 g + 1

            Thread 0 Crashed:
            0   App   0x1 x + 0

            """
        ).report()
        #expect(report.exceptionBacktrace?.name == "Last Exception Backtrace")
        #expect(report.exceptionBacktrace?.frames.map(\.hex) == ["0x1040"])
        #expect(report.additionalBacktraces.map(\.name) == ["Application Specific Information", "Application Specific Backtrace 1"])
        #expect(report.additionalBacktraces.map { $0.frames.map(\.hex) } == [["0x1010", "0x1020"], ["0x1030"]])
        #expect(report.threads.count == 1)
        #expect(report.cause?.message?.hasSuffix("Library not loaded: libx.dylib") == true)
    }

    @Test func `the full form of a translated report says that it is one`() throws {
        let text =
            "-------------------------------------\nTranslated Report (Full Report Below)\n-------------------------------------\n\nProcess:               App [7]\n"
            + "Date/Time:             2022-08-03 20:36:44.3125 +0900\nException Type:        EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0   App   0x1010 0x1000 + 16\n\n"
            + "Binary Images:\n0x1000 - 0x1fff App (*) <01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc> /App\n\n-----------\nFull Report\n-----------\n\n"
            + #"{"app_name":"App","bug_type":"309","os_version":"x"}"# + "\n"
            + #"{"procName":"App","pid":7,"captureTime":"2022-08-03 20:36:44.3125 +0900","threads":[{"triggered":true,"frames":[{"imageOffset":16,"imageIndex":0}]}],"usedImages":[{"base":4096,"size":4096}]}"#
        let reports = SampleLog(text).parsed().reports
        #expect(reports.map(\.format) == ["apple-crash", "apple-ips"])
        #expect(reports.map { $0.notes.contains { $0.contains("printed twice") } } == [false, true])
        let other = SampleLog(text.replacing("\"pid\":7", with: "\"pid\":8")).parsed().reports
        #expect(other.count == 2 && other.allSatisfy { !$0.notes.contains { $0.contains("printed twice") } })
    }
}
