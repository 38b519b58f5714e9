extension NaiveCount {
    /// A frame has an `imageOffset`, or is a pair of numbers in brackets; so are an exception's
    /// `rawCodes`, which are removed first. Images have a `source`, or are the beta's pairs; a
    /// stackshot's are shared by its reports.
    @Sendable static func appleIPS(_ text: String) -> NaiveCount {
        let text = text.replacing(#/"rawCodes"\s*:\s*\[[^\]]*\]/#, with: "")
        let pairs = text.matches(of: #/\[\s*\d+\s*,\s*\d+\s*\]/#).count
        let images = text.occurrences(of: "\"source\"") + text.matches(of: #/\[\s*"[0-9a-fA-F-]{36}"\s*,\s*\d+\s*\]/#).count
        return NaiveCount(
            frames: text.occurrences(of: "\"imageOffset\"") + pairs, images: text.contains("\"processByPid\"") ? nil : images)
    }
}
