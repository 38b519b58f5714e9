extension NaiveCount {
    /// Frames of threads have `instruction_addr` (so do the notable addresses of none of the
    /// samples), those of a Bugsnag event `frameAddress`; a count of skipped frames that is not
    /// zero is a frame of its own. Images have `image_addr`; without a list the program has its
    /// identity in `app_uuid`, if a frame is in it.
    ///
    /// The images of a recrash report are only used where the report has none itself; Bugsnag's
    /// frames bring theirs along.
    @Sendable static func kscrash(_ text: String) -> NaiveCount {
        let skipped = text.matches(of: #/"skipped"\s*:\s*(\d+)/#).filter { $0.output.1 != "0" }.count
        let frames = text.occurrences(of: "\"instruction_addr\"") + text.occurrences(of: "\"frameAddress\"") + skipped
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"object_name"\s*:\s*"([^"]*)"/#) { byImage[String(match.output.1), default: 0] += 1 }
        let images = Set(text.matches(of: #/"machoLoadAddress"\s*:\s*"([^"]*)"/#).map { String($0.output.1) }).count
        let program = text.firstMatch(of: #/"CFBundleExecutable"\s*:\s*"([^"]*)"/#).map { byImage[String($0.output.1)] != nil } ?? false
        let listed = max(text.occurrences(of: "\"image_addr\""), program && text.contains("\"app_uuid\"") ? 1 : 0)
        let isBugsnag = text.contains("\"frameAddress\"")
        return NaiveCount(
            frames: frames, images: isBugsnag ? images : listed,
            framesByImage: isBugsnag || skipped > 0 || text.occurrences(of: "\"object_name\"") != frames ? nil : byImage)
    }
}
