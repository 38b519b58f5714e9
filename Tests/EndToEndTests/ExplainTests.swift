import Foundation
import TestSupport
import Testing

/// Output of `explain`, and its exit status; `SearchedLocationsTests` checks its findings one by one.
struct ExplainTests {
    private let log = "logs/apple-ips/CrashExample-exception/exception.ips"
    private let binaries = "binaries/CrashExample"

    @Test func `everything named is status 0, something missing status 3, a log that cannot be read status 1`() throws {
        #expect(try cairn("explain", log, "--symbols", binaries).status == 0)
        #expect(try cairn("explain", log).status == 3)
        #expect(try cairn("explain", log, "nothing.log").status == 1)
        #expect(try cairn("explain", "README.md").status == 1)
        #expect(
            try cairn("explain").errors
                == "cairn: error: standard input: the log is empty. To run a program and show where it crashes: cairn run PROGRAM\n")
    }

    @Test func `symbolicate prints the explain command where frames are unresolved, unless it is to be quiet`() throws {
        let hint = "cairn: warning: \(log): 5 of 20 frames unresolved. Run: cairn explain \(log)\n"
        #expect(try cairn(log).errors == hint)
        #expect(try cairn(log, "--quiet").errors == "")
        #expect(try cairn(log, "--symbols", binaries).errors == "")
    }

    @Test func `an app's block names the UUID and the build setting, the system's libraries their system`() throws {
        let text = try cairn("explain", "--verbose", log).output
        #expect(text.contains("CrashExample (arm64) 4C4C44FC-5555-3144-A11B-E947A8E8E6FE: 0 of 5 frames resolved\n"))
        #expect(text.contains("the dSYM with the UUID 4C4C44FC-5555-3144-A11B-E947A8E8E6FE"))
        #expect(text.contains("DWARF_DSYM_FOLDER_PATH"))
        #expect(text.contains("A Mac with that system of macOS 12.2 (21D49) has them"))
    }

    /// A journal of this distribution's own library: dpkg's lists name the package.
    @Test func `a distribution's library is told with its package, by the other machine's lists too`() throws {
        try withTemporaryFolder { folder in
            let event = """
                {"event_id":"1","platform":"native","exception":{"values":[{"type":"SIGSEGV","stacktrace":{"frames":[{"instruction_addr":"0x70001000"}]}}]},\
                "debug_meta":{"images":[{"type":"elf","code_file":"/usr/lib/libdemo.so.1","code_id":"00112233445566778899aabbccddeeff00112233",\
                "image_addr":"0x70000000","image_size":1048576}]}}
                """
            try writeFile(folder + "/event.json", Array(event.utf8))
            try run(
                "sh",
                [
                    "-c",
                    "mkdir -p var/lib/dpkg/info; printf '/.\\n/lib\\n/lib/libdemo.so.1.0\\n/lib/libdemo.so.1\\n' > var/lib/dpkg/info/libdemo1:amd64.list",
                ],
                directory: folder
            ).requireSuccess()
            let plain = try cairn("explain", "--verbose", folder + "/event.json", environment: ["DEBUGINFOD_URLS": nil as String?]).output
            #expect(plain.contains("find-dbgsym-packages /usr/lib/libdemo.so.1"))
            #expect(plain.contains("from a debuginfod server of the distribution: --debuginfod URL"))
            let known = try cairn(
                "explain", "--verbose", folder + "/event.json", "--sysroot", folder, environment: ["DEBUGINFOD_URLS": "http://127.0.0.1:9/"]
            ).output
            #expect(known.contains("it is part of the package libdemo1: install libdemo1-dbgsym"))
            #expect(known.contains("download it from http://127.0.0.1:9/ (DEBUGINFOD_URLS): --debuginfod"))
        }
    }

    @Test func `a stripped binary of the right identity is told as such`() throws {
        try withTemporaryFolder { folder in
            let binary = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
            try Toolchain.run("llvm-objcopy", ["--strip-all", binary, folder + "/SwiftCrash"]).requireSuccess()
            let log = "logs/swift-backtrace/SwiftCrash-unwrap/off.txt"
            let found = try cairn("explain", "--verbose", log, "--symbols", folder + "/SwiftCrash").output
            #expect(found.contains("\(folder)/SwiftCrash: it is the image; it has no debug information, only names"), "\(found)")
            #expect(found.contains("the debug file of \(folder)/SwiftCrash: nothing"))
        }
    }

    @Test func `another architecture and an unreadable file are told`() throws {
        try withTemporaryFolder { folder in
            let event = """
                {"event_id":"1","platform":"native","contexts":{"device":{"arch":"arm64"}},\
                "exception":{"values":[{"type":"SIGSEGV","stacktrace":{"frames":[{"instruction_addr":"0x70001000"}]}}]},\
                "debug_meta":{"images":[{"type":"elf","code_file":"/opt/demo","image_addr":"0x70000000","image_size":4096}]}}
                """
            try writeFile(folder + "/event.json", Array(event.utf8))
            try run("cp", [TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash"), folder + "/demo"]).requireSuccess()
            let other = try cairn("explain", "--verbose", folder + "/event.json", "--arch", "arm64", "--symbols", folder + "/demo").output
            #expect(other.contains("\(folder)/demo is for x86_64: the log has arm64"), "\(other)")
            try writeFile(folder + "/demo", Array("\u{7f}ELF".utf8))
            let damaged = try cairn("explain", "--verbose", folder + "/event.json", "--symbols", folder + "/demo").output
            #expect(damaged.contains("\(folder)/demo: the ELF file ends in its header, after 4 bytes"), "\(damaged)")
        }
    }

    @Test func `frames that lie in no image are told with what would place them`() throws {
        let text = try cairn("explain", "logs/nsexception-console/CrashExample/console.log", "--symbols", binaries).output
        // The console's rows are numbers alone: eleven, of which the program's four are resolved.
        #expect(text.contains("no image: 7 frames\n"), "\(text)")
        #expect(text.contains("would help: --image NAME=PATH@BASE"))
    }

    @Test func `an app's library on Android and the system's are told apart, and no place is named that would not be looked in`() throws {
        let text = try cairn("explain", "--verbose", "logs/android-tombstone/libshop-arm64/tombstone-13.txt").output
        #expect(text.contains("the app's unstripped library of that build"), "\(text)")
        #expect(text.contains("Android's library: the symbols of exactly that system build"))
        #expect(!text.contains("or put it at /data"))
    }

    @Test func `JSON says the same to programs, one object for each trace`() throws {
        struct Explained: Decodable {
            struct Image: Decodable {
                var name: String
                var id: String?
                var status: String
                var missing: Int
                var remedies: [String]?
            }
            var schema: Int
            var format: String
            var frames: Int
            var unresolved: Int
            var images: [Image]
        }
        let lines = try cairn("explain", "--format", "json", log, log).output.split(separator: "\n")
        #expect(lines.count == 2)
        let explained = try JSONDecoder().decode(Explained.self, from: Data(lines[0].utf8))
        #expect(explained.schema == 2 && explained.format == "apple-ips" && explained.frames == 20 && explained.unresolved == 5)
        let app = try #require(explained.images.first)
        #expect(
            app.name == "CrashExample" && app.id == "4C4C44FC-5555-3144-A11B-E947A8E8E6FE" && app.status == "missing" && app.missing == 5)
        #expect(app.remedies?.count == 2)
    }
}
