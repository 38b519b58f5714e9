internal import BinaryPrimitives

/// A server or a bucket from which symbol files are downloaded, as users name it:
///
///     https://symbols.example.com                 a web server, searched in each layout
///     breakpad+https://symbols.mozilla.org        in Breakpad's layout alone
///     unified,breakpad+s3://bucket/prefix         a bucket of Amazon S3
///     s3://bucket?endpoint=http://minio:9000&region=eu-central-1
///     file:///mnt/debuginfod                      a folder
///
/// The text of a server is also how `cairn` names it to `cairn-tools fetch`; a server that a request to `cairn serve` names may have
/// secrets, `s3://KEY:SECRET@bucket` and `https://host#Authorization: …`.
package struct SymbolServer: Sendable, Hashable {
    /// `http://…`, `https://…`, `s3://bucket/prefix` or `file:///…`, without secrets, and without a slash at the end.
    package let url: String
    /// Layouts in which files are searched for, in their order.
    package let layouts: [ServerLayout]
    /// Headers of each request, `Name: value`.
    package var headers: [String] = []
    /// Access to a bucket; `nil`: as the environment says.
    package var keys: Keys?
    /// The region of a bucket; `nil`: as the environment says.
    package var region: String?
    /// URL of a server that speaks S3's protocol; `nil`: as the environment says, else Amazon's.
    package var endpoint: String?

    package struct Keys: Sendable, Hashable {
        package var id: String
        package var secret: String
        /// Of temporary keys.
        package var token: String?

        package init(id: String, secret: String, token: String? = nil) { (self.id, self.secret, self.token) = (id, secret, token) }
    }

    package init(url: String, layouts: [ServerLayout] = ServerLayout.allCases) {
        var url = url[...]
        while url.last == "/", !url.hasSuffix("://") { url.removeLast() }
        self.url = String(url)
        self.layouts = layouts
    }

    /// Whether a text may be the name of a region, which is a part of Amazon's host names.
    package static func isRegion(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether a text may be the name of a bucket (Amazon S3 User Guide, "Bucket naming rules"; older ones have capitals and `_`).
    package static func isBucketName(_ text: some StringProtocol) -> Bool {
        text.utf8.first.map(isLetterOrDigit) ?? false
            && text.utf8.allSatisfy { isLetterOrDigit($0) || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Whether a text is meant as a server: it has a scheme.
    package static func isURL(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://") else { return false }
        return text[..<end.lowerBound].utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: ","): true
            default: false
            }
        }
    }

    /// Reads a server as it is written.
    /// - Parameter standard: the layouts of a server that names none.
    /// - Throws: `SymbolServerError` with what was expected.
    package init(_ text: String, standard: [ServerLayout] = ServerLayout.allCases) throws(SymbolServerError) {
        guard let separator = text.firstRange(of: "://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw SymbolServerError(text: text, problem: nil)
        }
        var layouts = standard
        var scheme = text[..<separator.lowerBound]
        if let plus = scheme.lastIndex(of: "+") {
            layouts = []
            for name in scheme[..<plus].split(separator: ",", omittingEmptySubsequences: false) {
                guard let layout = ServerLayout(rawValue: String(name)) else {
                    let all = ServerLayout.allCases.map(\.rawValue).joined(separator: ", ")
                    throw SymbolServerError(text: text, problem: "no such layout: \(name). Layouts are \(all)")
                }
                if !layouts.contains(layout) { layouts.append(layout) }
            }
            scheme = scheme[scheme.index(after: plus)...]
        }
        var rest = text[separator.upperBound...]
        var (headers, keys, region, endpoint): ([String], Keys?, String?, String?) = ([], nil, nil, nil)
        switch scheme {
        case "http", "https":
            if let hash = rest.firstIndex(of: "#") {
                for part in rest[rest.index(after: hash)...].split(separator: "&") {
                    guard let header = PercentCoding.decoded(part), header.contains(":"), header.utf8.allSatisfy({ $0 >= 0x20 }) else {
                        throw SymbolServerError(text: text, problem: "expected headers after the #")
                    }
                    headers.append(header)
                }
                rest = rest[..<hash]
            }
        case "file":
            guard rest.first == "/" else { throw SymbolServerError(text: text, problem: nil) }
        case "s3":
            if let question = rest.firstIndex(of: "?") {
                var token: String?
                for part in rest[rest.index(after: question)...].split(separator: "&") {
                    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    let value = pair.count == 2 ? PercentCoding.decoded(pair[1]) : nil
                    switch pair[0] {
                    case "region" where value.map(Self.isRegion) ?? false: region = value
                    case "endpoint" where value?.hasPrefix("http://") ?? false || value?.hasPrefix("https://") ?? false: endpoint = value
                    case "token" where value != nil: token = value
                    default: throw SymbolServerError(text: text, problem: "expected region=NAME or endpoint=URL after the ?")
                    }
                }
                rest = rest[..<question]
                keys = token.map { Keys(id: "", secret: "", token: $0) }
            }
            if let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") {
                let pair = rest[..<at].split(separator: ":", maxSplits: 1).compactMap { PercentCoding.decoded($0) }
                guard pair.count == 2 else { throw SymbolServerError(text: text, problem: "expected KEY:SECRET before the @") }
                keys = Keys(id: pair[0], secret: pair[1], token: keys?.token)
                rest = rest[rest.index(after: at)...]
            }
            if keys?.id.isEmpty == true { throw SymbolServerError(text: text, problem: "expected KEY:SECRET@ before the bucket") }
            guard Self.isBucketName(rest.prefix { $0 != "/" }) else {
                throw SymbolServerError(text: text, problem: "expected the name of a bucket")
            }
        default: throw SymbolServerError(text: text, problem: nil)
        }
        guard let first = rest.first, scheme == "file" || first != "/" else { throw SymbolServerError(text: text, problem: nil) }
        self.init(url: "\(scheme)://\(rest)", layouts: layouts)
        (self.headers, self.keys, self.region, self.endpoint) = (headers, keys, region, endpoint)
    }

    /// The text that `init` reads.
    package var text: String {
        let scheme = url.prefix { $0 != ":" }
        var rest = String(url.dropFirst(scheme.utf8.count + 3))
        if let keys { rest = PercentCoding.encoded(keys.id) + ":" + PercentCoding.encoded(keys.secret) + "@" + rest }
        let parameters = [("region", region), ("endpoint", endpoint), ("token", keys?.token)].compactMap { name, value in
            value.map { name + "=" + PercentCoding.encoded($0) }
        }
        if !parameters.isEmpty { rest += "?" + parameters.joined(separator: "&") }
        if !headers.isEmpty { rest += "#" + headers.map { PercentCoding.encoded($0) }.joined(separator: "&") }
        return layouts.map(\.rawValue).joined(separator: ",") + "+\(scheme)://" + rest
    }

    /// How messages name it: without the name and the password of its user.
    package var name: String {
        guard let start = url.firstRange(of: "://")?.upperBound, let at = url[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
        else {
            return url
        }
        return String(url[..<start] + url[url.index(after: at)...])
    }

    /// Whether what it has is not for everybody: it has secrets.
    package var isPrivate: Bool { keys != nil || !headers.isEmpty || name != url }

    /// Paths of a file on the server, for people: in each layout, the likeliest first.
    package func paths(of file: RequestedFile) -> [String] { layouts.flatMap { $0.paths(of: file) } }
}

/// A text that names no server.
package struct SymbolServerError: Error, CustomStringConvertible {
    package var text: String
    /// The error; `nil`: it is no URL of a known kind.
    package var problem: String?

    package init(text: String, problem: String? = nil) { (self.text, self.problem) = (text, problem) }

    package var description: String {
        "\(text): " + (problem ?? "not a symbol server: expected http://…, https://…, s3://BUCKET or file:///…")
    }
}
