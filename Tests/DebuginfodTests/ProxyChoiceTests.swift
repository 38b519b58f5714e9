import Testing

@testable import Debuginfod

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
