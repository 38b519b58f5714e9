extension NaiveCount {
    /// Lines that contain a location (`name+0x1/0x2`), an address in `[<>]` with a number or
    /// nothing known after it, or the word for an inlined call; without those that only give the
    /// origin of a warning or a block of memory, link registers, and the repeated line of the
    /// program counter.
    @Sendable static func kernelOops(_ text: String) -> NaiveCount {
        var count = 0
        var counters: Set<Substring> = []
        for tokens in lines(text) {
            // A line that lost its end has a prefix of its own in the middle: the text after it
            // counts.
            let kernel = tokens.firstIndex(of: "kernel:").map { tokens[($0 + 1)...] } ?? tokens[...]
            let parts = kernel.filter { $0 != "?" && $0 != "[" && !isTime($0) }.map { $0.hasPrefix("0010:") ? $0.dropFirst(5) : $0 }
            let location = parts.first(where: isLocation)
            let isNamed = ["WARNING:", "BUG:", "LR", "lr", "ra"].contains { parts.contains($0) } || parts.contains { $0.hasSuffix("()") }
            if parts.contains("INFO:"), parts.contains("in") { continue }
            if parts.contains("RIP:") || parts.contains("RIP") || parts.contains("IP:") || parts.contains("EIP:") || parts.contains("EIP")
                || parts.contains("PC")
            {
                guard let key = location ?? parts.first(where: { $0.hasPrefix("[<") }), !parts.contains(where: { $0.hasPrefix("0033:") })
                else { continue }
                // i386 and arm print address and location on two lines.
                let isFirstHalf = location == nil && (parts.contains("EIP:") || parts.contains("pc"))
                if !isFirstHalf, counters.insert(location ?? (parts.contains { $0.contains("(null)") } ? "(null)" : key)).inserted {
                    count += 1
                }
            } else if parts.contains("[inline]") || parts.contains("inlined") || parts.contains("inline") {
                count += 1
            } else if location != nil, !isNamed {
                count += 1
            } else if parts.count <= 3, let last = parts.last, isAddress(last) || isAddress(last.dropLast()), isCode(parts) {
                count += 1
            } else if parts.contains("from"), parts.contains(where: { $0.hasPrefix("[<") }) {
                count += 1
            }
        }
        return NaiveCount(frames: count)
    }

    /// `12.345678]`, `[1234.567890]`
    private static func isTime(_ token: Substring) -> Bool {
        token.hasSuffix("]") && token.contains(".") && token.allSatisfy { $0.isNumber || $0 == "." || $0 == "[" || $0 == "]" }
    }

    /// `name+0x1/0x2`, in brackets of any kind.
    private static func isLocation(_ token: Substring) -> Bool {
        let parts = token.split(separator: "+")
        guard parts.count == 2, parts[1].hasPrefix("0x"), parts[1].contains("/0x") else { return false }
        return !token.hasSuffix("()") && parts[0].contains { $0.isLetter }
    }

    /// An address in front, or nothing but the number (and the line's time).
    private static func isCode(_ parts: [Substring]) -> Bool {
        parts.contains { $0.hasPrefix("[<") || $0.hasPrefix("([<") } || parts.allSatisfy { isAddress($0) || $0.hasSuffix("]") || $0 == "[" }
    }
}
