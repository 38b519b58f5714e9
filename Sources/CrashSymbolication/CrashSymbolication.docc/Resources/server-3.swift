import CrashSymbolication

/// Symbolicates the crash logs that clients send.
struct CrashService: Sendable {
    private let symbolicator: Symbolicator

    init(symbols: [String]) {
        symbolicator = Symbolicator(symbols: symbols)
    }

    /// One JSON object for each report, a line each.
    func json(for upload: [UInt8]) throws(LogError) -> [UInt8] {
        let log = try CrashLog(upload)
        return symbolicator.symbolicate(log, path: "upload").rendered(by: .json)
    }

    /// For each frame of the crash its function, or the reason why there is none.
    func lines(for upload: [UInt8]) throws(LogError) -> [String] {
        let reports = symbolicator.symbolicate(try CrashLog(upload)).reports
        return reports.flatMap(\.crashedFrames).map { frame, outcome in
            if case .unresolved(let reason) = outcome.result { return "\(frame.index) unresolved: \(reason)" }
            return "\(frame.index) " + outcome.functions.map(\.name).joined(separator: ", inlined in ")
        }
    }
}
