import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

struct AppleSpindumpTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "apple-spindump/" + name) }

    /// One process with one thread and these rows.
    static func dump(_ rows: String, images: String = "") -> SampleLog {
        SampleLog(
            """
            Date/Time:        2022-10-29 16:19:34.990 -0700
            OS Version:       macOS 13.0 (Build 22A380)
            Event:            hang
            Steps:            9 (10ms sampling interval)


            Process:          App [7]
            Path:             /Applications/App
            Architecture:     x86_64
            Num samples:      9 (1-9)

              Thread 0x1    DispatchQueue "q"(1)    9 samples (1-9)    priority 31 (base 31)
            \(rows)

              Binary Images:
                       0x10bd00000 -        0x10c393fff  App (3201.19.2)  <072957A7-0B68-3113-BA22-38410EBBDB49>  /Applications/App
               *0xffffff80002dc000 - 0xffffff8000cdbfff  kernel (8792.41.9)  <BF7C9676-EF23-3E8D-A2E2-25DAC63091B6>  /System/Library/Kernels/kernel
            \(images)
            """)
    }

    @Test func `a hang tells of its process and of the others`() throws {
        let reports = fixture("CrashExample-hang/hang.txt").parsed().reports
        #expect(reports.map(\.process.name) == ["CrashExample", "launchd"])
        #expect(reports.map(\.process.pid) == [5120, 1])
        #expect(reports.map(\.architecture) == [.arm64, .arm64e])
        #expect(reports.map(\.timestamp?.utc) == ["2022-02-11T18:22:10.774Z", "2022-02-11T18:22:10.774Z"])
        // It was CrashExample that hung.
        #expect(reports.map(\.cause?.type) == ["hang", nil])
        #expect(reports[0].cause?.message == "6.91s")
        #expect(reports[0].threads.map(\.name) == ["com.apple.main-thread", "worker"])
        #expect(reports[0].threads.map(\.index) == [0x2ca9e, 0x2cab1])
        let main = reports[0].threads[0].frames
        #expect(main.map(\.depth) == [0, 1, 2, 3, 4, 5, 6, 5])
        #expect(main.map(\.samples) == [49, 49, 49, 49, 49, 37, 37, 12])
        let heaviest = try #require(reports[0].additionalBacktraces.first)
        #expect(heaviest.name == "Heaviest stack for the main thread of the target process" && heaviest.isCallTree)
        #expect(heaviest.frames.map(\.depth) == [0, 1, 2, 3, 4, 5, 6])
        #expect(heaviest.frames.map { $0.kind == .programCounter } == [false, false, false, false, false, false, true])
    }

    @Test func `the kernel's rows are in the kernel's images, and the row above them is where the process was`() throws {
        let report = try #require(fixture("CrashExample-hang/hang.txt").parsed().reports.first)
        let worker = report.threads[1].frames
        #expect(
            worker.map(\.imageName) == ["libsystem_pthread.dylib", "libsystem_kernel.dylib"]
                + [String](repeating: "kernel.release.t6000", count: 3))
        #expect(worker.map(\.kind) == [.returnAddress, .programCounter, .returnAddress, .returnAddress, .programCounter])
        #expect(worker.map { $0.image.map { report.images[$0].path } }.last == "/System/Library/Kernels/kernel.release.t6000")
    }

    @Test func `the watchdog's heaviest stack has images and offsets only, and its microstackshots no thread`() throws {
        let report = try fixture("CrashExample-cpu/cpu_resource.ips").report()
        #expect(report.cause?.type == "cpu usage" && report.cause?.message?.hasPrefix("90 seconds cpu time over 150 seconds") == true)
        #expect(report.platform == "iPhone OS 14.2 (Build 18B5072f)" && report.process.name == "CrashExample")
        #expect(report.threads.map(\.frames.count) == [8])
        let heaviest = try #require(report.additionalBacktraces.first?.frames)
        #expect(heaviest.allSatisfy { $0.address == nil })
        #expect(heaviest.compactMap { $0.image.map { report.images[$0].name } }.prefix(2) == ["dyld", "CrashExample"])
        #expect(heaviest[1].imageOffset == ImageOffset(2224))
        // `0x10289c000 - ???`
        let own = try #require(report.images.first)
        #expect(own.base == RuntimeAddress(0x1_0289_c000) && own.size == nil && own.id?.uuid == "4C4C44FC-5555-3144-A11B-E947A8E8E6FE")
        // 0x10289c000 + 2224: found by the offset in the row, though the image's end is not known.
        #expect(report.threads[0].frames[1].image == 0)
    }

    @Test(
        arguments: [
            ("  9  start + 2432 (dyld + 25360) [0x7ff806675310]", "start", 2432, nil, 0, 0, "dyld", 25360),
            ("  9  f(int) + 1 (Electron Helper (Renderer) + 7) [0x8] (running)", "f(int)", 1, nil, 0, 0, "Electron Helper (Renderer)", 7),
            (
                "  9   static App.$main() + 35 (App.swift:31,1 in App + 174) [0x10772db33] 1-49", "static App.$main()", 35, "App.swift", 31,
                1, "App", 174
            ),
            ("  9  App_main + 9 (App.swift in App + 174) [0x10772dbb9]", "App_main", 9, "App.swift", 0, 0, "App", 174),
            ("  9 start + 53 (QQ) [0x14e55]", "start", 53, nil, 0, 0, "QQ", nil),
            (
                "  9  ??? (<1694C943-1413-3040-AE12-619DE2F5C639> + 430536) [0x103f711c8]", nil, nil, nil, 0, 0,
                "<1694C943-1413-3040-AE12-619DE2F5C639>", 430_536
            ),
        ] as [(String, String?, UInt64?, String?, Int, Int, String, UInt64?)])
    func `a row's name, offset, file, line, column and image`(
        row: String, name: String?, offset: UInt64?, file: String?, line: Int, column: Int, image: String, imageOffset: UInt64?
    ) throws {
        let frame = try #require(try Self.dump(row).report().threads.first?.frames.first)
        #expect(frame.printed?.name == name && frame.printed?.offset == offset)
        #expect(frame.printed?.location == file.map { BinaryPrimitives.SourceLocation(file: $0, line: line, column: column) })
        #expect(frame.imageName == image && frame.imageOffset?.value == imageOffset && frame.samples == 9)
    }

    @Test func `an image that the list lacks is known by the row, its identity in brackets, too`() throws {
        let report = try Self.dump("  9  ??? (<1694C943-1413-3040-AE12-619DE2F5C639> + 20) [0x1014]").report()
        let image = try #require(report.threads[0].frames[0].image.map { report.images[$0] })
        #expect(image.base == RuntimeAddress(0x1000) && image.id?.uuid == "1694C943-1413-3040-AE12-619DE2F5C639")
    }

    @Test func `an address of the kernel is never one of the process, and the reverse`() throws {
        // Both ranges are the same here; only the star distinguishes them.
        let rows = "  9  ??? (App + 16) [0x10bd00010]\n   *9  ??? (kernel + 16) [0x10bd00010]\n"
        let report = try Self.dump(
            rows, images: "           *0x10bd00000 -        0x10c393fff  org.kext (1)  <072957A7-0B68-3113-BA22-38410EBBDB40>  org.kext\n"
        )
        .report()
        #expect(report.threads[0].frames.map { $0.image.map { report.images[$0].name } } == ["App", "org.kext"])
        #expect(report.images.last?.path == nil)
        // Without such an extension, nothing of the process accounts for it.
        let alone = try Self.dump("  9  ??? (App + 16) [0x10bd00010]\n   *9  ??? [0x10bd00010]\n").report()
        #expect(alone.threads[0].frames.map { $0.image.map { alone.images[$0].name } } == ["App", nil])
    }

    @Test func `rows of nothing, states and threads that share a stack`() throws {
        let log = SampleLog(
            Self.dump("  9  ??? [0x7] (blocked by turnstile waiting for spindump [546])\n   *9  ??? [0]").text
                .replacing("Thread 0x1 ", with: "Thread 0x1,0x2 "))
        let thread = try #require(try log.report().threads.first)
        #expect(thread.index == 1 && thread.frames.map(\.hex) == ["0x7", "0x0"])
        #expect(thread.frames.map(\.imageName) == ["???", "???"])
    }

    @Test func `a part of a dump is read, too`() throws {
        let text = Self.dump("  9  start + 1 (dyld + 2) [0x3]").text
        // From the process on, and from the heaviest stack on.
        let process = try #require(text.range(from: "Process:  "))
        #expect(try SampleLog(process).report().process.pid == 7)
        let heaviest = try SampleLog("Heaviest stack for the target process:\n  9  start + 1 (dyld + 2) [0x3]\n\n\n" + process).report()
        #expect(heaviest.additionalBacktraces.map(\.frames.count) == [1] && heaviest.threads.map(\.frames.count) == [1])
    }

    @Test func `hundreds of processes are as many reports, and what follows them is not theirs`() throws {
        let part = try #require(Self.dump("  9  start + 1 (dyld + 2) [0x3]").text.range(from: "Process:  "))
        var text = Self.dump("  9  start + 1 (dyld + 2) [0x3]").text + "\n"
        for number in 100..<400 { text += part.replacing("App [7]", with: "App [\(number)]") + "\n" }
        let end = text.utf8.count
        let log = SampleLog(
            text
                + "Kextstat:\n   14    0 0xffffff80036bb000 0x7000     0x7000     com.apple.kec.pthread (1)\nSpindump binary format\nY0MtAAAA\n"
        )
        .parsed()
        #expect(log.reports.map(\.process.pid) == [7] + (100..<400).map { $0 })
        #expect(log.pieces.filter { !$0.reports.isEmpty }.map(\.range.upperBound).max() ?? 0 <= end)
    }

    @Test func `a report that is too long to hold ends before a process, and the rest is read by its processes`() throws {
        let text = Self.dump("  9  start + 1 (dyld + 2) [0x3]").text + "\n\n"
        let part = try #require(text.range(from: "Process:  "))
        var format = AppleSpindump()
        format.partLength = text.utf8.count
        var position = 0
        var taken: [LineVerdict] = []
        for line in ("Heaviest stack for the target process:\n" + part + part + part).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            taken.append(format.consume(Array(line.utf8).span, at: position..<position + line.utf8.count))
            position += line.utf8.count + 1
            if taken.last == .rejected { break }
        }
        #expect(taken.last == .rejected)
        #expect(format.finish().count == 2)
        // The rest, as the stream then meets it.
        #expect(SampleLog(part + part).parsed().reports.map(\.process.pid) == [7, 7])
    }

    // MARK: Results

    @Test func `an answered row is the one that spindump writes, and inlined calls follow below it`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10bd00010" ? .function("main", offset: 4, "/s/main.m", 30, column: 5).inlining("inner()", "/s/b.h", 7) : nil
        }
        let log = Self.dump("  9  ??? (App + 16) [0x10bd00010] 1-9\n    9  ??? (App + 32) [0x10bd00020] 1-9 (running)")
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == log.text.replacing(
                    "??? (App + 16) [0x10bd00010] 1-9\n",
                    with:
                        "main + 4 (main.m:30,5 in App + 16) [0x10bd00010] 1-9\n  9  inner() [inlined] (b.h:7 in App + 16) [0x10bd00010] 1-9\n"
                ))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [false, true, false] && frames.map(\.depth) == [0, 0, 1])
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a row without an address keeps none`() {
        let log = fixture("CrashExample-cpu/cpu_resource.ips")
        let symbolicated = log.symbolicated {
            $0.imageOffset == ImageOffset(2224) && $0.address == nil ? .function("main", offset: 48, "/s/main.m", 9) : nil
        }
        #expect(
            symbolicated.text == log.text.replacing("??? (CrashExample + 2224)\n", with: "main + 48 (main.m:9 in CrashExample + 2224)\n"))
    }
}

extension String {
    /// From the first `part` on.
    fileprivate func range(from part: String) -> String? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(part) { return String(self[index...]) }
            formIndex(after: &index)
        }
        return nil
    }
}
