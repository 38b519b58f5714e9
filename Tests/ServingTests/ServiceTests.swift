import BinaryPrimitives
import CrashLogModel
import Serving
import Symbolication
import TestSupport
import Testing

/// Paths, methods, and what browsers ask before they send.
struct ServiceTests {
    /// Measured of Eliot: 200, and these four headers.
    @Test(arguments: ["/symbolicate/v5", "/symbolicate/v4"])
    func `a browser may send requests of every page`(path: String) {
        let headers = [(name: "Origin", value: "https://example.org"), ("Access-Control-Request-Method", "POST")]
        let response = Service.over([]).respond(to: Request("OPTIONS", path, headers: headers))
        #expect(response.status == 200 && response.bytes.isEmpty)
        #expect(response.header("access-control-allow-origin") == "*")
        #expect(response.header("access-control-allow-methods") == "POST")
        #expect(response.header("access-control-allow-headers") == "*")
        #expect(response.header("access-control-max-age") == "86400")
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "", "post"])
    func `another method is refused with the right ones`(method: String) {
        let response = Service.over([]).respond(to: Request(method, "/symbolicate/v5"))
        #expect(response.status == 405)
        #expect(response.header("Allow") == "POST")
        #expect(response.header("Access-Control-Allow-Origin") == "*")
        if method != "HEAD" { #expect(response.title == "405 Method Not Allowed") }
    }

    @Test(arguments: [
        "", "*", "/symbolicate/", "/symbolicate/v5/", "/symbolicate/v6", "//symbolicate/v5", "/buildid", "/%2e%2e/", "x",
    ])
    func `another path is not found`(path: String) {
        for method in ["GET", "POST", "OPTIONS"] {
            let response = Service.over([]).respond(to: Request(method, path))
            #expect(response.status == 404)
            #expect(response.title == "404 Not Found" && response.json?["error"]?.string == "404 Not Found")
            #expect(response.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test func `a query is no part of the path`() {
        #expect(Service.over([]).post("/symbolicate/v5?a=/b?c", #"{"jobs":[]}"#).status == 200)
        #expect(Request("GET", "/a?b=/c?d").query == "b=/c?d")
    }

    @Test(arguments: ["/__heartbeat__", "/readyz", "/__lbheartbeat__", "/healthz"])
    func `a service that is about to stop is alive and not ready`(path: String) {
        let stopping = Service(Symbolicator(provider: NoSymbols()), isReady: { false })
        let isAboutReadiness = ["/__heartbeat__", "/readyz"].contains(path)
        #expect(Service.over([]).get(path).status == 200)
        #expect(stopping.get(path).status == (isAboutReadiness ? 503 : 200))
        #expect(stopping.get(path).header("Content-Type") == "application/json")
    }

    /// Symbolicator's tests wait for it.
    @Test func `a health check says ok`() { #expect(Service.over([]).get("/healthcheck").text == "ok") }

    @Test func `the version is the program's`() {
        #expect(Service.over([]) { $0.version = "1.2.3" }.get("/__version__").json?["version"]?.string == "1.2.3")
    }

    /// Names in requests are strangers': each opened the file once more, until no descriptor was
    /// left.
    @Test func `a file that is requested by many names is open once`() throws {
        let service = Service.over(fixture: "binaries/CXX/out/cxx-gcc-dwarf5-O2")
        func descriptors() throws -> Int {
            #if os(Linux)
                try Directory.names(in: "/proc/self/fd").count
            #else
                try Directory.names(in: "/dev/fd").count
            #endif
        }
        func request(_ numbers: Range<Int>) -> String {
            let modules = numbers.map { "[\"a\($0)\",\"DC968DABDEC97A62CE64EA0173E42ADB0\"]" }.joined(separator: ",")
            let frames = numbers.indices.map { "[\($0 - numbers.lowerBound),4352]" }.joined(separator: ",")
            return "{\"memoryMap\":[\(modules)],\"stacks\":[[\(frames)]]}"
        }
        #expect(service.post("/symbolicate/v5", request(0..<1)).text.contains("_GLOBAL__sub_I_main"))
        let before = try descriptors()
        let response = service.post("/symbolicate/v5", request(1..<1001))
        #expect(response.json?["results"]?.elements.first?["stacks"]?.elements.first?.elements.allSatisfy { $0["function"] != nil } == true)
        // Other tests run at the same time.
        #expect(try descriptors() < before + 100)
    }
}
