import BinaryPrimitives
import SymbolFiles
import Testing

struct RequestedFileTests {
    private let id = ImageID(bytes: [0xab, 0xcd, 0xef, 0x01])

    @Test func `a request is a line`() throws {
        let file = RequestedFile(.debuginfo, try #require(id))
        #expect(file.line == "debuginfo id=abcdef01")
        #expect(RequestedFile(line: "debuginfo id=ABCDEF01") == file)
        for wrong in [
            "", "debuginfo", "source id=abcdef01", "debuginfo id=xyz", "debuginfo id=abcdef01 more", "debuginfo name=a", "debuginfo id=00",
            "debuginfo id=abcdef01 name=%4", "debuginfo id=abcdef01 server=ftp://x",
        ] {
            #expect(RequestedFile(line: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `names, servers and secrets come through a line`() throws {
        var request = ImageRequest(name: "a b=c\n%.dll", id: id)
        (request.debugFile, request.debugIdentifier, request.codeIdentifier) = (
            "tide.pdb", "F4F8DFCD5A5FB5A7CE64717E9E6AE3891", "4BA9B29C180000"
        )
        var bucket = SymbolServer(url: "s3://bucket/a b", layouts: [.unified, .breakpad])
        bucket.keys = SymbolServer.Keys(id: "key/+", secret: "se@cr:et", token: "to&ken")
        (bucket.region, bucket.endpoint) = ("eu-central-1", "http://127.0.0.1:9000")
        var server = SymbolServer(url: "https://symbols.example/sub", layouts: [.native])
        server.headers = ["Authorization: Bearer a b", "X-Other: #&"]
        let escaped = SymbolServer(url: "s3://bucket/ab", layouts: bucket.layouts)
        for kind in [RequestedFile.Kind.debuginfo, .executable, .source("/src/a b.c")] {
            for servers in [nil, [], [server], [server, escaped]] {
                let file = RequestedFile(kind, RequestedImage(request), servers: servers)
                #expect(!file.line.contains("\n"))
                #expect(RequestedFile(line: file.line) == file, "\(file.line)")
            }
        }
        var read = try SymbolServer(
            "unified,breakpad+s3://key%2F%2B:se%40cr%3Aet@bucket/ab?region=eu-central-1&endpoint=http://127.0.0.1:9000&token=to%26ken")
        #expect(read.keys == bucket.keys && read.region == bucket.region && read.endpoint == bucket.endpoint)
        #expect(try SymbolServer(read.text) == read)
        read.keys = nil
        (read.region, read.endpoint) = (nil, nil)
        #expect(read == escaped)
    }

    @Test func `a reply is a line, whatever the server says`() {
        let outcomes: [DownloadResult.Outcome] = [
            .found(path: "/home/a user/cache/abcdef01/executable", source: "http://127.0.0.1:8002"), .missing("nobody has it"),
            .failed("HTTP 500"),
        ]
        for outcome in outcomes { #expect(DownloadResult.Outcome(line: outcome.line) == outcome) }
        #expect(DownloadResult.Outcome.failed("two\nlines\u{1B}[0m").line == "failed two lines [0m")
        for wrong in ["", "found", "found http://x", "x y"] { #expect(DownloadResult.Outcome(line: wrong) == nil, "\(wrong)") }
    }

    @Test func `servers are URLs`() {
        #expect(
            DebuginfodServerList.servers(in: " https://a.example http://b.example/x  ima:enforcing file:///srv\n")
                == ["https://a.example", "http://b.example/x", "file:///srv"])
        #expect(!DebuginfodServerList.isURL("crash.log"))
        #expect(!DebuginfodServerList.isURL("http://"))
        #expect(!DebuginfodServerList.isURL("http://a b"))
    }
}
