extension NaiveCount {
    /// Rows are `#NN pc HEX MAPPING`, or what a tool has made of them (`#N 0x… in`,
    /// `#N 0x… (FILE+0x…)`). Images are the mappings with a path; one inside an APK differs by its
    /// offset. Rows of Java are below `java stacktrace:`.
    @Sendable static func androidTombstone(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        var images: Set<String> = []
        var isJava = false
        for tokens in lines(text) {
            if tokens.count == 2, tokens[0] == "java", tokens[1] == "stacktrace:" { isJava = true }
            if tokens[0] == "memory" { isJava = false }
            if isJava, tokens[0] == "at" { count.frames += 1 }
            guard let row = tokens.firstIndex(where: { $0.hasPrefix("#") && $0.dropFirst().allSatisfy(\.isNumber) && $0.count > 1 }),
                row + 1 < tokens.count
            else { continue }
            if tokens[row + 1] == "pc" {
                count.frames += 1
                if let image = mapping(tokens[(row + 3)...]) { images.insert(image) }
            } else if isAddress(tokens[row + 1]), row + 2 < tokens.count, tokens[row + 2] == "in" || tokens[row + 2].hasPrefix("(/") {
                count.frames += 1
                if tokens[row + 2].hasPrefix("(/"), let plus = tokens[row + 2].firstIndex(of: "+") {
                    images.insert(String(tokens[row + 2][..<plus].dropFirst()))
                }
            }
        }
        count.images = images.count
        return count
    }

    /// Of `/data/app/x/base.apk (offset 0x2000) (f+1)` the path, and the offset where the library
    /// inside is not named.
    private static func mapping(_ tokens: ArraySlice<Substring>) -> String? {
        let start = tokens.first == "(offset" ? tokens.dropFirst(2) : tokens
        guard let path = start.first, path.hasPrefix("/") else { return nil }
        let isUnnamed = path.hasSuffix(".apk") && start.dropFirst().first == "(offset"
        return String(path) + (isUnnamed ? String(start.dropFirst(2).first ?? "") : "")
    }

    /// The same rows with `native:` in front or without, and Java's.
    @Sendable static func androidANR(_ text: String) -> NaiveCount {
        var count = androidTombstone(text)
        count.frames += lines(text).count { $0[0] == "at" && $0.count > 1 && $0[1].contains(".") }
        return count
    }
}
