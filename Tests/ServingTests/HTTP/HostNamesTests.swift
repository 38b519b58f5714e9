import Serving
import Testing

/// Host names that a server accepts, as a protection against DNS rebinding.
struct HostNamesTests {
    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a server for this machine alone hears its names, and those that are given`(address: String) {
        let names = HostNames(listeningAt: address, given: ["Symbols.example.com"])
        for host in [
            "localhost", "localhost:8080", "LOCALHOST:8080", "localhost.", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3", "[::1]",
            "[::1]:8080",
            "symbols.example.com", "symbols.example.com:443", nil,
        ] {
            #expect(names.contains(host), "\(host ?? "no Host")")
        }
        for host in [
            "attacker.example", "attacker.example:8080", "localhost.attacker.example", "127.0.0.1.attacker.example", "127.0.0.256",
            "10.0.0.1", "",
        ] {
            #expect(!names.contains(host), "\(host)")
        }
    }

    @Test func `a server for others hears any name, unless some are given`() {
        #expect(HostNames(listeningAt: "0.0.0.0", given: []).contains("symbols"))
        let names = HostNames(listeningAt: "0.0.0.0", given: ["symbols"])
        #expect(names.contains("symbols:8080") && names.contains("localhost") && !names.contains("attacker.example"))
    }

    private func share(from origin: String?, host: String = "localhost:8080", given: [String] = []) -> Int {
        let service = Service.over(fixture: "binaries/CrashExample/out") {
            $0.hostNames = HostNames(listeningAt: "127.0.0.1", given: given)
            $0.origins = ["https://profiler.example"]
        }
        let headers = [("Host", host), ("Content-Type", "application/x-www-form-urlencoded")] + (origin.map { [("Origin", $0)] } ?? [])
        return service.post("/", "log=%230%20main", headers: headers).status
    }

    @Test func `what leaves something behind is done for pages of the server alone`() {
        #expect(share(from: nil) != 403 && share(from: "http://localhost:8080") != 403 && share(from: "HTTP://LOCALHOST:8080") != 403)
        for origin in ["http://localhost:9090", "http://attacker.example", "https://profiler.example", "null", "", "file://"] {
            #expect(share(from: origin) == 403, "\(origin)")
        }
        // Behind a proxy that changes `Host`.
        #expect(share(from: "https://symbols.example.com", given: ["symbols.example.com"]) != 403)
    }

    @Test func `an upload is refused before its token helps`() {
        let service = Service.over(fixture: "binaries/CrashExample/out")
        let request = Request(
            "PUT", "/v1/symbols", headers: [("Host", "localhost"), ("Origin", "http://attacker.example")], body: [1, 2, 3])
        #expect(service.respond(to: request).status == 403)
    }
}
