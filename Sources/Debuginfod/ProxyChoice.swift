internal import AsyncHTTPClient

/// The proxy through which a URL is reached, by the variables that curl knows: `http_proxy`,
/// `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`, `no_proxy`, `NO_PROXY`.
///
/// `HTTP_PROXY` in capitals is not one of them: a web server sets it for its programs from a header
/// that anybody may send (https://httpoxy.org).
struct ProxyChoice {
    let proxy: HTTPClient.Configuration.Proxy

    /// - Returns: `nil` if the URL is reached directly.
    init?(for url: String, environment: (String) -> String?) {
        guard let target = Place(url) else { return nil }
        func first(_ names: String...) -> String? { names.compactMap(environment).first { !$0.isEmpty } }
        let excluded = first("no_proxy", "NO_PROXY") ?? ""
        guard !Self.matches(target.host, excluded) else { return nil }
        let own = target.scheme == "https" ? first("https_proxy", "HTTPS_PROXY") : first("http_proxy")
        guard let text = own ?? first("all_proxy", "ALL_PROXY"), let place = Place(text.contains("://") ? text : "http://" + text)
        else {
            return nil
        }
        switch place.scheme {
        case "http":
            proxy = .server(host: place.host, port: place.port ?? 1080, authorization: place.authorization)
        case "socks5", "socks5h", "socks": proxy = .socksServer(host: place.host, port: place.port ?? 1080)
        default: return nil
        }
    }

    /// Names and endings of names, divided by commas or blanks; `*` is every host.
    private static func matches(_ host: String, _ list: String) -> Bool {
        list.split { $0 == "," || $0 == " " }.contains { entry in
            var name = entry.lowercased()
            if name == "*" { return true }
            if name.hasPrefix(".") { name.removeFirst() }
            return host == name || host.hasSuffix("." + name)
        }
    }

    /// `scheme://user:password@host:port/path`
    private struct Place {
        var scheme: String
        var user: String?
        var host: String
        var port: Int?

        var authorization: HTTPClient.Authorization? {
            guard let user else { return nil }
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return .basic(username: parts[0], password: parts.count > 1 ? parts[1] : "")
        }

        init?(_ url: String) {
            guard let colon = url.firstRange(of: "://") else { return nil }
            scheme = url[..<colon.lowerBound].lowercased()
            var authority = url[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = authority.lastIndex(of: "@") {
                user = String(authority[..<at])
                authority = authority[authority.index(after: at)...]
            }
            if authority.first == "[", let end = authority.firstIndex(of: "]") {
                host = String(authority[authority.index(after: authority.startIndex)..<end])
                port = Int(authority[end...].dropFirst(2))
            } else {
                let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                host = parts.first.map { $0.lowercased() } ?? ""
                port = parts.count > 1 ? Int(parts[1]) : nil
            }
            guard !host.isEmpty else { return nil }
        }
    }
}
