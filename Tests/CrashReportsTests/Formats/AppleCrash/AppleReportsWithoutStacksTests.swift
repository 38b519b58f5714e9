import BinaryPrimitives
import CrashLogModel
import Testing

/// Reports of Apple's systems about memory: their kind is reported, although some have nothing to
/// look up.
struct AppleReportsWithoutStacksTests {
    /// As ReportCrash of iOS 7 wrote them (`LowMemory-….plist`).
    private static let lowMemory = """
        Incident Identifier: 5D7B1E0C-3C0B-4C57-9F0E-0B6A5B7C0009
        CrashReporter Key:   0000000000000000000000000000000000000000
        Hardware Model:      iPad2,5
        OS Version:          iPhone OS 7.0.4 (11B554a)
        Kernel Version:      Darwin Kernel Version 14.0.0
        Date:                2014-08-07 11:20:54 +0200
        Time since snapshot: 56 ms

        Free pages:                              922
        Wired pages:                             47617
        Largest process:   moord

        Processes
             Name                    <UUID>                       rpages       recent_max   fds      [reason]          (state)

                 moord <11111111222233338444555555555555>        25807            25807  200                      (daemon)
               Harbour <22222222222233338444555555555555>        22810            22810  200   [vm-pageshortage]  (frontmost) (resume)

        """

    @Test func `a low memory report of iOS 7 is named`() throws {
        let report = try SampleLog(Self.lowMemory).report()
        #expect(report.format == "apple-crash" && report.platform == "iPhone OS 7.0.4 (11B554a)" && report.device == "iPad2,5")
        #expect(report.cause?.type == "Jetsam" && report.cause?.message == "largest process: moord")
        #expect(report.allFrames.isEmpty && report.notes.count == 1)
        #expect(report.notes.first?.hasPrefix("The report has no stack: it lists what each process held in memory") == true)
        #expect(report.timestamp != nil)
    }

    @Test func `a jetsam report that was shortened by hand is named by its header line`() throws {
        let log = """
            {"bug_type":"298","timestamp":"2022-02-11 18:22:10.00 +0000","os_version":"iPhone OS 15.3 (19D50)","incident_id":"5D7B1E0C"}
            {
              "largestProcess" : "Harbour",
              "processes" : [
                { "pid" : 5120, "name" : "Harbour" },
              ...
              ]
            }

            """
        let report = try SampleLog(log).report()
        #expect(report.format == "apple-ips" && report.cause?.type == "Jetsam")
        #expect(report.notes.contains { $0.hasPrefix("This .ips is a Jetsam report (bug_type 298) and has no stacks: ") })
    }

    @Test func `leaks of Mac OS X 10_6 is no crash report`() throws {
        let log = """
            Process:         Harbour [812]
            Path:            /Applications/Harbour
            Identifier:      Harbour
            Code Type:       X86-64 (Native)

            Date/Time:       2010-05-04 12:10:22.123 +0200
            OS Version:      Mac OS X 10.6.3 (10D573)
            Report Version:  7

            leaks Report Version:  2.0
            Process 812: 160 nodes malloced for 9 KB
            Process 812: 1 leak for 32 total leaked bytes.
            Leak: 0x100100080  size=32  zone: DefaultMallocZone_0x100004000
            \tCall stack: [thread 0x7fff70b3cca0]: | start | main | moor | malloc | malloc_zone_malloc

            """
        let report = try SampleLog(log).report()
        #expect(report.format == "apple-leaks" && report.process.name == "Harbour" && report.process.pid == 812)
        #expect(report.allFrames.compactMap { $0.printed?.name }.sorted() == ["main", "malloc", "malloc_zone_malloc", "moor", "start"])
    }
}
