import SymbolFiles
import Testing

struct SymbolServerTests {
    @Test func `a server is a URL, perhaps with its layouts in front`() throws {
        let plain = try SymbolServer("https://symbols.example.com/")
        #expect(plain.url == "https://symbols.example.com" && plain.layouts == ServerLayout.allCases)
        let bucket = try SymbolServer("unified,breakpad+s3://bucket/prefix/?region=eu-central-1&endpoint=http://minio:9000")
        #expect(bucket.url == "s3://bucket/prefix" && bucket.layouts == [.unified, .breakpad])
        #expect(bucket.region == "eu-central-1" && bucket.endpoint == "http://minio:9000" && bucket.keys == nil)
        #expect(try SymbolServer("file:///mnt/a+b", standard: [.debuginfod]).layouts == [.debuginfod])
    }

    @Test(arguments: [
        ("ftp://example.org", "expected http://…, https://…, s3://BUCKET or file:///…"), ("http://", "expected http://…"),
        ("http:///x", "expected http://…"), ("file://host/x", "expected http://…"), ("debuginfod.example.org", "expected http://…"),
        ("unifed+https://a", "no such layout: unifed. Layouts are unified, breakpad, symsrv, native, debuginfod"),
        ("s3://", "expected the name of a bucket"), ("s3://a:b/x", "expected the name of a bucket"),
        ("s3://b?region=x.example.org/", "expected region=NAME or endpoint=URL after the ?"),
        ("s3://b?endpoint=file:///", "expected region=NAME or endpoint=URL after the ?"),
        ("s3://key@b", "expected KEY:SECRET before the @"),
        ("http://a#b", "expected headers after the #"), ("http://a b", "expected http://…"),
    ])
    func `what is no server is told so`(text: String, expected: String) {
        #expect(performing: { try SymbolServer(text) }, throws: { "\($0)".hasPrefix(text) && "\($0)".contains(expected) })
    }

    @Test func `secrets are in no message`() throws {
        for text in ["https://user:secret@host/x", "s3://key:secret@host/x", "https://host/x#Authorization:%20secret"] {
            let server = try SymbolServer(text)
            #expect(server.isPrivate && !server.name.contains("secret"), "\(server.name)")
            #expect(server.name.hasSuffix("://host/x"))
        }
        #expect(try !SymbolServer("s3://bucket?region=eu-west-1").isPrivate)
    }

    @Test func `a path of this machine is no server`() {
        for text in ["/srv/symbols", "C:/symbols", "symbols.zip!/a", "a b://c"] { #expect(!SymbolServer.isURL(text), "\(text)") }
        for text in ["https://a", "s3://a", "unified+s3://a", "ftp://a"] { #expect(SymbolServer.isURL(text), "\(text)") }
    }
}
