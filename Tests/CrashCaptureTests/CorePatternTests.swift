import TestSupport
import Testing

@testable import CrashCapture

/// Names of core files (core(5), "Naming of core dump files"; Linux, fs/coredump.c, `format_corename`).
struct CorePatternTests {
    private static let systemd = "|/usr/lib/systemd/systemd-coredump %P %u %g %s %t %c %h"
    private static let apport = "|/usr/share/apport/apport -p%p -s%s -c%c -d%d -P%P -u%u -g%g -F%F -- %E"

    /// Makes empty files below a temporary folder.
    /// - Returns: those that the pattern finds, without the folder.
    private func found(
        _ pattern: String, of process: Int32?, among files: [String], program: String? = nil
    ) throws -> [String] {
        try withTemporaryFolder { folder in
            for file in files + ["work/other"] {
                let path = "\(folder)/\(file)"
                try makeFolders(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
                try writeFile(path, [])
            }
            let pattern = CorePattern(pattern, folder: folder + "/work", root: folder)
            return pattern.files(of: process, program: program).map { String($0.dropFirst(folder.utf8.count + 1)) }
        }
    }

    @Test(arguments: [
        ("core", CorePattern.Keeper.kernel), ("/var/cores/%e.%p", .kernel), ("", .none), (systemd, .systemd), (apport, .apport),
        ("| /opt/collect %p", .program("/opt/collect")),
    ])
    func `a pattern says who keeps core files`(text: String, keeper: CorePattern.Keeper) {
        #expect(CorePattern(text, folder: "/").keeper == keeper)
    }

    @Test func `a name without fields is a file of the working directory`() throws {
        // With kernel.core_uses_pid the process' number follows.
        let files = ["work/core", "work/core.71", "work/core.72", "work/core.c", "work/score", "core"]
        #expect(try found("core", of: 71, among: files) == ["work/core", "work/core.71"])
        #expect(try found("core", of: nil, among: files) == ["work/core", "work/core.71", "work/core.72"])
    }

    @Test func `fields of a name are the process, numbers, or any text`() throws {
        let files = [
            "work/core.ferry.71.1700000000", "work/core.ferry.72.1700000000", "work/core.ferry.71.later", "work/core.71.1700000000",
        ]
        #expect(try found("core.%e.%p.%t", of: 71, among: files) == ["work/core.ferry.71.1700000000"])
        #expect(
            try found("core.%e.%p.%t", of: nil, among: files) == ["work/core.ferry.71.1700000000", "work/core.ferry.72.1700000000"])
        // %% is a percent sign; the kernel drops a field that it does not have.
        #expect(try found("100%%-%z%P", of: 71, among: ["work/100%-71", "work/100%-z71"]) == ["work/100%-71"])
        // The slashes of a path are exclamation marks.
        #expect(try found("%E.core", of: 71, among: ["work/!usr!bin!ferry.core"]) == ["work/!usr!bin!ferry.core"])
    }

    @Test func `an absolute pattern may have fields in its directories`() throws {
        let files = ["var/cores/ferry/core.71", "var/cores/other/core.72", "work/core.71"]
        #expect(try found("/var/cores/%e/core.%p", of: 71, among: files) == ["var/cores/ferry/core.71"])
    }

    /// The names are of systemd-coredump(8)'s source (src/coredump/coredump.c, `make_filename`).
    @Test func `systemd's files end in the process and a time`() throws {
        let boot = "9b9c0b7a1f2f4c0e8e8f0e4a2f8e6c11"
        let folder = "var/lib/systemd/coredump/"
        let own = ["core.ferry.1000.\(boot).71.1700000000000000.zst", "core.my\\x2eferry.1000.\(boot).71.1700000000000000"]
        let others = ["core.ferry.1000.\(boot).72.1700000000000000.zst", ".#core.ferry.1000.\(boot).71.1700000000000000", "notes"]
        #expect(try found(Self.systemd, of: 71, among: (own + others).map { folder + $0 }).sorted() == own.map { folder + $0 }.sorted())
    }

    /// The names are of apport's source (apport/fileutils.py, `get_core_path` and `make_report_path`).
    @Test func `apport's files are cores, and reports that are named by the program`() throws {
        let core = "var/lib/apport/coredump/core._srv_ferry.1000.9b9c0b7a-1f2f-4c0e-8e8f-0e4a2f8e6c11.71.123456"
        let report = "var/crash/_srv_ferry.1000.crash"
        let files = [core, report, "var/crash/_srv_ferry.1000.upload", "var/crash/_srv_ferryman.1000.crash", "work/core"]
        #expect(try found(Self.apport, of: 71, among: files, program: "/srv/ferry") == ["work/core", core, report])
    }

    @Test func `where there can be no core file, the reason is known`() {
        #expect(CorePattern("", folder: "/").reasonForNone?.contains("core_pattern is empty") == true)
        #expect(CorePattern("|/opt/collect %p", folder: "/").reasonForNone?.contains("/opt/collect") == true)
    }
}

/// Core files of a run that is not watched.
struct SystemCoresTests {
    /// Seconds since 1970 as nanoseconds.
    private static func time(_ seconds: Int64) -> Int64 { seconds * 1_000_000_000 }

    @Test func `only core files that are newer than the run count`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/core.71", [])
            try writeFile(folder + "/core.72", [])
            _ = try run("touch", ["-d", "@1700000000", folder + "/core.71"])
            _ = try run("touch", ["-d", "@1700000009", folder + "/core.72"])
            let cores = SystemCores(
                pattern: CorePattern("core.%p", folder: folder), isLimitRaised: false, start: Self.time(1_700_000_005))
            #expect(cores.new(of: 71, program: "/srv/ferry") == [folder + "/core.72"], "in the working directory also a child's")
            let elsewhere = SystemCores(
                pattern: CorePattern(folder + "/core.%p", folder: "/"), isLimitRaised: false, start: Self.time(1_700_000_005))
            #expect(elsewhere.new(of: 71, program: "/srv/ferry").isEmpty)
            #expect(elsewhere.new(of: 72, program: "/srv/ferry") == [folder + "/core.72"])
            #expect(elsewhere.new(of: nil, program: "/srv/ferry").isEmpty)
        }
    }

    @Test(arguments: [(true, "core", false), (false, "core", true), (true, "|/usr/lib/systemd/systemd-coredump", true)])
    func `a core file is removed if the kernel wrote it because of the run`(isRaised: Bool, pattern: String, remains: Bool) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/core", [])
            SystemCores(pattern: CorePattern(pattern, folder: folder), isLimitRaised: isRaised, start: 0).removeIfOwn(folder + "/core")
            #expect((TestPaths.files(under: folder) == [folder + "/core"]) == remains)
        }
    }
}
