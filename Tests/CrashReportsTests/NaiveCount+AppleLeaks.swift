extension NaiveCount {
    /// Rows begin with their number in the first column and have an address after the image; a
    /// stack on one line has a bar before each function.
    @Sendable static func appleLeaks(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for line in text.split(whereSeparator: \.isNewline) {
            let tokens = line.split { $0 == " " || $0 == "\t" }
            if tokens.count > 3, isAddress(tokens[0]), tokens[1] == "-" { count.images? += 1 }
            if line.contains(" |"), line.contains("thread") {
                for part in line.split(separator: "|").dropFirst() where part.contains(where: { !$0.isWhitespace }) {
                    count.frames += 1
                    let image = part.split(separator: " ").first { $0.hasPrefix("(") }.map { $0.dropFirst().dropLast() }
                    count.framesByImage?[image.map(String.init) ?? "", default: 0] += 1
                }
            } else if line.first?.isNumber == true, isAppleRow(tokens), let address = tokens.firstIndex(where: { isAddress($0) }) {
                count.frames += 1
                count.framesByImage?[tokens[1..<address].joined(separator: " "), default: 0] += 1
            }
        }
        return count
    }
}
