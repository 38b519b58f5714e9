extension NaiveCount {
    /// A row begins with `#` and a number, and is indented or contains ` in `; Chromium's own rows,
    /// which some of these logs have too, are neither. The number is followed by an address, or the
    /// row ends with the module or the line.
    @Sendable static func sanitizer(_ text: String) -> NaiveCount {
        var frames = 0
        var modules: Set<Substring> = []
        var reports = 0
        for line in text.split(whereSeparator: \.isNewline) {
            let tokens = line.split(separator: " ")
            if line.contains("ERROR: ") && (line.contains("Sanitizer: ") || line.contains("libFuzzer: "))
                || line.contains(": runtime error: ")
            {
                reports += 1
            }
            guard let first = tokens.first, first.hasPrefix("#"), first.dropFirst().first?.isNumber == true, tokens.count > 1,
                first.dropFirst().allSatisfy({ $0.isNumber || $0 == "." }), line.first == " " || (tokens.count > 2 && tokens[2] == "in")
            else { continue }
            // Chromium's row with a blank before it.
            if tokens.last == "<unknown>" { continue }
            let isLocation = tokens.contains { $0.contains("+0x") && $0.hasSuffix(")") } || tokens.last?.contains(":") == true
            guard isAddress(tokens[1]) || isLocation || line.hasSuffix("]") else { continue }
            frames += 1
            // `(/path/lib.so+0x1234)`; a path with a blank is recognised by its end.
            if let module = tokens.last(where: { $0.hasSuffix(")") && $0.contains("+0x") }), let plus = module.lastIndex(of: "+") {
                modules.insert(module[..<plus].drop { $0 == "(" })
            }
        }
        // ThreadSanitizer's modules are names without a folder; in a log of several reports each
        // counts anew.
        let paths = modules.filter { $0.contains("/") || $0.contains("\\") }
        return NaiveCount(frames: frames, images: reports > 1 || paths.count != modules.count ? nil : paths.count)
    }
}
