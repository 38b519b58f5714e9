extension NaiveCount {
    /// A row has a count, maybe after a star, and ends in an address in brackets, followed only by
    /// remarks; or in an image and an offset into it. Lists of images have a range, which may end
    /// in `???`.
    @Sendable static func appleSpindump(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for tokens in lines(text) {
            guard let first = tokens.first else { continue }
            let number = first.hasPrefix("*") ? first.dropFirst() : first
            if number.hasPrefix("0x"), tokens.count > 3, tokens[1] == "-" { count.images? += 1 }
            // cairn's own rows of inlined calls are not counted.
            guard tokens.count > 2, number.allSatisfy({ $0.isNumber }), !tokens.contains("[inlined]") else { continue }
            let address = tokens.lastIndex { $0 == "[0]" || $0.hasPrefix("[0x") && $0.hasSuffix("]") }
            let end = address ?? tokens.count
            let image = tokens[..<end].last.flatMap {
                $0.hasSuffix(")") && $0.dropLast().allSatisfy { $0.isNumber } ? imageName(tokens[..<end]) : nil
            }
            guard address != nil || image != nil else { continue }
            count.frames += 1
            count.framesByImage?[image ?? "???", default: 0] += 1
        }
        return count
    }

    /// Returns `Some App` from `start + 20 (main.m:3,4 in Some App + 12)`.
    private static func imageName(_ tokens: ArraySlice<Substring>) -> String? {
        guard let open = tokens.lastIndex(where: { $0.hasPrefix("(") }) else { return nil }
        var parts = tokens[open...].dropLast(2).map(String.init)
        parts[0].removeFirst()
        if let within = parts.lastIndex(of: "in") { parts.removeFirst(within + 1) }
        return parts.joined(separator: " ")
    }
}
