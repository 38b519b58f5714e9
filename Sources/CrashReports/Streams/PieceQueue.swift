internal import BinaryPrimitives

/// Queue of pieces between the scanner and the caller. A report without identities waits here for an
/// image list below it (`ListedIdentities`), and later pieces wait behind it to keep the order.
struct PieceQueue: Sendable {
    private var identities = ListedIdentities()
    private var waiting: [LogStream.Piece] = []

    /// Emits all pieces that need not wait, and drops their bytes from the window.
    /// - Parameter waits: more of the log will come and may contain identities.
    mutating func release<Failure>(
        from scanner: inout LogScanner, _ window: inout LogWindow, waits: Bool,
        _ emit: (LogStream.Piece, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let distance = window.head - window.start
        func bytesOf(_ piece: LogStream.Piece) -> Range<Int> { piece.range.lowerBound + distance..<piece.range.upperBound + distance }
        for piece in scanner.results.removePieces() {
            identities.read(piece, window.bytes.span.clamped(to: bytesOf(piece)))
            waiting.append(piece)
        }
        var released = 0
        defer {
            waiting.removeFirst(released)
            window.drop(upTo: min(scanner.firstNeeded, waiting.first?.range.lowerBound ?? .max))
        }
        while released < waiting.count, !waits || !identities.areWanted(by: waiting[released], upTo: scanner.covered) {
            let piece = waiting[released]
            released += 1
            try emit(identities.complete(piece), window.bytes.span.clamped(to: bytesOf(piece)))
        }
    }

    /// Completes the pieces of a whole log.
    static func complete(_ pieces: [LogStream.Piece], of bytes: Span<UInt8>) -> [LogStream.Piece] {
        guard pieces.contains(where: { $0.reports.contains(where: ListedIdentities.areWanted) }) else { return pieces }
        var identities = ListedIdentities()
        for piece in pieces { identities.read(piece, bytes.clamped(to: piece.range)) }
        return pieces.map { identities.complete($0) }
    }
}

extension ListedIdentities {
    fileprivate mutating func read(_ piece: LogStream.Piece, _ bytes: Span<UInt8>) {
        switch piece {
        case .text(let range): read(bytes, at: range.lowerBound, owner: nil)
        // Identities inside of a trace belong to that trace alone.
        case .traces(let reports, let range):
            if reports.contains(where: Self.areWanted) { read(bytes, at: range.lowerBound, owner: range.lowerBound) }
        case .binary: break
        }
    }

    /// Whether a piece has a report without identities, and a list within reach may still follow.
    fileprivate func areWanted(by piece: LogStream.Piece, upTo position: Int) -> Bool {
        guard case .traces(let reports, let range) = piece, position - range.upperBound < Self.reach else { return false }
        return reports.contains(where: Self.areWanted)
    }

    fileprivate func complete(_ piece: LogStream.Piece) -> LogStream.Piece {
        guard case .traces(var reports, let range) = piece else { return piece }
        for index in reports.indices { complete(&reports[index], at: range) }
        return .traces(reports, range)
    }
}
