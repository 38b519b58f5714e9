import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Apple's text reports: sections, thread headings, image lists, and results written into rows.
struct AppleCrashTests {
    private static let mac = SampleLog(
        """
        Process:               Crash Test [1710]
        Path:                  /Applications/Crash Test.app/Crash Test
        Identifier:            org.example.test
        Version:               1.2 (34)
        Code Type:             X86-64 (Native)
        Parent Process:        zsh [1704]

        Date/Time:             2022-08-03 20:36:44.3125 +0900
        OS Version:            macOS 12.4 (21F79)
        Report Version:        12

        Crashed Thread:        0  Dispatch queue: com.apple.main-thread

        Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
        Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000001

        VM Region Info: 0x1 is not in any region.
              UNUSED SPACE AT START
        --->

        Application Specific Information:
        dyld: something
        more of it

        Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
        0   Crash Test                    	       0x10e311e45 0x10e30e000 + 15941
        1   Crash Test                    	       0x10e311e80 0x10e30e000 + 16000
        2   dyld                          	       0x11beb451e start + 462

        Thread 1:: Worker
        0   dyld                          	       0x11beb0000 _sigtramp + 2
        1   Crash Test                    	       0x10e311e81 0x10e30e000 + 16001
        2   ???                           	                0x1 ???

        Thread 0 crashed with X86 Thread State (64-bit):
          rax: 0xa5ff0907b303003b  rbx: 0x000060000145c010
          rip: 0x000000010e311e45  rfl: 0x0000000000010206

        Thread 0 instruction stream:
          00 00 00 00 00 00 00 00-00 00 00 00 00 00 00 00  ................

        Binary Images:
               0x10e30e000 -        0x10e311fff Crash Test (*) <01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc> /Applications/Crash Test.app/Crash Test
               0x11beaf000 -        0x11bf1afff dyld (*) <b70ce1ec-b902-3852-8268-05de00bfa8d5> /usr/lib/dyld
                       0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???

        External Modification Summary:
            task_for_pid: 0

        """)

    @Test func `the header tells what happened`() throws {
        let report = try Self.mac.report()
        #expect(report.format == "apple-crash")
        #expect(report.process.name == "Crash Test" && report.process.pid == 1710)
        #expect(report.process.path == "/Applications/Crash Test.app/Crash Test")
        #expect(report.process.identifier == "org.example.test" && report.process.version == "1.2 (34)")
        #expect(report.platform == "macOS 12.4 (21F79)" && report.architecture == .x86_64)
        #expect(report.timestamp == "2022-08-03 20:36:44.3125 +0900")
        let cause = try #require(report.cause)
        #expect(cause.kind == .machException && cause.type == "EXC_BAD_ACCESS" && cause.signal == "SIGSEGV")
        #expect(cause.address?.value == 1)
        #expect(cause.message == "dyld: something\nmore of it")
    }

    @Test func `threads have their frames, names and registers`() throws {
        let report = try Self.mac.report()
        #expect(report.threads.map(\.index) == [0, 1])
        #expect(report.threads.map(\.crashed) == [true, false])
        #expect(report.threads.map(\.name) == ["com.apple.main-thread", "Worker"])
        #expect(report.threads[0].frames.map(\.hex) == ["0x10e311e45", "0x10e311e80", "0x11beb451e"])
        #expect(report.threads[0].registers?.values.map(\.name) == ["rax", "rbx", "rip", "rfl"])
        #expect(report.threads[0].registers?.values[2].value == 0x1_0e31_1e45)
    }

    @Test func `frame 0 is exact, and the frame that a signal interrupted`() throws {
        let report = try Self.mac.report()
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        // Under _sigtramp: it was executing when the signal came.
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
    }

    @Test func `images have inclusive ends, and what lies in none has none`() throws {
        let report = try Self.mac.report()
        #expect(report.images.map(\.name) == ["Crash Test", "dyld", "???"])
        // 0x10e311fff − 0x10e30e000 + 1
        #expect(report.images[0].size == 0x4000)
        #expect(report.images[0].id?.uuid == "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC")
        #expect(report.images[2].isPlaceholder && report.images[2].id == nil)
        #expect(report.threads[0].frames.map(\.image) == [0, 0, 1])
        #expect(report.threads[0].frames[0].imageOffset?.value == 15941)
        #expect(report.threads[1].frames[2].image == nil)
    }

    @Test(
        arguments: [
            (
                "        0x1000 -   0x110fef +git-merge ??? (???) <e000e885c1cd2341cf81fe9283f5178a> /opt/git merge", "git merge", nil,
                "/opt/git merge", 0x10fff0
            ),
            (
                "0x900b4000 - 0x9021bff3  libSystem.B.dylib ??? (???) /usr/lib/libSystem.B.dylib", "libSystem.B.dylib", nil,
                "/usr/lib/libSystem.B.dylib", 0x167ff4
            ),
            (
                "   0x88000 -    0xb0fff +CrashTester armv7  <3abd09c1f82e315fb44b74dba8a3cb7e> /var/CrashTester", "CrashTester", "armv7",
                "/var/CrashTester", 0x29000
            ),
            (
                "0x1017ff000 - 0x101885fff +com.Alpha (x86_64)  <7B639009-221F-3815-A7A3-657098146F8A> /A/iTube", "iTube", "x86_64",
                "/A/iTube", 0x87000
            ),
            (
                "0x112bb2000 - 0x112dc3fff  libPhysX3.dylib x86_64 (0.0.0 - 0.0.0) <6deccee4a0523ea4bb67957b06f53ad1> /U/libPhysX3.dylib",
                "libPhysX3.dylib", "x86_64", "/U/libPhysX3.dylib", 0x212000
            ),
            (
                "0x14000000 - 0x14002000  com.macromedia.Flash Player.plugin 10.0.12.36 (1.0.4f362) <cd37beb4a0523ea4bb67957b06f53ad1> ???",
                "com.macromedia.Flash Player.plugin", nil, nil, 0x2000
            ),
        ] as [(String, String, String?, String?, UInt64)])
    func `every dialect of the image list`(line: String, name: String, architecture: String?, path: String?, size: UInt64) throws {
        let report = try SampleLog("Thread 0 Crashed:\n0   x   0x1 y + 0\n\nBinary Images:\n\(line)\n").report()
        let image = try #require(report.images.first)
        #expect(image.name == name && image.architecture?.name == architecture && image.path == path && image.size == size)
    }

    @Test func `lines that a mailer broke are put together`() throws {
        let report = try SampleLog(
            """
            Thread 0 Crashed:
            0   libSystem.B.dylib             	0xffff0e35 __memcpy + 1685
            (cpu_capabilities.h:246)

            Binary Images:
                0x1000 -   0x110fef +git-merge ??? (???)
            <e000e885c1cd2341cf81fe9283f5178a>
            /opt/local/git-merge

            """
        ).report()
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "cpu_capabilities.h", line: 246))
        #expect(report.images[0].path == "/opt/local/git-merge")
        #expect(report.images[0].id?.hexadecimal == "e000e885c1cd2341cf81fe9283f5178a")
    }

    @Test(
        arguments: [
            ("Thread 3 Crashed:", 3, nil, true),
            ("Thread 3 Crashed:: Dispatch queue: com.apple.main-thread", 3, "com.apple.main-thread", true),
            ("Thread 12:: ExceptionSafeThread", 12, "ExceptionSafeThread", false), ("Thread 1 Crashed: Test Name", 1, "Test Name", true),
            ("Thread 0::  Worker  Dispatch queue: q", 0, "Worker", false), ("Thread 4 name:  WebThread\nThread 4:", 4, "WebThread", false),
            ("Thread 0 name:  Dispatch queue: q\nThread 0 Crashed:", 0, "q", true),
        ] as [(String, Int, String?, Bool)])
    func `every spelling of a thread's heading`(heading: String, index: Int, name: String?, crashed: Bool) throws {
        let thread = try #require(try SampleLog(heading + "\n0   x   0x1 y + 0\n").report().threads.first)
        #expect(thread.index == index && thread.name == name && thread.crashed == crashed && thread.frames.count == 1)
    }

    @Test func `a thread without frames may stand in between`() throws {
        let report = try SampleLog("Thread 1 Crashed:\nThread 2:\n0   x   0x1 y + 0\n").report()
        #expect(report.threads.map(\.frames.count) == [0, 1])
    }

    @Test func `reports of 10.1 number their rows and tell no images`() throws {
        let report = try SampleLog(
            "Command:    Project Builder\nPID:        710\n\nException:  EXC_BREAKPOINT (0x0006)\n\nThread 0 Crashed:\n #0   0x8fe01280 in halt\n"
                + " #1   0x8fe0329c in load_library_image\n\nPPC Thread State:\n  srr0: 0x8fe01280 srr1: 0x0002f030                vrsave: 0x00000000\n"
        ).report()
        #expect(report.process.name == "Project Builder" && report.process.pid == 710)
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["halt", "load_library_image"])
        #expect(report.threads[0].registers?.values.count == 3)
        #expect(report.notes == ["The report has no list of binary images."])
    }

    @Test func `an exception's stack is return addresses only, as rows or as a list`() throws {
        let rows = try SampleLog(
            "Last Exception Backtrace:\n0   CoreFoundation                \t0x18f04bc70 __exceptionPreprocess + 164 (NSException.m:249)\n"
                + "1   App                           \t0x104130e78 0x104000000 + 1248888\n\nThread 0 Crashed:\n0   App   0x1 x + 0\n"
        ).report()
        #expect(rows.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress, .returnAddress])
        #expect(rows.threads[0].frames.map(\.kind) == [.programCounter])

        let text = "Last Exception Backtrace:\n(0x30b5564f 0x34670c5d 0x140e1)\n\nThread 0 Crashed:\n0   App   0x1 x + 0\n"
        let list = SampleLog(text)
        let frames = try #require(try list.report().exceptionBacktrace?.frames)
        #expect(frames.map { list.text(of: $0) } == ["0x30b5564f", "0x34670c5d", "0x140e1"])
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress])
    }

    @Test func `what the process said may hold a stack, too`() throws {
        let report = try SampleLog(
            """
            Process:   App [7]
            Exception Type:  EXC_CRASH (SIGABRT)

            Application Specific Information:
            *** Terminating app due to uncaught exception 'E', reason: 'r'
            *** First throw call stack:
            (
            \t0   CoreFoundation                      0x0000000101627c65 __exceptionPreprocess + 165
            \t1   App                                 0x0000000000001010 0x1000 + 16
            )
            abort() called

            Thread 0 Crashed:
            0   App   0x1 x + 0

            """
        ).report()
        #expect(report.exceptionBacktrace?.frames.map(\.hex) == ["0x101627c65", "0x1010"])
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress, .returnAddress])
        #expect(report.cause?.message?.hasSuffix("abort() called") == true)
    }

    @Test func `inlined calls share an address with the frame below, marked or not`() throws {
        let report = try SampleLog(
            """
            Thread 0 Crashed:
            0   App                         	0x0000000104130e78 a() + 16 (A.swift:622)
            1   App                         	0x0000000104130e78 b() + 16 (A.swift:269)
            2   App                         	0x0000000104130e78 c() + 208 (A.swift:199)
            3   App                         	0x0000000104130f00 r() + 8 (A.swift:1)
            4   App                         	0x0000000104130f00 r() + 8 (A.swift:1)
            5   App                         	0x0000000104130f40 s() + 8 [inlined]
            6   App                         	0x0000000104130f40 t() + 9

            """
        ).report()
        #expect(report.threads[0].frames.map(\.isInlined) == [true, true, false, false, false, true, false])
        // The inlined calls of the first frame are as exact as it is.
        #expect(report.threads[0].frames.prefix(4).map(\.kind) == [.programCounter, .programCounter, .programCounter, .returnAddress])
    }

    // MARK: Results

    @Test func `a row keeps its columns and gets name, offset, file and line`() {
        let symbolicated = Self.mac.symbolicated { frame in
            switch frame.hex {
            case "0x10e311e45": .function("-[MyClass crash]", offset: 8, "/Users/x/main.m", 21)
            // The log has a name already, and this result has no line to add.
            case "0x11beb451e": .function("other", offset: 1)
            default: nil
            }
        }
        let expected = Self.mac.text.replacing("0x10e311e45 0x10e30e000 + 15941", with: "0x10e311e45 -[MyClass crash] + 8 (main.m:21)")
        #expect(symbolicated.text == expected)
    }

    @Test func `inlined calls become rows above, and answering again changes nothing`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10e311e80" ? .function("outer()", offset: 43, "/s/A.swift", 9).inlining("inner()", "/s/B.swift", 7) : nil
        }
        let symbolicated = Self.mac.symbolicated(result)
        let column = "1   Crash Test                    \t       0x10e311e80 "
        #expect(
            symbolicated.text
                == Self.mac.text.replacing(
                    column + "0x10e30e000 + 16000", with: column + "inner() (B.swift:7) [inlined]\n" + column + "outer() + 43 (A.swift:9)"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x10e311e45", "0x10e311e80", "0x10e311e80", "0x11beb451e"])
        #expect(frames.map(\.isInlined) == [false, true, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a list of addresses becomes rows`() throws {
        let log = SampleLog("Last Exception Backtrace:\n(0x30b5564f 0x140e1)\n\nThread 0 Crashed:\n0   App   0x1 x + 0\n")
        let symbolicated = log.symbolicated { $0.hex == "0x140e1" ? .function("main", offset: 33, "/s/main.m", 5) : nil }
        // 0x30b5564f = 817190479
        let rows = "0   " + "???".padded(30) + "\t0x30b5564f 0x0 + 817190479\n1   " + "App".padded(30) + "\t0x140e1 main + 33 (main.m:5)"
        #expect(symbolicated.text == log.text.replacing("(0x30b5564f 0x140e1)", with: rows))
        #expect(try symbolicated.report().exceptionBacktrace?.frames.map(\.hex) == ["0x30b5564f", "0x140e1"])
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - utf8.count)) }

    /// This text with the first `old` replaced.
    func replacing(_ old: String, with new: String) -> String {
        var bytes = Array(utf8)
        let old = Array(old.utf8)
        for start in bytes.indices where bytes[start...].starts(with: old) {
            bytes.replaceSubrange(start..<start + old.count, with: Array(new.utf8))
            break
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Compares text reports with the results of other parsers: Sentry's apple-crash-report-parser (its
/// snapshots), and KSCrash's texts.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct AppleCrashUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private struct Frame: Equatable {
        var thread = 0
        var module: String?
        var symbol: String?
        var file: String?
        var line: Int?
        var address: String?
    }

    private struct Image: Equatable {
        var address: String?
        var size: UInt64?
        var id: String?
        var path: String?
    }

    /// The YAML of a snapshot, which has a key to a line.
    private static func snapshot(_ text: String) -> (frames: [Frame], images: [Image], crashed: [Int]) {
        var frames: [Frame] = []
        var images: [Image] = []
        var crashed: [Int] = []
        var thread = 0
        for line in text.split(separator: "\n") {
            let trimmed = line.drop { $0 == " " || $0 == "-" }
            guard let colon = trimmed.firstRange(of: ": ") else { continue }
            let value = String(trimmed[colon.upperBound...]).trimmingQuotes
            if line.hasPrefix("      - ") { frames.append(Frame(thread: thread)) }
            switch (trimmed[..<colon.lowerBound], line.hasPrefix("      ")) {
            case ("id", _): thread = Int(value) ?? -1
            case ("crashed", _): if value == "true" { crashed.append(thread) }
            case ("module", true): frames[frames.count - 1].module = value
            case ("symbol", true): frames[frames.count - 1].symbol = value
            case ("filename", true): frames[frames.count - 1].file = value
            case ("lineno", true): frames[frames.count - 1].line = Int(value)
            case ("instruction_addr", true): frames[frames.count - 1].address = value
            case ("addr", false): images.append(Image(address: value))
            // Sentry's size leaves out the image's last byte; the list's ends are inclusive.
            case ("size", false): images[images.count - 1].size = UInt64(value).map { $0 + 1 }
            case ("uuid", false): images[images.count - 1].id = value.uppercased()
            case ("path", false) where !images.isEmpty: images[images.count - 1].path = value
            default: break
            }
        }
        return (frames, images, crashed)
    }

    @Test(arguments: ["handcrafted", "XCDYouTubeKit-54"])
    func `frames and images are Sentry's`(name: String) throws {
        let snapshot = TestPaths.bytes(of: Self.folder + "/expected/upstream/apple-crash-report-parser_\(name).snap")
        let expected = Self.snapshot(String(decoding: snapshot, as: UTF8.self))
        let report = try SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/apple-crash/sentry-\(name).txt")).report()
        let frames = report.threads.flatMap { thread in
            thread.frames.map { frame in
                Frame(
                    thread: thread.index, module: frame.imageName == "???" ? nil : frame.imageName, symbol: frame.printed?.name,
                    file: frame.printed?.location?.file,
                    line: frame.printed?.location?.line, address: frame.hex)
            }
        }
        #expect(frames.count > 10 && frames.count == expected.frames.count)
        for (found, expected) in zip(frames, expected.frames) { #expect(found == expected) }
        let images = report.listedImages.map { Image(address: $0.base?.description, size: $0.size, id: $0.id?.uuid, path: $0.path) }
        #expect(images.count == expected.images.count)
        for (found, expected) in zip(images, expected.images) { #expect(found == expected) }
        #expect(report.threads.filter(\.crashed).map(\.index) == expected.crashed)
    }

    /// KSCrash's text output is such a report: every row that begins with a number and holds an
    /// address is a frame.
    @Test(arguments: ["Abort", "CorruptMemory", "CrashInHandler", "NSException", "Zombie"])
    func `KSCrash's texts are read`(name: String) {
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/expected/upstream/kscrash-\(name).txt"))
        let reports = log.parsed().reports
        let count = NaiveCount.appleCrash(log.text)
        #expect(reports.allSatisfy { $0.format == "apple-crash" })
        #expect(count.frames > 30 && reports.reduce(0) { $0 + $1.allFrames.count } == count.frames)
        #expect(reports.reduce(0) { $0 + $1.listedImages.count } == count.images)
    }
}

extension String {
    fileprivate var trimmingQuotes: String { hasPrefix("\"") && hasSuffix("\"") && count > 1 ? String(dropFirst().dropLast()) : self }
}
