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

    /// Returns the path of `/data/app/x/base.apk (offset 0x2000) (f+1)`, with the offset if the
    /// library inside is not named.
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

    /// Frames are the only messages that begin with the numbers 1, 2 and 3 (rel_pc, pc and sp), as
    /// fields 4 (of a thread, or of an allocation of memory) or 6 (of its release):
    /// `22 LENGTH 08 … 10 … 18 …`. A library's path is field 6, `32 LENGTH /…`, and the offset in
    /// an APK field 7 after it.
    static func androidTombstoneProtobuf(_ bytes: [UInt8]) -> NaiveCount {
        func number(_ position: inout Int) -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while position < bytes.count, shift < 64 {
                value |= UInt64(bytes[position] & 0x7F) << shift
                shift += 7
                position += 1
                if bytes[position - 1] < 0x80 { break }
            }
            return value
        }
        var count = NaiveCount()
        var images: Set<String> = []
        for start in bytes.indices where bytes[start] == 0x22 || bytes[start] == 0x32 {
            var position = start + 1
            let length = number(&position)
            guard length > 6, length < 4096, position + Int(length) <= bytes.count else { continue }
            let end = position + Int(length)
            let isFrame = [0x08, 0x10, 0x18].allSatisfy { (key: UInt8) in
                guard position < end, bytes[position] == key else { return false }
                position += 1
                _ = number(&position)
                return true
            }
            guard isFrame else { continue }
            count.frames += 1
            // 4, the function's name, and 5, the offset in it.
            if position < end, bytes[position] == 0x22 {
                position += 1
                position = Int(number(&position)) + position
            }
            if position < end, bytes[position] == 0x28 {
                position += 1
                _ = number(&position)
            }
            guard position < end, bytes[position] == 0x32 else { continue }
            position += 1
            let size = Int(number(&position))
            let path = String(decoding: bytes[position..<min(position + size, end)], as: UTF8.self)
            position += size
            let isInArchive = path.hasSuffix(".apk") && position < end && bytes[position] == 0x38
            position += 1
            if path.hasPrefix("/") { images.insert(path + (isInArchive ? " \(number(&position))" : "")) }
        }
        count.images = images.count
        return count
    }
}
