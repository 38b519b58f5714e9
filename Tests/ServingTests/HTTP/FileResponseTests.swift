import BinaryPrimitives
import Serving
import TestSupport
import Testing

/// Ranges and dates of files (RFC 9110, sections 5.6.7, 13 and 14).
struct FileResponseTests {
    /// A file of a hundred bytes, 0 to 99, last changed when RFC 9110's example says.
    private static func get(_ headers: [(name: String, value: String)], method: String = "GET") throws -> Response {
        try withTemporaryFolder { folder in
            // The debug information of the build names it.
            try makeFolders(folder + "/src")
            try writeFile(folder + "/src/main.cpp", Array(0..<100))
            _ = try run("touch", ["-d", "1994-11-06 08:49:37 UTC", folder + "/src/main.cpp"])
            let service = Service.over(fixture: "binaries/CXX/out") { $0.sourceRoots = SourceRoots([folder]) }
            return service.respond(
                to: Request(method, "/buildid/ab8d96dcc9de627ace64ea0173e42adb457cb353/source/src/main.cpp", headers: headers))
        }
    }

    @Test(arguments: [
        ("bytes=0-9", 0..<10), ("bytes=90-", 90..<100), ("bytes=-10", 90..<100), ("bytes=-1000", 0..<100), ("bytes=99-99", 99..<100),
        ("bytes=50-1000", 50..<100), ("bytes=0-99999999999999999999", 0..<100),
    ])
    func `one range of bytes is sent alone`(range: String, expected: Range<Int>) throws {
        let response = try Self.get([("Range", range)])
        #expect(response.status == 206)
        #expect(response.bytes == expected.map { UInt8($0) })
        #expect(response.header("Content-Range") == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/100")
        #expect(response.header("Content-Length") == "\(expected.count)")
        #expect(response.header("X-DEBUGINFOD-SIZE") == "100")
    }

    @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
    func `a range that the file does not have is refused`(range: String) throws {
        let response = try Self.get([("Range", range)])
        #expect(response.status == 416)
        #expect(response.bytes.isEmpty)
        #expect(response.header("Content-Range") == "bytes */100")
    }

    @Test(arguments: [
        "bytes=0-1,5-6", "bytes=9-1", "bytes=-", "bytes=", "bytes=a-b", "bytes=+1-2", "bytes=1", "bytes=1-2-3", "lines=0-1", "",
    ])
    func `several ranges and malformed ones are left aside`(range: String) throws {
        let response = try Self.get([("Range", range)])
        #expect(response.status == 200 && response.bytes.count == 100)
        #expect(response.header("Accept-Ranges") == "bytes")
    }

    @Test func `the rest of another version is the whole file`() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try Self.get([]).header("Last-Modified") == date)
        #expect(try Self.get([("Range", "bytes=0-9"), ("If-Range", date)]).status == 206)
        #expect(try Self.get([("Range", "bytes=0-9"), ("If-Range", "Sun, 06 Nov 1994 08:49:38 GMT")]).status == 200)
        #expect(try Self.get([("Range", "bytes=0-9"), ("If-Range", "\"tag\"")]).status == 200)
    }
}
