// README example
import CrashSymbolication

/// The first function with a line in each trace of a log.
func firstLines(in bytes: [UInt8], symbols: [String]) throws -> [String] {
    let log = try CrashLog(bytes)
    let symbolicator = Symbolicator(symbols: symbols)
    return symbolicator.symbolicate(log).reports.map { report in
        let functions = report.allFrames.compactMap(\.outcome.answer).flatMap(\.functions)
        guard let found = functions.first(where: { $0.location != nil }), let place = found.location else { return "unknown" }
        return "\(found.name) at \(place.file):\(place.line)"
    }
}
// README example ends
