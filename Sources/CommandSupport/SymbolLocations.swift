internal import BinaryPrimitives
internal import Console
internal import SymbolFiles

/// The locations that the user named for symbol files, with `--symbols`, in `CAIRN_SYMBOLS` and in the settings: paths of this machine,
/// and servers.
struct SymbolLocations {
    private(set) var paths: [String] = []
    private(set) var servers: [SymbolServer] = []
    /// Texts that are meant as servers and cannot be read: a line each.
    private(set) var problems: [String] = []

    init(_ texts: [String]) {
        for text in texts {
            guard SymbolServer.isURL(text) else {
                paths.append(text)
                continue
            }
            do throws(SymbolServerError) { servers.append(try SymbolServer(text)) } catch { problems.append(error.description) }
        }
    }

    /// Those in `CAIRN_SYMBOLS`.
    static var variable: [String] { locations(inVariable: environmentVariable("CAIRN_SYMBOLS") ?? "") }

    /// Locations that colons divide; those of a URL do not: `/srv/symbols:https://host:8080/path`.
    static func locations(inVariable text: String) -> [String] {
        var locations: [String] = []
        for part in text.split(separator: ":") {
            if let last = locations.last, continues(last, part) {
                locations[locations.count - 1] = last + ":" + part
            } else {
                locations.append(String(part))
            }
        }
        return locations
    }

    /// Whether a part goes on with a URL: after the scheme, or after the host with its port.
    private static func continues(_ last: String, _ part: Substring) -> Bool {
        if part.hasPrefix("//") {
            return SymbolServer.isURL(last + "://")
                && last.split(separator: "+").last.map { ["http", "https", "s3", "file"].contains($0) } ?? false
        }
        guard SymbolServer.isURL(last), let start = last.firstRange(of: "://")?.upperBound, !last[start...].contains("/") else {
            return false
        }
        return part.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }
}
