import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct AndroidANRTests {
    private func fixture() -> SampleLog { SampleLog(fixture: "android-anr/libshop/anr-13.txt") }

    @Test func `threads, Java's frames and native ones`() throws {
        let report = try fixture().report()
        #expect(
            report.format == "android-anr" && report.cause?.type == "ANR" && report.process.name == "com.example.shop"
                && report.process.pid == 9955)
        #expect(report.timestamp?.text == "2023-05-06 07:08:09.123456789+0200")
        #expect(report.threads.map(\.name) == ["counter", "main"] && report.threads.map(\.index) == [9, 1])
        #expect(report.threads.map(\.frames.count) == [7, 2] && !report.threads.contains(where: \.crashed))
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4, 5, 6])
        #expect(frames[4].printed == PrintedSymbol(name: "com.example.shop.Counter.open"))
        #expect(
            frames[5].printed
                == PrintedSymbol(name: "com.example.shop.Counter.run", location: SourceLocation(file: "Counter.java", line: 41)))
        #expect(frames.map { $0.imageLocation == nil } == [false, false, false, false, true, true, true])
    }

    @Test func `rows keep what stands in front of them`() throws {
        let log = fixture()
        let symbolicated = log.symbolicated {
            $0.index == 1 && $0.printed == nil ? .function("serve(int)", offset: 60, "/src/shop.cpp", 20, column: 18) : nil
        }
        let row = try #require(log.text.split(separator: "\n").first { $0.contains("native: #01 ") })
        let expected = row.replacing(" (BuildId", with: " (serve(int)+60) (BuildId") + "\n          /src/shop.cpp:20:18 (serve(int))"
        #expect(symbolicated.text == log.text.replacing(row, with: expected))
    }

    @Test func `ART marks names that it does not know`() throws {
        let log = SampleLog(
            "----- pid 1 at 2023-05-06 07:08:09 -----\n\"a\" prio=5 tid=1 Native\n  native: #00 pc 0000000000001000  /a/base.apk!libone.so (offset 17c000) (???)\n----- end 1 -----\n"
        )
        #expect(try log.report().threads[0].frames[0].printed == nil)
        let symbolicated = log.symbolicated { _ in .function("f", offset: 3) }
        #expect(symbolicated.text.contains("libone.so (offset 17c000) (f+3)\n"))
        #expect(try symbolicated.report().threads[0].frames[0].printed == PrintedSymbol(name: "f", offset: 3))
    }

    @Test func `each process is a report, and a list of waiting channels none`() {
        let one =
            "----- pid 1 at 2023-05-06 07:08:09 -----\nCmd line: one\n\"a\" sysTid=1\n    #00 pc 0000000000001000  /a/b.so (f+1)\n\n----- end 1 -----\n"
        let waiting = "----- Waiting Channels: pid 1 at 2023-05-06 07:08:09 -----\nsysTid=1      futex_wait_queue_me\n----- end 1 -----\n"
        let reports = SampleLog(one + waiting + one.replacing("one", with: "two")).parsed().reports
        #expect(reports.map(\.process.name) == ["one", "two"])
    }
}
