extension NaiveCount {
    /// Rows have ` at ` and a location, after a number and an address or a call in parentheses;
    /// without such rows ddb's `Stopped at` counts.
    @Sendable static func bsdPanic(_ text: String) -> NaiveCount {
        var rows = 0
        var stops = 0
        for tokens in lines(text) {
            if let at = tokens.firstIndex(of: "at"), at > 0, at + 1 < tokens.count {
                if tokens[at - 1].hasSuffix(")") || (isAddress(tokens[at - 1]) && tokens.contains { $0.hasPrefix("#") }) { rows += 1 }
                if tokens[0] == "Stopped", at == 1 { stops += 1 }
            }
        }
        return NaiveCount(frames: rows > 0 ? rows : stops)
    }

    /// Rows begin with `bt#` and a number, or, in the output of Fuchsia's symbolizer, with `#` and
    /// one; modules are `dso:` or `[[[ELF module`.
    @Sendable static func fuchsiaCrash(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        for tokens in lines(text) {
            if tokens.contains("dso:") || (tokens.contains("[[[ELF") && tokens.contains("module")) { count.images? += 1 }
            guard let row = tokens.first(where: { $0.hasPrefix("bt#") || $0.hasPrefix("#") }),
                row.drop(while: { !$0.isNumber }).first != nil
            else { continue }
            let isRow =
                row.hasPrefix("bt#")
                ? !tokens.contains("end") : tokens.contains("in") || tokens.contains("•") || tokens.contains { $0.contains(")+0x") }
            if isRow, row.allSatisfy({ $0.isNumber || "bt#:.".contains($0) }) { count.frames += 1 }
        }
        return count
    }

    @Sendable static func symbolizerMarkup(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.occurrences(of: "{{{bt:") + text.occurrences(of: "{{{pc:"), images: text.occurrences(of: "{{{module:"))
    }
}
