internal import BinaryPrimitives
internal import TestReports

/// Summary of a run in one line, for a reader of the log who opens no report:
/// `2 failures: Sources/Cart.swift:5: SIGILL in Cart.first(); …`.
enum CISummary {
    /// Failures that are named.
    private static let limit = 3

    /// - Returns: `nil` where nothing went wrong.
    static func line(_ failures: [Failure]) -> String? {
        let errors = failures.filter { $0.level == .error }
        guard !errors.isEmpty else { return nil }
        let named = errors.prefix(limit).map { failure in
            let location = failure.place.map { "\($0.path):\($0.line): " } ?? ""
            return location + PlainText.line(failure.title, limit: 200)
        }
        let more = errors.count > limit ? "; \(errors.count - limit) more" : ""
        return "\(errors.count) failure\(errors.count == 1 ? "" : "s"): \(named.joined(separator: "; "))\(more)"
    }
}
