import CrashReports
import TestSupport
import Testing

/// Names are removed from logs, text by text. A replacement is as long as the name: `user`, or `u`
/// for up to four letters, and as many digits as are left.
struct AnonymizerTests {
    private func anonymized(_ text: String) -> String { Anonymizer().text(text) }

    private static let folders: [(String, String)] = [
        ("/Users/jane/Library/App", "/Users/u001/Library/App"),
        ("/home/johndoe/src/main.c:12", "/home/user001/src/main.c:12"),
        ("/var/home/johndoe", "/var/home/user001"),
        ("HOME=/home/johndoe PATH=/bin", "HOME=/home/user001 PATH=/bin"),
        (#"C:\Users\Jane Doe\AppData\Local"#, #"C:\Users\user0001\AppData\Local"#),
        (#"c:\users\johndoe\x.exe"#, #"c:\users\user001\x.exe"#),
        (#""\/Users\/johndoe\/a" and "C:\\Users\\johndoe\\b""#, #""\/Users\/user001\/a" and "C:\\Users\\user001\\b""#),
        ("/mnt/c/Users/johndoe/x", "/mnt/c/Users/user001/x"),
        (
            "/private/var/mobile/Containers/Data/Application/E697F17F-8C0F-470F-A4A9-CEFEEAF27898/tmp",
            "/private/var/mobile/Containers/Data/Application/00000000-0000-0000-0000-000000000000/tmp"
        ),
        (
            "/CoreSimulator/Devices/6843A21C-B4FC-4766-A6CC-ABEE5BC28784/data",
            "/CoreSimulator/Devices/00000000-0000-0000-0000-000000000000/data"
        ),
        ("/data/user/10/com.example", "/data/user/00/com.example"), ("/run/user/315716/bus", "/run/user/100000/bus"),
        ("/var/folders/5_/gltgq4390wx07yvypgl1mc400000gq/T/x", "/var/folders/5_/000000000000000000000000000000/T/x"),
        ("/tmp/hsperfdata_andrei/2423", "/tmp/hsperfdata_user01/2423"),
        // Two users of one length, and the first again.
        ("/Users/johndoe/a /Users/janeroe/b /Users/johndoe/c", "/Users/user001/a /Users/user002/b /Users/user001/c"),
    ]

    @Test(arguments: folders) func `folders of users`(_ text: String, _ expected: String) { #expect(anonymized(text) == expected) }

    private static let fields: [(String, String)] = [
        ("CrashReporter Key:   93f90ef8c58323bbb437670c2e5aa164f804e4ce", "CrashReporter Key:   0000000000000000000000000000000000000000"),
        ("Sleep/Wake UUID:       A3CD4A02-3A64-4DC6-A7A1-98F0DBF6BAB0", "Sleep/Wake UUID:       00000000-0000-0000-0000-000000000000"),
        (
            #"{"crashReporterKey" : "792F5CBA-A072-8F48-64CE-90F08A75B14F"}"#,
            #"{"crashReporterKey" : "00000000-0000-0000-0000-000000000000"}"#
        ),
        (#"{"server_name": "build-07", "username":"johndoe"}"#, #"{"server_name": "host0001", "username":"user001"}"#),
        (
            #"{"user": {"id": "ab12", "email": "jane@example.com"}, "id": "ab12"}"#,
            #"{"user": {"id": "0000", "email": "xxxx@xxxxxxx.xxx"}, "id": "ab12"}"#
        ),
        (#"{"device":{"model":"iPad3,3","name":"Jane's iPad"}}"#, #"{"device":{"model":"iPad3,3","name":"host0000001"}}"#),
        // An escape ends with its string, not in it.
        (#"{"username":"j\u0061ne\"x"}"#, #"{"username":"user00000001"}"#),
        ("      Hostname: thinkpad", "      Hostname: host0001"), ("    UID: 1000 (johndoe)", "    UID: 1000 (user001)"),
        ("uid=1000(johndoe) gid=0(root)", "uid=1000(user001) gid=0(root)"),
        ("USER=johndoe LOGNAME=johndoe", "USER=user001 LOGNAME=user001"),
        ("Sep 21 16:36:22 thinkpad kernel: oops", "Sep 21 16:36:22 host0001 kernel: oops"),
        ("2026-05-01T12:00:00.5+02:00 thinkpad app[12]: x", "2026-05-01T12:00:00.5+02:00 host0001 app[12]: x"),
        ("mail to jane.roe@example.co.uk.", "mail to xxxx.xxx@xxxxxxx.xx.xx."),
        ("from 192.168.1.23 and http://84.12.3.9/x", "from 000.000.0.00 and http://00.00.0.0/x"),
        ("peer 84.12.3.9:8080", "peer 00.00.0.0:8080"),
        ("wlan0: 3c:22:fb:0a:1b:2c up", "wlan0: 00:00:00:00:00:00 up"),
        ("root=UUID=0a1b2c3d-0000-4000-8000-0123456789ab ro", "root=UUID=00000000-0000-0000-0000-000000000000 ro"),
    ]

    @Test(arguments: fields) func `fields, hosts and addresses`(_ text: String, _ expected: String) {
        #expect(anonymized(text) == expected)
    }

    /// Names of programs, versions, identities that symbolication needs, and names that others have
    /// removed already.
    @Test(arguments: [
        "/Users/Shared/x", "/Users/USER/Desktop/*/App", "/home/guest/x", "com.app.home.View", "https://example.com/home/page",
        "java.base@18.0.2.1", "version 1.8.0.262, 10.0.2.1",
        "android.hidl.memory@1.0.so", "memcpy@@GLIBC_2.14", #"{"uuid":"7964C290-EEE7-36FA-82D9-0B14A40C0B12"}"#,
        "Incident Identifier: 5C3AC9BA-0CC7-4D6C-9DD2-3E11A6E10822",
        "#1 0x1234 in f (user=0x55d0, host=0x1) at a.c:1", "Hostname: localhost.localdomain", "127.0.0.1:80", "00:11:22:33",
        "Thread 0 name: user", "void a::b(std::string user)",
        #"{"user": "root", "cpu": "x"}"#, "userID : 501", "/usr/lib/debug/.build-id/93/ac61ec5a8eb1396f9fbd350e3169a558528a40.debug",
    ])
    func `what tells nobody stays`(_ text: String) { #expect(anonymized(text) == text) }

    @Test func `a name is found again where names stand`() {
        let log = """
            Path: /Users/johndoe/App
            core.App.1000.d464328302f146f99ed984edc6503ca0.1
            owner johndoe@thinkpad, /tmp/johndoe/x, github.com/johndoe/app.Run, the johndoe function
            Machine ID: d464328302f146f99ed984edc6503ca0
            """
        #expect(
            anonymized(log) == """
                Path: /Users/user001/App
                core.App.1000.00000000000000000000000000000000.1
                owner user001@thinkpad, /tmp/user001/x, github.com/johndoe/app.Run, the johndoe function
                Machine ID: 00000000000000000000000000000000
                """)
    }

    /// Fewer digits than names: the last digits stay, and the second time changes nothing.
    @Test func `as long as the name, and the same again`() {
        let log = (0..<120).map { "/home/\(["a", "b", "cd", "ef", "ghi", "jkl"][$0 % 6])\($0 % 7)/x /Users/\($0)/y" }.joined(
            separator: "\n")
        let once = anonymized(log)
        #expect(once.utf8.count == log.utf8.count && once != log)
        #expect(anonymized(once) == once)
    }

    /// No byte makes it stop, and bytes that are not text keep their length.
    @Test func `hostile bytes`() {
        for text in [
            "/Users/", "/Users//", "\"user\":", "\"user\":{", "\"username\":\"", "USER=", "Hostname:", "@", "a@b.", "fe80::", "/home/\u{0}",
            "C:\\Users\\", "\\\\", ":", "=",
        ] {
            let padded = Array(("x" + text).utf8) + [0xFF, 0xC3]
            for bytes in [Array(text.utf8), padded, padded + padded] { #expect(Anonymizer().bytes(bytes.span).count == bytes.count) }
        }
        let deep = String(repeating: #"{"user":"#, count: 10_000) + String(repeating: "/home/a/", count: 10_000)
        #expect(Anonymizer().text(deep).utf8.count == deep.utf8.count)
    }

    @Test(arguments: CorpusTests.corpus + CorpusTests.fixtures) func `every log keeps its length, and a second time changes nothing`(
        _ sample: CorpusTests.Sample
    ) {
        let bytes = TestPaths.bytes(of: sample.path)
        let once = Anonymizer().bytes(bytes.span)
        #expect(once.count == bytes.count)
        #expect(Anonymizer().bytes(once.span) == once)
    }
}
