import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Parts of Android's stacks, as people and crash services pass them on: without a head, after
/// other prefixes, with other text in the rows.
struct AndroidFragmentTests {
    private static let library = "/data/app/x-1/lib/arm64/libharbour.so"
    /// An MD5 hash, as Android's linker makes build IDs.
    private static let id = "0e02c8f1e2225ac94e0860c49d05345a"

    @Test(arguments: [
        "  190   190 F DEBUG   : ", "12345 12346 F DEBUG   : ", "[        ] F/DEBUG   (  190): ", "[ +120 ms] F/DEBUG   (  190): ",
        "11:27:14.977  A  ",
        "DEBUG   : ", "05-06 07:08:09.100   190   190 F DEBUG   : ", "> ", "",
    ]) func `rows behind a prefix`(prefix: String) throws {
        let rows = [
            "    #00 pc 0000000000077148  \(Self.library) (BuildId: \(Self.id))",
            "    #01 pc 0000000000076c68  \(Self.library) (_Z4moori+28)",
        ]
        let report = try SampleLog(rows.map { prefix + $0 + "\n" }.joined()).report()
        #expect(report.format == "android-tombstone")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1])
        #expect(frames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x77148)), .linkAddress(LinkAddress(0x76c68))])
        #expect(frames[1].printed == PrintedSymbol(name: "_Z4moori", offset: 28))
        #expect(report.images.map(\.path) == [Self.library])
    }

    @Test(arguments: [0, 3, 12]) func `rows from any number on`(number: Int) throws {
        let report = try SampleLog(
            "it crashes:\n#\(number) pc 0x139684 libharbour.so (moor + 104) (BuildId: \(Self.id))\n#\(number + 1) pc 0x139700 libharbour.so (Berth::moor(int) + 8)\n"
        ).report()
        #expect(report.threads[0].frames.map(\.index) == [number, number + 1])
        #expect(
            report.threads[0].frames.map(\.printed) == [
                PrintedSymbol(name: "moor", offset: 104), PrintedSymbol(name: "Berth::moor(int)", offset: 8),
            ])
        // The unwinder has moved return addresses back already.
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .exact })
    }

    /// The log's spelling, which is also that of `.build-id/0e/02c8….debug`.
    @Test func `a build ID of 16 bytes is shown as one`() throws {
        let report = try SampleLog("#00 pc 0000000000077148  \(Self.library) (BuildId: \(Self.id))\n").report()
        #expect(report.images[0].id?.description == Self.id)
        #expect(report.images[0].id == ImageID(text: Self.id.uppercased()))
        // A Mach-O UUID has the same length.
        #expect(ImageID(text: Self.id)?.description == "0E02C8F1-E222-5AC9-4E08-60C49D05345A")
    }

    @Test func `a library in an APK that the build ID alone names`() throws {
        let report = try SampleLog(
            """
            backtrace:
                  #00 pc 0000000000001166  /data/app/x/base.apk (BuildId: b225733a6a88705d28393e068b2f293ae3227293)
                  #01 pc 0x1139620 split_config.arm64_v8a.apk (Missing) (BuildId: b225733a6a88705d28393e068b2f293ae3227294)
                  #02 pc 0x1000 split_config.arm64_v8a.apk (Missing) (BuildId: b225733a6a88705d28393e068b2f293ae3227295)
                  #03 pc 0x2000 /data/app/x/base.apk (com.example.Shop.sell)

            """
        ).report()
        let frames = report.threads[0].frames
        #expect(frames.prefix(3).map(\.imageLocation) == [0x1166, 0x1139620, 0x1000].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.map(\.printed?.name) == [nil, nil, nil, "com.example.Shop.sell"])
        #expect(report.images.map(\.isPlaceholder) == [false, false, false, true])
        #expect(
            report.images.map { $0.id?.hexadecimal.suffix(4) } == ["7293", "7294", "7295", nil])
        #expect(report.notes.contains { $0.hasPrefix("1 frame is in Java code") })
    }

    @Test func `a function without parentheses`() throws {
        let report = try SampleLog(
            """
            #00 pc 000000000062d6b4 libharbour.so harbour::Moor(harbour::Ship*) (../../src/harbour.cc:2562) [arm64-v8a]
            #01 pc 00000000006a26c0 libharbour.so Berth (../../src/berth.cc:1366) [arm64-v8a]
            #02 pc 00000000006a26c8 libharbour.so operator delete(void*)

            """
        ).report()
        #expect(report.images.map(\.name) == ["libharbour.so"])
        #expect(report.architecture == .arm64)
        #expect(
            report.threads[0].frames.map(\.printed) == [
                PrintedSymbol(name: "harbour::Moor(harbour::Ship*)", location: SourceLocation(file: "../../src/harbour.cc", line: 2562)),
                PrintedSymbol(name: "Berth", location: SourceLocation(file: "../../src/berth.cc", line: 1366)),
                PrintedSymbol(name: "operator delete(void*)"),
            ])
    }

    /// Without a mapping the unwinder prints the pc itself (`Unwinder::Unwind` of libunwindstack);
    /// no library is linked beyond 4 GB.
    @Test func `addresses of the process`() throws {
        let report = try SampleLog(
            "#00 pc 0x74b95ad0d0\n#01 pc 0x754b2509b4 libart.so (Missing)\n#02 pc 0x1000 libart.so\n#03 pc 00000000b6f12344  <unknown>\n"
        ).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.address?.value) == [0x74_b95a_d0d0, 0x75_4b25_09b4, nil, 0xb6f1_2344])
        #expect(frames.map(\.imageLocation) == [nil, nil, .linkAddress(LinkAddress(0x1000)), nil])
        #expect(frames.map(\.image) == [nil, 0, 0, nil])
        #expect(report.images.map(\.name) == ["libart.so"])
        #expect(frames.allSatisfy { $0.kind == .exact })
    }

    // MARK: The C library's line

    private static let fatal =
        "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10 in tid 4242 (Render (1)), pid 4200 (example.harbour)"

    @Test(arguments: [
        ("05-06 07:08:09.100  4200  4242 F libc    : ", "05-06 07:08:09.200   190   190 F DEBUG   : "),
        ("F/libc    ( 4200): ", "F/DEBUG   (  190): "),
        ("libc    : ", "DEBUG   : "), ("", ""),
    ]) func `the line above the rows is the cause`(libc: String, debug: String) throws {
        let report = try SampleLog(
            "\(libc)\(Self.fatal)\n\(debug)    #00 pc 00077148  \(Self.library)\n\(debug)    #01 pc 00077158  \(Self.library)\n"
        ).report()
        let cause = try #require(report.cause)
        #expect(cause.kind == .signal && cause.type == "SIGSEGV" && cause.signal == "SIGSEGV" && cause.codes == "code 1 (SEGV_MAPERR)")
        #expect(cause.address == RuntimeAddress(0x10))
        #expect(report.process.pid == 4200 && report.process.name == "example.harbour")
        #expect(report.threads[0].index == 4242 && report.threads[0].name == "Render (1)" && report.threads[0].frames.count == 2)
    }

    @Test func `the line of before Android 5`() throws {
        let report = try SampleLog("Fatal signal 11 (SIGSEGV) at 0x0000000c (code=1), thread 14630 (Worker)\n#00 pc 00077148  /a/b.so\n")
            .report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1" && report.cause?.address == RuntimeAddress(0xc))
        #expect(report.threads[0].index == 14630)
    }

    /// The head replaces the line, and lines that are not a crash's end it.
    @Test func `the head says more, and other lines are none of it`() throws {
        let head =
            "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\npid: 7, tid: 9, name: worker  >>> com.example.shop <<<\nsignal 6 (SIGABRT), code -6 (SI_TKILL), fault addr --------\nbacktrace:\n    #00 pc 00077148  /a/b.so\n"
        let report = try SampleLog(Self.fatal + "\n" + head).report()
        #expect(report.cause?.signal == "SIGABRT" && report.cause?.address == nil && report.process.name == "com.example.shop")
        #expect(SampleLog(Self.fatal + "\nand then nothing\n").parsed().reports.isEmpty)
        let next = SampleLog(Self.fatal + "\nmain\n#00 pc 00077148  /a/b.so\n" + Self.fatal + "\n#00 pc 00077148  /a/b.so\n").parsed()
            .reports
        // A line between them does not part the line of the C library from the rows.
        #expect(next.map(\.cause?.signal) == ["SIGSEGV", "SIGSEGV"])
    }
}
