import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Apple's JSON reports: header and body, old and new forms, and Apple's own keys filled in.
struct AppleIPSTests {
    private static let header =
        #"{"app_name":"App","timestamp":"2022-08-03 20:36:44.00 +0900","app_version":"1.2","bug_type":"309","os_version":"macOS 12.4 (21F79)","bundleID":"org.example","build_version":"34","name":"App"}"#

    private static let body = #"""
        {
          "pid" : 1710,
          "cpuType" : "ARM-64",
          "procName" : "App",
          "procPath" : "\/Applications\/App",
          "captureTime" : "2022-08-03 20:36:44.3125 +0900",
          "exception" : {"codes":"0x1, 0x2","type":"EXC_BAD_ACCESS","signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x0000000000000010"},
          "asi" : {"libsystem_c.dylib":["abort() called"]},
          "faultingThread" : 0,
          "lastExceptionBacktrace" : [{"imageOffset":1,"symbol":"__exceptionPreprocess","symbolLocation":164,"imageIndex":1},{"imageOffset":15941,"imageIndex":0}],
          "threads" : [{"triggered":true,"id":7,"queue":"com.apple.main-thread","threadState":{"x":[{"value":5},{"value":6}],"pc":{"value":4533067333}},"frames":[{"imageOffset":15941,"imageIndex":0},{"imageOffset":16000,"imageIndex":0},{"imageOffset":21790,"symbol":"start","symbolLocation":462,"imageIndex":1}]},{"id":8,"name":"io","frames":[{"symbol":"in","inline":true,"imageIndex":0,"imageOffset":16,"symbolLocation":4,"sourceLine":122,"sourceFile":"p.h"},{"imageOffset":16,"sourceLine":30,"sourceFile":"c.cpp","symbol":"out","imageIndex":0,"symbolLocation":44},{"imageOffset":32,"imageIndex":2}]}],
          "usedImages" : [
          {
            "source" : "P",
            "arch" : "arm64",
            "base" : 4533051392,
            "size" : 16384,
            "uuid" : "01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc",
            "path" : "\/Applications\/App",
            "name" : "App"
          },
          {
            "source" : "P",
            "arch" : "arm64e",
            "base" : 4763348992,
            "size" : 442368,
            "uuid" : "b70ce1ec-b902-3852-8268-05de00bfa8d5",
            "path" : "\/usr\/lib\/dyld",
            "name" : "dyld"
          },
          {
            "size" : 0,
            "source" : "A",
            "base" : 0,
            "uuid" : "00000000-0000-0000-0000-000000000000"
          }
        ]
        }
        """#
    private static let log = SampleLog(header + "\n" + body + "\n")

    @Test func `header and body tell what happened`() throws {
        let report = try Self.log.report()
        #expect(report.format == "apple-ips")
        #expect(report.process.name == "App" && report.process.pid == 1710 && report.process.path == "/Applications/App")
        #expect(report.process.identifier == "org.example" && report.process.version == "1.2 (34)")
        #expect(report.platform == "macOS 12.4 (21F79)" && report.architecture == .arm64)
        #expect(report.timestamp == "2022-08-03 20:36:44.3125 +0900")
        let cause = try #require(report.cause)
        #expect(cause.type == "EXC_BAD_ACCESS" && cause.signal == "SIGSEGV" && cause.codes == "0x1, 0x2")
        #expect(cause.address?.value == 16 && cause.message == "abort() called")
    }

    @Test func `addresses are base plus offset`() throws {
        let report = try Self.log.report()
        // 4533051392 + 15941 = 0x10e30e000 + 0x3e45; 4763348992 + 21790 = 0x11beaf000 + 0x551e
        #expect(report.threads[0].frames.map(\.hex) == ["0x10e311e45", "0x10e311e80", "0x11beb451e"])
        #expect(report.threads[0].frames.map(\.image) == [0, 0, 1])
        #expect(report.threads[0].frames[2].printed == PrintedSymbol(name: "start", offset: 462))
        #expect(report.threads[0].crashed && !report.threads[1].crashed)
        #expect(report.threads.map(\.name) == ["com.apple.main-thread", "io"])
        #expect(report.threads[0].registers?.values.map(\.name) == ["x0", "x1", "pc"])
    }

    @Test func `frame 0 is exact with its inlined calls, an exception's stack never`() throws {
        let report = try Self.log.report()
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
        #expect(report.threads[1].frames.map(\.isInlined) == [true, false, false])
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress, .returnAddress])
    }

    @Test func `an absolute image is no image`() throws {
        let report = try Self.log.report()
        #expect(report.images.map(\.isPlaceholder) == [false, false, true])
        #expect(report.images[1].name == "dyld" && report.images[1].architecture == .arm64e && report.images[1].size == 442368)
        #expect(report.images[0].id?.uuid == "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC")
    }

    @Test func `the beta of 2021 has arrays`() throws {
        let text =
            Self.header + "\n" + #"{"threads":[{"frames":[[0,16],[0,32]]}],"usedImages":[["01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc",4096]]}"#
        let report = try SampleLog(text).report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x1010", "0x1020"])
        #expect(report.images[0].id?.uuid == "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC")
    }

    @Test func `header and body may be one object`() throws {
        let text =
            #"{"app_name":"App","bug_type":"309","os_version":"x","threads":[{"frames":[{"imageOffset":1,"imageIndex":0}]}],"usedImages":[{"base":4096,"size":16}]}"#
        #expect(try SampleLog(text).report().threads[0].frames[0].hex == "0x1001")
    }

    @Test func `text below the header line is read as text`() throws {
        let header = Self.header.replacing("309", with: "109")
        let log = SampleLog(
            header + "\nProcess:   App [7]\nException Type:  EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0   App   0x1010 0x1000 + 16\n")
        let report = try log.report()
        #expect(report.format == "apple-ips-legacy" && report.process.pid == 7)
        let forced = try log.report(as: "apple-ips")
        #expect(forced.format == "apple-crash" && forced.notes.contains { $0.contains("text report") })
        #expect(log.text(of: forced.threads[0].frames[0]) == "0   App   0x1010 0x1000 + 16")
    }

    @Test(arguments: [
        (header, "the .ips ends after its header line: Crash report (bug_type 309)"),
        (header + "\n{\"threads\": [", "the JSON document ends early"),
        (header + "\n{}", "the .ips (bug_type 309) holds no stacks"), (header + "\n{\"threads\":[{}]}", "no thread of the .ips has frames"),
    ])
    func `what cannot be read is said in one line`(text: String, problem: String) {
        let log = SampleLog(text).parsed()
        #expect(log.reports.isEmpty)
        #expect(log.problems.map(\.problem) == [problem])
    }

    @Test func `text and JSON of one report are two traces`() throws {
        let text =
            "Translated Report (Full Report Below)\nProcess:   App [7]\nException Type:  EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0   App   0x1010 0x1000 + 16\n\n"
            + "Binary Images:\n0x1000 - 0x1fff App (*) <01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc> /App\n\n-----------\nFull Report\n-----------\n\n"
        #expect(SampleLog(text + Self.log.text).parsed().reports.map(\.format) == ["apple-crash", "apple-ips"])
    }

    // MARK: Results

    @Test func `Apple's own keys are filled in and nothing else changes`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10e311e80" ? .function("-[MyClass \"crash\"]", offset: 43, "/Users/x/main.m", 28) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let frame =
            #"{"imageOffset":16000,"imageIndex":0,"symbol":"-[MyClass \"crash\"]","symbolLocation":43,"sourceFile":"main.m","sourceLine":28}"#
        #expect(symbolicated.text == Self.log.text.replacing(#"{"imageOffset":16000,"imageIndex":0}"#, with: frame))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `inlined calls become objects in front`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10e311e80" ? .function("out", offset: 43, "/s/a.c", 28).inlining("in", "/s/b.h", 7) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let start = #"{"imageOffset":16000,"imageIndex":0,"#
        let inlined = start + #""symbol":"in","sourceFile":"b.h","sourceLine":7,"inline":true}"#
        let outer = start + #""symbol":"out","symbolLocation":43,"sourceFile":"a.c","sourceLine":28}"#
        #expect(symbolicated.text == Self.log.text.replacing(start.dropLast() + "}", with: inlined + "," + outer))
        #expect(try symbolicated.report().threads[0].frames.map(\.isInlined) == [false, true, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a pretty document stays pretty`() throws {
        let pretty =
            Self.header
            + "\n{\n  \"threads\" : [\n    {\n      \"frames\" : [\n        {\n          \"imageOffset\" : 16,\n          \"imageIndex\" : 0\n        }\n      ]\n    }\n  ],\n"
            + "  \"usedImages\" : [ { \"base\" : 4096, \"size\" : 4096 } ]\n}\n"
        let symbolicated = SampleLog(pretty).symbolicated { _ in .function("main", offset: 4, "/s/a.c", 2).inlining("in", "b.h", 1) }
        let frame = "        {\n          \"imageOffset\" : 16,\n          \"imageIndex\" : 0,\n          \"symbol\" : "
        let expected =
            frame + "\"in\",\n          \"sourceFile\" : \"b.h\",\n          \"sourceLine\" : 1,\n          \"inline\" : true\n        },\n"
            + frame
            + "\"main\",\n          \"symbolLocation\" : 4,\n          \"sourceFile\" : \"a.c\",\n          \"sourceLine\" : 2\n        }\n"
        #expect(
            symbolicated.text
                == pretty.replacing("        {\n          \"imageOffset\" : 16,\n          \"imageIndex\" : 0\n        }\n", with: expected)
        )
    }

    @Test func `the stack that the process told is rows inside a string`() throws {
        let rows =
            #""asiBacktraces":["0   CoreFoundation                      0x0000000101627c65 __exceptionPreprocess + 165\n5   App \"x\"\t0x0000000000002010 App \"x\" + 16\n"]"#
        let log = SampleLog(
            Self.header
                + "\n{\(rows),\"threads\":[{\"frames\":[{\"imageOffset\":1,\"imageIndex\":0}]}],\"usedImages\":[{\"base\":8192,\"size\":4096}]}"
        )
        let report = try log.report()
        #expect(report.exceptionBacktrace?.name == "Application Specific Backtrace 1")
        #expect(report.exceptionBacktrace?.frames.map(\.hex) == ["0x101627c65", "0x2010"])
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress, .returnAddress])
        #expect(report.exceptionBacktrace?.frames.map(\.image) == [nil, 0])
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x2010" ? .function("f(\"a\")", offset: 8, "/s/a.m", 3).inlining("g", "/s/b.h", 4) : nil
        }
        let symbolicated = log.symbolicated(result)
        let head = #"5   App \"x\"\t0x0000000000002010 "#
        #expect(
            symbolicated.text
                == log.text.replacing(head + #"App \"x\" + 16"#, with: head + #"g (b.h:4) [inlined]\n"# + head + #"f(\"a\") + 8 (a.m:3)"#))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(try symbolicated.report().exceptionBacktrace?.frames.map(\.isInlined) == [false, true, false])
    }
}

/// Kinds of `.ips` other than a crash: stackshots, panics, reports without stacks, and the
/// array-shaped bodies of 2021.
struct AppleIPSKindsTests {
    private static func header(_ type: String) -> String {
        #"{"bug_type":"\#(type)","timestamp":"2022-08-03 20:36:44.00 +0900","os_version":"iPhone OS 17.5 (21F79)","incident_id":"5D7B"}"#
            + "\n"
    }

    private static let processes =
        #""processByPid":{"371":{"pid":371,"procname":"Music","threadById":{"6570":{"id":6570,"name":"io","kernelFrames":[[2,64]],"userFrames":[[0,16],[0,32],[9,1]]},"6571":{"id":6571,"dispatch_queue_label":"q","userFrames":[[1,48]]},"6572":{"id":6572,"state":["TH_IDLE"]}}},"#
        + #""12":{"pid":12,"procname":"idle","threadById":{"1":{"id":1}}},"#
        + #""40":{"pid":40,"procname":"logd","threadById":{"7":{"id":7,"userFrames":[[0,80]]}}}},"#
        + #""binaryImages":[["01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc",4096,"P"],["00000000-0000-0000-0000-000000000000",0,"A"],["b70ce1ec-b902-3852-8268-05de00bfa8d5",65536,"K"]]"#

    @Test func `a stackshot is a report for each process with stacks`() throws {
        let log = SampleLog(Self.header("288") + "{" + Self.processes + "}\n")
        let reports = log.parsed().reports
        #expect(reports.map(\.process.name) == ["Music", "logd"] && reports.map(\.process.pid) == [371, 40])
        #expect(reports.allSatisfy { $0.format == "apple-ips" && $0.cause?.type == "Stackshot" && $0.platform == "iPhone OS 17.5 (21F79)" })
        #expect(reports[0].threads.map(\.index) == [6570, 6571] && reports[0].threads.map(\.name) == ["io", "q"])
        // The kernel's frames lie above the program's; 65536 + 64 = 0x10040, 4096 + 16 = 0x1010.
        // The ninth image is not there.
        #expect(reports[0].threads[0].frames.map(\.hex) == ["0x10040", "0x1010", "0x1020", "none"])
        #expect(reports[0].threads[0].frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress, .returnAddress])
        #expect(reports[0].threads[0].frames.map(\.index) == [0, 1, 2, 3])
        // Each report keeps its own images: the kernel, the program, and the entry that is not an
        // image.
        #expect(
            reports[0].images.map(\.base?.value) == [65536, 4096, 0] && reports[0].images.map(\.isPlaceholder) == [false, false, true])
        #expect(reports[1].images.map(\.base?.value) == [4096] && reports[1].threads[0].frames.map(\.image) == [0])
    }

    @Test func `a panic is the kernel's report before those of the processes`() throws {
        let log = SampleLog(
            Self.header("210") + #"{"panicString":"panic(cpu 1 caller 0xfffffff01): x\nDebugger message: panic\n","# + Self.processes + "}")
        let reports = log.parsed().reports
        #expect(reports.map(\.process.name) == ["kernel", "Music", "logd"])
        #expect(reports[0].cause?.type == "panic" && reports[0].cause?.message == "panic(cpu 1 caller 0xfffffff01): x")
        #expect(reports[0].notes.count == 1 && reports[0].notes[0].contains("Panic report (bug_type 210)"))
        let text = try SampleLog(Self.header("210") + #"{"panicString":"panic: y"}"#).report()
        #expect(text.cause?.message == "panic: y" && text.threads.isEmpty)
    }

    @Test func `the kernel's stack is rows inside the panic's string`() throws {
        let text =
            #"panic(cpu 1 caller 0xfffffff007a1): x\nPanicked task 0xffffffe: 100 pages, 3 threads: pid 371: Music\nPanicked thread: 0xffffffe1, backtrace: 0xffffffe2, tid: 7\n\t\t  lr: 0xfffffff007a11234  fp: 0xffffffe2\n\t\t  lr: 0xfffffff007a15678  fp: 0xffffffe3\n"#
        let log = SampleLog(Self.header("210") + #"{"panicString":""# + text + #"","# + Self.processes + "}")
        let reports = log.parsed().reports
        #expect(reports.count == 3 && reports.allSatisfy { $0.format == "apple-ips" } && reports[1].process.name == "Music")
        #expect(reports[0].threads.flatMap(\.frames).map(\.hex) == ["0xfffffff007a11234", "0xfffffff007a15678"])
        #expect(log.text(of: reports[0].threads[0].frames[0]) == #"\t\t  lr: 0xfffffff007a11234  fp: 0xffffffe2"#)
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0xfffffff007a11234" ? .function("f", offset: 8, "/s/a.c", 3, image: "kernel").inlining("g", "/s/b.h", 4) : nil
        }
        let symbolicated = log.symbolicated(result)
        let row = #"lr: 0xfffffff007a11234  fp: 0xffffffe2"#
        #expect(
            symbolicated.text.contains(row + #" kernel : g [inlined] (b.h:4)\n"#)
                && symbolicated.text.contains(row + #" kernel : f + 0x8 (a.c:3)\n"#))
        #expect(try #require(symbolicated.parsed().reports.first).threads[0].frames.map(\.isInlined) == [true, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test(arguments: [
        ("298", "Jetsam", "memory"), ("211", "CoreAnalytics", "statistics"), ("115", "ResetCount", "resets"),
        ("187", "Sandbox", "has no stacks."),
        ("99999", "report", "has no stacks."),
    ]) func `a report without stacks is named`(type: String, name: String, text: String) throws {
        let report = try SampleLog(Self.header(type) + #"{"largestProcess":"Music","processes":[{"pid":1,"rpages":5}]}"#).report()
        #expect(report.format == "apple-ips" && report.stacks.isEmpty && report.cause?.type == name)
        #expect(report.notes.count == 1 && report.notes[0].contains("bug_type \(type)") && report.notes[0].contains(text))
        // 2022-08-03 20:36:44 +0900
        #expect(report.timestamp?.utc == "2022-08-03T11:36:44Z")
    }

    @Test func `a header above text of no known format is named`() {
        let log = SampleLog(Self.header("142") + "Date/Time:  2022\nnothing\n").parsed()
        #expect(
            log.reports.isEmpty
                && log.problems.map(\.problem) == ["the .ips ends after its header line: SymptomsCPUWakes report (bug_type 142)"])
    }

    @Test func `the beta's images have their names elsewhere`() throws {
        let body =
            #"{"threads":[{"frames":[[0,16],[0,32]]}],"usedImages":[["01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc",4096]],"legacyInfo":{"imageExtraInfo":[{"name":"App","path":"/A/App","arch":"arm64","size":4096}]}}"#
        let log = SampleLog(Self.header("309") + body)
        let report = try log.report()
        #expect(report.images[0].name == "App" && report.images[0].path == "/A/App" && report.images[0].size == 4096)
        #expect(report.images[0].architecture == .arm64 && report.threads[0].frames.map(\.imageName) == ["App", "App"])
        // A pair has no room: a resolved one becomes an object of today's form.
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x1020" ? .function("f", offset: 8, "/s/a.m", 3).inlining("g", "/s/b.h", 4) : nil
        }
        let symbolicated = log.symbolicated(result)
        let inlined = #"{"imageIndex":0,"imageOffset":32,"symbol":"g","sourceFile":"b.h","sourceLine":4,"inline":true}"#
        let outer = #"{"imageIndex":0,"imageOffset":32,"symbol":"f","symbolLocation":8,"sourceFile":"a.m","sourceLine":3}"#
        #expect(symbolicated.text == log.text.replacing("[0,32]", with: inlined + "," + outer))
        #expect(try symbolicated.report().threads[0].frames.map(\.hex) == ["0x1010", "0x1020", "0x1020"])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `further stacks that the process told are additional`() throws {
        let rows = #""asiBacktraces":["0   App   0x1010 f + 3\n","0   App   0x1020 g + 4\n"],"#
        let body = "{\(rows)" + #""threads":[{"frames":[{"imageOffset":1,"imageIndex":0}]}],"usedImages":[{"base":4096,"size":4096}]}"#
        let report = try SampleLog(Self.header("309") + body).report()
        #expect(report.exceptionBacktrace?.name == "Application Specific Backtrace 1")
        #expect(report.additionalBacktraces.map(\.name) == ["Application Specific Backtrace 2"] && report.threads.count == 1)
        let asi = body.replacing(rows, with: #""asi":{"CoreFoundation":["*** First throw call stack:\n(\n\t0   App   0x1010 f + 3\n)"]},"#)
        let reported = try SampleLog(Self.header("309") + asi).report()
        #expect(reported.exceptionBacktrace?.frames.map(\.hex) == ["0x1010"])
    }

    @Test func `an inlined call keeps no offset of the function around it`() throws {
        let body =
            #"{"threads":[{"frames":[{"imageOffset":16,"symbol":"stripped","symbolLocation":400,"imageIndex":0}]}],"usedImages":[{"base":4096,"size":4096}]}"#
        let symbolicated = SampleLog(Self.header("309") + body).symbolicated { _ in
            .function("f", offset: 8, "/a.m", 3).inlining("g", "/b.h", 4)
        }
        #expect(
            symbolicated.text.contains(#"{"imageOffset":16,"symbol":"g","imageIndex":0,"sourceFile":"b.h","sourceLine":4,"inline":true}"#))
    }
}
