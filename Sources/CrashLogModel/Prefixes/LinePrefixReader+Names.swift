internal import BinaryPrimitives

/// Prefixes that name a process, a container, a job.
extension LinePrefixReader {
    /// NSLog's and the unified log's `Name[pid:tid] `, where the pid is decimal, the tid
    /// hexadecimal, and the name may hold spaces.
    package mutating func readProcess(_ line: inout Span<UInt8>) -> Bool {
        // A name is short; a `[` further on belongs to the message.
        guard let open = line.upTo(96).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        var rest = line.from(open + 1)
        guard let pid = rest.readDecimal(), rest.consume(":"), rest.readHexadecimal() != nil, rest.consume("] ") else { return false }
        guard line.upTo(open).firstIndex(of: UInt8(ascii: ":")) == nil, let number = Int(exactly: pid) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `name[pid]: `: syslog's and journald's identifier.
    package mutating func readIdentifier(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        let name = line.upTo(open)
        for index in 0..<name.count where isBlank(name[index]) || name[index] == UInt8(ascii: ":") { return false }
        rest = line.from(open + 1)
        guard let pid = rest.readDecimal(), rest.consume("]: "), let number = Int(exactly: pid) else { return false }
        // The kernel speaks of that process: `harbour[4242]: segfault at 10 …`; the lines below
        // have no such name in front.
        guard !["segfault at ", "segfault (", "unhandled "].contains(where: { rest.hasPrefix($0) }) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `web_1  | `: `docker compose logs` and `up`, foreman.
    package mutating func readCompose(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        var length = 0
        // `web.1.k5eapsbs2g3h@node`: a service's task and its node.
        while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) || byte == UInt8(ascii: "@") { length += 1 }
        guard length > 0, length <= 64 else { return false }
        rest = rest.from(length)
        guard rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.consume("|") else { return false }
        LinePrefixReader.skipColours(&rest)
        guard rest.consume(" ") || rest.count == 0 else { return false }
        let start = count - line.count
        noteLine(start..<start + length)
        parts.container = parts.container ?? start..<start + length
        line = rest
        return true
    }

    /// `F/DEBUG   ( 1234): `: logcat's `brief`.
    package mutating func readLogcatBrief(_ line: inout Span<UInt8>) -> Bool {
        guard LinePrefixReader.isLevel(line.at(0)), line.at(1) == UInt8(ascii: "/") else { return false }
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "(")) else { return false }
        var rest = line.from(open + 1)
        rest.skipBlanks()
        guard let pid = rest.readDecimal(), rest.consume("):") else { return false }
        let start = count - line.count
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.consume(" ")
        line = rest
        return true
    }

    /// `build<TAB>Run tests<TAB>2024-01-01T00:00:00.0000000Z `: `gh run view --log` puts job and
    /// step before GitHub's date.
    package mutating func readJob(_ line: inout Span<UInt8>) -> Bool {
        let tab = UInt8(ascii: "\t")
        guard let first = line.upTo(128).firstIndex(of: tab), let second = line.upTo(256).firstIndex(of: tab, from: first + 1) else {
            return false
        }
        var rest = line.from(second + 1)
        guard readDate(&rest) else { return false }
        let start = count - line.count
        noteLine(start..<start + second)
        line = rest
        return true
    }

    /// `01102.01116> `: Zircon's log, process and thread of five digits and more; after the seconds
    /// in brackets.
    package mutating func readZircon(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let pid = rest.readDecimal(), line.count - rest.count >= 5, rest.consume(".") else { return false }
        let start = rest.count
        guard rest.readDecimal() != nil, start - rest.count >= 5, rest.consume("> ") else { return false }
        noteMessage(count - line.count..<count - rest.count - 2)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    /// `[00115.266979][1102][1191][core/starnix_runner] WARN: `: Fuchsia's `ffx log`: seconds,
    /// process, thread, tags, how important it is. Threads of one process take turns in one trace.
    package mutating func readFuchsia(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("["), rest.readDecimal() != nil, rest.consume("."), rest.readDecimal() != nil, rest.consume("][") else {
            return false
        }
        let start = count - rest.count
        guard let pid = rest.readDecimal() else { return false }
        let end = count - rest.count
        guard rest.consume("]["), rest.readDecimal() != nil, rest.consume("][") else { return false }
        while let close = rest.upTo(512).firstIndex(of: UInt8(ascii: "]")) {
            rest = rest.from(close + 1)
            guard rest.consume("[") else { break }
        }
        guard rest.consume(" "), let colon = rest.upTo(8).firstRange(of: ": ") else { return false }
        rest = rest.from(colon.upperBound)
        noteMessage(start..<end)
        parts.origin.dates &+= 1
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }
}
