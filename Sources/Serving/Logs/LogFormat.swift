internal import BinaryPrimitives

/// How a symbolicated log is written: as `?format=` says, else as `Accept` does.
enum LogFormat: String, CaseIterable {
    case text, json, same
    case appleCrash = "apple-crash"

    /// Types that `Accept` may name, the default first. JSON has one line for each report, with one
    /// object.
    private static let types: [(type: String, format: LogFormat)] = [
        ("text/plain", .text), ("application/x-ndjson", .json), ("application/json", .json), ("application/octet-stream", .same),
    ]

    /// - Returns: the format, and the response's `Content-Type`.
    static func choose(_ request: Request) throws(Refusal) -> (format: LogFormat, type: String) {
        if let name = request.parameter("format") {
            guard let format = LogFormat(rawValue: name) else {
                throw Refusal("format: expected one of \(allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return (format, format.ownType)
        }
        guard let accept = request.header("Accept"), !accept.isEmpty else { return (.text, LogFormat.text.ownType) }
        guard let chosen = preferred(accept) else {
            throw Refusal("Accept: expected one of \(types.map(\.type).joined(separator: ", "))", status: 406)
        }
        return (chosen.format, chosen.type == "text/plain" ? chosen.format.ownType : chosen.type)
    }

    private var ownType: String {
        switch self {
        case .text, .appleCrash: "text/plain; charset=utf-8"
        case .json: "application/x-ndjson"
        case .same: "application/octet-stream"
        }
    }

    /// The range of the highest weight; of several, the first (RFC 9110, section 12.5.1):
    ///
    ///     application/json;q=0.9, text/plain
    private static func preferred(_ accept: String) -> (type: String, format: LogFormat)? {
        var best: (weight: Double, choice: (type: String, format: LogFormat))?
        for range in accept.split(separator: ",").prefix(64) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().lazy.compactMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil }.first ?? 1
            let fits: (String) -> Bool =
                name == "*/*" ? { _ in true } : name.hasSuffix("/*") ? { $0.hasPrefix(name.dropLast()) } : { $0 == name }
            guard weight > 0, weight > best?.weight ?? 0, let choice = types.first(where: { fits($0.type) }) else { continue }
            best = (weight, choice)
        }
        return best?.choice
    }
}
