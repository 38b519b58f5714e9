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
}
