internal import BinaryPrimitives
internal import CrashLogModel

/// The line above a stack of `perf script`: the process, the moment, the event.
///
///     ferry 14443 [001] 11897.757385:     250000 cycles:u:
///     ferry-pie 14443/14443 11897.757385: cpu-clock:u:
///     swapper     0 [000]  4711.000001: sched:sched_switch: prev_comm=swapper/0 prev_pid=0
///
/// Without stacks (`perf record` without `-g`) the one frame follows the event.
struct PerfHeader {
    var command: String
    /// Set if both numbers are printed (`-F +pid`).
    var pid: Int?
    var thread: Int
    var event: String
    /// After the event.
    var restStart: Int

    init?(_ line: Span<UInt8>) {
        guard let first = line.at(0), !isBlank(first) else { return nil }
        // The command's name may have blanks: the time is the first token of its form, and what
        // comes before it identifies the thread.
        var position = 0
        var before: [Range<Int>] = []
        var time: Range<Int>?
        while position < line.count, before.count < 64 {
            while let byte = line.at(position), isBlank(byte) { position += 1 }
            let start = position
            while let byte = line.at(position), !isBlank(byte) { position += 1 }
            guard position > start else { break }
            if before.count >= 2, PerfHeader.isTime(line.clamped(to: start..<position)) {
                time = start..<position
                break
            }
            before.append(start..<position)
        }
        guard let time else { return nil }
        if let last = before.last, PerfHeader.isProcessor(line.clamped(to: last)) { before.removeLast() }
        guard let token = before.popLast(), let last = before.last, let ids = PerfHeader.ids(line.clamped(to: token)) else { return nil }
        pid = ids.pid
        thread = ids.thread
        command = line.clamped(to: before[0].lowerBound..<last.upperBound).text
        var rest = line.from(time.upperBound)
        rest.skipBlanks()
        var period = rest
        if period.readDecimal() != nil, let blank = period.at(0), isBlank(blank) {
            rest = period
            rest.skipBlanks()
        }
        let name = rest.readToken()
        // perf's own records have the process between their name and the colon.
        guard name.count > 1, name.hasSuffix(":") || name.hasPrefix("PERF_RECORD_") else { return nil }
        event = name.upTo(name.count - (name.hasSuffix(":") ? 1 : 0)).text
        restStart = line.count - rest.count
    }

    /// `11897.757385:`
    private static func isTime(_ token: Span<UInt8>) -> Bool {
        var rest = token
        guard rest.readDecimal() != nil, rest.consume(".") else { return false }
        let digits = rest.count
        return rest.readDecimal() != nil && digits - rest.count >= 6 && rest.equals(":")
    }

    /// `[001]`
    private static func isProcessor(_ token: Span<UInt8>) -> Bool {
        var rest = token
        return rest.consume("[") && rest.readDecimal() != nil && rest.equals("]")
    }

    /// `14443`, `14443/14444`
    private static func ids(_ token: Span<UInt8>) -> (pid: Int?, thread: Int)? {
        var rest = token
        guard let first = rest.readDecimal().flatMap({ Int(exactly: $0) }) else { return nil }
        guard rest.consume("/") else { return rest.count == 0 ? (nil, first) : nil }
        guard let second = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.count == 0 else { return nil }
        return (first, second)
    }
}

/// A mapping as `perf script --show-mmap-events` prints it:
///
///     ferry 14492 11899.052912: PERF_RECORD_MMAP2 14492/14492: [0x555555555000(0x1000) @ 0x1000 fe:00 1312338 3247190650]: r-xp /srv/ferry-pie
///     ferry 14492 11899.052912: PERF_RECORD_MMAP2 14492/14492: [0x555555555000(0x1000) @ 0x1000 <9f1c…>]: r-xp /srv/ferry-pie
struct PerfMapping {
    var pid: Int
    var row: MemoryMapRow
    var id: ImageID?

    init?(_ line: Span<UInt8>) {
        guard let mark = line.firstRange(of: "PERF_RECORD_MMAP") else { return nil }
        var rest = line.from(mark.upperBound)
        _ = rest.consume("2")
        guard rest.consume(" "), let number = rest.readDecimal(), let pid = Int(exactly: number), rest.consume("/") else {
            // The kernel's own has -1 for a process.
            return nil
        }
        self.pid = pid
        guard rest.readDecimal() != nil, rest.consume(": ["), let start = rest.readAddress(), rest.consume("("),
            let size = rest.readAddress(),
            rest.consume(") @ ")
        else {
            return nil
        }
        guard let offset = rest.readAddress() ?? rest.readDecimal(), let end = RuntimeAddress(start).advanced(by: size), size > 0 else {
            return nil
        }
        if rest.consume(" <"), let close = rest.firstIndex(of: UInt8(ascii: ">")) { id = ImageID(text: rest.upTo(close).text) }
        guard let close = rest.firstRange(of: "]: ") else { return nil }
        rest = rest.from(close.upperBound)
        let permissions = rest.readToken()
        row = MemoryMapRow(
            start: RuntimeAddress(start), end: end, permissions: permissions.text, fileOffset: offset, path: rest.trimmed().text)
    }
}
