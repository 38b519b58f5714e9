/// Counts in the output of Linux's own tools: glibc, gdb, apport, systemd-coredump, perf.
extension NaiveCount {
    /// A row has `[0x…]` in it. Without a memory map an image is a file that rows name with a path,
    /// whole or relative; in a memory map, a path.
    @Sendable static func glibcBacktrace(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0)
        var paths: Set<Substring> = []
        var mapped: Set<Substring> = []
        for line in text.split(whereSeparator: \.isNewline) {
            if let open = line.firstRange(of: "[0x"), line[open.upperBound...].firstIndex(of: "]") != nil {
                count.frames += 1
                if line.first == "/" || line.hasPrefix("./") { paths.insert(line.prefix { $0 != "(" && $0 != "[" }) }
            }
            let tokens = line.split(separator: " ")
            if tokens.count == 6, tokens[0].contains("-"), tokens[3].contains(":"), tokens[5].first == "/" || tokens[5] == "[vdso]" {
                mapped.insert(tokens[5])
            }
        }
        // A program's own copy of its map is not a list of glibc's: only its files that frames are
        // in are images.
        let isOwn = !mapped.isEmpty && !text.contains("======= Memory map:")
        count.images = isOwn ? nil : mapped.isEmpty ? paths.count : mapped.count
        return count
    }

    /// A row begins with `#` and its number.
    @Sendable static func gdbBacktrace(_ text: String) -> NaiveCount {
        let rows = text.split(whereSeparator: \.isNewline).filter { line in
            let first = line.split(separator: " ").first ?? ""
            return (first.first == "#" && first.count > 1 && first.dropFirst().allSatisfy(\.isNumber)) || first == "[KCrash"
        }
        return NaiveCount(frames: rows.count)
    }

    /// gdb's rows; if there are none, the offsets that the signature adds to paths.
    @Sendable static func apport(_ text: String) -> NaiveCount {
        let rows = gdbBacktrace(text)
        guard rows.frames == 0, let signature = text.split(separator: "\n").first(where: { $0.hasPrefix("StacktraceAddressSignature: ") })
        else { return rows }
        return NaiveCount(frames: signature.split(separator: "+").count - 1)
    }

    /// A row has a number, an address and parentheses; in JSON the rows of a message are parted by
    /// an escape.
    @Sendable static func systemdCoredump(_ text: String) -> NaiveCount {
        let lines = text.split(whereSeparator: \.isNewline).flatMap { $0.split(separator: "\\n") }
        return NaiveCount(
            frames: lines.filter { line in
                let tokens = line.split(separator: " ")
                return tokens.count > 3 && tokens[0].first == "#" && isAddress(tokens[1]) && tokens[3].first == "("
            }.count)
    }

    /// The rows of stacks, and nothing else, begin with a tab.
    @Sendable static func perfScript(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.split(whereSeparator: \.isNewline).filter { $0.first == "\t" }.count)
    }
}
