import Foundation
import TestSupport
import Testing

/// Archives whose members' names lead elsewhere, or would be obeyed by a terminal: they are names
/// of members, and nothing is ever written to them.
struct OddArchiveTests {
    private static let log = "logs/apple-ips/CrashExample-exception/exception.ips"
    private static let symbols = "binaries/CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample"

    /// Each member is the file that is meant, so that whoever took a name for a path would write it
    /// there.
    private static let script = #"""
        import sys, io, tarfile, zipfile
        data = open(sys.argv[1], "rb").read()
        names = ["../../../outside/CrashExample", "/tmp/cairn-outside/CrashExample", "a/../../outside/CrashExample", "..\\..\\outside\\CrashExample",
                 "line\nfeed/CrashExample", "\x1b[31mred\x07/CrashExample", "a\x00b/CrashExample", "\u202egnp.CrashExample", ".", "..", "/", ""]
        with zipfile.ZipFile("a.zip", "w") as archive:
            for name in names:
                member = zipfile.ZipInfo("x")
                member.filename = name
                archive.writestr(member, data)
        with tarfile.open("a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
            for name in names:
                if not name or "\0" in name: continue
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
            # A link that leads out of the archive, and a member behind it.
            link = tarfile.TarInfo("link"); link.type = tarfile.SYMTYPE; link.linkname = "../outside"
            archive.addfile(link)
            member = tarfile.TarInfo("link/CrashExample"); member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        """#

    @Test(arguments: ["a.zip", "a.tar"])
    func `names that lead elsewhere are names`(archive: String) throws {
        try withTemporaryFolder { folder in
            let inner = folder + "/1/2/3"
            try run(
                "sh",
                [
                    "-c", "mkdir -p \"$1\" && cd \"$1\" && python3 -c \"$2\" \"$3\"", "sh", inner, Self.script,
                    TestPaths.fixture(Self.symbols),
                ]
            ).requireSuccess()
            let path = inner + "/" + archive
            let before = TestPaths.files(under: folder)
            let answered = try cairn(Self.log, "--symbols", path)
            #expect(answered.status == 0)
            #expect(answered.output == (try cairn(Self.log, "--symbols", Self.symbols).output))
            for arguments in [["explain", Self.log, "--symbols", path], ["inspect", path], ["symbols", "list", path]] {
                let result = try cairn(arguments)
                #expect([0, 1].contains(result.status))
                #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("cairn: ") }, "\(result.errors)")
            }
            let store = folder + "/store"
            let kept = try cairn("symbols", "add", path, "--to", store)
            #expect([0, 1].contains(kept.status))
            #expect(!TestPaths.files(under: store).isEmpty)
            #expect(TestPaths.files(under: folder).filter { !$0.hasPrefix(store + "/") } == before)
            #expect(!TestPaths.isReadable("/tmp/cairn-outside"))
            #expect(TestPaths.files(under: store).allSatisfy { !$0.contains("outside") && !$0.contains("\u{1b}") && !$0.contains("\n") })
        }
    }
}
