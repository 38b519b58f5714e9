// README example
import CrashSymbolication

/// Where each report of a log crashed: the first function with a line.
func crashSites(in log: String, symbols: [String]) throws -> [String] {
    let symbolicator = Symbolicator(symbols: symbols)
    return symbolicator.symbolicate(try CrashLog(contentsOf: log)).reports.map { report in
        for function in report.crashedFrames.flatMap(\.outcome.functions) {
            guard let place = function.location else { continue }
            return "\(function.name) at \(place.file):\(place.line)"
        }
        return "unknown"
    }
}
// README example ends
