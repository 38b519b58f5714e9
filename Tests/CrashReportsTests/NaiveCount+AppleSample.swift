extension NaiveCount {
    /// In the call graph, every address in brackets is one frame; the image is in the last `(in …)`
    /// before them.
    @Sendable static func appleSample(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        var isGraph = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({ $0.trimmingSuffix { $0 == "\r" } }) {
            if line.contains("Call graph:") { isGraph = true } else if line.isEmpty { isGraph = false }
            let tokens = line.split(separator: " ")
            if tokens.count > 3, tokens[0].hasPrefix("0x"), tokens[1] == "-" { count.images? += 1 }
            // cairn's own rows of inlined calls are not counted.
            guard isGraph, !line.contains(" [inlined]"), let list = tokens.last(where: { $0.hasPrefix("[0x") }) else { continue }
            let addresses = String(list).occurrences(of: "0x")
            count.frames += addresses
            let image = String(line).components(between: "(in ", and: ")") ?? "???"
            count.framesByImage?[image, default: 0] += addresses
        }
        return count
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}

extension String {
    /// The text between the last `start` and the next `end`.
    fileprivate func components(between start: String, and end: Character) -> String? {
        var found: String?
        var rest = self[...]
        while let first = rest.firstRange(of: start) {
            rest = rest[first.upperBound...]
            found = rest.firstIndex(of: end).map { String(rest[..<$0]) }
        }
        return found
    }
}

extension Substring {
    fileprivate func firstRange(of part: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(part) { return index..<self.index(index, offsetBy: part.count) }
            formIndex(after: &index)
        }
        return nil
    }
}
