/// The proxy through which URLs are reached, by the variables that curl reads (curl(1),
/// "ENVIRONMENT"): `http_proxy`, `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`, `no_proxy`,
/// `NO_PROXY`.
///
/// `HTTP_PROXY` in capitals is not one of them: a web server sets it for its programs from a header
/// that anybody may send (https://httpoxy.org).
struct ProxyChoice: Sendable, Hashable {
    /// `CURLOPT_PROXY`; empty for none.
    private(set) var url = ""
    /// `CURLOPT_NOPROXY`: hosts that are reached without it.
    private(set) var exceptions = ""

    init() {}

    init(for url: String, environment: (String) -> String?) {
        func first(_ names: [String]) -> String { names.compactMap(environment).first { !$0.isEmpty } ?? "" }
        let own = url.hasPrefix("https:") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        self.url = first(own + ["all_proxy", "ALL_PROXY"])
        exceptions = first(["no_proxy", "NO_PROXY"])
    }

    /// The choice for one host, whose exceptions are applied: libcurl decides no more.
    func applied(to host: String) -> ProxyChoice {
        var choice = self
        choice.exceptions = ""
        if excludes(host) { choice.url = "" }
        return choice
    }

    /// Names and endings of names, divided by commas or blanks; `*` is every host.
    private func excludes(_ host: String) -> Bool {
        func trimmed(_ name: Substring) -> Substring { name.hasSuffix(".") ? name.dropLast() : name }
        let host = trimmed(host.lowercased()[...])
        return exceptions.split { $0 == "," || $0 == " " }.contains { entry in
            var name = trimmed(entry.lowercased()[...])
            if name == "*" { return true }
            if name.hasPrefix(".") { name.removeFirst() }
            return host == name || host.hasSuffix("." + name)
        }
    }
}
