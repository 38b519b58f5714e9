extension NaiveCount {
    /// Frames have `instruction_addr` and their image's name in `package`; images have an
    /// `image_size`.
    @Sendable static func sentryEvent(_ text: String) -> NaiveCount {
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"package"\s*:\s*"([^"]*)"/#) {
            let path = match.output.1.replacing("\\/", with: "/")
            byImage[path.split(separator: "/").last.map(String.init) ?? "", default: 0] += 1
        }
        return NaiveCount(
            frames: text.occurrences(of: "\"instruction_addr\""), images: text.occurrences(of: "\"image_size\""), framesByImage: byImage)
    }
}
