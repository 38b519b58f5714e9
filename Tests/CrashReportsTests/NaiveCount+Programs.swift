extension NaiveCount {
    /// `#N 0x…`, `[0x…]` at a line's beginning or after a name, `N: 0x…` (one row of V8's has a
    /// name alone), and Apple's rows. Files in parentheses are images.
    @Sendable static func chromium(_ text: String) -> NaiveCount {
        var images: Set<String> = []
        var frames = 0
        for tokens in lines(text.replacing("\u{2003}", with: " ")) {
            let isNumbered =
                tokens[0].hasPrefix("#") && tokens[0].count > 1 && tokens[0].dropFirst().allSatisfy(\.isNumber) && tokens.count > 1
            let isColon =
                tokens.count == 2 && tokens[0].hasSuffix(":") && tokens[0].dropLast().allSatisfy(\.isNumber) && tokens[0].count > 1
            let isBracket = tokens.contains { $0.hasPrefix("[0x") && $0.contains("]") }
            guard isNumbered || isColon || isBracket || isAppleRow(tokens) else { continue }
            frames += 1
            if isNumbered, tokens.count == 3, tokens[2].hasPrefix("(/"), let plus = tokens[2].firstIndex(of: "+") {
                images.insert(String(tokens[2][..<plus]))
            }
        }
        // Their paths are in the rows alone, so that they do not count as a list.
        return NaiveCount(frames: frames, images: nil)
    }

    /// `N: …` in both stacks.
    @Sendable static func nodeNative(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { $0.count > 1 && $0[0].hasSuffix(":") && $0[0].count > 1 && $0[0].dropLast().allSatisfy(\.isNumber) }
        )
    }

    /// A microdump with a `C` row is a frame; its `M` rows are images.
    @Sendable static func microdump(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        for dump in text.split(separator: "-----BEGIN BREAKPAD MICRODUMP-----").dropFirst(text.hasPrefix("-") ? 0 : 1)
        where dump.contains(": C ") {
            count.frames += 1
            count.images? += String(dump).occurrences(of: ": M ")
        }
        return count
    }

    /// `N: … [0x…]` after any text. Paths that begin with a slash are listed.
    @Sendable static func xorg(_ text: String) -> NaiveCount {
        var images: Set<Substring> = []
        var frames = 0
        for tokens in lines(text) {
            guard let row = tokens.firstIndex(where: { $0.hasSuffix(":") && $0.count > 1 && $0.dropLast().allSatisfy(\.isNumber) }),
                tokens.last?.hasPrefix("[0x") == true
            else { continue }
            frames += 1
            if tokens[row + 1].hasPrefix("/") { images.insert(tokens[row + 1]) }
        }
        return NaiveCount(frames: frames, images: images.count)
    }
}
