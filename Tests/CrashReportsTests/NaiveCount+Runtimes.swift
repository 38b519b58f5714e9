/// Counts of the language runtimes' logs, by plain searches.
extension NaiveCount {
    /// Rows begin with one of six letters and two blanks (`J` with one) below the two headings and
    /// `# Problematic frame:`; or are alone. A library is a path in the list, or named by a row
    /// alone.
    @Sendable static func hotspot(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        var isList = !text.contains("Native frames:") && !text.contains("Problematic frame:")
        var isMap = false
        var paths: Set<String> = []
        var last: (path: String, end: Substring) = ("", "")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            if line.hasPrefix("Native frames:") || line.hasPrefix("Java frames:") {
                isList = true
            } else if line.hasPrefix("# Problematic frame:") {
                isList = true
            } else if line.hasPrefix("Dynamic libraries:") {
                isMap = true
            } else if line.isEmpty || line == "#" {
                (isList, isMap) = (false, false)
            } else if isList {
                let row = line.hasPrefix("# ") ? line.dropFirst(2) : line
                if ["C  ", "V  ", "j  ", "v  ", "J ", "A  "].contains(where: { row.hasPrefix($0) }) { count.frames += 1 }
            } else if isMap {
                let tokens = line.split { $0 == " " || $0 == "\t" }
                guard let first = tokens.first else { continue }
                if first.hasPrefix("0x"), tokens.count > 1 {
                    count.images? += 1
                } else if tokens.count > 5, first.contains("-"), tokens[5].hasPrefix("/") || tokens[5] == "[vdso]" {
                    let ends = first.split(separator: "-")
                    // If the file's beginning comes again, it is another copy, unless it continues
                    // at the end of the last mapping.
                    let follows = last.path == tokens[5] && last.end == ends[0]
                    if (tokens[2].allSatisfy({ $0 == "0" }) && !follows) || paths.insert(String(tokens[5])).inserted { count.images? += 1 }
                    paths.insert(String(tokens[5]))
                    last = (String(tokens[5]), ends.last ?? "")
                }
            }
        }
        return count
    }

    @Sendable static func javacore(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.occurrences(of: "4XENATIVESTACK  ") + text.occurrences(of: "4XESTACKTRACE  "))
    }

    /// A frame ends with a line that has a location (`file:12`) and perhaps an offset; C frames,
    /// and the lines of a signal, have a pc.
    @Sendable static func go(_ text: String) -> NaiveCount {
        var frames = 0
        var isInside = false
        var before = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("goroutine ") || line == "runtime stack:" || line.hasSuffix(" created at:") || line.contains(" by goroutine ")
            {
                isInside = true
            }
            if !isInside {
                if line.hasPrefix("[signal SIG") || line.hasPrefix("PC=0x") { frames += 1 }
            } else if line.hasPrefix("non-Go function at pc=") || line.hasPrefix("...") {
                frames += 1
            } else if isGoPlace(line), before.hasSuffix(")") || before.hasPrefix("created by ") {
                frames += 1
            }
            if line.hasPrefix("==") && line.contains("ERROR") { isInside = false }
            before = line
        }
        return NaiveCount(frames: frames)
    }

    static func isGoPlace(_ line: String) -> Bool {
        let word = line.split { $0 == " " || $0 == "\t" }.first ?? ""
        guard let colon = word.lastIndex(of: ":") else { return false }
        let digits = word[word.index(after: colon)...]
        return !digits.isEmpty && digits.allSatisfy(\.isNumber)
            && (word.contains(".go:") || word.contains(".s:") || word.contains("_cgo_gotypes"))
    }

    /// Rows begin with a number and a colon; `omitted` replaces rows; a row without either, in the
    /// column of the names, is a part of a frame; and `{:?}` has `{ fn: `.
    @Sendable static func rust(_ text: String) -> NaiveCount {
        var frames = text.occurrences(of: "{ fn: ")
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let tokens = line.split(separator: " ")
            if line.hasPrefix(" "), let first = tokens.first, first.hasSuffix(":"), !first.dropLast().isEmpty,
                first.dropLast().allSatisfy(\.isNumber)
            {
                isInside = true
                frames += 1
            } else if line.contains("[... omitted") {
                frames += 1
            } else if line.isEmpty || !line.hasPrefix(" ") {
                isInside = false
            } else if isInside, tokens.first != "at" {
                frames += 1
            }
        }
        return NaiveCount(frames: frames)
    }

    @Sendable static func java(_ text: String) -> NaiveCount {
        let lines = lines(text)
        return NaiveCount(frames: lines.count { $0.first == "at" || ($0.first == "..." && $0.last == "more") })
    }

    @Sendable static func python(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { $0.first == "File" } + text.occurrences(of: "  Binary file ")
                + text.occurrences(of: "[Previous line repeated")
                + text.occurrences(of: "<truncated rest of calls>"))
    }
}
