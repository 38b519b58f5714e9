internal import BinaryPrimitives

/// The servers that somebody has named.
package enum DebuginfodServerList {
    /// Parses the value of `DEBUGINFOD_URLS`: URLs separated by blanks. Other tokens, as newer
    /// clients' `ima:enforcing`, are not servers.
    package static func servers(in text: String) -> [String] {
        text.split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init).filter(isURL)
    }

    /// Servers in this process's environment.
    package static var environment: [String] { servers(in: environmentVariable("DEBUGINFOD_URLS") ?? "") }

    /// Whether the text is a URL of a server, and nothing else that occurs on a command line. A URL
    /// has no blanks (RFC 3986).
    package static func isURL(_ text: String) -> Bool {
        ["http://", "https://", "file:///"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
