import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The `.ips` of iOS until 14: a header line of JSON, then a text report.
struct AppleIPSLegacyTests {
    private static let header =
        #"{"app_name":"App","timestamp":"2022-01-21 18:14:26.00 +0200","app_version":"1.0","bundleID":"org.example.App","bug_type":"109","os_version":"iPhone OS 14.5.1 (18E212)","name":"App"}"#
    private static let body = """

        Incident Identifier: 2416C26A-72A8-4687-AFAA-7FCEB9D77458
        Hardware Model:      iPhone9,4
        Process:             App [12225]
        Code Type:           ARM-64 (Native)

        Exception Type:  EXC_CRASH (SIGABRT)
        Triggered by Thread:  0

        Thread 0 name:  Dispatch queue: com.apple.main-thread
        Thread 0 Crashed:
        0   App                           	0x0000000100001010 0x100000000 + 4112

        Binary Images:
        0x100000000 - 0x100003fff App arm64  <5fd6c4ca55493855959fbe077158c67a> /var/containers/App.app/App

        EOF

        """

    @Test func `the header fills in what the text does not say`() throws {
        let report = try SampleLog(Self.header + Self.body).report()
        #expect(report.format == "apple-ips-legacy")
        #expect(report.process.name == "App" && report.process.pid == 12225)
        #expect(report.process.identifier == "org.example.App" && report.process.version == "1.0")
        #expect(report.platform == "iPhone OS 14.5.1 (18E212)")
        // 18:14:26 two hours east of Greenwich.
        #expect(report.timestamp?.utc == "2022-01-21T16:14:26Z")
        #expect(report.threads.first?.crashed == true)
        #expect(report.images.first?.id?.uuid == "5FD6C4CA-5549-3855-959F-BE077158C67A")
    }

    @Test func `the text is answered as text`() {
        let symbolicated = SampleLog(Self.header + Self.body).symbolicated { _ in .function("main", offset: 16, "/src/main.m", 3) }
        #expect(symbolicated.text.contains("\n0   App                           \t0x0000000100001010 main + 16 (main.m:3)\n"))
        #expect(symbolicated.text.hasPrefix(Self.header + "\n"))
    }

    @Test func `the header of another kind, or with something else below, is none`() {
        #expect(
            SampleLog(Self.header.replacing("109", with: "309") + Self.body).parsed().reports.allSatisfy { $0.format != "apple-ips-legacy" }
        )
        #expect(SampleLog(Self.header + "\nnothing of the sort\n").parsed().reports.isEmpty)
        // The report alone is Apple's text report.
        #expect(SampleLog(Self.body).parsed().reports.map(\.format) == ["apple-crash"])
    }
}
