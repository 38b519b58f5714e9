import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Loaded at 0x104a38000: 0x104a383f8 - 1016 (0x3f8) = 0x104a38408 - 1032 (0x408) = 0x104a38000.
struct DarwinTests {
    private static let rows = """
        0   Demo                                0x0000000104a383f8 Demo + 1016
        1   Demo                                0x0000000104a38408 main + 16
        2   dyld                                0x00000001c1dd8dec start + 2220

        """

    @Test(arguments: [
        "", "2023-02-01 10:11:12.345 Demo[77:4567] cache was empty, called from\n",
        "stack trace for SIGNAL 5 (Trace/BPT trap: 5):\n", "# backtrace\n",
    ])
    func `rows below any heading are one report of return addresses`(heading: String) throws {
        let report = try SampleLog(heading + Self.rows + "Test Case '-[DemoTests testOther]' started.\n").report()
        #expect(report.format == "darwin-backtrace" && report.threads.count == 1)
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x104a383f8", "0x104a38408", "0x1c1dd8dec"])
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
        #expect(report.images.map(\.name) == ["Demo", "dyld"])
        #expect(report.images[0].base == RuntimeAddress(0x1_04a3_8000))
        #expect(frames.map(\.imageLocation)[..<2] == [.offset(ImageOffset(1016)), .offset(ImageOffset(1032))])
        #expect(frames.map(\.printed?.name) == [nil, "main", "start"])
    }

    @Test func `what the headings say`() throws {
        let checker = try SampleLog(
            """
            =================================================================
            Main Thread Checker: UI API called on a background thread: -[UIApplication applicationState]
            PID: 77, TID: 4567, Thread name: (none), Queue name: com.apple.root.default-qos, QoS: 21
            Backtrace:

            """ + Self.rows
        ).report()
        #expect(checker.cause?.type == "Main Thread Checker" && checker.process.pid == 77)
        #expect(checker.cause?.message == "UI API called on a background thread: -[UIApplication applicationState]")
        let signal = try SampleLog("stack trace for SIGNAL 5 (Trace/BPT trap: 5):\n" + Self.rows).report()
        #expect(signal.cause?.signal == "SIGTRAP" && signal.cause?.kind == .signal)
        let performance = try SampleLog(
            "Thread Performance Checker: Thread running at a high class waiting\nPID: 77, TID: 4567\nBacktrace\n====\n" + Self.rows
        ).report()
        #expect(performance.cause?.type == "Thread Performance Checker" && performance.threads[0].frames.count == 3)
    }

    @Test func `AppKit logs an exception line by line`() throws {
        let prefix = "2023-02-01 10:11:12.345678+0100 Demo[77:4567] [General] "
        let report = try SampleLog(
            prefix + "An uncaught exception was raised\n" + prefix
                + "-[NSNull length]: unrecognized selector sent to instance 0x1f0e8c430\n" + prefix + "(\n"
                + Self.rows.split(separator: "\n").map { "\t\($0)\n" }.joined() + ")\n"
        ).report()
        #expect(report.cause?.kind == .languageException && report.cause?.type == "uncaught exception")
        #expect(report.cause?.message == "-[NSNull length]: unrecognized selector sent to instance 0x1f0e8c430")
        #expect(report.allFrames.map(\.hex) == ["0x104a383f8", "0x104a38408", "0x1c1dd8dec"])
    }

    @Test func `rows with the image's load address, and with its UUID`() throws {
        let bases = try SampleLog(
            "which line is this?\n\n4   Demo                        \t0x104a383f8 0x104a38000 + 1016\n5   Demo                        \t0x104a38408 0x104a38000 + 1032\n"
        ).report()
        #expect(bases.images.map(\.base) == [RuntimeAddress(0x1_04a3_8000)])
        #expect(bases.allFrames.map(\.imageLocation) == [.offset(ImageOffset(1016)), .offset(ImageOffset(1032))])
        #expect(bases.allFrames.map(\.index) == [4, 5])
        let id = "4C4C44F6-5555-3144-A1C7-8F23AF66DDA8"
        let rows = [("f8", 1016), ("08", 1032)].enumerated().map { number, row in
            "\(number)   Demo                                0x0000000104a38\(number + 3)\(row.0) \(id) + \(row.1)\n"
        }
        let named = try SampleLog(rows.joined()).report()
        #expect(named.images.map { $0.id?.description } == [id])
        #expect(named.allFrames.map(\.imageLocation) == [.offset(ImageOffset(1016)), .offset(ImageOffset(1032))])
        #expect(named.allFrames.allSatisfy { $0.printed == nil && $0.image == 0 })
        // The same rows below Foundation's heading.
        let exception = try SampleLog(
            "*** First throw call stack:\n(\n" + rows.map { "\t" + $0 }.joined() + ")\n"
        ).report()
        #expect(exception.format == "nsexception-console")
        #expect(exception.images.map { $0.id?.description } == [id])
        #expect(exception.images.map(\.base) == [RuntimeAddress(0x1_04a3_8000)])
        #expect(exception.allFrames.allSatisfy { $0.printed == nil && $0.image == 0 })
    }

    @Test func `a name that was withheld is no place in the image`() throws {
        let frames = try SampleLog(
            "0  CoreFoundation                 0x00000001823b0f60 <redacted> + 148\n1  Demo                           0x104a383f8 Demo + 1016\n"
        ).report().allFrames
        #expect(frames.map(\.imageLocation) == [nil, .offset(ImageOffset(1016))])
        #expect(frames[0].printed?.name == nil)
    }

    @Test func `below the trampoline the address is the instruction`() throws {
        let frames = try SampleLog(
            "0   libsystem_platform.dylib            0x000000018ec897a4 _sigtramp + 56\n1   Demo                                0x0000000104a383d4 boom + 12\n"
        ).report().allFrames
        #expect(frames.map(\.kind) == [.returnAddress, .programCounter])
    }

    @Test func `an array as Swift prints it`() throws {
        let log = SampleLog(
            "[\"0   Demo                                0x0000000104a383f8 Demo + 1016\", \"1   Demo                                0x0000000104a38408 main + 16\"]\n"
        )
        let report = try log.report()
        #expect(report.allFrames.map(\.hex) == ["0x104a383f8", "0x104a38408"])
        #expect(log.text(of: report.allFrames[1]) == "1   Demo                                0x0000000104a38408 main + 16")
        let symbolicated = log.symbolicated { _ in FrameResult.function("outer", offset: 32, "/src/demo.c", 6, image: "Demo") }
        #expect(
            symbolicated.text.split(separator: "\n").count == 1
                && symbolicated.text.contains("Demo + 1016 ==> outer at /src/demo.c:6\", \"1  "))
        #expect(symbolicated.parsed().reports.first?.allFrames.map(\.hex) == ["0x104a383f8", "0x104a38408"])
    }

    @Test func `rows without addresses, as consoles export them`() throws {
        let report = try SampleLog(
            """
            Last Exception Backtrace:
            0   CoreFoundation                      __exceptionPreprocess + 124
            1   Demo                                outer + 32
            2   Demo                                main (main.m:14)

            """
        ).report()
        let frames = report.allFrames
        #expect(frames.map(\.imageName) == ["CoreFoundation", "Demo", "Demo"])
        #expect(frames[1].imageLocation == .symbol(SymbolLocation(name: "outer", offset: 32)))
        #expect(frames.map(\.printed?.name) == ["__exceptionPreprocess", "outer", "main"])
        #expect(frames[2].printed?.location == SourceLocation(file: "main.m", line: 14))
    }

    @Test func `answers are spelled as Apple's reports have them`() {
        let log = SampleLog(Self.rows)
        let symbolicated = log.symbolicated { frame in
            frame.index == 0 ? FrameResult.function("outer", offset: 32, "/src/demo.c", 6, image: "Demo") : nil
        }
        #expect(symbolicated.text.hasPrefix("0   Demo                                0x0000000104a383f8 outer + 32 (demo.c:6)\n1   Demo"))
    }
}

struct UmengTests {
    @Test func `the app's identity stands below the rows`() throws {
        let report = try SampleLog(
            """
            Application received signal SIGTRAP
            (null)
            ((
              0  CoreFoundation                 0x00000001823b0f60 <redacted> + 148
              2  Demo                           0x104a383f8 Demo + 1016
              3  Demo                           0x104a38408 main + 16
            )

            dSYM UUID: 4C4C44F6-5555-3144-A1C7-8F23AF66DDA8
            CPU Type: arm64
            Slide Address: 0x0000000100000000
            Binary Image: Demo
            Base Address: 0x0000000104a38000

            """
        ).report()
        #expect(report.format == "umeng" && report.cause?.signal == "SIGTRAP" && report.architecture == .arm64)
        let demo = try #require(report.images.first { $0.name == "Demo" })
        #expect(demo.id?.description == "4C4C44F6-5555-3144-A1C7-8F23AF66DDA8" && demo.base == RuntimeAddress(0x1_04a3_8000))
        #expect(report.allFrames.map(\.imageName) == ["CoreFoundation", "Demo", "Demo"])
        #expect(report.allFrames.map { $0.image.map { report.images[$0].name } } == ["CoreFoundation", "Demo", "Demo"])
    }
}
