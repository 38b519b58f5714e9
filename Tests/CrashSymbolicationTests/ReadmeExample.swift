// README example
import CrashSymbolication

/// Where each report of a log crashed: the first function with a line.
func crashSites(in log: [UInt8], symbols: [String]) throws -> [String] {
    let symbolicator = Symbolicator(symbols: symbols)
    return symbolicator.symbolicate(try CrashLog(log)).reports.map { report in
        let crashed = zip(report.report.threads, report.threads).filter(\.0.crashed).flatMap(\.1)
        let frames = report.exceptionBacktrace + crashed
        for function in frames.compactMap(\.answer).flatMap(\.functions) {
            guard let place = function.location else { continue }
            return "\(function.name) at \(place.file):\(place.line)"
        }
        return "unknown"
    }
}
// README example ends
