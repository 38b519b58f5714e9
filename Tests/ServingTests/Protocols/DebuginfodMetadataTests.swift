import CrashLogModel
import Serving
import TestSupport
import Testing

/// debuginfod(8), "WEBAPI", `/metadata`: build IDs by the names of files.
struct DebuginfodMetadataTests {
    /// `eu-readelf -n` says this build ID.
    private let id = "ab8d96dcc9de627ace64ea0173e42adb457cb353"

    private func withFolder(_ body: (Service, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/usr/bin", folder + "/usr/lib/debug/usr/bin", folder + "/packages", folder + "/unpacked/usr/bin")
            let binaries = TestPaths.fixture("binaries/Stripped/out/")
            try run("cp", [binaries + "shapes-linked", folder + "/usr/bin/shapes"]).requireSuccess()
            try run("cp", [binaries + "shapes-linked.debug", folder + "/usr/lib/debug/usr/bin/shapes.debug"]).requireSuccess()
            try run(
                "sh",
                ["-c", "cp \(binaries)shapes-linked unpacked/usr/bin/packed; tar -C unpacked -cf packages/a.tar usr; rm -r unpacked"],
                directory: folder
            )
            .requireSuccess()
            try body(Service.over([folder]), folder)
        }
    }

    private func rows(_ response: Response) throws -> [String] {
        let results = try #require(response.json?["results"]?.elements)
        return results.map { row in
            ["type", "buildid", "file", "archive"].map { row[$0]?.string ?? "-" }.joined(separator: " ")
        }.sorted()
    }

    @Test func `a file is found by its path, which says nothing of the folder's own place`() throws {
        try withFolder { service, folder in
            let response = service.get("/metadata?key=file&value=/usr/bin/shapes")
            #expect(response.status == 200)
            let (found, absent) = (try rows(response), try rows(service.get("/metadata?key=file&value=/usr/bin/nothing")))
            #expect(found == ["executable \(id) /usr/bin/shapes -"])
            #expect(response.json?["complete"]?.isTrue == true)
            #expect(!response.text.contains(folder))
            #expect(absent == [])
        }
    }

    @Test func `a pattern's star means slashes too, and archives are looked into`() throws {
        try withFolder { service, _ in
            let all = try rows(service.get("/metadata?key=glob&value=/usr/*"))
            let some = try rows(service.get("/metadata?key=glob&value=/usr/bin/%5Bs%5D*"))
            #expect(
                all == [
                    "debuginfo \(id) /usr/lib/debug/usr/bin/shapes.debug -", "executable \(id) /usr/bin/packed /packages/a.tar",
                    "executable \(id) /usr/bin/shapes -",
                ])
            #expect(some == ["executable \(id) /usr/bin/shapes -"])
        }
    }

    @Test(arguments: [
        "", "?key=file", "?value=/usr", "?key=other&value=/usr", "?key=glob&value=", "?key=glob&value=*********",
        "?key=file&value=" + String(repeating: "x", count: 1001),
    ])
    func `what is no question is refused`(query: String) throws {
        try withFolder { service, _ in #expect(service.get("/metadata" + query).status == 400) }
    }
}
