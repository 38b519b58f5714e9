import Testing

@testable import Downloading

/// Hosts to which a service connects when a stranger's request causes it: RFC 6890's registries, and the IPv6
/// addresses that carry one of IPv4 (RFC 4291, 6052, 3056, 4380).
@Suite struct PublicHostTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.8.9.10", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fd12::1",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::169.254.169.254", "2002:7f00:0001::", "2002:a00:1::1",
        // Teredo: the client's address inverted, 127.0.0.1 is 80ff:fffe.
        "2001:0:1:2:3:4:80ff:fffe", "2001:db8::1", "no address",
    ])
    func `private addresses`(address: String) { #expect(!PublicHost.isPublic(address)) }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1", "198.20.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
    ])
    func `public addresses`(address: String) { #expect(PublicHost.isPublic(address)) }

    @Test func `a name is refused if one of its addresses is private, and else connected to by address`() {
        #expect(PublicHost(url: "http://debug.example:8002/a") { _ in ["8.8.8.8", "127.0.0.1"] }.refusal?.contains("127.0.0.1") == true)
        let host = PublicHost(url: "https://user:word@Debug.Example/") { name in
            #expect(name == "debug.example")
            return ["8.8.8.8"]
        }
        #expect(host.refusal == nil && host.name == "debug.example" && host.address == "8.8.8.8")
        #expect(PublicHost(url: "http://none.example/") { _ in [] }.refusal == "no such host: none.example")
    }

    @Test(arguments: ["http://127.0.0.1:8002", "http://10.0.0.5/", "http://[::1]:8002", "http://[fd00::1]/"])
    func `an address that the operator wrote is connected to`(url: String) {
        let host = PublicHost(url: url) { _ in
            Issue.record("no name")
            return []
        }
        #expect(host.refusal == nil && host.address == nil)
    }

    @Test func `this machine's own name is private`() {
        #expect(PublicHost(url: "http://localhost:8002").refusal?.contains("a private address") == true)
    }
}

/// The variables of curl(1), "ENVIRONMENT".
struct ProxyChoiceTests {
    private func proxy(_ url: String, _ variables: [String: String]) -> String { ProxyChoice(for: url) { variables[$0] }.url }

    @Test func `each scheme has its variable, and all have one`() {
        let variables = ["http_proxy": "a", "https_proxy": "b", "HTTPS_PROXY": "c", "all_proxy": "d", "ALL_PROXY": "e"]
        #expect(proxy("http://host", variables) == "a")
        #expect(proxy("https://host", variables) == "b")
        #expect(proxy("https://host", variables.filter { $0.key != "https_proxy" }) == "c")
        #expect(proxy("http://host", variables.filter { $0.key != "http_proxy" }) == "d")
        #expect(proxy("http://host", ["ALL_PROXY": "e", "all_proxy": ""]) == "e")
        // https://httpoxy.org
        #expect(proxy("http://host", ["HTTP_PROXY": "a"]) == "")
    }

    /// "This should be a comma-separated list of hostnames … or `*`"; a name matches its
    /// subdomains, with and without a leading dot.
    @Test(arguments: [
        ("example.org", true), ("sub.example.org", true), ("EXAMPLE.ORG.", true), ("myexample.org", false), ("local", true),
        ("example.com", false),
    ])
    func `hosts that no_proxy names have none`(host: String, isDirect: Bool) {
        let choice = ProxyChoice(for: "http://host") { ["http_proxy": "a", "no_proxy": ".example.org, local"][$0] }
        #expect(choice.exceptions == ".example.org, local")
        let applied = choice.applied(to: host)
        #expect(applied.url == (isDirect ? "" : "a") && applied.exceptions == "")
        let all = ProxyChoice(for: "http://host") { ["http_proxy": "a", "NO_PROXY": "*"][$0] }
        #expect(all.applied(to: host).url == "")
    }
}
