internal import BinaryPrimitives

/// Prefixes that some writers put right after a date.
extension LinePrefixReader {
    /// `stdout F `, `stderr P `: the Container Runtime Interface's log files (containerd, CRI-O); P
    /// is a part of a line.
    package mutating func readContainerStream(_ line: inout Span<UInt8>) {
        let start = count - line.count
        guard line.consume("stdout F ") || line.consume("stderr F ") || line.consume("stdout P ") || line.consume("stderr P ") else {
            return
        }
        noteLine(start..<count - line.count - 3)
        parts.container = parts.container ?? start..<start + 6
    }

    /// `00O `, `01E+`: GitLab's runners with timestamps: the stream's number, O or E, and whether
    /// the line continues the last one.
    package mutating func readGitLab(_ line: inout Span<UInt8>) {
        var rest = line
        let start = count - line.count
        guard hexadecimalValue(rest.at(0) ?? 0) != nil, hexadecimalValue(rest.at(1) ?? 0) != nil,
            rest.at(2) == UInt8(ascii: "O") || rest.at(2) == UInt8(ascii: "E")
        else { return }
        rest = rest.from(3)
        guard rest.consume(" ") || rest.consume("+") else { return }
        noteLine(start..<start + 3)
        line = rest
    }

    /// ` 0x1a2b Error 0x0 123 0 App: (Foundation) `: `log show` in its default style: thread, type,
    /// activity, process, time to live.
    package mutating func readUnifiedColumns(_ line: inout Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.readAddress() != nil, rest.at(0).map(isBlank) ?? false else { return }
        rest.skipBlanks()
        let type = rest.readToken()
        guard ["Default", "Info", "Debug", "Error", "Fault", "Activity"].contains(where: { type.equals($0) }) else { return }
        rest.skipBlanks()
        guard rest.readAddress() != nil else { return }
        rest.skipBlanks()
        guard let pid = rest.readDecimal() else { return }
        rest.skipBlanks()
        guard rest.readDecimal() != nil else { return }
        rest.skipBlanks()
        let start = count - rest.count
        guard let colon = rest.upTo(96).firstIndex(of: UInt8(ascii: ":")), rest.at(colon + 1) == UInt8(ascii: " ") else { return }
        rest = rest.from(colon + 2)
        noteMessage(start..<start + colon)
        parts.name = parts.name ?? start..<start + colon
        parts.pid = parts.pid ?? Int(exactly: pid)
        if rest.hasPrefix("("), let close = rest.upTo(96).firstRange(of: ") ") { rest = rest.from(close.upperBound) }
        line = rest
    }

    /// `Df `: `log stream --style compact` shows the importance of the message in two letters.
    package mutating func readUnifiedType(_ line: inout Span<UInt8>) {
        guard ["Df ", "In ", "Db ", "E  ", "F  ", "A  "].contains(where: { line.hasPrefix($0) }) else { return }
        var rest = line.from(2)
        rest.skipBlanks()
        var process = rest
        if readProcess(&process) { line = process }
    }

    /// `host name[pid]: `, `host kernel: `.
    package mutating func readSyslogName(_ line: inout Span<UInt8>) {
        var rest = line
        let host = rest.readToken()
        guard host.count > 0, rest.consume(" ") else { return }
        let start = count - line.count
        if readIdentifier(&rest) {
            noteMessage(start..<start + host.count)
            parts.host = parts.host ?? start..<start + host.count
            line = rest
        } else if rest.consume("kernel: ") {
            noteLine(start..<count - rest.count)
            parts.host = parts.host ?? start..<start + host.count
            line = rest
        }
    }
}
