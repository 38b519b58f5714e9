import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Logs of Apple's platforms, loaded at 0x102c44000: 0x390 is in `step`, 0x3a4 in `first`, 0x43c in `report`, 0x464 in `main`.
extension ThirdHuntInputs {
    static let applePlatforms = offsets + services + tools + kernels

    // MARK: Rows that count from the image

    private static let offsets = [
        Input(
            "apple/01-crashlytics-crashed-heading.txt", ["crashlytics"],
            """
            0 p - Long 390 -
            1 r - Long 3a4 -
            2 r - Long 43c -
            3 r - UIKitCore 1cd5e4 UIApplicationMain
            """),
        Input(
            "apple/02-crashlytics-line-as-offset.txt", ["crashlytics"],
            """
            0 p - Long 390 step
            1 r - Long 3a4 first
            2 r - Long 43c report
            3 r - Long 464 main
            """),
        Input(
            "apple/03-mh-execute-header.txt", ["crashlytics"],
            """
            0 r - Long 390 -
            1 r - Long 3a4 -
            2 r - Long 43c -
            3 r - UIKitCore 1cd5e4 UIApplicationMain
            """),
        Input(
            "apple/03b-mh-execute-header-addresses.txt", ["darwin-backtrace"],
            """
            0 r 102c443a4 Long 3a4 -
            1 r 102c4443c Long 43c -
            2 r 102c44464 Long 464 -
            3 r 1979ea000 dyld * start
            """),
        Input(
            "apple/03c-mh-execute-header-lldb.txt", ["lldb-bt"], signal: "SIGABRT",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r 7fff5a4ce115 libdyld.dylib * start
            """),
        // 0x199a82bd0 + 84, 0x102c44398 + 12, 0x102c443b0 + 140, 0x1979ea000 + 6076: rows with a name have the function's beginning.
        Input(
            "apple/04-exclusivity.txt", ["swift-runtime-trace"],
            """
            0 r 199a82c24 libswiftCore.dylib * swift_beginAccess
            1 r 102c443a4 Long * first
            2 r 102c4443c Long * report
            3 r 102c44464 Long 464 -
            4 r 1979eb7bc dyld * start
            """),
        Input(
            "apple/15-hex-offsets.crash", ["apple-crash"],
            """
            0 p 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            """),
        Input(
            "apple/19-matlab-mac.txt", ["stack-rows"],
            """
            0 r 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            """),
        Input(
            "apple/28-image-base-column.txt", ["apple-crash"],
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r - Long - first
            """),
        Input(
            "apple/31-sentry-unsymbolicated.txt", ["apple-crash"],
            """
            0 p 102c443b0 Long 3b0 -
            1 r 102c44464 Long 464 -
            2 r 1979ea17c libdyld.dylib 17c -
            """),
        Input(
            "apple/31b-address-base-offset-disagree.txt", ["darwin-backtrace"],
            """
            0 r 102c443a4 Long 3a4 -
            1 r 102c4443c Long 43c -
            2 r 102c44464 Long 464 -
            """),
    ]

    // MARK: Services

    private static let services = [
        Input(
            "apple/08-sentry.txt", ["apple-crash"], signal: "SIGTRAP",
            """
            0 p 102c443b0 Long - report
            1 r 102c44464 Long - main
            0 p 102c443a4 Long - first
            1 r 102c44464 Long - main
            0 p 3b1ddd6d0 libsystem_kernel.dylib - __workq_kernreturn
            """),
        Input(
            "apple/08b-sentry-crashed-first.txt", ["apple-crash"], signal: "SIGSEGV",
            """
            0 p 102c443b0 Long - report
            1 r 102c44464 Long - main
            0 p 3b1ddd6d0 libsystem_kernel.dylib - __workq_kernreturn
            """),
        Input(
            "apple/09-bugsnag-event.json", ["bugsnag-json"],
            """
            0 p 102c44390 Long 390 step
            1 r 102c443a4 Long 3a4 first
            2 r 102c4443c Long 43c report
            0 p 102c443a4 Long 3a4 first
            1 r 102c4443c Long 43c report
            """),
        Input(
            "apple/10-measure.json", ["measure-json"], signal: "SIGSEGV",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            """),
        Input(
            "apple/11-datadog-other-build.json", ["datadog-json"], signal: "SIGSEGV",
            """
            0 p 102c44390 Long 390 -
            1 r 102c443a4 Long 3a4 -
            2 r 102c4443c Long 43c -
            0 p 102c443a4 Long 3a4 -
            """),
        Input(
            "apple/12-asc-diagnostic-logs.json", ["metrickit"],
            """
            0 r 102c44464 Long 464 main
            1 p 102c4443c Long 43c -
            """),
        Input(
            "apple/16-crashlytics-flutter.txt", ["dart"],
            """
            0 e 106d377c7 - a0fc7 _kDartIsolateSnapshotInstructions
            1 e 106d3778f - a0f8f _kDartIsolateSnapshotInstructions
            2 e 106cd9257 - 42a57 _kDartIsolateSnapshotInstructions
            """),
    ]

    // MARK: Tools

    private static let tools = [
        Input("apple/22-dyld-print.txt", [], ""),
        Input(
            "apple/13-lldb-image-list.txt", ["lldb-bt"],
            """
            0 p 102c44390 Long - -
            1 r 102c443a4 Long - -
            2 r 102c4443c Long - -
            3 r 18e3a6b98 dyld - start
            """),
        Input(
            "apple/14-lldb-crashlog-other-build.txt", ["stack-rows"],
            """
            0 * 102c44390 Long * step
            1 * 102c443a3 Long * first
            2 * 102c4443b Long * report
            3 * 18e3a6b97 dyld * start
            """),
        Input(
            "apple/18b-ipsw-crash.txt", ["ipsw"],
            // 0x1c18b61e0 - 0x27010000
            """
            0 p - libobjc.A.dylib 19a8a61e0 _objc_msgSend
            1 r - CoreFoundation 18585676c -[__NSDictionaryM objectForKeyedSubscript:]
            2 r - Demo 185ed9230 -[Worker update:]
            """),
        Input(
            "apple/20-xctrace-time-profile.xml", ["xctrace"],
            """
            * r 102c443a3 Long 3a3 -
            * r 102c443a3 Long 3a3 -
            * r 102c4443b Long 43b -
            """),
        Input(
            "apple/21-lldb-no-addresses.txt", ["lldb-bt"],
            """
            0 p - Long 8 step
            1 r - Long c first
            2 r - Long 8c report
            3 r - libdispatch.dylib 208 _dispatch_root_queue_drain
            """),
        Input(
            "apple/25-rows-without-offset.txt", ["apple-crash"],
            """
            3 * - TCC - __TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__
            4 r - Long - report
            """),
        Input(
            "apple/29-swift-elided-head.txt", ["swift-backtrace"],
            """
            0 p 7f254648e96e libc.so.6 - -
            1 r 7f2547655359 libFoundation.so - Process.run()
            """),
        Input(
            "apple/30-spindump-rows-alone.txt", ["apple-spindump"],
            """
            0 r 19761f658 libxpc.dylib 20658 -
            1 r 19761f478 libxpc.dylib 20478 -
            2 p 102c44390 Long 390 -
            """),
    ]

    // MARK: Kernels

    private static let kernels = [
        Input(
            "apple/17-panic-head-cut.txt", ["apple-panic"],
            """
            0 r ffffff801168fefd mach_kernel * _handle_debugger_trap
            1 r ffffff80117f2636 mach_kernel * _kdp_i386_trap
            2 r ffffff80117e19a3 mach_kernel * _kernel_trap
            """),
        Input(
            "apple/17b-panic-arm64-head-cut.txt", ["apple-panic"],
            """
            0 r fffffe0030a01cf0 - - -
            1 r fffffe0030b726a4 - - -
            2 r fffffe0030b7089c - - -
            3 r fffffe00309a7b88 - - -
            """),
        Input(
            "apple/18-ipsw-panic-listing.txt", ["ipsw"],
            """
            0 p - image_355 43c -
            1 r - image_355 464 -
            2 r - image_2 8134ab8 -
            3 r - image_2 7ab6460 -
            0 p - image_0 1007188b20 -
            1 r - image_0 10077cb9e8 -
            """),
        Input(
            "apple/26-panic-reason-two-lines.txt", ["apple-panic"],
            """
            0 r fffffe0043ef4020 - - -
            1 r fffffe0043ef4040 - - -
            """),
    ]
}

/// Facts that are not in the rows.
@Suite(.enabled(if: thirdHuntFolder != nil, "the hunt's inputs are absent"))
struct ThirdHuntAppleTests {
    private func report(_ file: String) throws -> CrashReport {
        let folder = try #require(thirdHuntFolder)
        return try #require(SampleLog(bytes: try readFile(folder + "/apple/" + file)).parsed().reports.first)
    }

    @Test func `a panic's reason has all its lines`() throws {
        let report = try report("26-panic-reason-two-lines.txt")
        #expect(report.cause?.message == "refcnt: overflow\n(rc=0xfffffe1f3ec31274, count=17, max=16) @refcnt.c:68")
    }

    @Test func `Sentry's threads are numbered and named`() throws {
        let report = try report("08-sentry.txt")
        #expect(report.threads.map(\.index) == [1, 0, 2])
        #expect(report.threads.map(\.name) == ["worker", "com.apple.main-thread", nil])
        #expect(report.threads.map(\.crashed) == [true, false, false])
        #expect(report.platform == "iOS 18.5 (22F76)")
        #expect(try self.report("08b-sentry-crashed-first.txt").threads.map(\.index) == [0, 1])
    }

    @Test func `a head with lines left out says what happened`() throws {
        let report = try report("29-swift-elided-head.txt")
        #expect(report.cause?.address?.value == 0x7f253c22f000)
        #expect(report.platform == "Linux (Ubuntu 22.04.5 LTS)")
    }

    @Test func `rows with names alone are the crashed thread's`() throws {
        let report = try report("25-rows-without-offset.txt")
        #expect(report.threads.map(\.index) == [1] && report.threads.allSatisfy(\.crashed))
    }

    @Test func `images of lldb's list have identity and load address`() throws {
        let image = try #require(report("13-lldb-image-list.txt").images.first { $0.name == "Long" })
        #expect(image.base?.value == 0x102c44000)
        #expect(image.id?.description == "4C4C44ED-5555-3144-A1F6-E835C4EE10B4")
    }

    @Test(arguments: ["11-datadog-other-build.json", "14-lldb-crashlog-other-build.txt"])
    func `a UUID beside the rows is the image's`(file: String) throws {
        let image = try #require(report(file).images.first { $0.name == "Long" })
        #expect(image.id?.description == "00000000-5555-3144-A1F6-E835C4EE10B4")
    }

    @Test(arguments: ["09-bugsnag-event.json", "10-measure.json", "12-asc-diagnostic-logs.json", "20-xctrace-time-profile.xml"])
    func `frames of services bring identity and load address`(file: String) throws {
        let image = try #require(report(file).images.first { $0.name == "Long" })
        #expect(image.base?.value == 0x102c44000)
        #expect(image.id?.description == "4C4C44ED-5555-3144-A1F6-E835C4EE10B4")
    }
}
