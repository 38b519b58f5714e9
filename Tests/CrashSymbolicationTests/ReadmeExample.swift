// README example
import CrashSymbolication

/// The crash location of each report of a log: the innermost function of the program's own code.
func crashSites(in log: String, symbols: [String]) throws -> [String] {
    let symbolicator = Symbolicator(symbols: symbols)
    return symbolicator.symbolicate(try CrashLog(contentsOf: log)).reports.map { report in
        guard let function = report.ownFunction, let location = function.location else { return "unknown" }
        return "\(function.name) at \(location.file):\(location.line)"
    }
}
// README example ends
