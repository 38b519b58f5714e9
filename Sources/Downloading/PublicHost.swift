internal import LibC

/// Checks the host of a URL to which strangers may cause requests: it must be an address in the URL itself, or
/// a name whose addresses are all public.
///
/// A name may have any address, and another one a moment later: `http://debug.example` may be `127.0.0.1`,
/// where this machine's own services listen, or `169.254.169.254`, where a cloud keeps its keys.
struct PublicHost {
    private(set) var name = ""
    /// Address of the name; `nil` where the URL has the address itself.
    private(set) var address: String?
    /// Why no connection to it is made; `nil` if one may be made.
    private(set) var refusal: String?

    /// - Parameter resolve: the addresses of a name, as text.
    init(url: String, resolve: (String) -> [String] = PublicHost.addresses) {
        guard let name = Self.name(in: url) else { return }
        self.name = name
        let found = resolve(name)
        guard let first = found.first else {
            refusal = "no such host: \(name)"
            return
        }
        if let other = found.first(where: { !Self.isPublic($0) }) {
            refusal = "\(name) leads to \(other), a private address: to use it, give the address in the URL"
        } else {
            address = first
        }
    }

    /// Checks the host of a URL to which a server leads: there an address in the URL itself must be public too.
    init(redirect url: String, resolve: (String) -> [String] = PublicHost.addresses) {
        self.init(url: url, resolve: resolve)
        guard name.isEmpty else { return }
        let authority = Self.authority(in: url)
        let text = authority.first == "[" ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        if !Self.isPublic(String(text)) { refusal = "\(text) is a private address" }
    }

    /// Host and port in a URL, in lower case.
    static func authority(in url: String) -> Substring {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()[...]
        return authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    }

    /// The name in a URL, in lower case; `nil` where it has an address.
    static func name(in url: String) -> String? {
        let authority = authority(in: url)
        // `[::1]:8080`
        guard !authority.isEmpty, authority.first != "[" else { return nil }
        let name = String(authority.prefix { $0 != ":" })
        return bytes(of: name) == nil ? name : nil
    }

    /// `getaddrinfo(3)`
    static func addresses(of name: String) -> [String] {
        var hints = unsafe addrinfo()
        #if canImport(Darwin)
            unsafe hints.ai_socktype = SOCK_STREAM
        #else
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var next = unsafe list
        while let entry = unsafe next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if unsafe getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                == 0
            {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    /// Whether an address is outside the ranges for private, local, shared, test and group use (RFC 6890). IPv6
    /// addresses that carry an IPv4 address are treated as that one.
    static func isPublic(_ text: String) -> Bool {
        // `fe80::1%eth0`
        guard let bytes = bytes(of: String(text.prefix { $0 != "%" })) else { return false }
        guard bytes.count == 16 else { return isPublic(bytes) }
        func starts(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
        let zeros = [UInt8](repeating: 0, count: 12)
        // Mapped, compatible (`::1` among them), NAT64, 6to4 and Teredo (whose client is inverted).
        if starts(Array(zeros.prefix(10)) + [0xFF, 0xFF]) || starts(zeros) || starts([0, 0x64, 0xFF, 0x9B]) {
            return isPublic(Array(bytes[12...]))
        }
        if starts([0x20, 0x02]) { return isPublic(Array(bytes[2..<6])) }
        if starts([0x20, 0x01, 0, 0]) { return isPublic(bytes[12...].map { ~$0 }) }
        // 2000::/3 is routed on the Internet, except documentation addresses.
        return bytes[0] & 0xE0 == 0x20 && !starts([0x20, 0x01, 0x0D, 0xB8])
    }

    /// The 4 or 16 bytes of an address (`inet_pton(3)`); `nil` if the text is not an address.
    private static func bytes(of text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// - Parameter bytes: bytes of an IPv4 address.
    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (192, 0, 0),
            (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113), (224..., _, _):
            false
        default: true
        }
    }
}
