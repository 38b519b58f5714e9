import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

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
        func answer(_ frame: Frame) -> FrameResult? {
            frame.hex == "0xfffffff007a11234" ? .function("f", offset: 8, "/s/a.c", 3, image: "kernel").inlining("g", "/s/b.h", 4) : nil
        }
        let answered = log.answered(answer)
        let row = #"lr: 0xfffffff007a11234  fp: 0xffffffe2"#
        #expect(
            answered.text.contains(row + #" kernel : g [inlined] (b.h:4)\n"#)
                && answered.text.contains(row + #" kernel : f + 0x8 (a.c:3)\n"#))
        #expect(try #require(answered.parsed().reports.first).threads[0].frames.map(\.isInlined) == [true, false, false])
        #expect(answered.answered(answer).text == answered.text)
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
        func answer(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x1020" ? .function("f", offset: 8, "/s/a.m", 3).inlining("g", "/s/b.h", 4) : nil
        }
        let answered = log.answered(answer)
        let inlined = #"{"imageIndex":0,"imageOffset":32,"symbol":"g","sourceFile":"b.h","sourceLine":4,"inline":true}"#
        let outer = #"{"imageIndex":0,"imageOffset":32,"symbol":"f","symbolLocation":8,"sourceFile":"a.m","sourceLine":3}"#
        #expect(answered.text == log.text.replacing("[0,32]", with: inlined + "," + outer))
        #expect(try answered.report().threads[0].frames.map(\.hex) == ["0x1010", "0x1020", "0x1020"])
        #expect(answered.answered(answer).text == answered.text)
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
        let answered = SampleLog(Self.header("309") + body).answered { _ in .function("f", offset: 8, "/a.m", 3).inlining("g", "/b.h", 4) }
        #expect(answered.text.contains(#"{"imageOffset":16,"symbol":"g","imageIndex":0,"sourceFile":"b.h","sourceLine":4,"inline":true}"#))
    }
}
