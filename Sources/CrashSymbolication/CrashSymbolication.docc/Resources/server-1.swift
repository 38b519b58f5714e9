import CrashSymbolication

/// Symbolicates the crash logs that clients send.
struct CrashService: Sendable {
    private let symbolicator: Symbolicator

    init(symbols: [String]) {
        symbolicator = Symbolicator(symbols: symbols)
    }
}
