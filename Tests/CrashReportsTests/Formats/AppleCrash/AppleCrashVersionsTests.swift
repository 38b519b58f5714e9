import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Differences between the versions of Apple's text report, each with a sample of its grammar.
struct AppleCrashVersionsTests {
    /// Mac OS X 10.3 (report version 2): bundle identifiers, hexadecimal offsets, a tab before the
    /// path and no UUID.
    private static let panther = """
        **********

        Host Name:      example
        Date/Time:      2003-12-01 12:34:56 -0800
        OS Version:     10.3.1 (Build 7C107)
        Report Version: 2

        Command: Xcode
        Path:    /Developer/Applications/Xcode.app/Contents/MacOS/Xcode
        Version: 1.1 (300)
        PID:     431
        Thread:  1

        Exception:  EXC_BAD_ACCESS (0x0001)
        Codes:      KERN_INVALID_ADDRESS (0x0001) at 0x0000000c

        Thread 0:
        0   libSystem.B.dylib              	0x900074c8 mach_msg_trap + 0x8

        Thread 1 Crashed:
        0   com.apple.Xcode                	0x00001f40 -[Project build] + 0x70
        1   ...ple.CoreServices.CarbonCore 	0x902f6b90 PrivateMPEntryPoint + 0x4c

        PPC Thread State:
          srr0: 0x00001f40 srr1: 0x0200f030                vrsave: 0x00000000

        Binary Images Description:
            0x1000 -    0x14fff com.apple.Xcode 1.1 (300)	/Developer/Applications/Xcode.app/Contents/MacOS/Xcode
        0x90000000 - 0x90122fff libSystem.B.dylib 	/usr/lib/libSystem.B.dylib
        0x902ae000 - 0x90300fff com.apple.CoreServices.CarbonCore 10.3 (606)	/System/Library/Frameworks/CoreServices.framework/CarbonCore
         0x2008000 -  0x2009aff PEF binary: CarbonLibpwpc

        """

    @Test func `10.3 counts offsets in hexadecimal and sets its list with tabs`() throws {
        let report = try SampleLog(Self.panther).report()
        #expect(report.process.name == "Xcode" && report.process.pid == 431 && report.platform == "10.3.1 (Build 7C107)")
        // 12:34:56 eight hours west of Greenwich.
        #expect(report.timestamp?.utc == "2003-12-01T20:34:56Z")
        #expect(report.cause?.type == "EXC_BAD_ACCESS" && report.cause?.address?.value == 12)
        #expect(report.threads.map(\.crashed) == [false, true])
        let frames = report.threads[1].frames
        #expect(
            frames.map(\.printed) == [
                PrintedSymbol(name: "-[Project build]", offset: 0x70), PrintedSymbol(name: "PrivateMPEntryPoint", offset: 0x4C),
            ])
        #expect(frames.map { $0.image.map { report.images[$0].name } } == ["Xcode", "CarbonCore"])
        #expect(
            report.images.map(\.path) == [
                "/Developer/Applications/Xcode.app/Contents/MacOS/Xcode", "/usr/lib/libSystem.B.dylib",
                "/System/Library/Frameworks/CoreServices.framework/CarbonCore",
            ])
        #expect(report.threads[1].registers?.values.map(\.name) == ["srr0", "srr1", "vrsave"])
    }

    @Test func `reports one below the other, ten asterisks between, are several`() {
        let reports = SampleLog(Self.panther + Self.panther.replacing("431", with: "432")).parsed().reports
        #expect(reports.map(\.process.pid) == [431, 432])
        #expect(reports.map(\.images.count) == [3, 3])
        // Without the list of images, too.
        let short = Self.panther.components(before: "Binary Images Description:")
        #expect(SampleLog(short + short).parsed().reports.count == 2)
    }

    /// Mac OS X 10.4 (version 3 on PowerPC, 4 on Intel): `<<00000000>>` for what is in no image.
    @Test func `10.4 has a name of its own for no image`() throws {
        let report = try SampleLog(
            """
            Host Name:      example
            Date/Time:      2005-09-05 17:28:55.003 +0200
            OS Version:     10.4.2 (Build 8C46)
            Report Version: 3

            Command: ImageView
            Path:    /Users/me/ImageView
            Parent:  WindowServer [69]

            Version: ??? (2.0)

            PID:    391
            Thread: 0

            Exception:  EXC_BAD_ACCESS (0x0001)
            Codes:      KERN_INVALID_ADDRESS (0x0001) at 0x6d656e95

            Thread 0 Crashed:
            0   <<00000000>> 	0xfffeff18 objc_msgSend_rtp + 24
            1   com.apple.myCocoaApplication 	0x00003310 -[ImageKontroller setZero:] + 76 (crt.c:355)

            Thread 0 crashed with PPC Thread State 64:
              srr0: 0x00000000fffeff18 srr1: 0x000000000200f030                        vrsave: 0x0000000000000000

            Binary Images Description:
                0x1000 -     0x6fff com.apple.myCocoaApplication  	/Users/me/ImageView
            0x8fe00000 - 0x8fe52fff dyld 46.16      /usr/lib/dyld

            """
        ).report()
        #expect(report.threads[0].frames.map(\.image) == [nil, 0])
        #expect(
            report.threads[0].frames[1].printed
                == PrintedSymbol(
                    name: "-[ImageKontroller setZero:]", offset: 76, location: SourceLocation(file: "crt.c", line: 355)))
        #expect(report.threads[0].registers?.values.first?.value == 0xFFFE_FF18)
        #expect(report.images[1].path == "/usr/lib/dyld")
    }

    /// The version changes nothing by itself: what a report has is seen in its lines.
    @Test(arguments: Array(1...12) + Array(101...106) + Array(199...210))
    func `every version is read by what its lines are`(version: Int) throws {
        let text =
            "Process:         App [7]\nCode Type:       X86 (Native)\nReport Version:  \(version)\n\nException Type:  EXC_BAD_ACCESS (SIGBUS)\nCrashed Thread:  0\n\n"
            + "Thread 0 Crashed:\n0   org.example.App               \t0x00001010 0x1000 + 16\n\nBinary Images:\n    0x1000 -     0x1fff +org.example.App 1.0 (7) <01d2a9d51f8a35c892287c7cca13c5fc> /A/App\n"
        let report = try SampleLog(text).report()
        #expect(report.threads[0].frames.map(\.image) == [0])
        #expect(report.threads[0].crashed && report.architecture == .i386)
        #expect(report.images[0].id?.hexadecimal == "01d2a9d51f8a35c892287c7cca13c5fc")
    }

    /// Technical Note TN2123's sample of Rosetta, 10.5: a translated process' report continues
    /// below its images.
    @Test func `Rosetta's own stacks are read, too`() throws {
        let log = SampleLog(
            """
            Process:         TextEdit [9031]
            Code Type:       PPC (Translated)

            Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
            Crashed Thread:  0

            Thread 0 Crashed:
            0   translate                     	0xb80bc8c8 0xb8000000 + 772296

            Binary Images:
            0xb8000000 - 0xb81d7fe7 +translate ??? (???) /usr/libexec/oah/translate

            Translated Code Information:
            Rosetta Version:  20.44
            Args:    /Applications/TextEdit.app/Contents/MacOS/TextEdit -psn_0_2761378
            Exception: EXC_BAD_ACCESS (0x0001)

            Thread 0: Crashed (0xb7fff9d0, 0xb80bc8c8)
            0x40400000: No symbol
            0x00001e18: /Applications/TextEdit.app/Contents/MacOS/TextEdit : start + 444

            PPC Thread State
            srr0: 0x00000000  srr1: 0x00000000                 vrsave: 0x00000000

            """)
        let report = try log.report()
        #expect(report.architecture == .ppc)
        #expect(report.threads.map(\.frames.count) == [1])
        let stack = try #require(report.additionalBacktraces.first)
        #expect(stack.crashed && stack.name == "Translated code, thread 0")
        #expect(stack.frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(stack.frames.map(\.hex) == ["0x40400000", "0x1e18"])
        #expect(stack.frames[1].printed == PrintedSymbol(name: "start", offset: 444))
        let symbolicated = log.symbolicated { $0.address?.value == 0x1E18 ? .function("start", offset: 444, "/src/crt.c", 272) : nil }
        #expect(symbolicated.text.contains("\n0x00001e18: /Applications/TextEdit.app/Contents/MacOS/TextEdit : start + 444 (crt.c:272)\n"))
    }

    @Test(
        arguments: [
            ("Thread 0 Attributed:", 0, nil, true), ("Thread 3 Highlighted:", 3, nil, false),
            ("Thread 0 Crashed:: CrBrowserMain  Dispatch queue: com.apple.main-thread", 0, "CrBrowserMain", true),
        ] as [(String, Int, String?, Bool)])
    func `headings of later systems`(heading: String, index: Int, name: String?, crashed: Bool) throws {
        let thread = try #require(try SampleLog(heading + "\n0   x   0x1 y + 0\n").report().threads.first)
        #expect(thread.index == index && thread.name == name && thread.crashed == crashed)
    }

    @Test func `a report without a stack says so`() throws {
        let report = try SampleLog(
            "Process:         App [7]\nReport Version:  9\n\nCrashed Thread:  Unknown\n\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\n\n"
                + "Backtrace not available\n\nUnknown thread crashed with X86 Thread State (32-bit):\n  eax: 0x00000001\n\nBinary Images:\nUnavailable\n\n"
        ).report()
        #expect(report.allFrames.isEmpty)
        #expect(report.cause?.type == "EXC_BAD_ACCESS")
        #expect(report.notes.first == "The report has no stack: its reporter could take none.")
        #expect(SampleLog("Process:         App [7]\nCode Type:       X86 (Native)\n\n").parsed().reports.isEmpty)
    }

    @Test(arguments: [
        ("X86 Thread State (64-bit)", "  rip: <unavailable>  rfl: 0x0000000000000287", ["rfl"]),
        ("ARM Thread State (64-bit)", "   far: 0x0000000000000000  esr: 0x56000080 (Syscall)", ["far", "esr"]),
        (
            "PPC Thread State 64", "  srr0: 0x00000000fffeff18 srr1: 0x000000000200f030                        vrsave: 0x0",
            ["srr0", "srr1", "vrsave"]
        ),
        (
            "X86-64 Thread State", "   r15: 0x0000000000000000 rflags: 0x0000000000010206     cs: 0x000000000000002b",
            ["r15", "rflags", "cs"]
        ),
    ])
    func `registers of all processors`(state: String, line: String, names: [String]) throws {
        let report = try SampleLog("Thread 0 Crashed:\n0   x   0x1 y + 0\n\nThread 0 crashed with \(state):\n\(line)\n  pc: 0x1\n").report()
        #expect(report.threads[0].registers?.values.map(\.name) == names + ["pc"])
    }

    @Test func `an image without an end is found by its name`() throws {
        let report = try SampleLog(
            "Thread 0 Crashed:\n0   com.example.app   0x100001010 0x100000000 + 4112\n1   other   0x100001020 x + 2\n\n"
                + "Binary Images:\n       0x100000000 -                ??? com.example.app (1.0) <01d2a9d51f8a35c892287c7cca13c5fc> /Applications/App.app/App\n"
        ).report()
        #expect(report.images.map(\.size) == [nil])
        #expect(report.threads[0].frames.map(\.image) == [0, nil])
    }
}

extension String {
    /// The text before the first `word`.
    fileprivate func components(before word: String) -> String { firstRange(of: word).map { String(self[..<$0.lowerBound]) } ?? self }
}
