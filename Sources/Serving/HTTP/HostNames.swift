/// The names by which clients may call a server (`Host`; RFC 9110, section 7.2).
///
/// Whoever has a domain can let it mean 127.0.0.1, so that a page of theirs reads, in the browser of somebody who visits it, what a server on that machine says
/// (DNS rebinding). The browser then sends the domain's name.
package struct HostNames: Sendable {
    /// In lower case; `nil`: any.
    private let names: Set<String>?

    /// Any name: for a server that nobody reaches by a browser alone.
    package static let any = HostNames(names: nil)

    private init(names: Set<String>?) { self.names = names }

    /// - Parameters:
    ///   - address: that the server listens at.
    ///   - given: by its operator.
    package init(listeningAt address: String, given: [String]) {
        let isOpen = !Self.isLoopback(address) && given.isEmpty
        self.init(names: isOpen ? nil : Set(given.map { Self.name(in: $0) }))
    }

    /// Whether a request is for this server.
    /// - Parameter host: the header: a name or an address, with or without a port; `nil` where there is none, which no browser sends.
    package func contains(_ host: String?) -> Bool {
        guard names != nil, let host else { return true }
        return wasGiven(host) || Self.isLoopback(Self.name(in: host))
    }

    /// Whether the operator has given a name.
    func wasGiven(_ host: String) -> Bool { names?.contains(Self.name(in: host)) ?? false }

    private static func isLoopback(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return name == "localhost" || name == "::1" || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Without the port, the brackets of an address of IPv6, and the point that may end a name.
    private static func name(in host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") { return String(name[..<end].dropFirst()) }
        if let colon = name.lastIndex(of: ":"), name[..<colon].allSatisfy({ $0 != ":" }) { name = name[..<colon] }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}
