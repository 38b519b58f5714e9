// library.md example
import CrashSymbolication

/// The rows of a crash: a function, or why there is none. A log, a core file and a minidump are
/// read alike.
func crashRows(in path: String, symbols: [String]) -> [String] {
    do throws(LogError) {
        let crash = try Symbolicator(symbols: symbols).symbolicate(contentsOf: path)
        return crash.reports.flatMap(\.crashedFrames).compactMap { frame, outcome in
            switch outcome.result {
            case .resolved(let result, _): result.functions.map(\.name).joined(separator: ", inlined into ")
            case .unresolved(let reason): "\(frame.printed?.name ?? "?"): \(reason)"
            case .partOfNextFrame, .notLookedUp: nil
            }
        }
    } catch {
        return switch error.kind {
        case .missing, .unreadable: ["cannot be read: \(error)"]
        case .empty, .noReport, .noStack, .otherFile: ["not a crash log: \(error)"]
        case .damaged, .tooLarge: ["damaged: \(error)"]
        }
    }
}
// library.md example ends
