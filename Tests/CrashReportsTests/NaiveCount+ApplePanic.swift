extension NaiveCount {
    /// Rows are `0x… : 0x…` or `lr: 0x… fp: 0x…`. The kernel is one image, each extension with a
    /// range another; those they depend on are not counted.
    @Sendable static func applePanic(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for tokens in lines(text) {
            if tokens.count > 2, isAddress(tokens[0]), tokens[1] == ":", isAddress(tokens[2]) {
                count.frames += 1
                count.framesByImage?[tokens.count > 3 ? String(tokens[3]) : "", default: 0] += 1
            } else if tokens.count == 4, tokens[0] == "lr:", tokens[2] == "fp:" {
                count.frames += 1
                count.framesByImage?["", default: 0] += 1
            } else if tokens.count == 1, tokens[0].contains(")["), tokens[0].contains("->") {
                count.images? += 1
            } else if tokens.count > 2, tokens[0] == "Kernel", tokens[1] == "UUID:" {
                count.images? += 1
            }
        }
        return count
    }
}
