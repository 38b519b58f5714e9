internal import BinaryPrimitives
internal import SymbolFiles

/// URL of a bucket of Amazon S3, or of a server with the same protocol, and the signature of requests for its objects
/// (Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)"). libcurl makes the signatures.
struct Bucket: Sendable, Hashable {
    /// URL of the bucket's objects, with the prefix.
    let url: String
    /// `nil`: requests are not signed, as to a public bucket.
    let signature: Signature?

    /// SHA-256 of no bytes.
    static let hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    struct Signature: Sendable, Hashable {
        var keys: SymbolServer.Keys
        var region: String

        /// `CURLOPT_AWS_SIGV4`
        var provider: String { "aws:amz:\(region):s3" }
    }

    /// - Parameters:
    ///   - server: `s3://bucket/prefix`.
    ///   - environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_DEFAULT_REGION`,
    ///     `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_PROFILE`, `AWS_SHARED_CREDENTIALS_FILE`, `HOME`, as Amazon's programs read them.
    /// - Returns: `nil` for another server.
    init?(_ server: SymbolServer, environment: (String) -> String?) {
        guard server.url.hasPrefix("s3://") else { return nil }
        func first(_ names: String...) -> String? { names.lazy.compactMap(environment).first { !$0.isEmpty } }
        let path = server.url.dropFirst("s3://".utf8.count)
        let name = path.prefix { $0 != "/" }
        let prefix = PercentCoding.encoded(path.dropFirst(name.utf8.count), isPath: true)
        let region = server.region ?? first("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        // A server that a request names has nothing of this machine's environment.
        let isOwn = server.keys == nil && server.endpoint == nil
        let endpoint = server.endpoint ?? (isOwn ? first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") : nil)
        if var base = endpoint?[...] {
            while base.last == "/" { base.removeLast() }
            url = "\(base)/\(name)\(prefix)"
        } else if name.utf8.contains(UInt8(ascii: ".")) {
            // A certificate of `*.s3.REGION.amazonaws.com` has no name with another dot.
            url = "https://s3.\(region).amazonaws.com/\(name)\(prefix)"
        } else {
            url = "https://\(name).s3.\(region).amazonaws.com\(prefix)"
        }
        signature = (server.keys ?? Self.keys(environment)).map { Signature(keys: $0, region: region) }
    }

    private static func keys(_ environment: (String) -> String?) -> SymbolServer.Keys? {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let id = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
            return SymbolServer.Keys(id: id, secret: secret, token: value("AWS_SESSION_TOKEN"))
        }
        guard let path = value("AWS_SHARED_CREDENTIALS_FILE") ?? value("HOME").map({ Path.join($0, ".aws/credentials") }),
            let file = try? MappedFile(path: path), file.size <= 1 << 16
        else { return nil }
        return keys(
            inFile: String(decoding: file.bytes(in: 0..<file.size), as: UTF8.self), profile: value("AWS_PROFILE") ?? "default")
    }

    /// Reads the file `~/.aws/credentials`: a profile in brackets, then `aws_access_key_id = …` in lines.
    static func keys(inFile text: String, profile: String) -> SymbolServer.Keys? {
        var values: [String: String] = [:]
        var isWanted = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            if line.hasPrefix("["), line.hasSuffix("]") {
                isWanted = trimmed(line.dropFirst().dropLast()) == profile
            } else if isWanted, let equals = line.firstIndex(of: "="), line.first != "#" {
                values[String(trimmed(line[..<equals]))] = String(trimmed(line[line.index(after: equals)...]))
            }
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else { return nil }
        return SymbolServer.Keys(id: id, secret: secret, token: values["aws_session_token"])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
