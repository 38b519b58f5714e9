import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The console's exceptions of three generations.
struct NSExceptionConsoleTests {
    private static let leopard = SampleLog(
        """
        2008-10-26 13:25:43.381 CrashExample[41720:20b] *** -[TransitionView doesntExist]: unrecognized selector sent to instance 0xf4fbb0
        2008-10-26 13:25:43.383 CrashExample[41720:20b] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '*** -[TransitionView doesntExist]: unrecognized selector sent to instance 0xf4fbb0'
        2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (
            2528013804,
            140735390096156,
            11076,
            9668
        )

        """)

    private static let numbered = SampleLog(
        """
        *** First throw call stack:
        (
        	0   CoreFoundation                      0x0000000101627c65 __exceptionPreprocess + 165
        	5   CBL Bug Demo                        0x0000000100c6a56a CBL Bug Demo + 13674
        	19  ???                                 0x0000000000000001 0x0 + 1
        )
        libc++abi.dylib: terminating with uncaught exception of type NSException

        """)

    private static let device = SampleLog("*** First throw call stack:\n(0x30b5564f 0x34670c5d 0x140e1)\nlibc++abi.dylib: terminate\n")

    @Test func `decimal addresses of 2008, 32 and 64 bits`() throws {
        let report = try Self.leopard.report()
        #expect(report.format == "nsexception-console")
        // 2528013804 = 0x96ae6dec, 140735390096156 = 0x7fff82ef1b1c, 11076 = 0x2b44, 9668 = 0x25c4
        let frames = try #require(report.exceptionBacktrace?.frames)
        #expect(frames.map(\.hex) == ["0x96ae6dec", "0x7fff82ef1b1c", "0x2b44", "0x25c4"])
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress, .returnAddress])
        #expect(frames.map { Self.leopard.text(of: $0) } == ["2528013804,", "140735390096156,", "11076,", "9668"])
        #expect(report.images.isEmpty && report.threads.isEmpty)
    }

    @Test func `reason, process and time come from the lines above`() throws {
        let report = try Self.leopard.report()
        #expect(report.cause?.kind == .languageException && report.cause?.type == "NSInvalidArgumentException")
        #expect(report.cause?.message == "*** -[TransitionView doesntExist]: unrecognized selector sent to instance 0xf4fbb0")
        #expect(report.process.name == "CrashExample" && report.process.pid == 41720)
        #expect(report.timestamp == "2008-10-26 13:25:43.383")
    }

    @Test func `a reason may run over several lines`() throws {
        let report = try SampleLog(
            "*** Terminating app due to uncaught exception 'E', reason: 'one\ntwo'\n*** Call stack at first throw:\n(\n\t0   a   0x1 b + 0\n)\n"
        ).report()
        #expect(report.cause?.message == "one\ntwo")
    }

    @Test func `numbered rows keep what they say`() throws {
        let frames = try #require(try Self.numbered.report().exceptionBacktrace?.frames)
        #expect(frames.map(\.index) == [0, 5, 19])
        #expect(frames.map(\.imageName) == ["CoreFoundation", "CBL Bug Demo", "???"])
        #expect(frames[0].printed == PrintedSymbol(name: "__exceptionPreprocess", offset: 165))
    }

    @Test func `a row without a symbol tells its image's base`() throws {
        let report = try Self.numbered.report()
        // 0x100c6a56a − 13674 = 0x100c6a56a − 0x356a = 0x100c67000
        #expect(report.images.map(\.name) == ["CBL Bug Demo"])
        #expect(report.images[0].base?.value == 0x1_00c6_7000)
        #expect(report.exceptionBacktrace?.frames.map(\.image) == [nil, 0, nil])
        #expect(report.exceptionBacktrace?.frames[1].imageOffset?.value == 13674)
    }

    @Test(arguments: [
        "*** First throw call stack:", "*** Call stack at first throw:", "2012-05-02 17:03:55.604 App[763:707] *** First throw call stack:",
    ])
    func `addresses in parentheses`(heading: String) throws {
        let log = SampleLog(heading + "\n(0x30b5564f 0x34670c5d 0x140e1)\nnext\n")
        let frames = try #require(try log.report().exceptionBacktrace?.frames)
        #expect(frames.map { log.text(of: $0) } == ["0x30b5564f", "0x34670c5d", "0x140e1"])
        #expect(frames.map(\.index) == [0, 1, 2])
    }

    @Test(arguments: ["Stack: (\n    0x2b44,\n    9668\n)\n", "Stack: (0x2b44, 9668)\n", "Stack: (0x2b44 9668)\n"])
    func `the list of 10.5 in other shapes`(text: String) throws {
        #expect(try SampleLog(text).report().exceptionBacktrace?.frames.map(\.hex) == ["0x2b44", "0x25c4"])
    }

    @Test func `a heading without a stack is text`() {
        #expect(SampleLog("*** First throw call stack:\nnothing\n").parsed().reports.isEmpty)
        #expect(SampleLog("Stack: (\n)\n").parsed().reports.isEmpty)
        #expect(SampleLog("Top of Stack: (sp=0x00007f95c924b3c0)\n").parsed().reports.isEmpty)
    }

    // MARK: Results

    @Test func `a decimal entry gets its name behind it`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            switch frame.hex {
            case "0x2b44": .function("-[CrashExampleAppDelegate performTransition]", offset: 88, "/src/CrashExampleAppDelegate.m", 94)
            case "0x25c4": .function("start", offset: 54)
            default: nil
            }
        }
        let symbolicated = Self.leopard.symbolicated(result)
        let expected = Self.leopard.text.replacing(
            "    11076,\n", with: "    11076,  -[CrashExampleAppDelegate performTransition] + 88 (CrashExampleAppDelegate.m:94)\n"
        )
        .replacing("    9668\n", with: "    9668  start + 54\n")
        #expect(symbolicated.text == expected)
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        let frames = try #require(try symbolicated.report().exceptionBacktrace?.frames)
        #expect(frames.map(\.hex) == ["0x96ae6dec", "0x7fff82ef1b1c", "0x2b44", "0x25c4"])
        #expect(frames[2].printed?.location == SourceLocation(file: "CrashExampleAppDelegate.m", line: 94))
    }

    @Test func `inlined calls repeat the entry above it`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x2b44" ? .function("outer", offset: 8, "/s/a.m", 9).inlining("inner", "/s/b.h", 7) : nil
        }
        let symbolicated = Self.leopard.symbolicated(result)
        #expect(
            symbolicated.text
                == Self.leopard.text.replacing("    11076,\n", with: "    11076,  inner (b.h:7) [inlined]\n    11076,  outer + 8 (a.m:9)\n")
        )
        #expect(try symbolicated.report().exceptionBacktrace?.frames.map(\.index) == [0, 1, 2, 2, 3])
        #expect(try symbolicated.report().exceptionBacktrace?.frames.map(\.isInlined) == [false, false, true, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a numbered row is answered like a report's`() throws {
        let symbolicated = Self.numbered.symbolicated { $0.index == 5 ? .function("main", offset: 20, "/s/main.m", 14) : nil }
        #expect(
            symbolicated.text
                == Self.numbered.text.replacing("0x0000000100c6a56a CBL Bug Demo + 13674", with: "0x0000000100c6a56a main + 20 (main.m:14)")
        )
    }

    @Test func `addresses in parentheses become rows, if one is answered`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x140e1" ? .function("JKParse", offset: 216, "/s/k.m", 3, image: "Demo App") : nil
        }
        let symbolicated = Self.device.symbolicated(result)
        // 0x30b5564f = 817190479, 0x34670c5d = 879168605
        let rows =
            "(\n\t0   \("???".padded(35)) 0x30b5564f 0x0 + 817190479\n\t1   \("???".padded(35)) 0x34670c5d 0x0 + 879168605\n"
            + "\t2   \("Demo App".padded(35)) 0x000140e1 JKParse + 216 (k.m:3)\n)"
        #expect(symbolicated.text == Self.device.text.replacing("(0x30b5564f 0x34670c5d 0x140e1)", with: rows))
        #expect(try symbolicated.report().exceptionBacktrace?.frames.map(\.hex) == ["0x30b5564f", "0x34670c5d", "0x140e1"])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(Self.device.symbolicated { _ in nil }.text == Self.device.text)
    }
}
