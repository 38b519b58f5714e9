// README example
import CrashSymbolication

/// The crash location of each report of a log: its first function with a line.
func crashSites(in log: String, symbols: [String]) throws -> [String] {
    let symbolicator = Symbolicator(symbols: symbols)
    return symbolicator.symbolicate(try CrashLog(contentsOf: log)).reports.map { report in
        for function in report.crashedFrames.flatMap(\.outcome.functions) {
            guard let location = function.location else { continue }
            return "\(function.name) at \(location.file):\(location.line)"
        }
        return "unknown"
    }
}
// README example ends
