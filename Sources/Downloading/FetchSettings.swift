internal import BinaryPrimitives

/// Settings for fetching files: the variables of elfutils' client (debuginfod-client-config(7)), so that the
/// settings of a user or an administrator for it hold here too.
package struct FetchSettings: Sendable {
    /// `DEBUGINFOD_TIMEOUT`: time within which a server must have sent 100 KB, or the whole file; `nil` for no
    /// limit.
    package var timeout: Duration? = .seconds(90)
    /// `DEBUGINFOD_MAXTIME`: a download may take no longer; `nil` for no limit but the budget.
    package var downloadTime: Duration?
    /// `DEBUGINFOD_MAXSIZE`: bytes of one file.
    package var sizeLimit = Limits.standard.downloadedFile
    /// `DEBUGINFOD_RETRY_LIMIT`: how often a request is repeated to a server that was overloaded,
    /// or broke off.
    package var retries = 2
    /// `DEBUGINFOD_HEADERS_FILE`: what is sent with every request, `Name: value` in each line.
    package var headers: [(name: String, value: String)] = []
    /// `SSL_CERT_FILE`, which curl and OpenSSL support: the authorities that are trusted instead of the
    /// system's.
    package var authorities: String?
    /// Files that are fetched at a time.
    package var parallel = 8

    /// Redirects are followed to the same host and to public addresses alone, and a name that leads to a private address is refused: whoever
    /// causes the request is a stranger.
    package var isGivenHostsOnly = false
    /// Downloads go on when nobody waits for them any more.
    package var isService = false

    package init() {}

    package init(environment: (String) -> String?) {
        func number(_ name: String) -> Int? { environment(name).flatMap { Int($0) } }
        // Zero and less mean "no limit".
        if let seconds = number("DEBUGINFOD_TIMEOUT") { timeout = seconds > 0 ? .seconds(min(seconds, 1 << 30)) : nil }
        if let seconds = number("DEBUGINFOD_MAXTIME"), seconds > 0 { downloadTime = .seconds(min(seconds, 1 << 30)) }
        if let bytes = number("DEBUGINFOD_MAXSIZE"), bytes > 0 { sizeLimit = bytes }
        if let count = number("DEBUGINFOD_RETRY_LIMIT") { retries = max(0, min(count, 100)) }
        if let path = environment("SSL_CERT_FILE"), !path.isEmpty { authorities = path }
        if let path = environment("DEBUGINFOD_HEADERS_FILE"), !path.isEmpty { headers = Self.headers(inFile: path) }
    }

    private static func headers(inFile path: String) -> [(name: String, value: String)] {
        guard let file = try? MappedFile(path: path), file.size <= 1 << 16 else { return [] }
        let text = String(decoding: file.bytes(in: 0..<file.size), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            return (String(line[..<colon]), String(value.drop { $0 == " " || $0 == "\t" }))
        }
    }
}
