import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct AppleSampleTests {
    /// Rows as sample(1) of macOS 10.15 to 13 prints them, of one thread.
    static func graph(_ rows: String, header: String = "Analysis of sampling App (pid 7) every 1 millisecond\n") -> SampleLog {
        SampleLog(header + "Call graph:\n    9 Thread_12   DispatchQueue_1: com.apple.main-thread  (serial)\n" + rows + "\n\n")
    }

    private func frames(_ rows: String) throws -> [Frame] { try #require(try Self.graph(rows).report().threads.first).frames }

    @Test func `the made sample is a tree of two threads`() throws {
        let report = try SampleLog(fixture: "apple-sample/CrashExample/sample.txt").report()
        #expect(report.process.name == "CrashExample" && report.process.pid == 5120 && report.architecture == .arm64)
        #expect(report.platform == "macOS 12.2 (21D49)" && report.timestamp?.utc == "2022-02-11T18:22:10.774Z")
        #expect(report.threads.map(\.index) == [16_614_993, 16_615_020])
        #expect(report.threads.map(\.name) == ["com.apple.main-thread", nil])
        #expect(report.threads.allSatisfy { $0.isCallTree })
        let main = report.threads[0].frames
        #expect(main.map(\.depth) == [0, 1, 2, 3, 4, 5, 6, 6, 5])
        // The second address of a row has no count of its own.
        #expect(main.map(\.samples) == [2449, 2449, 2449, 2449, 2449, 1840, 1840, nil, 609])
        #expect(main.map(\.index) == [0, 1, 2, 3, 4, 5, 6, 6, 7])
        // The ends of both branches are where the thread was.
        #expect(main.map { $0.kind == .returnAddress } == [true, true, true, true, true, true, false, false, false])
        // 0x10289c000 + 0x8b0
        #expect(main[1].hex == "0x10289c8b0" && main[1].printed == nil)
        #expect(main[1].image.map { report.images[$0].path } == "/Applications/CrashExample.app/Contents/MacOS/CrashExample")
    }

    @Test(
        arguments: [
            ("      9 start  (in dyld) + 462  [0x1077c151e]", "start", 462, nil, 0, "dyld"),
            ("    + 9 main  (in bench) + 3371  [0x100ca1148]  storage.rs:33", "main", 3371, "storage.rs", 33, "bench"),
            ("      9 main (in App) (main.m:57) [0x101671e30]", "main", nil, "main.m", 57, "App"),
            ("      9 f(int)  (in Electron Helper (Renderer)) + 1  [0x2]", "f(int)", 1, nil, 0, "Electron Helper (Renderer)"),
            ("      9 closure (in a) of g  (in App) + 1  [0x2]  a b.m:3", "closure (in a) of g", 1, "a b.m", 3, "App"),
        ] as [(String, String, UInt64?, String?, Int, String)])
    func `a row's name, offset, file, line and image`(
        row: String, name: String, offset: UInt64?, file: String?, line: Int, image: String
    ) throws {
        let frame = try #require(try frames(row).first)
        let location = file.map { BinaryPrimitives.SourceLocation(file: $0, line: line) }
        #expect(frame.printed == PrintedSymbol(name: name, offset: offset, location: location))
        #expect(frame.imageName == image && frame.samples == 9 && frame.depth == 0)
    }

    @Test func `a row may tell no more than the image or the address`() throws {
        let known = try #require(try frames("      9 ???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]").first)
        #expect(known.printed == nil && known.imageOffset == ImageOffset(0x3eb0) && known.imageName == "App")
        let unknown = try #require(try frames("      9 ???  (in <unknown binary>)  [0x34a8da74e4e2]").first)
        #expect(unknown.printed == nil && unknown.imageName == "???" && unknown.hex == "0x34a8da74e4e2")
        #expect(try frames("      9 0x0").first?.hex == "0x0")
    }

    @Test func `several addresses of a row are several frames, each with its offset and its bytes`() throws {
        let row = "      194 main  (in calc_1brc) + 680,640,...  [0x1058f15d1,0x1058f15a9,...]  main.m:71"
        let log = Self.graph(row)
        let frames = try log.report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x1058f15d1", "0x1058f15a9"])
        #expect(frames.map(\.printed?.offset) == [680, 640])
        #expect(frames.map(\.kind) == [.programCounter, .programCounter])
        #expect(
            frames.map { log.text(of: $0) } == [String(row.dropLast(",0x1058f15a9,...]  main.m:71".count)), "0x1058f15a9,...]  main.m:71"])
    }

    @Test func `depth comes from the columns, whatever glyphs stand in them`() throws {
        let rows = """
            +   9 a  (in x) + 1  [0x1]
            +   ! 5 b  (in x) + 1  [0x2]
            +   ! : 5 c  (in x) + 1  [0x3]
            +   4 d  (in x) + 1  [0x4]
            """
        // The first row is not deeper than the thread's first level, however far it is indented.
        let frames = try frames(rows.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
        #expect(frames.map(\.depth) == [0, 1, 2, 1])
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter, .programCounter])
    }

    @Test func `a function's first byte is no return address, and what a signal interrupted is exact`() throws {
        let frames = try frames(
            "      9 a  (in x) + 0  [0x1]\n        9 b  (in x) + 9  [0x2]\n          9 _sigtramp  (in x) + 29  [0x3]\n"
                + "            9 handler  (in x) + 3  [0x4]")
        #expect(frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress, .programCounter])
    }

    @Test func `a graph without header is a sample, too, and the log around it is left alone`() throws {
        let log = Self.graph("      9 a  (in x) + 1  [0x1]", header: "Here it hangs:\n")
        let report = try log.report()
        #expect(report.format == "apple-sample" && report.threads[0].frames.count == 1)
        #expect(report.notes == ["The report has no list of binary images."])
        let two = SampleLog(log.text + "Some other line\n" + log.text).parsed()
        #expect(two.reports.count == 2)
        #expect(SampleLog("Call graph:\n").parsed().reports.isEmpty)
    }

    @Test func `a header alone may begin it`() throws {
        let text = SampleLog(fixture: "apple-sample/CrashExample/sample.txt").text
        let log = SampleLog(text.replacing("Analysis of sampling CrashExample (pid 5120) every 1 millisecond\n", with: ""))
        let report = try log.report()
        #expect(report.format == "apple-sample" && report.process.pid == 5120 && report.threads.count == 2)
    }

    // MARK: Results

    @Test func `an answered row is the one that sample writes, and inlined calls follow below it`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x103c0deb0" ? .function("main", offset: 46, "/s/main.m", 30).inlining("inner()", "/s/b.h", 7) : nil
        }
        let rows =
            "    + 9 ???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]\r\n"
            + "    +   9 ???  (in App)  load address 0x103c0a000 + 0x3ec0  [0x103c0dec0]\r"
        let log = Self.graph(rows)
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == log.text.replacing(
                    "???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]",
                    with: "main  (in App) + 46  [0x103c0deb0]  main.m:30\r\n    + 9 inner() [inlined]  (in App)  [0x103c0deb0]  b.h:7"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [false, true, false])
        #expect(frames.map(\.depth) == [0, 0, 1])
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        // Rows below a resolved row may be resolved later.
        let later = symbolicated.symbolicated { $0.hex == "0x103c0dec0" ? .function("f", offset: 1, "/s/f.m", 1) : nil }
        #expect(later.text.contains("9 f  (in App) + 1  [0x103c0dec0]  f.m:1\r\n"))
    }

    @Test func `a row with several addresses is answered where all are in one function`() {
        let row = "      9 ???  (in App)  load address 0x1000 + 0x10,0x20,...  [0x1010,0x1020,...]"
        let log = Self.graph(row)
        func symbolicated(_ second: FrameResult?) -> String {
            log.symbolicated { $0.hex == "0x1010" ? .function("f", offset: 16, "/s/a.m", 3) : second }.text
        }
        let same = log.text.replacing(row, with: "      9 f  (in App) + 16,32,...  [0x1010,0x1020,...]  a.m:3")
        #expect(symbolicated(.function("f", offset: 32, "/s/a.m", 3)) == same)
        #expect(symbolicated(.function("f", offset: 32, "/s/a.m", 4)) == same.replacing("a.m:3", with: "a.m:3,4,..."))
        #expect(symbolicated(.function("f", offset: 32, "/s/b.m", 4)) == same.replacing("  a.m:3", with: ""))
        #expect(symbolicated(.function("g", offset: 8, "/s/a.m", 9)) == log.text)
        #expect(symbolicated(nil) == log.text)
    }
}
