package import SymbolFiles

/// The servers that requests may name, by the beginnings of their URLs: the operator's list, without which none is asked. Whoever could
/// name any server could make this one ask services of its own network.
package struct AllowedSources: Sendable {
    private let beginnings: [String]

    /// - Parameter servers: those that are allowed, with all paths below theirs.
    package init(_ servers: [SymbolServer] = []) { beginnings = servers.map(Self.normalized) }

    var isEmpty: Bool { beginnings.isEmpty }

    /// Whether a server of a request is one of them: the same scheme, host and port, and a path at or below theirs.
    func allows(_ server: SymbolServer) -> Bool {
        let url = Self.normalized(server)
        guard server.name == server.url, let path = url.firstRange(of: "://")?.upperBound, !url[path...].contains("/../"),
            !url.hasSuffix("/.."), !url.contains("%"), !url.contains("\\"), !url.contains("?")
        else { return false }
        return beginnings.contains { url == $0 || url.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
    }

    /// Scheme and host in lower case; paths are as they are. A bucket on another server than Amazon's is a path there.
    private static func normalized(_ server: SymbolServer) -> String {
        var url = server.url
        if var endpoint = server.endpoint?[...], url.hasPrefix("s3://") {
            while endpoint.last == "/" { endpoint.removeLast() }
            url = endpoint + "/" + url.dropFirst("s3://".utf8.count)
        }
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let host = url[start...].prefix { $0 != "/" }
        return url[..<start].lowercased() + host.lowercased() + url[host.endIndex...]
    }
}
