internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles

/// A source of symbols that a request names (`crates/symbolicator-sources/src/sources/mod.rs`):
///
///     {"id": "sentry:project", "type": "sentry", "url": "https://sentry.example/…/dsyms/", "token": "…"}
///     {"id": "ours", "type": "http", "url": "https://symbols.example/", "layout": {"type": "unified"}}
///     {"id": "bucket", "type": "s3", "bucket": "symbols", "prefix": "prod", "region": "eu-central-1", "access_key": "…", "secret_key": "…",
///      "layout": {"type": "native"}}
///
/// It is used if the operator allows its URL, in place of the operator's own servers. Others are skipped, because Sentry puts its own
/// store into each of its requests: the request is served, and its candidates name the sources that were skipped, and why.
struct SentrySource {
    let id: String
    /// `nil` for a source that is skipped.
    let server: SymbolServer?
    /// Why it is skipped.
    private let reason: String?

    init(_ value: JSONValue, _ allowed: AllowedSources) throws(Refusal) {
        guard value.isObject else { throw SentryRequest.malformed("sources: expected objects") }
        let fields = SentryFields(value: value)
        guard let id = try fields.text("id"), let type = try fields.text("type"), Self.types.contains(type) else {
            throw SentryRequest.malformed("sources: expected an id, and a type: \(Self.types.sorted().joined(separator: ", "))")
        }
        self.id = id
        guard !allowed.isEmpty, !["sentry", "gcs"].contains(type) else {
            server = nil
            reason =
                allowed.isEmpty
                ? "skipped: this server has symbols from the sources that its operator has set"
                : "skipped: this server has no sources of the type \(type)"
            return
        }
        guard let layouts = try Self.layouts(value["layout"]) else {
            (server, reason) = (nil, "skipped: this server does not have the layout, or the casing, of this source")
            return
        }
        if type == "s3", value["access_key"]?.string == nil || value["secret_key"]?.string == nil {
            (server, reason) = (nil, "skipped: this server reads buckets of requests with access_key and secret_key alone")
            return
        }
        let made = try Self.server(fields, type, layouts)
        guard made.text.utf8.count <= Self.maxText else {
            (server, reason) = (nil, "skipped: its URL and its headers are too long")
            return
        }
        let isAllowed = allowed.allows(made)
        server = isAllowed ? made : nil
        reason = isAllowed ? nil : "skipped: the operator of this server does not allow \(made.name)"
    }

    /// Bytes of a source's URL with its headers and keys, at most.
    private static let maxText = 8192
    /// Sources of a request, at most.
    static let limit = 32
    /// Headers that belong to the connection: with another host's name a request would reach what the operator did not allow.
    private static let refusedHeaders: Set = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "via",
    ]

    private static let types: Set = ["sentry", "filesystem", "http", "s3", "gcs"]

    /// - Returns: `nil` for a layout that is not read here.
    private static func layouts(_ value: JSONValue?) throws(Refusal) -> [ServerLayout]? {
        // The default of Symbolicator.
        guard let value, value.isObject else { return [.native, .breakpad, .symsrv] }
        let fields = SentryFields(value: value)
        let casing = try fields.text("casing") ?? "default"
        switch (try fields.text("type") ?? "native", casing) {
        case ("native", "default"): return [.native, .breakpad, .symsrv]
        case ("symstore", "default"), ("ssqp", "default"), ("ssqp", "lowercase"): return [.symsrv]
        case ("unified", "default"), ("unified", "lowercase"): return [.unified]
        case ("debuginfod", "default"), ("debuginfod", "lowercase"): return [.debuginfod]
        default: return nil
        }
    }

    private static func server(_ fields: SentryFields, _ type: String, _ layouts: [ServerLayout]) throws(Refusal) -> SymbolServer {
        func text(_ name: String) throws(Refusal) -> String {
            guard let text = try fields.text(name), !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                throw SentryRequest.malformed("sources: \(type) expected \(name)")
            }
            return text
        }
        switch type {
        case "http":
            var url = try text("url")[...]
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.contains("#") else {
                throw SentryRequest.malformed("sources: url: expected http://… or https://…")
            }
            while url.last == "/" { url.removeLast() }
            // Symbolicator's paths begin after it.
            if layouts == [.debuginfod], url.hasSuffix("/buildid") { url.removeLast("/buildid".utf8.count) }
            var server = SymbolServer(url: String(url), layouts: layouts)
            for header in fields.value["headers"]?.members ?? [] {
                let name = header.key.lowercased()
                guard !refusedHeaders.contains(name), !name.hasPrefix("proxy-"), !name.contains(":") else {
                    throw SentryRequest.malformed("sources: headers: \(PlainText.line(header.key, limit: 40)) is not sent to other servers")
                }
                guard let value = header.value.string, (header.key + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                    throw SentryRequest.malformed("sources: headers: expected strings")
                }
                server.headers.append("\(header.key): \(value)")
            }
            return server
        case "s3":
            let bucket = try text("bucket")
            guard SymbolServer.isBucketName(bucket) else { throw SentryRequest.malformed("sources: bucket: expected a name") }
            var prefix = (try fields.text("prefix") ?? "")[...]
            while prefix.first == "/" { prefix.removeFirst() }
            var server = SymbolServer(url: "s3://\(bucket)" + (prefix.isEmpty ? "" : "/" + prefix), layouts: layouts)
            server.keys = SymbolServer.Keys(id: try text("access_key"), secret: try text("secret_key"))
            // A region's name, or a name and the URL of another server. The name is a part of Amazon's host names.
            switch fields.value["region"]?.content {
            case .string(let name): server.region = name
            case .array(let parts):
                let parts = parts.compactMap(\.string)
                guard parts.count == 2, parts[1].hasPrefix("http://") || parts[1].hasPrefix("https://") else {
                    throw SentryRequest.malformed("sources: region: expected a name, or a name and a URL")
                }
                (server.region, server.endpoint) = (parts[0], parts[1])
            default: throw SentryRequest.malformed("sources: s3 expected region")
            }
            guard server.region.map(SymbolServer.isRegion) ?? false else {
                throw SentryRequest.malformed("sources: region: expected letters, digits and dashes")
            }
            return server
        default: return SymbolServer(url: "file://" + (try text("path")), layouts: layouts)
        }
    }

    /// Entry of a module's candidates, of a source that was skipped. Addresses and secrets of the source stay out of it.
    var candidate: WrittenJSON? {
        reason.map { reason in
            .object([
                ("source", .string(id)), ("download", .object([("status", .string("noperm")), ("details", .string(reason))])),
            ])
        }
    }
}
