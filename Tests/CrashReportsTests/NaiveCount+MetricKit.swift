extension NaiveCount {
    /// Each frame has an `offsetIntoBinaryTextSegment`, and its image's name in `binaryName`.
    @Sendable static func metrickit(_ text: String) -> NaiveCount {
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"binaryName"\s*:\s*"([^"]*)"/#) { byImage[String(match.output.1), default: 0] += 1 }
        return NaiveCount(frames: text.occurrences(of: "\"offsetIntoBinaryTextSegment\""), framesByImage: byImage)
    }
}
