/// Host names that a server accepts in requests (`Host`; RFC 9110, section 7.2).
///
/// Prevents DNS rebinding: the owner of a domain can make it resolve to 127.0.0.1, so that a page from that domain can read the responses of a server on
/// the visitor's machine. The browser sends the domain as `Host`.
package struct HostNames: Sendable {
    /// Accepted names in lower case; `nil`: any.
    private let names: Set<String>?

    /// Accepts every name.
    package static let any = HostNames(names: nil)

    private init(names: Set<String>?) { self.names = names }

    /// - Parameters:
    ///   - address: the address that the server listens on.
    ///   - given: the names from `--host-name`.
    package init(listeningAt address: String, given: [String]) {
        let isOpen = !Self.isLoopback(address) && given.isEmpty
        self.init(names: isOpen ? nil : Set(given.map { Self.name(in: $0) }))
    }

    /// Whether a request with this `Host` is accepted.
    /// - Parameter host: a name or an address, with or without a port; `nil` (HTTP/1.0) is accepted, because every browser sends the header.
    package func contains(_ host: String?) -> Bool {
        guard names != nil, let host else { return true }
        return wasGiven(host) || Self.isLoopback(Self.name(in: host))
    }

    /// Whether a name is one of `--host-name`.
    func wasGiven(_ host: String) -> Bool { names?.contains(Self.name(in: host)) ?? false }

    private static func isLoopback(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return name == "localhost" || name == "::1" || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Removes the port, the brackets of an IPv6 address, and a final point.
    private static func name(in host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") { return String(name[..<end].dropFirst()) }
        if let colon = name.lastIndex(of: ":"), name[..<colon].allSatisfy({ $0 != ":" }) { name = name[..<colon] }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}
